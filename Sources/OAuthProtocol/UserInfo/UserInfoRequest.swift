/// Where an access token is put in a request for a resource.
package enum TokenPlacement: Sendable, Hashable {
    /// `Authorization` with this scheme, `Bearer` in the RFC (RFC 6750 §2.1).
    case authorization(scheme: String)
    /// A field of its own, with a word before the token where the scheme says one.
    case field(String, scheme: String? = nil)
    /// For the providers that take nothing else: the token may end up in logs (RFC 6750 §2.3).
    case query(String)
    case body(String)
}

/// The request for claims about the user (OIDC Core §5.3.1).
package enum UserInfoRequest {
    /// - Parameters:
    ///   - placement: `nil` where the descriptor's own texts bear the token.
    ///   - client: Who asks, where the descriptor says how that is proven beside the token.
    ///   - isSigned: Whether the client registered to be answered with a JWT.
    package static func plan(
        endpoint: String, accessToken: Secret, dialect: RequestDialect,
        placement: TokenPlacement? = .authorization(scheme: "Bearer"), client: ClientRegistration? = nil,
        isSigned: Bool = false, step: String
    ) -> RequestPlan {
        let type = isSigned ? "application/jwt" : "application/json"
        let reference = isSigned ? "OIDC Core §5.3.2" : "OIDC Core §5.3.1"
        var plan = RequestPlan(
            method: .get, endpoint: endpoint,
            fields: [
                RequestParameter("Accept", .text(type), .specification, reference)
            ])
        let source = ParameterSource.step(step)
        switch placement {
        case .authorization(let scheme):
            plan.fields.append(
                RequestParameter("Authorization", .scheme(scheme, accessToken), source, "RFC 6750 §2.1"))
        case .field(let name, let scheme):
            let value = scheme.map { ParameterValue.scheme($0, accessToken) } ?? .secret(accessToken)
            plan.fields.append(RequestParameter(name, value, source))
        case .query(let name):
            plan.query.append(RequestParameter(name, .secret(accessToken), source, "RFC 6750 §2.3"))
            // "Clients [...] SHOULD also send a Cache-Control header containing the "no-store" option."
            plan.fields.append(
                RequestParameter("Cache-Control", .text("no-store"), .specification, "RFC 6750 §2.3"))
        case .body(let name):
            plan.method = .post
            plan.bodyFormat = .form
            plan.body.append(RequestParameter(name, .secret(accessToken), source, "RFC 6750 §2.2"))
        case nil: break
        }
        if let client { name(client, in: &plan, dialect) }
        return plan.assembled(with: dialect)
    }

    /// Adds what proves or names the client: to the body, or to the query of a request that has none.
    private static func name(
        _ client: ClientRegistration, in plan: inout RequestPlan, _ dialect: RequestDialect
    ) {
        ClientAuthentication.apply(client, includesClientID: dialect.includesClientID, to: &plan)
        guard (dialect.bodyFormat ?? plan.bodyFormat) == .none, !plan.body.isEmpty else { return }
        if dialect.method == .post {
            plan.bodyFormat = .form
        } else {
            for parameter in plan.body { plan.query.set(parameter) }
        }
    }
}
