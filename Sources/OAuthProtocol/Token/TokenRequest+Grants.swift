/// Grants that no person's browser brings.
extension TokenRequest {
    /// Tokens for the client itself (RFC 6749 §4.4.2).
    ///
    /// - Parameters:
    ///   - scopes: Empty leaves the choice to the server.
    ///   - resources: Services that the token is for, each a parameter of its own (RFC 8707 §2).
    package static func clientCredentials(
        endpoint: String, scopes: [String], resources: [String], extra: [RequestParameter],
        registration: ClientRegistration, dialect: RequestDialect, step: String
    ) -> RequestPlan {
        let grant = RequestParameter(
            "grant_type", .text("client_credentials"), .specification, "RFC 6749 §4.4.2")
        let parameters =
            [grant] + scope(scopes, step, "RFC 6749 §4.4.2")
            + repeated("resource", resources, step, "RFC 8707 §2") + allowed(extra)
        return plan(endpoint, parameters, registration, dialect)
    }

    /// Tokens for what an assertion speaks for (RFC 7523 §2.1).
    ///
    /// - Parameters:
    ///   - assertion: What `SignedAssertion` made, or what another service issued.
    ///   - registration: A server may let the assertion alone say who asks; then the method is `none` and the
    ///     dialect omits `client_id` (RFC 7521 §4.1).
    package static func jwtBearer(
        endpoint: String, assertion: Secret, scopes: [String], resources: [String] = [],
        extra: [RequestParameter] = [],
        registration: ClientRegistration, dialect: RequestDialect, step: String
    ) -> RequestPlan {
        let parameters =
            [
                RequestParameter(
                    "grant_type", .text(jwtBearerGrant), .specification, "RFC 7523 §2.1"),
                RequestParameter("assertion", .secret(assertion), .step(step), "RFC 7523 §2.1"),
            ] + scope(scopes, step, "RFC 7521 §4.1") + repeated("resource", resources, step, "RFC 8707 §2")
            + allowed(extra)
        return plan(endpoint, parameters, registration, dialect)
    }

    package static let jwtBearerGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    /// Asks whether the person has decided (RFC 8628 §3.4).
    package static func device(
        endpoint: String, deviceCode: Secret, codeVerifier: Secret? = nil, registration: ClientRegistration,
        dialect: RequestDialect, step: String
    ) -> RequestPlan {
        var parameters = [
            RequestParameter("grant_type", .text(deviceGrant), .specification, "RFC 8628 §3.4"),
            RequestParameter("device_code", .secret(deviceCode), .step(step), "RFC 8628 §3.4"),
        ]
        if let codeVerifier {
            parameters.append(
                RequestParameter("code_verifier", .secret(codeVerifier), .step(step), "RFC 7636 §4.5"))
        }
        return plan(endpoint, parameters, registration, dialect)
    }

    package static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

    /// Exchanges a token for another (RFC 8693 §2.1).
    package static func exchange(
        endpoint: String, _ exchange: TokenExchange, registration: ClientRegistration,
        dialect: RequestDialect, step: String
    ) -> RequestPlan {
        let reference = "RFC 8693 §2.1"
        var parameters = [
            RequestParameter("grant_type", .text(exchangeGrant), .specification, reference),
            RequestParameter("subject_token", .secret(exchange.subject), .step(step), reference),
            RequestParameter(
                "subject_token_type", .text(exchange.subjectType ?? TokenExchange.type(of: exchange.subject)),
                exchange.subjectType == nil ? .specification : .step(step), reference),
        ]
        if let actor = exchange.actor {
            parameters += [
                RequestParameter("actor_token", .secret(actor), .step(step), reference),
                RequestParameter(
                    "actor_token_type", .text(exchange.actorType ?? TokenExchange.type(of: actor)),
                    .specification, reference),
            ]
        }
        if let type = exchange.requestedType {
            parameters.append(RequestParameter("requested_token_type", .text(type), .step(step), reference))
        }
        parameters +=
            repeated("audience", exchange.audiences, step, reference)
            + repeated("resource", exchange.resources, step, reference)
            + scope(exchange.scopes, step, reference)
        return plan(endpoint, parameters, registration, dialect)
    }

    package static let exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange"

    private static func scope(_ scopes: [String], _ step: String, _ reference: String) -> [RequestParameter] {
        guard !scopes.isEmpty else { return [] }
        return [RequestParameter("scope", .text(scopes.joined(separator: " ")), .step(step), reference)]
    }

    static func repeated(
        _ name: String, _ values: [String], _ step: String, _ reference: String
    ) -> [RequestParameter] {
        values.map { RequestParameter(name, .text($0), .step(step), reference) }
    }

    private static func allowed(_ extra: [RequestParameter]) -> [RequestParameter] {
        extra.filter { !RequestPlan.protectedParameters.contains($0.name) }
    }
}

/// What is to be exchanged for what (RFC 8693 §2.1).
package struct TokenExchange: Sendable {
    package var subject: Secret
    /// The identifier of its type (RFC 8693 §3); `nil` where its kind says it.
    package var subjectType: String?
    package var actor: Secret?
    package var actorType: String?
    package var requestedType: String?
    package var audiences: [String]
    package var resources: [String]
    package var scopes: [String]

    package init(
        subject: Secret, subjectType: String? = nil, actor: Secret? = nil, actorType: String? = nil,
        requestedType: String? = nil, audiences: [String] = [], resources: [String] = [],
        scopes: [String] = []
    ) {
        self.subject = subject
        self.subjectType = subjectType
        self.actor = actor
        self.actorType = actorType
        self.requestedType = requestedType
        self.audiences = audiences
        self.resources = resources
        self.scopes = scopes
    }

    /// The token type identifier that a secret's kind suggests (RFC 8693 §3).
    ///
    /// An assertion is a JWT; a token of no known kind is taken for an access token.
    package static func type(of token: Secret) -> String {
        switch token.kind {
        case .refreshToken: TokenType.refreshToken.rawValue
        case .idToken: TokenType.idToken.rawValue
        case .assertion, .clientAssertion: TokenType.jwt.rawValue
        case .accessToken, .code, .codeVerifier, .state, .nonce, .clientSecret, .deviceCode, .authorization,
            .dpopProof, .requestObject, .requestURI, .registrationAccessToken, .other:
            TokenType.accessToken.rawValue
        }
    }

    package static let idTokenType = TokenType.idToken.rawValue
}

/// The identifiers of RFC 8693 §3; a server may know others.
package enum TokenType: String, Sendable, Hashable, CaseIterable {
    case accessToken = "urn:ietf:params:oauth:token-type:access_token"
    case refreshToken = "urn:ietf:params:oauth:token-type:refresh_token"
    case idToken = "urn:ietf:params:oauth:token-type:id_token"
    case saml1 = "urn:ietf:params:oauth:token-type:saml1"
    case saml2 = "urn:ietf:params:oauth:token-type:saml2"
    case jwt = "urn:ietf:params:oauth:token-type:jwt"
}
