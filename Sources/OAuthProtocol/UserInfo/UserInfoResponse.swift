package import JOSE

/// Claims of the userinfo endpoint, about the user who signed in.
package struct UserInfoResponse: Sendable, Hashable {
    /// All members as they came, after the descriptor's `unwrap`, `map`, `types` and `defaults`.
    package let claims: JSONObject

    private init(claims: JSONObject) { self.claims = claims }

    /// Reads the answer of a userinfo endpoint.
    ///
    /// - Parameters:
    ///   - expectedSubject: `sub` of the verified ID token.
    ///   - subjectMember: `sub` for OpenID Connect; `nil` for plain OAuth 2.0, where no member is the
    ///     subject.
    /// - Throws: `rejected` for a challenge or an error body (401 without words is `invalid_token`, 403
    ///   `insufficient_scope`); `status` for another status, a redirect too; `malformed` for a body that
    ///     cannot be read; `failed` for a signed answer, which was not asked for, and for another subject.
    package static func read(
        _ response: HTTPResponse, expectedSubject: String?, subjectMember: String? = "sub",
        dialect: ResponseDialect, log: inout CheckLog
    ) throws(ProtocolError) -> UserInfoResponse {
        try checkStatus(response, dialect, log: &log)
        if response.mediaType == "application/jwt" {
            throw log.failure(
                Checks.userInfoContentType, expected: "application/json", actual: "application/jwt")
        }
        let claims = try dialect.members(of: response, .userInfo, log: &log)
        try checkSubject(claims, expectedSubject, subjectMember, log: &log)
        return UserInfoResponse(claims: claims)
    }

    /// The answer to a further request, of any shape; `nil` when it says nothing usable.
    package static func additional(_ response: HTTPResponse, dialect: ResponseDialect) -> JSONValue? {
        guard dialect.successStatus.contains(response.status) else { return nil }
        var log = CheckLog()
        // Why it is not usable does not matter: the profile goes without it.
        return try? dialect.mapped(response, .userInfo, log: &log)
    }

    private static func checkStatus(
        _ response: HTTPResponse, _ dialect: ResponseDialect, log: inout CheckLog
    ) throws(ProtocolError) {
        guard !dialect.successStatus.contains(response.status) else {
            return log.pass(Checks.userInfoStatus)
        }
        if response.status >= 400, let error = refusal(response, dialect) {
            throw log.rejected(Checks.userInfoStatus, error, status: response.status)
        }
        throw log.status(Checks.userInfoStatus, expected: dialect.successWords, response.status)
    }

    /// The challenge first, for it is what RFC 6750 §3 speaks of; then the meaning of 401 and 403; then the
    /// body.
    private static func refusal(_ response: HTTPResponse, _ dialect: ResponseDialect) -> OAuthError? {
        let error = ResourceRefusal.error(in: response, dialect: dialect)
        let isChallenge = response.challenges.contains { $0.oauthError != nil }
        let code: String
        switch response.status {
        case 401 where !isChallenge: code = "invalid_token"
        case 403 where !isChallenge: code = "insufficient_scope"
        default: return error
        }
        return OAuthError(
            code: code, description: ResourceRefusal.words(in: response, dialect, beside: code))
    }

    /// "The sub Claim in the UserInfo Response MUST be verified to exactly match" (OIDC Core §5.3.2).
    private static func checkSubject(
        _ claims: JSONObject, _ expected: String?, _ member: String?, log: inout CheckLog
    ) throws(ProtocolError) {
        guard let member else {
            return log.skip(Checks.userInfoSubject, because: "plain OAuth 2.0 has no subject")
        }
        guard let subject = claims[member]?.stringValue, !subject.isEmpty else {
            throw log.failure(
                Checks.userInfoSubject, expected: "\(member), a text", actual: "absent or another type",
                of: member)
        }
        guard let expected else {
            return log.skip(Checks.userInfoSubject, because: "there is no ID token to compare with")
        }
        try log.require(
            ConstantTime.equal(subject, expected), Checks.userInfoSubject,
            expected: "the subject of the ID token", actual: "another subject")
    }
}
