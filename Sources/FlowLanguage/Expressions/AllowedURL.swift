internal import OAuthProtocol

/// The sanitiser of URLs: decides whether a value from outside may name a destination (flow/1 §5).
///
/// A rule is a URL, or a URL whose path ends in `/*`. A URL stands for itself alone. `https://a.example/app/*` stands for
/// everything on that origin below `/app/`, with any query. Scheme, host, port, path and query are compared as parts and
/// never as text, so that `https://a.example.evil.example/` and `https://a.example@evil.example/` are no neighbours of
/// `https://a.example/*`. What is no https URL by the strict reading of `EndpointURL` is refused, as a value and as a
/// rule: user information, fragments, backslashes, controls, letters outside ASCII, odd spellings of hosts. Plain http
/// is allowed to this machine.
enum AllowedURL {
    static func allows(_ text: String, _ rules: [String]) -> Bool {
        guard let url = parse(text), isPlain(url) else { return false }
        return rules.contains { allows(url, $0) }
    }

    private static func parse(_ text: String) -> EndpointURL? {
        // What is wrong with the URL makes no difference: it is not allowed.
        try? EndpointURL(text, allowLoopbackHTTP: true)
    }

    private static func allows(_ url: EndpointURL, _ rule: String) -> Bool {
        let isPrefix = rule.hasSuffix("/*")
        guard let allowed = parse(isPrefix ? String(rule.dropLast()) : rule), isPlain(allowed),
            url.scheme == allowed.scheme, url.host == allowed.host, url.port == allowed.port
        else { return false }
        let (path, allowedPath) = (Self.path(url), Self.path(allowed))
        guard isPrefix else {
            return ValueEquality.areSame(path, allowedPath) && url.query == allowed.query
        }
        // A rule such as https://a.example/?to=/* has its star in the query, which is no place for one.
        guard allowed.query == nil else { return false }
        return path.utf8.starts(with: allowedPath.utf8)
    }

    /// An empty path is `/` (RFC 3986 §6.2.3).
    private static func path(_ url: EndpointURL) -> String { url.path.isEmpty ? "/" : url.path }

    /// Whether every reader finds the same segments in the path: none of them empty, `.` or `..`, also not before
    /// parameters or in escapes, and no escape of `/`, `\\`, `%` or a control.
    private static func isPlain(_ url: EndpointURL) -> Bool {
        let segments = path(url).split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        return segments.enumerated().allSatisfy { index, segment in
            isPlain(segment, isLast: index == segments.count - 1)
        }
    }

    private static func isPlain(_ segment: Substring, isLast: Bool) -> Bool {
        guard !segment.isEmpty else { return isLast }
        guard let decoded = PercentEncoding.decodeQuery(segment), !decoded.utf8.contains(where: isHidden)
        else {
            return false
        }
        let name = decoded.prefix { $0 != ";" }
        return name != "." && name != ".."
    }

    /// Never written as itself in a path, so it came from an escape.
    private static func isHidden(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
            || byte == UInt8(ascii: "%")
    }
}
