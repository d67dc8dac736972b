/// A host of a URL: a DNS name, a dotted-decimal IPv4 address, or an IPv6 address in brackets.
///
/// - SeeAlso: RFC 3986 §3.2.2
struct HostName {
    /// In lower case.
    let text: String
    /// 127.0.0.0/8 (RFC 1122 §3.2.1.3), ::1 (RFC 4291 §2.5.3) or `localhost`.
    let isLoopback: Bool

    init?(_ source: Substring) {
        text = source.lowercased()
        if source.first == "[" {
            guard source.last == "]", let groups = Self.groups(source.dropFirst().dropLast()) else {
                return nil
            }
            isLoopback = groups == [0, 0, 0, 0, 0, 0, 0, 1]
        } else if let address = Self.dottedDecimal(source) {
            isLoopback = address[0] == 127
        } else {
            guard Self.isName(text) else { return nil }
            isLoopback = text == "localhost"
        }
    }

    /// Labels of letters, digits, hyphens and underscores (which real hosts have).
    ///
    /// A last label that is a number would be an IPv4 address in another spelling to some resolvers.
    private static func isName(_ text: String) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        var labels = text.split(separator: ".", omittingEmptySubsequences: false)
        if labels.count > 1, labels.last == "" { labels.removeLast() }
        return labels.allSatisfy(isLabel) && !(labels.last.map(isNumeric) ?? true)
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count)
            && label.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: "_")
            }
    }

    private static func isNumeric(_ label: Substring) -> Bool {
        label.hasPrefix("0x") || label.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func dottedDecimal(_ text: Substring) -> [Int]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: [Int] = []
        for part in parts {
            guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                part == "0" || part.first != "0", let value = Int(part), value < 256
            else { return nil }
            address.append(value)
        }
        return address
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
            if index == parts.count - 1, let address = dottedDecimal(part) {
                groups += [address[0] << 8 | address[1], address[2] << 8 | address[3]]
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
