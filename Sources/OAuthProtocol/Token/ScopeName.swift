/// The name of one scope (RFC 6749 §3.3).
package enum ScopeName {
    /// Printable ASCII without the space, the quotation mark and the backslash.
    package static func isWellFormed(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }
}
