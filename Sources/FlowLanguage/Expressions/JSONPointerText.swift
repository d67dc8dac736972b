/// JSON pointers as a flow file writes them (RFC 6901 §3).
enum JSONPointerText {
    /// Empty, or segments that each begin with `/`, in which `~` stands only before 0 and 1.
    static func isValid(_ text: String) -> Bool {
        guard text.isEmpty || text.hasPrefix("/") else { return false }
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "~") {
                guard let next = rest.popFirst(), next == UInt8(ascii: "0") || next == UInt8(ascii: "1")
                else {
                    return false
                }
            }
        }
        return true
    }
}
