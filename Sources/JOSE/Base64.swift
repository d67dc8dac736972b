/// Base64url without padding, read strictly.
///
/// Decoding refuses padding, `+`, `/`, white space and unused trailing bits that are not zero, so one byte
/// string has exactly one text.
///
/// - SeeAlso: RFC 7515 §2, RFC 4648 §3.5 and §5
package enum Base64URL {
    /// The characters in the order of what they stand for.
    package static var symbols: [UInt8] { Base64Codec.url.symbols }

    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        withBytes(of: bytes) { Base64Codec.url.encode($0) }
    }

    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        withBytes(of: text) { Base64Codec.url.decode($0) }
    }

    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        withBytes(of: text.utf8) { Base64Codec.url.decode($0) }
    }
}

/// Standard base64 with padding, as HTTP Basic and PEM use it, read strictly.
///
/// - SeeAlso: RFC 4648 §4
package enum Base64 {
    /// The characters in the order of what they stand for.
    package static var symbols: [UInt8] { Base64Codec.standard.symbols }

    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        withBytes(of: bytes) { Base64Codec.standard.encode($0) }
    }

    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        withBytes(of: text) { Base64Codec.standard.decode($0) }
    }

    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        withBytes(of: text.utf8) { Base64Codec.standard.decode($0) }
    }
}

/// One alphabet in both directions.
private struct Base64Codec: Sendable {
    static let url = Base64Codec(last: "-_", isPadded: false)
    static let standard = Base64Codec(last: "+/", isPadded: true)

    /// The 64 symbols in order.
    let symbols: [UInt8]
    /// What each byte adds to the 24 bits of a group, in four tables for its four places.
    private let values: [UInt32]
    /// Stands in the tables for a byte outside the alphabet.
    private static let foreign: UInt32 = 1 << 24
    private let isPadded: Bool

    private init(last: String, isPadded: Bool) {
        let text = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last
        symbols = Array(text.utf8)
        var values = [UInt32](repeating: Self.foreign, count: 4 * 256)
        for (value, symbol) in symbols.enumerated() {
            for place in 0..<4 { values[256 * place + Int(symbol)] = UInt32(value) << (18 - 6 * place) }
        }
        self.values = values
        self.isPadded = isPadded
    }

    func encode(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        let (groups, rest) = bytes.count.quotientAndRemainder(dividingBy: 3)
        let tail = rest == 0 ? 0 : (isPadded ? 4 : rest + 1)
        return String(unsafeUninitializedCapacity: groups * 4 + tail) { output in
            symbols.withUnsafeBufferPointer { symbols in
                write(bytes, symbols, output)
            }
            return groups * 4 + tail
        }
    }

    private func write(
        _ bytes: UnsafeBufferPointer<UInt8>, _ symbols: UnsafeBufferPointer<UInt8>,
        _ output: UnsafeMutableBufferPointer<UInt8>
    ) {
        let rest = bytes.count % 3
        var target = 0
        for source in stride(from: 0, to: bytes.count - rest, by: 3) {
            let group = Int(bytes[source]) << 16 | Int(bytes[source + 1]) << 8 | Int(bytes[source + 2])
            output[target] = symbols[group >> 18]
            output[target + 1] = symbols[group >> 12 & 63]
            output[target + 2] = symbols[group >> 6 & 63]
            output[target + 3] = symbols[group & 63]
            target += 4
        }
        guard rest > 0 else { return }
        let second = rest == 2 ? Int(bytes[bytes.count - 1]) : 0
        let group = Int(bytes[bytes.count - rest]) << 16 | second << 8
        output[target] = symbols[group >> 18]
        output[target + 1] = symbols[group >> 12 & 63]
        if rest == 2 { output[target + 2] = symbols[group >> 6 & 63] }
        guard isPadded else { return }
        if rest == 1 { output[target + 2] = UInt8(ascii: "=") }
        output[target + 3] = UInt8(ascii: "=")
    }

    func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var count = text.count
        if isPadded {
            guard count % 4 == 0 else { return nil }
            // At most two signs of padding; more or elsewhere are bytes outside the alphabet.
            for _ in 0..<2 where count > 0 && text[count - 1] == UInt8(ascii: "=") { count -= 1 }
        }
        guard count % 4 != 1 else { return nil }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count * 3 / 4) { output in
            let isValid = values.withUnsafeBufferPointer { values in
                read(UnsafeBufferPointer(rebasing: text[..<count]), values, output)
            }
            return isValid ? Array(output) : nil
        }
    }

    private func read(
        _ text: UnsafeBufferPointer<UInt8>, _ values: UnsafeBufferPointer<UInt32>,
        _ output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        let rest = text.count % 4
        let whole = text.count - rest
        var source = 0
        var target = 0
        var seen: UInt32 = 0
        // No place comes near an overflow: unchecked additions save half of the time.
        while source < whole {
            let group =
                values[Int(text[source])] | values[256 &+ Int(text[source &+ 1])]
                | values[512 &+ Int(text[source &+ 2])] | values[768 &+ Int(text[source &+ 3])]
            seen |= group
            output[target] = UInt8(truncatingIfNeeded: group &>> 16)
            output[target &+ 1] = UInt8(truncatingIfNeeded: group &>> 8)
            output[target &+ 2] = UInt8(truncatingIfNeeded: group)
            source &+= 4
            target &+= 3
        }
        guard rest > 0 else { return seen & Self.foreign == 0 }
        let last = rest == 3 ? values[512 + Int(text[whole + 2])] : 0
        let group = values[Int(text[whole])] | values[256 + Int(text[whole + 1])] | last
        output[target] = UInt8(truncatingIfNeeded: group >> 16)
        if rest == 3 { output[target + 1] = UInt8(truncatingIfNeeded: group >> 8) }
        let unused = group & (rest == 3 ? 0xFF : 0xFFFF)
        return (seen | group) & Self.foreign == 0 && unused == 0
    }
}

/// Lends the bytes of any collection, without a copy when it is contiguous.
func withBytes<Result>(
    of bytes: some Collection<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
) -> Result {
    if let result = bytes.withContiguousStorageIfAvailable(body) { return result }
    return Array(bytes).withUnsafeBufferPointer(body)
}
