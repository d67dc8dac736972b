package import JOSE

/// The question whether a token is good (RFC 7662 §2.1).
package enum IntrospectionRequest {
    /// - Parameter isSigned: Whether to ask for an answer that is a JWT (RFC 9701 §4).
    package static func plan(
        endpoint: String, token: Secret, registration: ClientRegistration, dialect: RequestDialect,
        isSigned: Bool = false, step: String
    ) -> RequestPlan {
        let type = isSigned ? SignedIntrospection.mediaType : "application/json"
        var plan = RequestPlan(
            method: .post, endpoint: endpoint,
            fields: [
                RequestParameter(
                    "Accept", .text(type), .specification, isSigned ? "RFC 9701 §4" : "RFC 7662 §2.1")
            ],
            body: [
                RequestParameter("token", .secret(token), .step(step), "RFC 7662 §2.1"),
                RequestParameter(
                    "token_type_hint", .text(token.kind.rawValue), .specification, "RFC 7662 §2.1"),
            ], bodyFormat: .form)
        ClientAuthentication.apply(registration, includesClientID: dialect.includesClientID, to: &plan)
        return plan.assembled(with: dialect)
    }
}

/// What a server says of a token (RFC 7662 §2.2).
package struct IntrospectionResponse: Sendable, Hashable {
    package let isActive: Bool
    /// All members as they came.
    package let claims: JSONObject
    package let scopes: [String]

    private init(isActive: Bool, claims: JSONObject, scopes: [String]) {
        self.isActive = isActive
        self.claims = claims
        self.scopes = scopes
    }

    /// Reads the answer of an introspection endpoint.
    ///
    /// - Throws: As `TokenResponse.read`; `failed` when `active` is no boolean.
    package static func read(
        _ response: HTTPResponse, dialect: ResponseDialect, log: inout CheckLog
    ) throws(ProtocolError) -> IntrospectionResponse {
        try dialect.checkStatus(response, Checks.introspectionStatus, log: &log)
        let (claims, types) = try dialect.members(
            of: response, .introspection, typing: ["scope"], log: &log)
        return try read(claims, types["scope"], log: &log)
    }

    /// Reads the members of an answer, such as those that `SignedIntrospection.validate` found.
    ///
    /// - Throws: `failed` when `active` is no boolean.
    package static func read(
        _ claims: JSONObject, dialect: ResponseDialect, log: inout CheckLog
    ) throws(ProtocolError) -> IntrospectionResponse {
        try read(claims, dialect.types["scope"], log: &log)
    }

    private static func read(
        _ claims: JSONObject, _ scope: ResponseDialect.MemberType?, log: inout CheckLog
    ) throws(ProtocolError) -> IntrospectionResponse {
        guard let isActive = claims["active"]?.boolValue else {
            throw log.failure(
                Checks.active, expected: "active, true or false",
                actual: claims["active"] == nil ? "no active" : "another type", of: "active")
        }
        log.pass(Checks.active)
        guard isActive else { return IntrospectionResponse(isActive: false, claims: [:], scopes: []) }
        let scopes = try TokenScope.read(claims["scope"], scope, log: &log) ?? []
        return IntrospectionResponse(isActive: true, claims: claims, scopes: scopes)
    }
}
