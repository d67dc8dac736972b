/// The requests of the token endpoint.
package enum TokenRequest {
    /// Redeems an authorization code (RFC 6749 §4.1.3); must be sent at most once.
    package static func authorizationCode(
        endpoint: String, response: AuthorizationResponse, transaction: AuthorizationTransaction,
        resources: [String] = [], registration: ClientRegistration, dialect: RequestDialect, step: String
    ) -> RequestPlan {
        var parameters = [
            RequestParameter(
                "grant_type", .text("authorization_code"), .specification, "RFC 6749 §4.1.3"),
            RequestParameter("code", .secret(response.code), .step(step), "RFC 6749 §4.1.3"),
            RequestParameter(
                "redirect_uri", .text(transaction.redirectURI), .step(step), "RFC 6749 §4.1.3"),
        ]
        if let pkce = transaction.pkce {
            parameters.append(
                RequestParameter("code_verifier", .secret(pkce.verifier), .step(step), "RFC 7636 §4.5"))
        }
        parameters += repeated("resource", resources, step, "RFC 8707 §2.2")
        return plan(endpoint, parameters, registration, dialect)
    }

    /// Redeems a refresh token (RFC 6749 §6).
    ///
    /// - Parameter token: An access token for the providers that renew that, `nil` for those that want none.
    /// - Parameter scopes: What to narrow to; `nil` asks for all that was granted.
    package static func refresh(
        endpoint: String, token: Secret?, scopes: [String]?, resources: [String] = [],
        registration: ClientRegistration, dialect: RequestDialect, step: String
    ) -> RequestPlan {
        var parameters = [
            RequestParameter("grant_type", .text("refresh_token"), .specification, "RFC 6749 §6")
        ]
        if let token {
            // An access token where the provider renews that.
            let name = token.kind == .accessToken ? "access_token" : "refresh_token"
            parameters.append(RequestParameter(name, .secret(token), .step(step), "RFC 6749 §6"))
        }
        if let scopes, !scopes.isEmpty {
            let scope = scopes.joined(separator: " ")
            parameters.append(RequestParameter("scope", .text(scope), .step(step), "RFC 6749 §6"))
        }
        parameters += repeated("resource", resources, step, "RFC 8707 §2.2")
        return plan(endpoint, parameters, registration, dialect)
    }

    static func plan(
        _ endpoint: String, _ parameters: [RequestParameter], _ registration: ClientRegistration,
        _ dialect: RequestDialect
    ) -> RequestPlan {
        var plan = RequestPlan(
            method: .post, endpoint: endpoint,
            fields: [
                RequestParameter("Accept", .text("application/json"), .specification, "RFC 6749 §5.1")
            ],
            body: parameters, bodyFormat: .form)
        ClientAuthentication.apply(registration, includesClientID: dialect.includesClientID, to: &plan)
        return plan.assembled(with: dialect)
    }
}
