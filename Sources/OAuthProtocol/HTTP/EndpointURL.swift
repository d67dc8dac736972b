/// Why a text cannot be the URL of an endpoint.
public enum EndpointURLProblem: String, Error, Sendable, Hashable, CaseIterable {
    /// No scheme, or no `//` after it.
    case notAbsolute = "is not an absolute URL"
    case scheme = "has a scheme other than https"
    /// http to a host that is not this machine, or without leave.
    case insecure = "is not https"
    case userinfo = "holds user information"
    case fragment = "has a fragment"
    /// A space, control character, backslash, letter outside ASCII or broken escape.
    case character = "holds a character that a URL may not hold"
    case host = "has no valid host"
    case port = "has no valid port"
}

/// An absolute https URL without user information or fragment, or http to a loopback host.
///
/// The reader is stricter than RFC 3986 where parsers disagree: a host is a DNS name, a dotted-decimal IPv4
/// address or an IPv6 address in brackets, never another spelling of a number.
///
/// - SeeAlso: RFC 3986 §3; RFC 6749 §3.1 and §3.2; RFC 8252 §8.3
public struct EndpointURL: Sendable, Hashable {
    /// The URL as written.
    public let text: String
    /// `https` or `http`.
    public let scheme: String
    /// In lower case; an IPv6 address with its brackets.
    public let host: String
    /// The port as written, or that of the scheme.
    public let port: Int
    /// As written, possibly empty.
    public let path: String
    /// Without the question mark; `nil` when there is none.
    public let query: String?
    /// 127.0.0.0/8, ::1 or `localhost`.
    public let isLoopback: Bool

    /// Scheme, host and, unless it is the scheme's own, port (RFC 6454 §6.2).
    public var origin: String {
        port == Self.standardPort(scheme) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }

    /// - Throws: What is wrong with the text.
    public init(_ text: String, allowLoopbackHTTP: Bool = false) throws(EndpointURLProblem) {
        try Self.checkCharacters(text)
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else {
            throw .notAbsolute
        }
        scheme = text[..<colon].lowercased()
        guard scheme == "https" || scheme == "http" else { throw .scheme }
        let rest = text[colon...].dropFirst(3)
        guard !rest.contains("#") else { throw .fragment }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        guard !rest[..<end].contains("@") else { throw .userinfo }
        (host, port, isLoopback) = try Self.authority(rest[..<end], Self.standardPort(scheme))
        guard scheme == "https" || (allowLoopbackHTTP && isLoopback) else { throw .insecure }
        let mark = rest[end...].firstIndex(of: "?")
        path = String(rest[end..<(mark ?? rest.endIndex)])
        query = mark.map { String(rest[$0...].dropFirst()) }
        guard !path.contains(where: { $0 == "[" || $0 == "]" }) else { throw .character }
        self.text = text
    }

    /// What keeps the text from being an endpoint; `nil` when nothing does.
    public static func check(_ text: String, allowLoopbackHTTP: Bool) -> EndpointURLProblem? {
        do throws(EndpointURLProblem) {
            _ = try EndpointURL(text, allowLoopbackHTTP: allowLoopbackHTTP)
            return nil
        } catch {
            return error
        }
    }

    private static func standardPort(_ scheme: String) -> Int { scheme == "https" ? 443 : 80 }

    /// The characters of RFC 3986 §2, escapes complete.
    private static func checkCharacters(_ text: String) throws(EndpointURLProblem) {
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.popFirst().flatMap(PercentEncoding.hexValue) != nil,
                    rest.popFirst().flatMap(PercentEncoding.hexValue) != nil
                else { throw .character }
            } else {
                guard PercentEncoding.isUnreserved(byte) || reserved.contains(byte) else { throw .character }
            }
        }
    }

    private static let reserved = Set(":/?#[]@!$&'()*+,;=".utf8)

    private static func authority(
        _ text: Substring, _ standardPort: Int
    ) throws(EndpointURLProblem) -> (host: String, port: Int, isLoopback: Bool) {
        let hostEnd: Substring.Index
        if text.first == "[" {
            guard let close = text.firstIndex(of: "]") else { throw .host }
            hostEnd = text.index(after: close)
        } else {
            hostEnd = text.firstIndex(of: ":") ?? text.endIndex
        }
        guard let host = HostName(text[..<hostEnd]) else { throw .host }
        let rest = text[hostEnd...]
        guard !rest.isEmpty else { return (host.text, standardPort, host.isLoopback) }
        let digits = rest.dropFirst()
        guard rest.first == ":", (1...5).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits),
            (1...65535).contains(port)
        else { throw .port }
        return (host.text, port, host.isLoopback)
    }
}

extension EndpointURL: CustomStringConvertible {
    public var description: String { text }
}
