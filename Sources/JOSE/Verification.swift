internal import COpenSSL

/// Owns one EVP_PKEY_CTX prepared to verify digests by one algorithm.
///
/// Sendable because its owner, the pool in `PublicKey`, hands it to one caller at a time under its lock.
final class VerificationContext: @unchecked Sendable {
    let algorithm: SignatureAlgorithm
    private let context: OpaquePointer

    init?(_ key: KeyHandle, _ algorithm: SignatureAlgorithm, _ digest: DigestAlgorithm) {
        guard let context = key.withKey({ EVP_PKEY_CTX_new($0, nil) }) else { return nil }
        self.context = context
        self.algorithm = algorithm
        guard EVP_PKEY_verify_init(context) == 1,
            EVP_PKEY_CTX_set_signature_md(context, digest.method) == 1,
            setPadding(of: context, algorithm)
        else { return nil }
    }

    deinit { EVP_PKEY_CTX_free(context) }

    func verify(_ signature: [UInt8], of digest: [UInt8]) -> Bool {
        EVP_PKEY_verify(context, signature, signature.count, digest, digest.count) == 1
    }
}

/// Sets the RSA padding; for PSS the salt is as long as the digest and MGF1 uses it too (RFC 7518 §3.5).
private func setPadding(of context: OpaquePointer, _ algorithm: SignatureAlgorithm) -> Bool {
    guard algorithm.keyType == .rsa, let digest = algorithm.digest else { return true }
    guard algorithm.isPSS else { return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1 }
    return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
        && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, Int32(digest.byteCount)) == 1
        && EVP_PKEY_CTX_set_rsa_mgf1_md(context, digest.method) == 1
}

extension KeyHandle {
    /// Verifies in one step: EdDSA hashes the message itself, so there is no digest to prepare for.
    func verifyMessage(_ signature: [UInt8], of message: UnsafeBufferPointer<UInt8>) -> Bool {
        withKey { key in
            guard let context = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(context) }
            guard EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1,
                EVP_DigestVerify(context, signature, signature.count, message.baseAddress, message.count) == 1
            else {
                OpenSSLError.forget()
                return false
            }
            return true
        }
    }

    /// Signs the message; an ECDSA signature is in DER.
    func sign(
        _ message: UnsafeBufferPointer<UInt8>, _ algorithm: SignatureAlgorithm
    ) -> Result<[UInt8], OpenSSLError> {
        withKey { key in
            guard let context = EVP_MD_CTX_new() else { return .failure(.drain("signing")) }
            defer { EVP_MD_CTX_free(context) }
            // Owned by `context`.
            var keyContext: OpaquePointer?
            var count = Int(EVP_PKEY_get_size(key))
            var signature = [UInt8](repeating: 0, count: count)
            guard EVP_DigestSignInit(context, &keyContext, algorithm.digest?.method, nil, key) == 1,
                let keyContext,
                setPadding(of: keyContext, algorithm),
                EVP_DigestSign(context, &signature, &count, message.baseAddress, message.count) == 1
            else { return .failure(.drain("signing")) }
            return .success(Array(signature.prefix(count)))
        }
    }
}
