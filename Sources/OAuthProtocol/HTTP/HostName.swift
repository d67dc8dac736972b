/// A host of a URL: a DNS name, a dotted-decimal IPv4 address, or an IPv6 address in brackets.
///
/// - SeeAlso: RFC 3986 §3.2.2
enum HostName {
    /// Whether the host is 127.0.0.0/8 (RFC 1122 §3.2.1.3), ::1 (RFC 4291 §2.5.3) or `localhost`.
    ///
    /// - Parameter source: ASCII in either case.
    /// - Returns: `nil` for what is no host.
    static func isLoopback(_ source: UnsafeBufferPointer<UInt8>) -> Bool? {
        guard let first = source.first else { return nil }
        if first == UInt8(ascii: "[") {
            let text = String(decoding: source, as: UTF8.self)
            guard text.hasSuffix("]"), let groups = groups(text.dropFirst().dropLast()) else { return nil }
            return groups == [0, 0, 0, 0, 0, 0, 0, 1]
        }
        if isDigit(first), let address = dottedDecimal(source) { return address >> 24 == 127 }
        guard isName(source) else { return nil }
        return source.lazy.map { $0 | 0x20 }.elementsEqual("localhost".utf8)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Labels of letters, digits, hyphens and underscores (which real hosts have).
    ///
    /// A last label that is a number would be an IPv4 address in another spelling to some resolvers.
    private static func isName(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard (1...253).contains(text.count) else { return false }
        var start = 0
        var last = 0..<0
        for end in 0...text.count {
            if end < text.count, text[end] != UInt8(ascii: ".") {
                guard isLabelByte(text[end]) else { return false }
                continue
            }
            // The root of the DNS may be written after a name, as an empty label.
            if start == text.count { break }
            guard (1...63).contains(end - start) else { return false }
            last = start..<end
            start = end + 1
        }
        return !isNumeric(text[last])
    }

    private static func isLabelByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || isDigit(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }

    private static func isNumeric(_ label: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        label.lazy.map { $0 | 0x20 }.starts(with: "0x".utf8) || label.allSatisfy(isDigit)
    }

    /// Four numbers below 256 without leading zeros, the first one highest.
    private static func dottedDecimal(_ text: some Sequence<UInt8>) -> UInt32? {
        var (address, number) = (UInt32(0), UInt32(0))
        var (numbers, digits) = (1, 0)
        for byte in text {
            if byte == UInt8(ascii: ".") {
                guard digits > 0, numbers < 4 else { return nil }
                address = address << 8 | number
                (number, digits) = (0, 0)
                numbers += 1
            } else {
                guard isDigit(byte), digits == 0 || number > 0 else { return nil }
                number = number * 10 + UInt32(byte - 0x30)
                guard number < 256 else { return nil }
                digits += 1
            }
        }
        return numbers == 4 && digits > 0 ? address << 8 | number : nil
    }

    /// The eight groups of an IPv6 address (RFC 4291 §2.2), without a zone.
    private static func groups(_ text: Substring) -> [Int]? {
        guard text.utf8.count <= 45 else { return nil }
        guard let gap = text.firstRange(of: "::") else {
            return sequence(text).flatMap { $0.count == 8 ? $0 : nil }
        }
        guard let head = sequence(text[..<gap.lowerBound]), let tail = sequence(text[gap.upperBound...]),
            head.count + tail.count < 8
        else { return nil }
        return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    private static func sequence(_ text: Substring) -> [Int]? {
        guard !text.isEmpty else { return [] }
        var groups: [Int] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, let address = dottedDecimal(part.utf8) {
                groups += [Int(address >> 16), Int(address & 0xFFFF)]
            } else {
                guard (1...4).contains(part.utf8.count),
                    part.utf8.allSatisfy({ PercentEncoding.hexValue($0) != nil }),
                    let group = Int(part, radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        return groups
    }
}
