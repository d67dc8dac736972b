/// Why sealed bytes were not opened.
package enum AEADError: Error, Hashable {
    /// The key, the nonce, the authenticated bytes or the sealed bytes are not those of the sealing.
    case tampered
    case keyLength(found: Int)
    case nonceLength(found: Int)
    case library(OpenSSLError)
}

/// AES-256 in Galois/counter mode.
///
/// A nonce must never be used twice with one key; the caller chooses it. The sealed form is the ciphertext
/// and then the 16-byte tag.
///
/// - SeeAlso: NIST SP 800-38D, RFC 5116 §5.2
package enum AEAD {
    package static let keyLength = 32
    package static let nonceLength = 12
    package static let tagLength = 16

    /// - Throws: `OpenSSLError` when a length is wrong or the library fails.
    package static func seal(
        _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], authenticating: [UInt8]
    ) throws(OpenSSLError) -> [UInt8] {
        let operation = "AES-256-GCM seal"
        guard key.count == keyLength, nonce.count == nonceLength else {
            throw OpenSSLError(operation: operation, reasons: ["the key or the nonce has a wrong length"])
        }
        guard let context = CipherContext(.aes256GCM, .encrypting, key: key, vector: nonce),
            context.authenticate(authenticating), let ciphertext = context.transform(plaintext),
            let tag = context.tag()
        else { throw OpenSSLError.drain(operation) }
        return ciphertext + tag
    }

    /// - Throws: `tampered` when the tag does not fit; `keyLength` or `nonceLength` before anything is tried;
    ///   `library` when the library fails for another reason.
    package static func open(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating: [UInt8]
    ) throws(AEADError) -> [UInt8] {
        guard key.count == keyLength else { throw .keyLength(found: key.count) }
        guard nonce.count == nonceLength else { throw .nonceLength(found: nonce.count) }
        guard sealed.count >= tagLength else { throw .tampered }
        guard let context = CipherContext(.aes256GCM, .decrypting, key: key, vector: nonce),
            context.authenticate(authenticating), context.expect(tag: Array(sealed.suffix(tagLength)))
        else { throw .library(.drain("AES-256-GCM open")) }
        guard let plaintext = context.transform(Array(sealed.dropLast(tagLength))) else {
            OpenSSLError.forget()
            throw .tampered
        }
        return plaintext
    }
}
