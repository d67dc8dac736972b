/// What is wrong with a peer's answer.
///
/// Messages are lower case, without a full stop, and never hold a secret. Text that the peer sent is bounded
/// and free of control characters before it gets here.
package enum ProtocolError: Error, Sendable, Hashable {
    /// The peer said no, in the words of OAuth (RFC 6749 §4.1.2.1, §5.2; RFC 6750 §3).
    ///
    /// The status is 0 where the answer came through the browser, as parameters of the redirect URI.
    case rejected(OAuthError, status: Int)
    /// A check failed: the answer may be forged, or the server is wrong.
    case failed(Check, expected: String, actual: String)
    /// The answer cannot be used: what was read, and what is wrong with it.
    case malformed(String, detail: String)
    /// A status that carries no OAuth error.
    case status(Int)
}

/// An error response as OAuth writes it.
package struct OAuthError: Sendable, Hashable {
    /// `error`: an open set (RFC 6749 §11.4).
    package let code: String
    package let description: String?
    package let uri: String?

    /// Takes remote text and makes it fit to show.
    package init(code: String, description: String? = nil, uri: String? = nil) {
        self.code = RemoteText.sanitize(code, limit: 100)
        self.description = description.map { RemoteText.sanitize($0) }
        self.uri = uri.map { RemoteText.sanitize($0) }
    }
}
