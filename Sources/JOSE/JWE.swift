/// Compact JSON Web Encryption.
///
/// - SeeAlso: RFC 7516, RFC 8725
package enum JWE {
    /// The longest text we split: what the longest signature we read becomes when it is encrypted.
    package static let maximumLength = 96 * 1024
    /// How many keys are tried for a token without `kid`; bounds the work one token can cause.
    package static let maximumCandidates = 8

    /// Splits a compact encryption and reads its header; decrypts nothing.
    ///
    /// - Throws: `malformed`; `criticalHeader`, `compressed` or `keyReference` for what the header may not have.
    package static func split(_ compact: String) throws(JWEError) -> UndecryptedJWE {
        guard compact.utf8.count <= maximumLength else { throw .malformed(.tooLong(limit: maximumLength)) }
        let text = Array(compact.utf8)
        let dots = text.indices.filter { text[$0] == UInt8(ascii: ".") }
        guard dots.count == 4 else { throw .malformed(dots.count == 2 ? .signed : .partCount) }
        guard dots[0] > 0 else { throw .malformed(.emptyHeader) }
        let header = try part(.header, text[..<dots[0]])
        let encryptedKey = try part(.encryptedKey, text[(dots[0] + 1)..<dots[1]])
        let vector = try part(.vector, text[(dots[1] + 1)..<dots[2]])
        let ciphertext = try part(.ciphertext, text[(dots[2] + 1)..<dots[3]])
        let tag = try part(.tag, text[(dots[3] + 1)...])
        return UndecryptedJWE(
            header: try JWEHeader.parse(header), encryptedKey: encryptedKey,
            content: SealedContent(vector: vector, ciphertext: ciphertext, tag: tag),
            authenticated: Array(text[..<dots[0]]))
    }

    private static func part(_ part: JWEError.Part, _ text: ArraySlice<UInt8>) throws(JWEError) -> [UInt8] {
        guard let bytes = Base64URL.decode(text) else { throw .malformed(.notBase64URL(part)) }
        return bytes
    }

    /// Decrypts with the keys whose public halves the client registered.
    ///
    /// Both algorithms are the caller's, never the header's choice.
    ///
    /// - Throws: `algorithmNotAllowed`; `noMatchingKey` when no key has the header's `kid` and fits;
    ///   `undecryptable` for every other reason.
    package static func decrypt(
        _ jwe: UndecryptedJWE, keys: [DecryptionKey], algorithm: KeyManagementAlgorithm,
        encryption: ContentEncryption
    ) throws(JWEError) -> DecryptedJWE {
        let header = jwe.header
        guard KeyManagementAlgorithm(name: header.alg) == algorithm,
            ContentEncryption(name: header.enc) == encryption
        else { throw .algorithmNotAllowed(alg: header.alg, enc: header.enc) }
        let candidates = keys.filter { algorithm.fits($0.key.type) && $0.matches(kid: header.kid) }
        guard !candidates.isEmpty else { throw .noMatchingKey(kid: header.kid) }
        for candidate in candidates.prefix(maximumCandidates) {
            let contentKey = ContentKey.unwrap(jwe, with: candidate.key, algorithm, encryption)
            let plaintext = contentKey.flatMap {
                encryption.open(jwe.content, key: $0, authenticating: jwe.authenticated)
            }
            if let plaintext { return DecryptedJWE(header: header, plaintext: plaintext) }
        }
        throw .undecryptable
    }

    /// Encrypts for the owner of a public key; `alg`, `enc` and `epk` are put first into the header.
    ///
    /// - Parameter header: Further parameters, such as `kid` and `cty`; those that are put first are ignored.
    /// - Throws: `wrongKeyType` when the key cannot be encrypted to by that algorithm; `library`.
    package static func encrypt(
        _ plaintext: [UInt8], header: JSONObject = [:], to key: PublicKey, algorithm: KeyManagementAlgorithm,
        encryption: ContentEncryption
    ) throws(KeyError) -> String {
        let wrapped = try ContentKey.make(for: key, algorithm, encryption)
        var members: JSONObject = ["alg": .string(algorithm.rawValue), "enc": .string(encryption.rawValue)]
        members["epk"] = wrapped.ephemeral?.agreementJWK
        for (name, value) in header where members[name] == nil && name != "epk" { members[name] = value }
        let head = Base64URL.encode(members.serialize().utf8)
        let vector: [UInt8]
        do { vector = try SecureRandom.bytes(encryption.vectorLength) } catch { throw .library(error) }
        let sealed = encryption.seal(
            plaintext, key: wrapped.key, vector: vector, authenticating: Array(head.utf8))
        guard let sealed else { throw .library(.drain("encryption")) }
        let parts = [wrapped.encrypted, sealed.vector, sealed.ciphertext, sealed.tag]
        return ([head] + parts.map { Base64URL.encode($0) }).joined(separator: ".")
    }
}

/// An encryption that was taken apart and not decrypted.
package struct UndecryptedJWE: Sendable {
    package let header: JWEHeader
    let encryptedKey: [UInt8]
    let content: SealedContent
    /// The header as it was sent, which the tag covers.
    let authenticated: [UInt8]
}

/// What was encrypted; only decrypting makes one.
///
/// Proves that nobody changed it since. Says nothing about who encrypted it: anyone can, to a public key.
package struct DecryptedJWE: Sendable {
    package let header: JWEHeader
    package let plaintext: [UInt8]

    fileprivate init(header: JWEHeader, plaintext: [UInt8]) {
        self.header = header
        self.plaintext = plaintext
    }
}

/// One of our private keys and the `kid` under which its public half is registered.
package struct DecryptionKey: Sendable {
    package let key: PrivateKey
    package let kid: String?

    package init(_ key: PrivateKey, kid: String? = nil) {
        self.key = key
        self.kid = kid
    }

    /// A name on one side only rules nothing out.
    fileprivate func matches(kid named: String?) -> Bool {
        guard let kid, let named else { return true }
        return kid.hasSameBytes(as: named)
    }
}
