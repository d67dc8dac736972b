internal import COpenSSL
package import OAuthProtocol

/// A client's certificate and private key in memory of their own, which is cleared at the end.
///
/// They are never written to a file.
final class ClientIdentity {
    enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
        case certificate, key, mismatch

        var description: String {
            switch self {
            case .certificate: "the client's certificate is no PEM text with a certificate"
            case .key: "the client's private key for TLS is no PEM text, or needs a passphrase"
            case .mismatch: "the client's private key does not belong to its certificate"
            }
        }
    }

    let chain: UnsafeMutableRawBufferPointer
    let key: UnsafeMutableRawBufferPointer

    /// - Throws: When OpenSSL could not use the pair: libcurl would only find out during a handshake.
    init(_ certificate: ClientCertificate) throws(Problem) {
        chain = Self.copy(certificate.chain)
        key = Self.copy(certificate.key)
        try check()
    }

    deinit {
        for memory in [chain, key] {
            OPENSSL_cleanse(memory.baseAddress, memory.count)
            memory.deallocate()
        }
    }

    private static func copy(_ secret: Secret) -> UnsafeMutableRawBufferPointer {
        let text = secret.reveal().utf8
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, text.count), alignment: 1)
        memory.copyBytes(from: text)
        return memory
    }

    private func check() throws(Problem) {
        defer { ERR_clear_error() }
        guard let certificateText = BIO_new_mem_buf(chain.baseAddress, Int32(clamping: chain.count)) else {
            throw .certificate
        }
        defer { BIO_free(certificateText) }
        guard let certificate = PEM_read_bio_X509(certificateText, nil, noPassphrase, nil) else {
            throw .certificate
        }
        defer { X509_free(certificate) }
        guard let keyText = BIO_new_mem_buf(key.baseAddress, Int32(clamping: key.count)) else { throw .key }
        defer { BIO_free(keyText) }
        guard let key = PEM_read_bio_PrivateKey(keyText, nil, noPassphrase, nil) else { throw .key }
        defer { EVP_PKEY_free(key) }
        guard X509_check_private_key(certificate, key) == 1 else { throw .mismatch }
    }
}

/// Without it OpenSSL would ask at the terminal, and libcurl would crash for lack of one.
private func noPassphrase(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isWriting: Int32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 { -1 }

/// Whether a client's certificate can be used at all.
package enum ClientCertificateCheck {
    /// - Returns: What is wrong, lower case; `nil` for a certificate with its key.
    package static func problem(with certificate: ClientCertificate) -> String? {
        do throws(ClientIdentity.Problem) {
            _ = try ClientIdentity(certificate)
            return nil
        } catch {
            return error.description
        }
    }
}
