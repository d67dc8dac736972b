/// The span that a run belongs to, as another program hands it over (W3C Trace Context §3.2).
package struct TraceParent: Sendable, Hashable {
    /// 32 hexadecimal digits, not all zero.
    package let traceID: String
    /// 16 hexadecimal digits, not all zero.
    package let spanID: String
    package let isSampled: Bool

    /// Reads `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`; `nil` for anything else.
    ///
    /// A later version may have more after the flags, which is not looked at.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, Self.isHexadecimal(parts[0], 2), parts[0] != "ff",
            parts.count == 4 || parts[0] != "00", Self.isHexadecimal(parts[1], 32),
            Self.isHexadecimal(parts[2], 16), Self.isHexadecimal(parts[3], 2),
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" }),
            let flags = Int(parts[3], radix: 16)
        else { return nil }
        traceID = String(parts[1])
        spanID = String(parts[2])
        isSampled = flags & 1 == 1
    }

    /// Capitals are not allowed.
    private static func isHexadecimal(_ text: Substring, _ count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
                default: false
                }
            }
    }
}
