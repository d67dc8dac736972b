internal import JOSE

/// Adds the client's credentials to a request: exactly one method (RFC 6749 §2.3).
package enum ClientAuthentication {
    package static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// The rule of Basic credentials that are sent as they are, which is how a trace tells them from form-encoded ones.
    package static let rawBasicReference = "RFC 7617 §2"

    /// The rule of a `client_id` whose client the connection proves: nothing else of a request shows that it does.
    package static let certificateReference = "RFC 8705 §2"

    /// - Note: A registration without credentials is that of a public client: an empty secret is never sent.
    /// - Parameter includesClientID: Whether `client_id` is sent beside credentials that name the client already.
    package static func apply(
        _ registration: ClientRegistration, includesClientID: Bool = false, to plan: inout RequestPlan
    ) {
        switch registration.authenticationMethod {
        case .clientSecretBasic:
            guard let credentials = basic(registration) else { return identify(registration, &plan) }
            let reference = registration.basicEncoding == .form ? "RFC 6749 §2.3.1" : rawBasicReference
            plan.fields.set(
                field: RequestParameter("Authorization", credentials, .registration, reference))
            if includesClientID { identify(registration, &plan) }
        case .clientSecretPost:
            identify(registration, &plan, "RFC 6749 §2.3.1")
            guard let secret = registration.secret, !secret.isEmpty else { return }
            plan.body.set(
                RequestParameter("client_secret", .secret(secret), .registration, "RFC 6749 §2.3.1"))
        case .clientSecretJWT, .privateKeyJWT:
            guard let assertion = registration.assertion else { return identify(registration, &plan) }
            if registration.hasIssuedAssertion {
                identify(registration, &plan, "RFC 7521 §4.2")
            } else if includesClientID {
                identify(registration, &plan)
            }
            plan.body.set(
                RequestParameter(
                    "client_assertion_type", .text(assertionType), .specification, "RFC 7523 §2.2"))
            plan.body.set(
                RequestParameter("client_assertion", .secret(assertion), .registration, "RFC 7523 §2.2"))
        case .tlsClientAuth, .selfSignedTLSClientAuth:
            // The server finds by it the certificate that it must see.
            identify(registration, &plan, certificateReference)
        case .none: identify(registration, &plan)
        }
    }

    /// Form-encodes both parts, so that a colon in the identifier cannot move the boundary.
    private static func basic(_ registration: ClientRegistration) -> ParameterValue? {
        guard registration.basicUser != nil || registration.secret?.isEmpty == false else { return nil }
        func encode(_ text: String) -> String {
            registration.basicEncoding == .form ? PercentEncoding.encodeForm(text) : text
        }
        let password = (registration.basicPassword ?? registration.secret)?.reveal() ?? ""
        guard let user = registration.basicUser else {
            return .basic(
                user: encode(registration.clientID), password: Secret(encode(password), kind: .clientSecret))
        }
        // The user may be the secret: then nothing of the pair may be shown.
        let pair = encode(user.reveal()) + ":" + encode(password)
        return .scheme("Basic", Secret(Base64.encode(pair.utf8), kind: .clientSecret))
    }

    private static func identify(
        _ registration: ClientRegistration, _ plan: inout RequestPlan, _ reference: String = "RFC 6749 §3.2.1"
    ) {
        plan.body.set(
            RequestParameter(
                "client_id", .text(registration.clientID), registration.clientIDSource, reference))
    }
}
