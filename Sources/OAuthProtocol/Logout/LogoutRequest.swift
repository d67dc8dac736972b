/// The request that ends a person's session at the provider (OpenID RP-Initiated Logout §2).
package enum LogoutRequest {
    /// - Parameters:
    ///   - idToken: Says whose session; the server may ask the person without it.
    ///   - hint: Who is to be signed out, where there is no ID token; as `login_hint`.
    ///   - redirectURI: Where the browser goes afterwards, with `state`.
    package static func plan(
        endpoint: String, idToken: Secret?, hint: String? = nil, clientID: String, redirectURI: String?,
        state: Secret?, uiLocales: String? = nil, dialect: RequestDialect, step: String
    ) -> RequestPlan {
        let reference = "OpenID RP-Initiated Logout §2"
        var plan = RequestPlan(method: .get, endpoint: endpoint)
        if let idToken {
            plan.query.append(RequestParameter("id_token_hint", .secret(idToken), .step(step), reference))
        }
        plan.query.append(RequestParameter("client_id", .text(clientID), .registration, reference))
        if let redirectURI {
            plan.query.append(
                RequestParameter("post_logout_redirect_uri", .text(redirectURI), .step(step), reference))
            if let state {
                plan.query.append(RequestParameter("state", .secret(state), .step(step), reference))
            }
        }
        for (name, value) in [("logout_hint", hint), ("ui_locales", uiLocales)] {
            guard let value else { continue }
            plan.query.append(RequestParameter(name, .text(value), .step(step), reference))
        }
        return plan.assembled(with: dialect)
    }
}
