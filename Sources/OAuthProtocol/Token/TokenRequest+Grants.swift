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
        let parameters =
            [
                RequestParameter(
                    "grant_type", .text("client_credentials"), .specification, "RFC 6749 §4.4.2")
            ] + scope(scopes, step, "RFC 6749 §4.4.2") + repeated("resource", resources, step, "RFC 8707 §2")
            + allowed(extra)
        return plan(endpoint, parameters, registration, dialect)
    }

    /// Asks whether the person has decided (RFC 8628 §3.4).
    package static func device(
        endpoint: String, deviceCode: Secret, registration: ClientRegistration, dialect: RequestDialect,
        step: String
    ) -> RequestPlan {
        let parameters = [
            RequestParameter("grant_type", .text(deviceGrant), .specification, "RFC 8628 §3.4"),
            RequestParameter("device_code", .secret(deviceCode), .step(step), "RFC 8628 §3.4"),
        ]
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
                "subject_token_type", .text(TokenExchange.type(of: exchange.subject)), .specification,
                reference),
        ]
        if let actor = exchange.actor {
            parameters += [
                RequestParameter("actor_token", .secret(actor), .step(step), reference),
                RequestParameter(
                    "actor_token_type", .text(TokenExchange.type(of: actor)), .specification, reference),
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
    /// Its kind says which type of token it is.
    package var subject: Secret
    package var actor: Secret?
    package var requestedType: String?
    package var audiences: [String]
    package var resources: [String]
    package var scopes: [String]

    package init(
        subject: Secret, actor: Secret? = nil, requestedType: String? = nil, audiences: [String] = [],
        resources: [String] = [], scopes: [String] = []
    ) {
        self.subject = subject
        self.actor = actor
        self.requestedType = requestedType
        self.audiences = audiences
        self.resources = resources
        self.scopes = scopes
    }

    /// The token type identifier (RFC 8693 §3).
    package static func type(of token: Secret) -> String { prefix + token.kind.rawValue }

    package static let accessTokenType = prefix + "access_token"
    package static let idTokenType = prefix + "id_token"
    private static let prefix = "urn:ietf:params:oauth:token-type:"
}
