/// Adds the client's credentials to a request: exactly one method (RFC 6749 §2.3).
package enum ClientAuthentication {
    /// - Note: A registration without a secret is that of a public client: an empty secret is never sent.
    package static func apply(_ registration: ClientRegistration, to plan: inout RequestPlan) {
        guard let secret = registration.secret, !secret.isEmpty else { return identify(registration, &plan) }
        switch registration.authenticationMethod {
        case .clientSecretBasic: applyBasic(registration, secret, &plan)
        case .clientSecretPost:
            plan.body.set(
                RequestParameter(
                    "client_id", .text(registration.clientID), .registration, "RFC 6749 §2.3.1"))
            plan.body.set(
                RequestParameter("client_secret", .secret(secret), .registration, "RFC 6749 §2.3.1"))
        case .none: identify(registration, &plan)
        }
    }

    /// Form-encodes both parts, so that a colon in the identifier cannot move the boundary.
    private static func applyBasic(
        _ registration: ClientRegistration, _ secret: Secret, _ plan: inout RequestPlan
    ) {
        let credentials: ParameterValue =
            switch registration.basicEncoding {
            case .form:
                .basic(
                    user: PercentEncoding.encodeForm(registration.clientID),
                    password: Secret(PercentEncoding.encodeForm(secret.reveal()), kind: .clientSecret))
            case .raw: .basic(user: registration.clientID, password: secret)
            }
        plan.fields.set(
            field: RequestParameter("Authorization", credentials, .registration, "RFC 6749 §2.3.1"))
    }

    private static func identify(_ registration: ClientRegistration, _ plan: inout RequestPlan) {
        plan.body.set(
            RequestParameter("client_id", .text(registration.clientID), .registration, "RFC 6749 §3.2.1"))
    }
}
