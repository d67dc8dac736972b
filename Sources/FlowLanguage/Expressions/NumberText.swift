internal import JOSE

/// Numbers as JSON writes them: `-12.5e3`.
package enum NumberText {
    /// `nil` for every other text, as for hexadecimal digits, a leading plus sign, white space, and what no `Double` holds.
    ///
    /// - SeeAlso: RFC 8259 §6
    package static func parse(_ text: String) -> Double? {
        guard let last = text.utf8.last, (0x30...0x39).contains(last), let first = text.utf8.first,
            first == UInt8(ascii: "-") || (0x30...0x39).contains(first)
        else { return nil }
        // What is no number has no value.
        return (try? JSON.parse(text))?.numberValue
    }
}
