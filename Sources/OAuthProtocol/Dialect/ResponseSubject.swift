/// What an answer is called in messages, and the checks that its reading records.
struct ResponseSubject {
    let name: String
    let status: Check
    let contentType: Check
    let error: Check
    let body: Check

    static let token = ResponseSubject(
        name: "token response", status: Checks.tokenStatus, contentType: Checks.tokenContentType,
        error: Checks.tokenError, body: Checks.tokenBody)
    static let userInfo = ResponseSubject(
        name: "userinfo response", status: Checks.userInfoStatus, contentType: Checks.userInfoContentType,
        error: Checks.userInfoError, body: Checks.userInfoBody)
    static let device = ResponseSubject(
        name: "device authorization response", status: Checks.deviceStatus,
        contentType: Checks.deviceContentType, error: Checks.deviceError, body: Checks.deviceBody)
    static let operation = ResponseSubject(
        name: "answer", status: Checks.resourceStatus, contentType: Checks.resourceContentType,
        error: Checks.resourceError, body: Checks.resourceBody)
    static let pushedRequest = ResponseSubject(
        name: "pushed authorization response", status: Checks.pushedStatus,
        contentType: Checks.pushedContentType, error: Checks.pushedError, body: Checks.pushedBody)
    static let registration = ResponseSubject(
        name: "registration response", status: Checks.registrationStatus,
        contentType: Checks.registrationContentType, error: Checks.registrationError,
        body: Checks.registrationBody)
    static let revocation = ResponseSubject(
        name: "revocation response", status: Checks.revocation, contentType: Checks.revocation,
        error: Checks.revocation, body: Checks.revocation)
    static let introspection = ResponseSubject(
        name: "introspection response", status: Checks.introspectionStatus,
        contentType: Checks.introspectionContentType, error: Checks.introspectionError,
        body: Checks.introspectionBody)
}
