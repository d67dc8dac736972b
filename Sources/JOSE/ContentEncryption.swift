/// How the content of an encrypted token is encrypted and authenticated: the `enc` values we know.
///
/// - SeeAlso: RFC 7518 §5.1
package enum ContentEncryption: String, Sendable, Hashable, CaseIterable {
    case a128GCM = "A128GCM"
    case a256GCM = "A256GCM"
    case a128CBCHS256 = "A128CBC-HS256"
    case a256CBCHS512 = "A256CBC-HS512"

    /// The encryption of that name, compared exactly.
    package init?(name: String) {
        guard let encryption = Self.allCases.first(where: { $0.rawValue.hasSameBytes(as: name) }) else {
            return nil
        }
        self = encryption
    }

    /// The bytes of the content key; with a MAC, both keys side by side (RFC 7518 §5.2.2.1).
    package var keyLength: Int { cipher.keyLength * (digest == nil ? 1 : 2) }

    package var vectorLength: Int { cipher.vectorLength }

    private var cipher: Cipher {
        switch self {
        case .a128GCM: .aes128GCM
        case .a256GCM: .aes256GCM
        case .a128CBCHS256: .aes128CBC
        case .a256CBCHS512: .aes256CBC
        }
    }

    /// The digest of the MAC; `nil` for a cipher that authenticates by itself.
    private var digest: DigestAlgorithm? {
        switch self {
        case .a128GCM, .a256GCM: nil
        case .a128CBCHS256: .sha256
        case .a256CBCHS512: .sha512
        }
    }
}

/// What `seal` makes.
struct SealedContent: Sendable, Hashable {
    let vector: [UInt8]
    let ciphertext: [UInt8]
    let tag: [UInt8]
}

extension ContentEncryption {
    /// Encrypts with a content key and an initialization vector that was never used with it.
    ///
    /// - Returns: `nil` when a length is wrong or the library fails.
    func seal(
        _ plaintext: [UInt8], key: [UInt8], vector: [UInt8], authenticating: [UInt8]
    ) -> SealedContent? {
        guard key.count == keyLength else { return nil }
        guard let digest else {
            guard let context = CipherContext(cipher, .encrypting, key: key, vector: vector),
                context.authenticate(authenticating), let ciphertext = context.transform(plaintext),
                let tag = context.tag()
            else { return nil }
            return SealedContent(vector: vector, ciphertext: ciphertext, tag: tag)
        }
        let halves = Self.halves(of: key)
        guard let context = CipherContext(cipher, .encrypting, key: halves.encryption, vector: vector),
            let ciphertext = context.transform(plaintext)
        else { return nil }
        let tag = Self.tag(halves.mac, digest, authenticating, vector, ciphertext)
        return SealedContent(vector: vector, ciphertext: ciphertext, tag: tag)
    }

    /// Authenticates, then decrypts.
    ///
    /// - Returns: `nil` for every reason why the content is not what was sealed with that key.
    func open(_ sealed: SealedContent, key: [UInt8], authenticating: [UInt8]) -> [UInt8]? {
        defer { OpenSSLError.forget() }
        guard key.count == keyLength, sealed.vector.count == vectorLength else { return nil }
        guard let digest else {
            // A shorter tag would be compared as far as it goes.
            guard sealed.tag.count == CipherContext.tagLength,
                let context = CipherContext(cipher, .decrypting, key: key, vector: sealed.vector),
                context.authenticate(authenticating), context.expect(tag: sealed.tag)
            else { return nil }
            return context.transform(sealed.ciphertext)
        }
        let halves = Self.halves(of: key)
        let tag = Self.tag(halves.mac, digest, authenticating, sealed.vector, sealed.ciphertext)
        guard ConstantTime.equal(tag, sealed.tag),
            let context = CipherContext(cipher, .decrypting, key: halves.encryption, vector: sealed.vector)
        else { return nil }
        return context.transform(sealed.ciphertext)
    }

    private static func halves(of key: [UInt8]) -> (mac: [UInt8], encryption: [UInt8]) {
        (Array(key.prefix(key.count / 2)), Array(key.suffix(key.count / 2)))
    }

    /// RFC 7518 §5.2.2.1: the left half of the MAC over what is authenticated, the vector, the ciphertext and
    /// the length of the first in bits.
    private static func tag(
        _ key: [UInt8], _ digest: DigestAlgorithm, _ authenticated: [UInt8], _ vector: [UInt8],
        _ ciphertext: [UInt8]
    ) -> [UInt8] {
        let length = withUnsafeBytes(of: UInt64(authenticated.count * 8).bigEndian) { Array($0) }
        let message = authenticated + vector + ciphertext + length
        return Array(HMAC.authenticate(message, key: key, digest).prefix(digest.byteCount / 2))
    }
}
