/// Why a text cannot be the URL of an endpoint.
package enum EndpointURLProblem: String, Error, Sendable, Hashable, CaseIterable {
    /// No scheme, or no `//` after it.
    case notAbsolute = "is not an absolute URL"
    case scheme = "has a scheme other than https"
    /// http to a host that is not this machine, or without leave.
    case insecure = "is not https"
    case userinfo = "holds user information"
    case fragment = "has a fragment"
    /// A space, control character, backslash or broken escape.
    case character = "holds a character that a URL may not hold"
    /// Of another alphabet (RFC 3986 §2, RFC 5890 §2.3.2.1).
    case letter = "has letters outside ASCII, which a URL writes as xn-- in its host and as %XX elsewhere"
    case host = "has no valid host"
    case port = "has no valid port"
}

/// An absolute https URL without user information or fragment, or http to a loopback host.
///
/// The reader is stricter than RFC 3986 where parsers disagree: a host is a DNS name, a dotted-decimal IPv4
/// address or an IPv6 address in brackets, never another spelling of a number.
///
/// - SeeAlso: RFC 3986 §3; RFC 6749 §3.1 and §3.2; RFC 8252 §8.3
package struct EndpointURL: Sendable, Hashable {
    /// The URL as written.
    package let text: String
    /// `https` or `http`.
    package let scheme: String
    /// In lower case; an IPv6 address with its brackets.
    package let host: String
    /// The port as written, or that of the scheme.
    package let port: Int
    /// As written, possibly empty.
    package let path: String
    /// Without the question mark; `nil` when there is none.
    package let query: String?
    /// 127.0.0.0/8, ::1 or `localhost`.
    package let isLoopback: Bool

    /// Scheme, host and, unless it is the scheme's own, port (RFC 6454 §6.2).
    package var origin: String {
        port == Self.standardPort(scheme) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }

    /// Whether a segment of the path is `.` or `..`, which leads to another path (RFC 3986 §5.2.4).
    package var hasDotSegment: Bool {
        path.split(separator: "/").contains { segment in
            [".", ".."].contains(segment.replacing("%2e", with: ".").replacing("%2E", with: "."))
        }
    }

    /// The host without the brackets of an IPv6 address.
    package var hostName: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }

    /// - Throws: What is wrong with the text.
    package init(_ text: String, allowLoopbackHTTP: Bool = false) throws(EndpointURLProblem) {
        let layout = try Self.layout(of: text, allowLoopbackHTTP).get()
        // All of it is ASCII: a byte is a character.
        let bytes = Array(text.utf8)
        let piece = { (range: Range<Int>) in String(decoding: bytes[range], as: UTF8.self) }
        self.text = text
        scheme = layout.isSecure ? "https" : "http"
        host = piece(layout.host).lowercased()
        port = layout.port
        path = piece(layout.path)
        query = layout.query.map(piece)
        isLoopback = layout.isLoopback
    }

    /// What keeps the text from being an endpoint; `nil` when nothing does.
    package static func check(_ text: String, allowLoopbackHTTP: Bool) -> EndpointURLProblem? {
        switch layout(of: text, allowLoopbackHTTP) {
        case .success: nil
        case .failure(let problem): problem
        }
    }

    private static func layout(
        of text: String, _ allowsLoopbackHTTP: Bool
    ) -> Result<URLLayout, EndpointURLProblem> {
        let read = { (bytes: UnsafeBufferPointer<UInt8>) in
            Result { () throws(EndpointURLProblem) in try URLLayout(bytes, allowsLoopbackHTTP) }
        }
        return text.utf8.withContiguousStorageIfAvailable(read)
            ?? Array(text.utf8).withUnsafeBufferPointer(read)
    }

    private static func standardPort(_ scheme: String) -> Int { scheme == "https" ? 443 : 80 }
}

extension EndpointURL: CustomStringConvertible {
    package var description: String { text }
}
