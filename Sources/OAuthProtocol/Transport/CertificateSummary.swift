/// What one certificate of a verified chain shows of itself.
package struct CertificateSummary: Sendable, Hashable {
    /// As `CN=api.example,O=Example`; text from the network, made harmless.
    package let subject: String
    package let issuer: String
    /// SHA-256 of the DER-encoded SubjectPublicKeyInfo.
    package let keyDigest: [UInt8]
    /// SHA-256 of the whole certificate's DER.
    package let digest: [UInt8]
    /// Milliseconds since 1970.
    package let expiresAt: Int64

    package init(subject: String, issuer: String, keyDigest: [UInt8], digest: [UInt8], expiresAt: Int64) {
        self.subject = subject
        self.issuer = issuer
        self.keyDigest = keyDigest
        self.digest = digest
        self.expiresAt = expiresAt
    }

    package var keyPin: CertificatePin { CertificatePin(digest: keyDigest) }
    package var certificatePin: CertificatePin { CertificatePin(digest: digest) }
}
