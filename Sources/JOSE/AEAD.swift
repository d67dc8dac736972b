internal import COpenSSL

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
        guard let context = CipherContext(), let count = Int32(exactly: plaintext.count) else {
            throw OpenSSLError.drain(operation)
        }
        var sealed = [UInt8](repeating: 0, count: plaintext.count + tagLength)
        guard context.seal(plaintext, count, key, nonce, authenticating, into: &sealed) else {
            throw OpenSSLError.drain(operation)
        }
        return sealed
    }

    /// - Throws: `tampered` when the tag does not fit; `keyLength` or `nonceLength` before anything is tried;
    ///   `library` when the library fails for another reason.
    package static func open(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating: [UInt8]
    ) throws(AEADError) -> [UInt8] {
        guard key.count == keyLength else { throw .keyLength(found: key.count) }
        guard nonce.count == nonceLength else { throw .nonceLength(found: nonce.count) }
        guard sealed.count >= tagLength, let count = Int32(exactly: sealed.count - tagLength) else {
            throw .tampered
        }
        guard let context = CipherContext() else { throw .library(.drain("AES-256-GCM open")) }
        var plaintext = [UInt8](repeating: 0, count: Int(count))
        guard context.start(key, nonce), context.decrypt(sealed, count, authenticating, into: &plaintext)
        else { throw .library(.drain("AES-256-GCM open")) }
        guard context.finish(tag: Array(sealed.suffix(tagLength))) else {
            OpenSSLError.forget()
            throw .tampered
        }
        return plaintext
    }
}

/// Owns one EVP_CIPHER_CTX; freeing it also clears the key schedule.
private struct CipherContext: ~Copyable {
    private let context: OpaquePointer
    /// AES-256-GCM, fetched once, immutable and never freed.
    nonisolated(unsafe) private static let cipher = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)

    init?() {
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        self.context = context
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    func seal(
        _ plaintext: [UInt8], _ count: Int32, _ key: [UInt8], _ nonce: [UInt8], _ authenticating: [UInt8],
        into sealed: inout [UInt8]
    ) -> Bool {
        var written: Int32 = 0
        let tagLength = Int32(AEAD.tagLength)
        return sealed.withUnsafeMutableBufferPointer { output in
            guard let start = output.baseAddress else { return false }
            return EVP_EncryptInit_ex2(context, Self.cipher, key, nonce, nil) == 1
                && EVP_EncryptUpdate(
                    context, nil, &written, authenticating, Int32(clamping: authenticating.count))
                    == 1
                && EVP_EncryptUpdate(context, start, &written, plaintext, count) == 1
                && EVP_EncryptFinal_ex(context, start + plaintext.count, &written) == 1
                && EVP_CIPHER_CTX_ctrl(
                    context, EVP_CTRL_AEAD_GET_TAG, tagLength, start + plaintext.count) == 1
        }
    }

    func start(_ key: [UInt8], _ nonce: [UInt8]) -> Bool {
        EVP_DecryptInit_ex2(context, Self.cipher, key, nonce, nil) == 1
    }

    func decrypt(
        _ sealed: [UInt8], _ count: Int32, _ authenticating: [UInt8], into plaintext: inout [UInt8]
    ) -> Bool {
        var written: Int32 = 0
        let length = Int32(clamping: authenticating.count)
        return EVP_DecryptUpdate(context, nil, &written, authenticating, length) == 1
            && EVP_DecryptUpdate(context, &plaintext, &written, sealed, count) == 1
    }

    /// Whether the tag is the right one.
    func finish(tag: [UInt8]) -> Bool {
        var tag = tag
        var written: Int32 = 0
        // Nothing is left to write: this mode has no padding. The buffer only satisfies the signature.
        var rest = [UInt8](repeating: 0, count: 16)
        return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1
            && EVP_DecryptFinal_ex(context, &rest, &written) == 1
    }
}
