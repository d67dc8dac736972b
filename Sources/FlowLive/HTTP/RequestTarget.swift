/// What of a request's URL decides over protocols and proxies.
///
/// Read strictly, so that libcurl cannot understand another host than this does: printable ASCII, no
/// backslash, no user information.
struct RequestTarget {
    enum Scheme: Equatable { case http, https }

    let scheme: Scheme
    let isLoopback: Bool
    /// As written, an IPv6 address without its brackets.
    let host: Substring

    init?(_ url: String) {
        let bytes = url.utf8
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) else { return nil }
        let start: String.Index
        if url.hasPrefix("https://") {
            scheme = .https
            start = bytes.index(bytes.startIndex, offsetBy: 8)
        } else if url.hasPrefix("http://") {
            scheme = .http
            start = bytes.index(bytes.startIndex, offsetBy: 7)
        } else {
            return nil
        }
        let authority = bytes[start...].prefix { !Self.endsAuthority($0) }
        guard !authority.isEmpty, !authority.contains(UInt8(ascii: "@")) else { return nil }
        let host = Self.host(of: authority)
        isLoopback = Self.isLoopback(host)
        let isBracketed = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]")
        self.host = Substring(isBracketed ? host.dropFirst().dropLast() : host)
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private static func host(of authority: Substring.UTF8View) -> Substring.UTF8View {
        if authority.first == UInt8(ascii: "["), let end = authority.firstIndex(of: UInt8(ascii: "]")) {
            return authority[...end]
        }
        return authority.prefix { $0 != UInt8(ascii: ":") }
    }

    /// 127.0.0.0/8 in plain decimal, `[::1]`, and `localhost`, which libcurl itself maps to those.
    private static func isLoopback(_ host: Substring.UTF8View) -> Bool {
        guard let first = host.first else { return false }
        switch first {
        case UInt8(ascii: "["): return host.elementsEqual("[::1]".utf8)
        case UInt8(ascii: "1"): return host.starts(with: "127.".utf8) && isAddress(host)
        default: return Substring(host).lowercased() == "localhost"
        }
    }

    /// Four decimal numbers up to 255 without leading zeros, which some parsers take for octal.
    private static func isAddress(_ host: Substring.UTF8View) -> Bool {
        var parts = 1
        var digits = 0
        var value = 0
        for byte in host {
            switch byte {
            case UInt8(ascii: "."):
                guard digits > 0 else { return false }
                (parts, digits, value) = (parts + 1, 0, 0)
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard digits == 0 || value > 0 else { return false }
                (digits, value) = (digits + 1, value * 10 + Int(byte) - 0x30)
                guard value <= 255 else { return false }
            default: return false
            }
        }
        return parts == 4 && digits > 0
    }
}
