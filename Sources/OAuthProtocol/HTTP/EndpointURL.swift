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
        let bytes = Array(text.utf8)
        try Self.checkCharacters(bytes)
        // All of it is ASCII from here on: a byte is a character.
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8)
        else { throw .notAbsolute }
        scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        guard scheme == "https" || scheme == "http" else { throw .scheme }
        let rest = bytes[(colon + 3)...]
        guard !rest.contains(UInt8(ascii: "#")) else { throw .fragment }
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        guard !rest[..<end].contains(UInt8(ascii: "@")) else { throw .userinfo }
        (host, port, isLoopback) = try Self.authority(rest[..<end], Self.standardPort(scheme))
        guard scheme == "https" || (allowLoopbackHTTP && isLoopback) else { throw .insecure }
        let mark = rest[end...].firstIndex(of: UInt8(ascii: "?"))
        let pathBytes = rest[end..<(mark ?? rest.endIndex)]
        guard !pathBytes.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }) else {
            throw .character
        }
        path = String(decoding: pathBytes, as: UTF8.self)
        query = mark.map { String(decoding: rest[($0 + 1)...], as: UTF8.self) }
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
    private static func checkCharacters(_ bytes: [UInt8]) throws(EndpointURLProblem) {
        let allowed = characters
        var escaped = 0
        for byte in bytes {
            if escaped > 0 {
                guard PercentEncoding.hexValue(byte) != nil else { throw .character }
                escaped -= 1
            } else if byte == UInt8(ascii: "%") {
                escaped = 2
            } else {
                let half = byte < 64 ? allowed.low : allowed.high
                guard byte < 128, half & (1 << UInt64(byte & 63)) != 0 else { throw .character }
            }
        }
        guard escaped == 0 else { throw .character }
    }

    /// A bit for each byte that is unreserved or reserved (RFC 3986 §2.2 and §2.3).
    private static let characters: (low: UInt64, high: UInt64) = {
        var bits: (low: UInt64, high: UInt64) = (0, 0)
        let reserved = Array(":/?#[]@!$&'()*+,;=".utf8)
        for byte in UInt8(0)..<128 where PercentEncoding.isUnreserved(byte) || reserved.contains(byte) {
            if byte < 64 { bits.low |= 1 << UInt64(byte) } else { bits.high |= 1 << UInt64(byte & 63) }
        }
        return bits
    }()

    private static func authority(
        _ bytes: ArraySlice<UInt8>, _ standardPort: Int
    ) throws(EndpointURLProblem) -> (host: String, port: Int, isLoopback: Bool) {
        let hostEnd: Int
        if bytes.first == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")) else { throw .host }
            hostEnd = close + 1
        } else {
            hostEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        }
        guard let host = HostName(bytes[..<hostEnd]) else { throw .host }
        let rest = bytes[hostEnd...]
        guard !rest.isEmpty else { return (host.text, standardPort, host.isLoopback) }
        let digits = rest.dropFirst()
        guard rest.first == UInt8(ascii: ":"), (1...5).contains(digits.count),
            digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(String(decoding: digits, as: UTF8.self)), (1...65535).contains(port)
        else { throw .port }
        return (host.text, port, host.isLoopback)
    }
}

extension EndpointURL: CustomStringConvertible {
    public var description: String { text }
}
