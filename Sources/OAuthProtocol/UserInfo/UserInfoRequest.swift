/// Where an access token is put in a request for a resource.
package enum TokenPlacement: Sendable, Hashable {
    /// `Authorization` with this scheme, `Bearer` in the RFC (RFC 6750 §2.1).
    case authorization(scheme: String)
    case field(String)
    /// For the providers that take nothing else: the token may end up in logs (RFC 6750 §2.3).
    case query(String)
    case body(String)
}

/// The request for claims about the user (OIDC Core §5.3.1).
package enum UserInfoRequest {
    /// - Parameters:
    ///   - placement: `nil` where the descriptor's own texts bear the token.
    ///   - isSigned: Whether the client registered to be answered with a JWT.
    package static func plan(
        endpoint: String, accessToken: Secret, dialect: RequestDialect,
        placement: TokenPlacement? = .authorization(scheme: "Bearer"), isSigned: Bool = false, step: String
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
        case .field(let name):
            plan.fields.append(RequestParameter(name, .secret(accessToken), source))
        case .query(let name):
            plan.query.append(RequestParameter(name, .secret(accessToken), source, "RFC 6750 §2.3"))
        case .body(let name):
            plan.method = .post
            plan.bodyFormat = .form
            plan.body.append(RequestParameter(name, .secret(accessToken), source, "RFC 6750 §2.2"))
        case nil: break
        }
        return plan.assembled(with: dialect)
    }
}
