internal import JOSE

/// A short mark by which a person can tell whether two values are the same: four hexadecimal digits.
///
/// An expression has no key and no randomness, so whoever can guess a value can compute its mark. Two things keep that
/// from giving a secret away. The mark has 16 bits: very many values share it, so that it proves no guess. And a secret
/// of less than 16 bytes has none, because the candidates that 16 bits leave would be few. Marks of equal values are
/// equal in every run; the trace, which has a key of its own, shows other ones.
enum Fingerprint {
    /// Bytes from which on a secret is taken to be no word, number or code that a person types.
    private static let leastSecret = 16
    /// Stands for a secret without a mark.
    private static let none = "----"
    /// Keeps the digest apart from every other use of SHA-256.
    private static let key = Array("flow/1 fingerprint".utf8)

    /// - Parameter bytes: Those of the value; `nil` when it is no text, secret or list of bytes.
    static func text(of value: Value, bytes: [UInt8]?) -> String? {
        guard let bytes else { return nil }
        if case .secret = value, bytes.count < leastSecret { return none }
        return Hexadecimal.encode(HMAC.sha256(key: key, message: bytes).prefix(2))
    }
}
