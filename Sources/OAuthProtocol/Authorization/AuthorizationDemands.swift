internal import JOSE

/// What an authorization request may ask for beyond OIDC Core's usual parameters.
package struct AuthorizationDemands: Sendable, Hashable {
    package var authorizationDetails: AuthorizationDetails?
    package var claims: ClaimsRequest?
    /// Binds the code to the key of the proofs that will redeem it (RFC 9449 §10).
    package var dpopThumbprint: String?

    package init(
        authorizationDetails: AuthorizationDetails? = nil, claims: ClaimsRequest? = nil,
        dpopThumbprint: String? = nil
    ) {
        self.authorizationDetails = authorizationDetails
        self.claims = claims
        self.dpopThumbprint = dpopThumbprint
    }

    package static let none = AuthorizationDemands()

    func parameters(_ step: String) -> [RequestParameter] {
        var parameters: [RequestParameter] = []
        if let claims {
            parameters.append(RequestParameter("claims", .text(claims.text), .step(step), "OIDC Core §5.5"))
        }
        if let authorizationDetails {
            parameters.append(authorizationDetails.parameter(step, "RFC 9396 §3"))
        }
        if let dpopThumbprint {
            parameters.append(
                RequestParameter("dpop_jkt", .text(dpopThumbprint), .step(step), "RFC 9449 §10"))
        }
        return parameters
    }
}
