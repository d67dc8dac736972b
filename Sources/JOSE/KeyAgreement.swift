internal import COpenSSL

/// Agreeing on a key, and RSA encryption: what moves a content key to the owner of a private key.
extension KeyHandle {
    /// The secret this private key shares with the owner of a public key of the same type.
    ///
    /// - Returns: `nil` when the library refuses, as it does for points that would make the secret known.
    func agree(with peer: KeyHandle) -> [UInt8]? {
        defer { OpenSSLError.forget() }
        return withContext { context in
            var count = 0
            guard EVP_PKEY_derive_init(context) == 1,
                peer.withKey({ EVP_PKEY_derive_set_peer(context, $0) }) == 1,
                EVP_PKEY_derive(context, nil, &count) == 1
            else { return nil }
            var secret = [UInt8](repeating: 0, count: count)
            guard EVP_PKEY_derive(context, &secret, &count) == 1 else { return nil }
            return Array(secret.prefix(count))
        }
    }

    /// RSAES-OAEP with that digest for label and mask (RFC 8017 §7.1.1).
    func encrypt(_ bytes: [UInt8], digest: String) -> [UInt8]? {
        defer { OpenSSLError.forget() }
        return withContext { context in
            var count = 0
            guard EVP_PKEY_encrypt_init(context) == 1, Self.setPadding(of: context, digest),
                EVP_PKEY_encrypt(context, nil, &count, bytes, bytes.count) == 1
            else { return nil }
            var encrypted = [UInt8](repeating: 0, count: count)
            guard EVP_PKEY_encrypt(context, &encrypted, &count, bytes, bytes.count) == 1 else { return nil }
            return Array(encrypted.prefix(count))
        }
    }

    /// The inverse; `nil` for whatever was not encrypted so.
    func decrypt(_ bytes: [UInt8], digest: String) -> [UInt8]? {
        defer { OpenSSLError.forget() }
        return withContext { context in
            var count = 0
            guard EVP_PKEY_decrypt_init(context) == 1, Self.setPadding(of: context, digest),
                EVP_PKEY_decrypt(context, nil, &count, bytes, bytes.count) == 1
            else { return nil }
            var decrypted = [UInt8](repeating: 0, count: count)
            defer { OPENSSL_cleanse(&decrypted, decrypted.count) }
            guard EVP_PKEY_decrypt(context, &decrypted, &count, bytes, bytes.count) == 1 else { return nil }
            return Array(decrypted.prefix(count))
        }
    }

    private static func setPadding(of context: OpaquePointer, _ digest: String) -> Bool {
        EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1
            && EVP_PKEY_CTX_set_rsa_oaep_md_name(context, digest, nil) == 1
            && EVP_PKEY_CTX_set_rsa_mgf1_md_name(context, digest, nil) == 1
    }

    private func withContext(_ body: (OpaquePointer) -> [UInt8]?) -> [UInt8]? {
        withKey { key in
            guard let context = EVP_PKEY_CTX_new(key, nil) else { return nil }
            defer { EVP_PKEY_CTX_free(context) }
            return body(context)
        }
    }
}

/// Making a key of an agreed secret.
package enum KeyDerivation {
    /// The Concat KDF of NIST SP 800-56A §5.8.1 with SHA-256, as RFC 7518 §4.6.2 fills it in.
    ///
    /// - Parameters:
    ///   - algorithm: `enc` for direct agreement, else `alg`.
    ///   - apu: PartyUInfo, decoded; often empty.
    ///   - apv: PartyVInfo, decoded; often empty.
    ///   - byteCount: The length of the key.
    package static func concat(
        _ secret: [UInt8], algorithm: String, apu: [UInt8], apv: [UInt8], byteCount: Int
    ) -> [UInt8] {
        let name = Array(algorithm.utf8)
        let fields = [name, apu, apv].flatMap { word($0.count) + $0 } + word(byteCount * 8)
        let rounds = (byteCount + DigestAlgorithm.sha256.byteCount - 1) / DigestAlgorithm.sha256.byteCount
        let bytes = (0..<rounds).flatMap { Digest.sha256(word($0 + 1) + secret + fields) }
        return Array(bytes.prefix(byteCount))
    }

    /// Four bytes, big-endian.
    private static func word(_ value: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: value).bigEndian) { Array($0) }
    }
}
