internal import JOSE

/// The certificate with which a client proves itself in TLS, and its private key (RFC 8705 §2).
package struct ClientCertificate: Sendable, Hashable {
    /// PEM: the client's own certificate first, then those that issued it.
    package let chain: Secret
    /// PEM, without a passphrase.
    package let key: Secret

    package init(chain: Secret, key: Secret) {
        self.chain = chain
        self.key = key
    }

    /// SHA-256 of the own certificate's DER in base64url, as `cnf` names it (RFC 8705 §3.1); `nil` for no PEM.
    package var thumbprint: String? {
        Self.firstCertificate(of: chain.reveal()).map { Base64URL.encode(Digest.sha256($0)) }
    }

    /// The bytes between the first pair of `CERTIFICATE` lines (RFC 7468 §5).
    private static func firstCertificate(of text: String) -> [UInt8]? {
        guard let start = text.firstRange(of: "-----BEGIN CERTIFICATE-----"),
            let end = text[start.upperBound...].firstRange(of: "-----END CERTIFICATE-----")
        else { return nil }
        let body = text[start.upperBound..<end.lowerBound].utf8.filter { $0 > 0x20 }
        return Base64.decode(body)
    }
}
