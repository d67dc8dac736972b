internal import COpenSSL

/// Owns the contexts of libcrypto that are prepared to verify messages by one algorithm.
///
/// Sendable because its owner, the pool in `PublicKey`, hands it to one caller at a time under its lock.
final class VerificationContext: @unchecked Sendable {
    let algorithm: SignatureAlgorithm
    private let key: KeyHandle
    /// Hashes the message; for EdDSA, which hashes it in its own way, verifies as well.
    private let digest: OpaquePointer
    /// Verifies the hash; `nil` for EdDSA.
    private let context: OpaquePointer?

    init?(_ key: KeyHandle, _ algorithm: SignatureAlgorithm) {
        guard let digest = EVP_MD_CTX_new() else { return nil }
        self.algorithm = algorithm
        self.key = key
        self.digest = digest
        guard let method = algorithm.digest?.method else {
            context = nil
            return
        }
        context = key.withKey { EVP_PKEY_CTX_new($0, nil) }
        guard let context,
            EVP_PKEY_verify_init(context) == 1,
            EVP_PKEY_CTX_set_signature_md(context, method) == 1,
            setPadding(of: context, algorithm)
        else { return nil }
    }

    deinit {
        EVP_PKEY_CTX_free(context)
        EVP_MD_CTX_free(digest)
    }

    /// - Parameter signature: In DER for ECDSA.
    func verify(_ signature: [UInt8], of message: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let context, let method = algorithm.digest?.method else {
            return EVP_MD_CTX_reset(digest) == 1
                && key.withKey({ EVP_DigestVerifyInit(digest, nil, nil, nil, $0) }) == 1
                && EVP_DigestVerify(digest, signature, signature.count, message.baseAddress, message.count)
                    == 1
        }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(EVP_MAX_MD_SIZE)) { hash in
            var count: UInt32 = 0
            return EVP_DigestInit_ex2(digest, method, nil) == 1
                && EVP_DigestUpdate(digest, message.baseAddress, message.count) == 1
                && EVP_DigestFinal_ex(digest, hash.baseAddress, &count) == 1
                && EVP_PKEY_verify(context, signature, signature.count, hash.baseAddress, Int(count)) == 1
        }
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
