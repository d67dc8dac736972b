internal import COpenSSL

/// The block ciphers we use, each with its mode.
enum Cipher: String, Sendable, Hashable, CaseIterable {
    case aes128GCM = "AES-128-GCM"
    case aes256GCM = "AES-256-GCM"
    case aes128CBC = "AES-128-CBC"
    case aes256CBC = "AES-256-CBC"
    case aes128Wrap = "AES-128-WRAP"
    case aes256Wrap = "AES-256-WRAP"

    var keyLength: Int {
        switch self {
        case .aes128GCM, .aes128CBC, .aes128Wrap: 16
        case .aes256GCM, .aes256CBC, .aes256Wrap: 32
        }
    }

    /// The bytes of the initialization vector; wrapping has a fixed one (RFC 3394 §2.2.3.1).
    var vectorLength: Int {
        switch self {
        case .aes128GCM, .aes256GCM: 12
        case .aes128CBC, .aes256CBC: 16
        case .aes128Wrap, .aes256Wrap: 0
        }
    }

    /// The EVP_CIPHER of each, fetched once, immutable and never freed.
    nonisolated(unsafe) private static let methods = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, EVP_CIPHER_fetch(nil, $0.rawValue, nil)) })

    fileprivate var method: OpaquePointer? { Self.methods[self] ?? nil }
}

/// Owns one EVP_CIPHER_CTX; freeing it also clears the key schedule.
struct CipherContext: ~Copyable {
    enum Direction: Int32 {
        case decrypting = 0
        case encrypting = 1
    }

    /// The bytes of the tag of Galois/counter mode.
    static let tagLength = 16
    private let context: OpaquePointer

    /// - Returns: `nil` when a length is wrong or the library fails.
    init?(_ cipher: Cipher, _ direction: Direction, key: [UInt8], vector: [UInt8] = []) {
        guard key.count == cipher.keyLength, vector.count == cipher.vectorLength,
            let method = cipher.method, let context = EVP_CIPHER_CTX_new()
        else { return nil }
        // Wrapping is refused without it, for its output is longer than its input.
        EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW)
        let isReady =
            vector.isEmpty
            ? EVP_CipherInit_ex2(context, method, key, nil, direction.rawValue, nil)
            : EVP_CipherInit_ex2(context, method, key, vector, direction.rawValue, nil)
        guard isReady == 1 else {
            EVP_CIPHER_CTX_free(context)
            return nil
        }
        self.context = context
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Adds bytes that are authenticated and not encrypted.
    func authenticate(_ bytes: [UInt8]) -> Bool {
        var written: Int32 = 0
        guard let count = Int32(exactly: bytes.count) else { return false }
        return EVP_CipherUpdate(context, nil, &written, bytes, count) == 1
    }

    /// Gives the tag to compare with, before `transform`.
    func expect(tag: [UInt8]) -> Bool {
        var tag = tag
        return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(clamping: tag.count), &tag) == 1
    }

    /// The whole output for the whole input.
    ///
    /// - Returns: `nil` when the tag, the padding or the wrapping is not right, or the library fails.
    func transform(_ input: [UInt8]) -> [UInt8]? {
        guard let count = Int32(exactly: input.count) else { return nil }
        // One block more than the input: padding and wrapping add at most that.
        var output = [UInt8](repeating: 0, count: input.count + 16)
        var written: Int32 = 0
        var last: Int32 = 0
        let isDone = output.withUnsafeMutableBufferPointer { output in
            guard let start = output.baseAddress else { return false }
            return EVP_CipherUpdate(context, start, &written, input, count) == 1
                && EVP_CipherFinal_ex(context, start + Int(written), &last) == 1
        }
        guard isDone else {
            OPENSSL_cleanse(&output, output.count)
            return nil
        }
        output.removeLast(output.count - Int(written + last))
        return output
    }

    /// The tag, after `transform`.
    func tag() -> [UInt8]? {
        var tag = [UInt8](repeating: 0, count: Self.tagLength)
        let count = Int32(tag.count)
        guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, count, &tag) == 1 else { return nil }
        return tag
    }
}
