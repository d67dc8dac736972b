internal import JOSE

/// The SHA-256 of a code, token or other secret that the sandbox issued: all that it remembers of one.
///
/// Lookup by hash also keeps the time of a comparison from telling anything about the secret.
struct TokenHash: Sendable, Hashable {
    /// Base64url.
    let text: String

    init(of token: String) {
        text = Base64URL.encode(Digest.sha256(token.utf8))
    }

    init(stored text: String) {
        self.text = text
    }
}
