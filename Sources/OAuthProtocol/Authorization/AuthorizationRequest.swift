/// The request that the browser carries to the authorization endpoint (RFC 6749 §4.1.1, OIDC Core §3.1.2.1).
package enum AuthorizationRequest {
    /// The parameters in a fixed order; `plan.url` is what the browser opens.
    ///
    /// - Parameters:
    ///   - style: How the provider wants it, where that differs from the RFC.

    ///   - resources: Services that the tokens are for, each a parameter of its own.
    ///   - demands: Authorization details, claims, and the key that the code is bound to.
    ///   - clientSource: Where the client's identifier comes from.
    ///   - scopeSource: Where the scopes come from; `nil` for the step itself.
    ///   - extra: Parameters of the flow and the descriptor; none of the protected ones can be set with them.
    ///   - step: The step of the flow that made the transaction, for the trace.
    package static func plan(
        endpoint: String, transaction: AuthorizationTransaction, style: AuthorizationStyle = .standard,
        responseMode: String? = nil, prompt: String? = nil, loginHint: String? = nil,
        uiLocales: String? = nil, resources: [String] = [], demands: AuthorizationDemands = .none,
        clientSource: ParameterSource = .registration, scopeSource: ParameterSource? = nil,
        extra: [RequestParameter] = [], dialect: RequestDialect = .standard,
        step: String
    ) -> RequestPlan {
        var plan = RequestPlan(method: .get, endpoint: endpoint)
        plan.fragment = style.fragment
        plan.trailingFragment = style.trailingFragment
        plan.query =
            required(transaction, style, clientSource, scopeSource ?? .step(step), step)
            + proofs(transaction, style, step)
        let flow = ParameterSource.step(step)
        let optional: [(name: String, value: String?, reference: String)] = [
            ("response_mode", responseMode, "OAuth 2.0 Multiple Response Types §2.1"),
            ("prompt", prompt, "OIDC Core §3.1.2.1"),
            ("max_age", transaction.maxAge.map(String.init), "OIDC Core §3.1.2.1"),
            ("acr_values", joined(transaction.acrValues, " "), "OIDC Core §3.1.2.1"),
            ("login_hint", loginHint, "OIDC Core §3.1.2.1"),
            ("ui_locales", uiLocales, "OIDC Core §3.1.2.1"),
        ]
        for (name, value, reference) in optional {
            guard let value else { continue }
            plan.query.append(RequestParameter(name, .text(value), flow, reference))
        }
        plan.query += resources.map { RequestParameter("resource", .text($0), flow, "RFC 8707 §2.1") }
        plan.query += demands.parameters(step)
        for parameter in extra where !RequestPlan.protectedParameters.contains(parameter.name) {
            plan.query.set(parameter)
        }
        return plan.assembled(with: dialect).ordered(by: style.order.uniqued)
    }

    private static func required(
        _ transaction: AuthorizationTransaction, _ style: AuthorizationStyle,
        _ clientSource: ParameterSource, _ scopeSource: ParameterSource, _ step: String
    ) -> [RequestParameter] {
        var parameters = [
            RequestParameter(
                "response_type", .text(style.responseType), .specification, "RFC 6749 §4.1.1"),
            RequestParameter("client_id", .text(transaction.clientID), clientSource, "RFC 6749 §4.1.1"),
            RequestParameter(
                "redirect_uri", .text(transaction.redirectURI), .step(step), "RFC 6749 §4.1.1"),
        ]
        let scopes =
            style.repeatsScope
            ? transaction.scopes : joined(transaction.scopes, style.scopeDelimiter).map { [$0] } ?? []
        for scope in scopes.isEmpty && !style.omitsEmptyScope ? [""] : scopes {
            parameters.append(RequestParameter("scope", .text(scope), scopeSource, "RFC 6749 §3.3"))
        }
        return parameters
    }

    /// What ties the answer to this request.
    private static func proofs(
        _ transaction: AuthorizationTransaction, _ style: AuthorizationStyle, _ step: String
    ) -> [RequestParameter] {
        var parameters: [RequestParameter] = []
        if style.sendsState {
            parameters.append(
                RequestParameter("state", .secret(transaction.state), .step(step), "RFC 6749 §10.12"))
        }
        if let nonce = transaction.nonce {
            parameters.append(
                RequestParameter("nonce", .secret(nonce), .step(step), "OIDC Core §3.1.2.1"))
        }
        if let pkce = transaction.pkce {
            parameters += [
                RequestParameter("code_challenge", pkce.challenge, .step(step), "RFC 7636 §4.3"),
                RequestParameter(
                    "code_challenge_method", .text(pkce.method.name), .specification, "RFC 7636 §4.3"),
            ]
        }
        return parameters
    }

    private static func joined(_ texts: [String], _ separator: String) -> String? {
        texts.isEmpty ? nil : texts.joined(separator: separator)
    }
}

/// How a provider wants its authorization request, where that differs from the RFC.
package struct AuthorizationStyle: Sendable, Hashable {
    /// A space in the RFC; some providers want a comma.
    package var scopeDelimiter = " "
    /// Whether each scope is a parameter of its own, which the RFC does not have: no delimiter stands between them then.
    package var repeatsScope = false
    /// Whether a request for no scope has no `scope` at all.
    package var omitsEmptyScope = true
    package var responseType = "code"
    /// Whether `state` is a parameter; otherwise the redirect URI bears it, or PKCE stands in for it.
    package var sendsState = true
    /// What stands before the query, after `#`: for applications that route in the browser.
    package var fragment: String?
    /// What stands after the query, after `#`.
    package var trailingFragment: String?
    /// Names of parameters as they are sent: these come first.
    package var order: [String] = []

    package init() {}

    package static let standard = AuthorizationStyle()
}
