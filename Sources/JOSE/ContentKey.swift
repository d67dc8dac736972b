/// The key of one encrypted token, on its way to and from the recipient.
///
/// - SeeAlso: RFC 7516 §5.1 and §5.2, RFC 7518 §4
enum ContentKey {
    /// A new content key and the two forms in which the token carries it.
    struct Wrapped {
        let key: [UInt8]
        /// Empty for direct agreement.
        let encrypted: [UInt8]
        /// The ephemeral key of an agreement.
        let ephemeral: PublicKey?
    }

    /// - Throws: `wrongKeyType`; `library`.
    static func make(
        for recipient: PublicKey, _ algorithm: KeyManagementAlgorithm, _ encryption: ContentEncryption
    ) throws(KeyError) -> Wrapped {
        guard algorithm.fits(recipient.type) else { throw .wrongKeyType(algorithm.rawValue) }
        if let digest = algorithm.paddingDigest {
            let key = try random(encryption.keyLength)
            guard let encrypted = recipient.handle.encrypt(key, digest: digest) else {
                throw .library(.drain("RSA encryption"))
            }
            return Wrapped(key: key, encrypted: encrypted, ephemeral: nil)
        }
        let ephemeral = try PrivateKey.generate(recipient.type)
        guard let secret = ephemeral.handle.agree(with: recipient.handle) else {
            throw .library(.drain("key agreement"))
        }
        let agreed = derive(secret, algorithm, encryption, apu: [], apv: [])
        guard let wrapping = algorithm.wrapping else {
            return Wrapped(key: agreed, encrypted: [], ephemeral: ephemeral.publicKey)
        }
        let key = try random(encryption.keyLength)
        guard let encrypted = CipherContext(wrapping, .encrypting, key: agreed)?.transform(key) else {
            throw .library(.drain("key wrapping"))
        }
        return Wrapped(key: key, encrypted: encrypted, ephemeral: ephemeral.publicKey)
    }

    /// The content key of a token; `nil` for every reason why this key does not give one.
    static func unwrap(
        _ jwe: UndecryptedJWE, with key: PrivateKey, _ algorithm: KeyManagementAlgorithm,
        _ encryption: ContentEncryption
    ) -> [UInt8]? {
        defer { OpenSSLError.forget() }
        if let digest = algorithm.paddingDigest {
            return key.handle.decrypt(jwe.encryptedKey, digest: digest)
        }
        guard let agreed = agree(jwe.header, key, algorithm, encryption) else { return nil }
        guard let wrapping = algorithm.wrapping else {
            // RFC 7516 §5.2 (10): with direct agreement there is no encrypted key.
            return jwe.encryptedKey.isEmpty ? agreed : nil
        }
        // Wrapping adds eight bytes (RFC 3394 §2.2.1); another length is no content key of ours.
        guard jwe.encryptedKey.count == encryption.keyLength + 8 else { return nil }
        return CipherContext(wrapping, .decrypting, key: agreed)?.transform(jwe.encryptedKey)
    }

    private static func agree(
        _ header: JWEHeader, _ key: PrivateKey, _ algorithm: KeyManagementAlgorithm,
        _ encryption: ContentEncryption
    ) -> [UInt8]? {
        guard let epk = header.raw["epk"], let ephemeral = try? JWK(epk), ephemeral.type == key.type,
            let apu = header.bytes("apu"), let apv = header.bytes("apv"),
            let secret = key.handle.agree(with: ephemeral.key.handle)
        else { return nil }
        return derive(secret, algorithm, encryption, apu: apu, apv: apv)
    }

    private static func derive(
        _ secret: [UInt8], _ algorithm: KeyManagementAlgorithm, _ encryption: ContentEncryption,
        apu: [UInt8], apv: [UInt8]
    ) -> [UInt8] {
        KeyDerivation.concat(
            secret, algorithm: algorithm.wrapping == nil ? encryption.rawValue : algorithm.rawValue,
            apu: apu, apv: apv, byteCount: algorithm.wrapping?.keyLength ?? encryption.keyLength)
    }

    private static func random(_ count: Int) throws(KeyError) -> [UInt8] {
        do { return try SecureRandom.bytes(count) } catch { throw .library(error) }
    }
}
