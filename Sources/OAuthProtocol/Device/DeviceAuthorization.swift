package import JOSE

/// The request that begins a sign-in on another device (RFC 8628 §3.1).
package enum DeviceAuthorizationRequest {
    package static func plan(
        endpoint: String, scopes: [String], scopeDelimiter: String, pkce: PKCE? = nil,
        extra: [RequestParameter], registration: ClientRegistration, dialect: RequestDialect, step: String
    ) -> RequestPlan {
        var plan = RequestPlan(
            method: .post, endpoint: endpoint,
            fields: [
                RequestParameter("Accept", .text("application/json"), .specification, "RFC 8628 §3.2")
            ], bodyFormat: .form)
        if !scopes.isEmpty {
            let scope = scopes.joined(separator: scopeDelimiter)
            plan.body.append(RequestParameter("scope", .text(scope), .step(step), "RFC 8628 §3.1"))
        }
        if let pkce {
            plan.body += [
                RequestParameter("code_challenge", pkce.challenge, .step(step), "RFC 7636 §4.3"),
                RequestParameter(
                    "code_challenge_method", .text(pkce.method.name), .specification, "RFC 7636 §4.3"),
            ]
        }
        for parameter in extra where !RequestPlan.protectedParameters.contains(parameter.name) {
            plan.body.set(parameter)
        }
        ClientAuthentication.apply(registration, includesClientID: dialect.includesClientID, to: &plan)
        return plan.assembled(with: dialect)
    }
}

/// What a person needs to decide on another device, checked (RFC 8628 §3.2).
package struct DeviceAuthorizationResponse: Sendable {
    package let deviceCode: Secret
    /// Free of control characters, at most 100 characters.
    package let userCode: String
    package let verificationURI: String
    package let verificationURIComplete: String?
    /// Seconds from the answer on.
    package let expiresIn: Int64
    /// Seconds between two questions.
    package let interval: Int64
    /// The answer's members, without the device code by whatever name.
    package let members: JSONObject

    /// "If no value is provided, clients MUST use 5 as the default" (RFC 8628 §3.2).
    private static let standardInterval = 5
    /// Nobody enters a code later than a day after it was shown.
    private static let longestLifetime = 86_400

    private init(
        deviceCode: Secret, userCode: String, verificationURI: String, verificationURIComplete: String?,
        expiresIn: Int64, interval: Int64, members: JSONObject
    ) {
        self.deviceCode = deviceCode
        self.userCode = userCode
        self.verificationURI = verificationURI
        self.verificationURIComplete = verificationURIComplete
        self.expiresIn = expiresIn
        self.interval = interval
        self.members = members
    }

    /// Reads the answer of a device authorization endpoint.
    ///
    /// - Throws: As `TokenResponse.read`.
    package static func read(
        _ response: HTTPResponse, dialect: ResponseDialect, log: inout CheckLog
    ) throws(ProtocolError) -> DeviceAuthorizationResponse {
        try dialect.checkStatus(response, Checks.deviceStatus, log: &log)
        let (object, types) = try dialect.members(
            of: response, .device, typing: ["expires_in", "interval"], log: &log)
        let deviceCode = try text("device_code", object, Checks.deviceCode, log: &log)
        let userCode = RemoteText.sanitize(
            try text("user_code", object, Checks.userCode, log: &log), limit: 100)
        guard userCode.contains(where: { !$0.isWhitespace }) else {
            throw log.failure(
                Checks.userCode, expected: "user_code, a text", actual: "nothing that can be shown",
                of: "user_code")
        }
        let uri = try text("verification_uri", object, Checks.verificationURI, log: &log)
        try checkURI(uri, log: &log)
        let complete = object["verification_uri_complete"].flatMap { $0.isBlank ? nil : $0.stringValue }
        if let complete { try checkURI(complete, log: &log) }
        let lifetime = TokenLifetime.seconds(object["expires_in"], types["expires_in"]) ?? 0
        try log.require(
            lifetime > 0, Checks.deviceLifetime, expected: "expires_in, a number above 0",
            actual: object["expires_in"] == nil ? "none" : "another value", of: "expires_in")
        return DeviceAuthorizationResponse(
            deviceCode: Secret(deviceCode, kind: .deviceCode), userCode: userCode, verificationURI: uri,
            verificationURIComplete: complete, expiresIn: Int64(min(lifetime, longestLifetime)),
            interval: interval(object["interval"], types["interval"], log: &log),
            members: object.withoutTokens(dialect))
    }

    private static func text(
        _ name: String, _ object: JSONObject, _ check: Check, log: inout CheckLog
    ) throws(ProtocolError) -> String {
        let text = object[name]?.stringValue ?? ""
        try log.require(
            !text.isEmpty, check, expected: "\(name), a text",
            actual: object[name] == nil ? "none" : "empty or another type", of: name)
        return text
    }

    /// A person will open it, so it must be a place of the web that nobody on the way can change.
    private static func checkURI(_ uri: String, log: inout CheckLog) throws(ProtocolError) {
        let problem = EndpointURL.check(uri, allowLoopbackHTTP: true)
        try log.require(
            problem == nil, Checks.verificationURI, expected: "an https URL",
            actual: "\(RemoteText.sanitize(uri)) \(problem?.rawValue ?? "")")
    }

    private static func interval(
        _ value: JSONValue?, _ type: ResponseDialect.MemberType?, log: inout CheckLog
    ) -> Int64 {
        guard let seconds = TokenLifetime.seconds(value, type), (1...longestLifetime).contains(seconds) else {
            log.skip(
                Checks.pollInterval,
                because: value == nil
                    ? "the server names none, so it is 5 s" : "the server's cannot be used, so it is 5 s")
            return Int64(standardInterval)
        }
        log.pass(Checks.pollInterval)
        return Int64(seconds)
    }
}

extension ResponseDialect {
    /// Takes a status of success, and tells any other by the error that comes with it.
    func checkStatus(
        _ response: HTTPResponse, _ check: Check, success: String? = nil, log: inout CheckLog
    ) throws(ProtocolError) {
        guard !successStatus.contains(response.status) else { return log.pass(check) }
        if response.status >= 400, let error = error(inFailure: response) {
            throw log.rejected(check, error, status: response.status)
        }
        throw log.status(check, expected: success ?? successWords, response.status)
    }
}
