internal import OAuthProtocol

/// What a failed connection means for security.
extension SecurityEvent {
    /// - Returns: `nil` for a failure that says nothing of it, or of which the policy has spoken already.
    init?(of failure: TransportFailure, host: String) {
        switch failure.kind {
        case .tls(let reason):
            guard reason != .localSetup else { return nil }
            self.init(
                .critical, "tls-\(reason.word)", host: host, "TLS was not established: \(reason.meaning)",
                evidence: [SecurityEvent.Evidence("reason", failure.message)])
        case .address(let kind):
            self.init(
                .critical, "address", host: host, failure.message,
                evidence: [SecurityEvent.Evidence("kind", kind.rawValue)])
        case .compressed:
            self.init(.warning, "compressed-response", host: host, failure.message)
        case .policy, .resolve, .connect, .timeout, .reset, .truncated, .bodyTooLarge, .headersTooLarge,
            .protocolError, .invalidRequest, .cancelled:
            return nil
        }
    }
}

extension TransportFailure.TLSReason {
    /// Part of names: of events with hyphens.
    var word: String {
        switch self {
        case .untrusted: "untrusted"
        case .expired: "expired"
        case .notYetValid: "not-yet-valid"
        case .wrongHost: "wrong-host"
        case .localSetup: "local-setup"
        case .version: "version"
        case .clientCertificate: "client-certificate"
        case .handshake: "handshake"
        }
    }

    fileprivate var meaning: String {
        switch self {
        case .untrusted: "no trusted authority issued the certificate"
        case .expired: "the certificate has expired"
        case .notYetValid: "the certificate is not valid yet"
        case .wrongHost: "the certificate is for another host"
        case .localSetup: "a local setting cannot be used"
        case .version: "the server speaks no version that is allowed"
        case .clientCertificate: "the server wants a client certificate, or another one"
        case .handshake: "the handshake failed"
        }
    }
}
