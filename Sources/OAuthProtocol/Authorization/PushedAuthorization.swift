internal import JOSE

/// The request that brings an authorization request to the server before any browser does (RFC 9126 §2.1).
package enum PushedAuthorizationRequest {
    /// - Parameters:
    ///   - authorization: What `AuthorizationRequest.plan` or `RequestObject.plan` made; its parameters become
    ///     the body.
    ///   - registration: The client authenticates as at the token endpoint. The audience of an assertion is
    ///     the issuer.
    package static func plan(
        endpoint: String, authorization: RequestPlan, registration: ClientRegistration,
        dialect: RequestDialect
    ) -> RequestPlan {
        // A request object comes alone, but for what proves the client (RFC 9126 §3).
        let isObject = authorization.query.contains { $0.name == "request" }
        var plan = RequestPlan(
            method: .post, endpoint: endpoint,
            fields: [
                RequestParameter("Accept", .text("application/json"), .specification, "RFC 9126 §2.2")
            ],
            // "The request_uri authorization request parameter [...] MUST NOT be provided" (RFC 9126 §2.1).
            body: authorization.query.filter { parameter in
                isObject
                    ? ["client_id", "request"].contains(parameter.name) : parameter.name != "request_uri"
            }, bodyFormat: .form)
        ClientAuthentication.apply(registration, includesClientID: true, to: &plan)
        return plan.assembled(with: dialect)
    }
}

/// Where a pushed request waits for the browser, checked (RFC 9126 §2.2).
package struct PushedAuthorizationResponse: Sendable, Hashable {
    /// Good for one authorization request (RFC 9126 §4).
    package let requestURI: Secret
    /// Seconds from the answer on.
    package let expiresIn: Int64

    /// Nobody is led to a sign-in later than a day after it was asked for.
    private static let longestLifetime = 86_400.0

    private init(requestURI: Secret, expiresIn: Int64) {
        self.requestURI = requestURI
        self.expiresIn = expiresIn
    }

    /// Reads the answer of a pushed authorization request endpoint.
    ///
    /// Success is 201 (RFC 9126 §2.2); other statuses of success only where the dialect names them.
    ///
    /// - Throws: As `TokenResponse.read`.
    package static func read(
        _ response: HTTPResponse, dialect: ResponseDialect, log: inout CheckLog
    ) throws(ProtocolError) -> PushedAuthorizationResponse {
        try dialect.creating.checkStatus(response, Checks.pushedStatus, success: "201", log: &log)
        let object = try dialect.members(of: response, .pushedRequest, log: &log)
        let uri = object["request_uri"]?.stringValue ?? ""
        // Any kind of URI will do, but it must be able to stand in a URL.
        try log.require(
            !uri.isEmpty && uri.utf8.allSatisfy { (0x21...0x7E).contains($0) }, Checks.requestURI,
            expected: "request_uri, a URI", actual: object["request_uri"] == nil ? "none" : "another value")
        let lifetime = object["expires_in"]?.numberValue ?? .nan
        try log.require(
            lifetime >= 1, Checks.requestURILifetime, expected: "expires_in, a number above 0",
            actual: object["expires_in"] == nil ? "none" : "another value")
        return PushedAuthorizationResponse(
            requestURI: Secret(uri, kind: .requestURI),
            expiresIn: Int64(min(lifetime, longestLifetime).rounded(.down)))
    }
}

extension AuthorizationRequest {
    /// The request that the browser carries once the true one was pushed: its name alone (RFC 9126 §4).
    ///
    /// - Parameter authorization: The plan that was pushed, for the endpoint and its fragments.
    package static func plan(
        for pushed: PushedAuthorizationResponse, in authorization: RequestPlan, clientID: String,
        step: String
    ) -> RequestPlan {
        var plan = RequestPlan(method: .get, endpoint: authorization.endpoint)
        plan.endpointSource = authorization.endpointSource
        plan.fragment = authorization.fragment
        plan.trailingFragment = authorization.trailingFragment
        plan.query = [
            RequestParameter("client_id", .text(clientID), .registration, "RFC 9126 §4"),
            RequestParameter("request_uri", .secret(pushed.requestURI), .step(step), "RFC 9126 §4"),
        ]
        return plan
    }
}

extension ResponseDialect {
    /// The same for an endpoint that creates something, where success is 201 unless a descriptor says more.
    var creating: ResponseDialect {
        guard successStatus == Self.standard.successStatus else { return self }
        var dialect = self
        dialect.successStatus = 201...201
        return dialect
    }
}
