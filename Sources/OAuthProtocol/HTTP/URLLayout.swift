/// Where the parts of an absolute URL lie in its bytes.
struct URLLayout {
    let isSecure: Bool
    let host: Range<Int>
    let port: Int
    let path: Range<Int>
    /// Without the question mark; `nil` when there is none.
    let query: Range<Int>?
    let isLoopback: Bool

    /// - Throws: What keeps the bytes from being such a URL.
    init(_ bytes: UnsafeBufferPointer<UInt8>, _ allowsLoopbackHTTP: Bool) throws(EndpointURLProblem) {
        try Self.checkCharacters(bytes)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8)
        else { throw .notAbsolute }
        let scheme = bytes[..<colon].lazy.map { $0 | 0x20 }
        isSecure = scheme.elementsEqual("https".utf8)
        guard isSecure || scheme.elementsEqual("http".utf8) else { throw .scheme }
        let start = colon + 3
        var (end, mark) = (bytes.count, Int?.none)
        var (hasUserinfo, hasBracket) = (false, false)
        for index in start..<bytes.count {
            let isAuthority = end == bytes.count
            switch bytes[index] {
            case UInt8(ascii: "#"): throw .fragment
            case UInt8(ascii: "/") where isAuthority: end = index
            case UInt8(ascii: "?") where mark == nil:
                mark = index
                if isAuthority { end = index }
            case UInt8(ascii: "@") where isAuthority: hasUserinfo = true
            case UInt8(ascii: "["), UInt8(ascii: "]"):
                if !isAuthority, mark == nil { hasBracket = true }
            default: break
            }
        }
        guard !hasUserinfo else { throw .userinfo }
        let hostEnd = try Self.endOfHost(bytes, start..<end)
        host = start..<hostEnd
        guard let isLoopback = HostName.isLoopback(UnsafeBufferPointer(rebasing: bytes[host])) else {
            throw .host
        }
        self.isLoopback = isLoopback
        port = try Self.port(bytes[hostEnd..<end], standard: isSecure ? 443 : 80)
        guard isSecure || (allowsLoopbackHTTP && isLoopback) else { throw .insecure }
        guard !hasBracket else { throw .character }
        path = end..<(mark ?? bytes.count)
        query = mark.map { ($0 + 1)..<bytes.count }
    }

    /// The characters of RFC 3986 §2, escapes complete.
    private static func checkCharacters(_ bytes: UnsafeBufferPointer<UInt8>) throws(EndpointURLProblem) {
        let allowed = characters
        var escaped = 0
        for byte in bytes {
            if escaped > 0 {
                guard PercentEncoding.hexValue(byte) != nil else { throw .character }
                escaped -= 1
            } else if byte == UInt8(ascii: "%") {
                escaped = 2
            } else {
                guard byte < 128 else { throw .letter }
                let half = byte < 64 ? allowed.low : allowed.high
                guard half & (1 << UInt64(byte & 63)) != 0 else { throw .character }
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

    private static func endOfHost(
        _ bytes: UnsafeBufferPointer<UInt8>, _ authority: Range<Int>
    ) throws(EndpointURLProblem) -> Int {
        let text = bytes[authority]
        guard text.first == UInt8(ascii: "[") else {
            return text.firstIndex(of: UInt8(ascii: ":")) ?? authority.upperBound
        }
        guard let close = text.firstIndex(of: UInt8(ascii: "]")) else { throw .host }
        return close + 1
    }

    /// - Parameter bytes: What stands behind the host.
    private static func port(
        _ bytes: Slice<UnsafeBufferPointer<UInt8>>, standard: Int
    ) throws(EndpointURLProblem) -> Int {
        guard !bytes.isEmpty else { return standard }
        let digits = bytes.dropFirst()
        guard bytes.first == UInt8(ascii: ":"), (1...5).contains(digits.count),
            digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(String(decoding: digits, as: UTF8.self)), (1...65535).contains(port)
        else { throw .port }
        return port
    }
}
