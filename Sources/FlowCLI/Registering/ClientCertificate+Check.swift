internal import FlowLive
internal import OAuthProtocol

extension ClientCertificate {
    /// The certificate of a registration with its key: one that cannot be used is better told before anything is sent.
    ///
    /// - Throws: That there is no key, or that the two do not fit.
    static func checked(
        _ chain: Secret, _ key: Secret?, of provider: String
    ) throws(Problem) -> ClientCertificate {
        guard let key else {
            throw Problem(
                .config, "the registration of \"\(provider)\" has a certificate and no key for it",
                hints: [
                    "give certificate_key, in PEM; private_key serves too, where the client signs with the same"
                ])
        }
        let certificate = ClientCertificate(chain: chain, key: key)
        if let problem = ClientCertificateCheck.problem(with: certificate) { throw Problem(.config, problem) }
        return certificate
    }
}
