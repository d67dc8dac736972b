internal import OAuthProtocol

/// What a failed connection means for security.
extension SecurityEvent {
    /// - Returns: `nil` for a failure that says nothing of it, or of which the policy has spoken already.
    init?(of failure: TransportFailure, host: String) {
        switch failure.kind {
        case .tls(let reason):
            guard reason != .localSetup else { return nil }
            // A server that asks who we are is no danger.
            let severity: Severity = reason == .clientCertificate ? .warning : .critical
            self.init(
                severity, .refused, reason.check, host: host,
                "TLS was not established: \(reason.meaning)",
                evidence: [SecurityEvent.Evidence("reason", failure.message)])
        case .address(let kind):
            self.init(
                .critical, .refused, Checks.address, host: host, failure.message,
                evidence: [SecurityEvent.Evidence("kind", kind.rawValue)])
        case .compressed:
            self.init(.warning, .refused, Checks.compressedResponse, host: host, failure.message)
        case .policy, .unprepared, .resolve, .connect, .proxy, .proxyCredentials, .timeout, .reset,
            .truncated, .bodyTooLarge, .headersTooLarge, .protocolError, .invalidRequest, .cancelled:
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
        case .plaintext: "plaintext"
        case .clientCertificate: "client-certificate"
        case .handshake: "handshake"
        }
    }

    /// Version, handshake and none at all belong to one rule, whom the certificate speaks for to another.
    fileprivate var check: Check {
        switch self {
        case .version: Check(163, "tls-version", "RFC 9325 §3.1")
        case .plaintext: Check(163, "tls-plaintext", "RFC 9325 §3.2")
        case .handshake: Check(163, "tls-handshake", "RFC 9325 §3.1")
        case .untrusted: Check(162, "tls-untrusted", "RFC 5280 §6")
        case .expired: Check(162, "tls-expired", "RFC 5280 §6.1.3")
        case .notYetValid: Check(162, "tls-not-yet-valid", "RFC 5280 §6.1.3")
        case .wrongHost: Check(162, "tls-wrong-host", "RFC 9525 §6")
        case .localSetup: Check(162, "tls-local-setup", "RFC 5280 §6")
        case .clientCertificate: Check(162, "tls-client-certificate", "RFC 8446 §4.3.2")
        }
    }

    /// In a few words, for people.
    var meaning: String {
        switch self {
        case .untrusted: "no trusted authority issued the certificate"
        case .expired: "the certificate has expired"
        case .notYetValid: "the certificate is not valid yet"
        case .wrongHost: "the certificate is for another host"
        case .localSetup: "a local setting cannot be used"
        case .version: "the server speaks no version that is allowed"
        case .plaintext: "what answers there speaks no TLS"
        case .clientCertificate: "the server wants a client certificate, or another one"
        case .handshake: "the handshake failed"
        }
    }
}
