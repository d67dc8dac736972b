internal import COpenSSL
internal import JOSE
internal import OAuthProtocol

/// Reads the certificates of a chain that OpenSSL has verified.
enum PeerChain {
    /// - Parameter store: An `X509_STORE_CTX` after a successful verification.
    /// - Returns: The host's own certificate first; empty when one of them cannot be encoded.
    static func read(_ store: OpaquePointer) -> [CertificateSummary] {
        guard let chain = X509_STORE_CTX_get0_chain(store) else { return [] }
        let certificates = (0..<fr_chain_count(chain)).map { index in
            fr_chain_certificate(chain, index).flatMap(summary)
        }
        return certificates.contains { $0 == nil } ? [] : certificates.compactMap(\.self)
    }

    private static func summary(_ certificate: OpaquePointer) -> CertificateSummary? {
        guard let key = der({ i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), $0) }),
            let whole = der({ i2d_X509(certificate, $0) })
        else { return nil }
        return CertificateSummary(
            subject: name(X509_get_subject_name(certificate)),
            issuer: name(X509_get_issuer_name(certificate)), keyDigest: Digest.sha256(key),
            digest: Digest.sha256(whole), expiresAt: time(X509_get0_notAfter(certificate)))
    }

    /// - Parameter encode: An `i2d` function, which allocates where it finds a null pointer.
    private static func der(
        _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32
    ) -> [UInt8]? {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = encode(&bytes)
        guard let bytes else { return nil }
        defer { CRYPTO_free(bytes, nil, 0) }
        return count > 0 ? Array(UnsafeBufferPointer(start: bytes, count: Int(count))) : nil
    }

    /// As `CN=host,O=Example`.
    private static func name(_ name: OpaquePointer?) -> String {
        guard let name, let memory = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(memory) }
        X509_NAME_print_ex(memory, name, 0, fr_name_flags())
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = BIO_read(memory, &bytes, Int32(bytes.count))
        return RemoteText.sanitize(bytes.prefix(Int(max(0, count))), limit: 200)
    }

    /// Milliseconds since 1970; 0 for what is no time, which is long over.
    private static func time(_ time: UnsafePointer<ASN1_TIME>?) -> Int64 {
        guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return 0 }
        defer { ASN1_STRING_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return 0 }
        return (Int64(days) * 86_400 + Int64(seconds)) * 1_000
    }
}
