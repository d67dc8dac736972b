/// Messages that repeat what somebody wrote, made short enough to be read.
package enum LongText {
    /// Longer words, and longer texts between quotation marks, are cut; far above every name, path and address in use.
    private static let longestValue = 400
    /// Longer messages are cut whatever they consist of.
    private static let longestMessage = 4_000

    /// `message` with every value that is too long cut in its middle, where it is said how long it was.
    package static func shortened(_ message: String) -> String {
        if message.utf8.count <= longestValue { return message }
        var result = ""
        var rest = Array(message.unicodeScalars)[...]
        while let scalar = rest.first {
            if scalar == "\"", let end = rest.dropFirst().firstIndex(of: "\"") {
                result += "\"\(cut(rest[rest.startIndex..<end].dropFirst(), to: longestValue))\""
                rest = rest[end...].dropFirst()
                continue
            }
            let isSpace = scalar.properties.isWhitespace
            // A quotation mark may begin a value, so that each word ends in front of one.
            let word = rest.dropFirst().prefix { $0 != "\"" && $0.properties.isWhitespace == isSpace }
            let whole = rest.prefix(1 + word.count)
            result += cut(whole, to: longestValue)
            rest = rest.dropFirst(whole.count)
        }
        return cut(Array(result.unicodeScalars)[...], to: longestMessage)
    }

    private static func cut(_ value: ArraySlice<Unicode.Scalar>, to limit: Int) -> String {
        func text(_ part: ArraySlice<Unicode.Scalar>) -> String { String(String.UnicodeScalarView(part)) }
        guard value.count > limit else { return text(value) }
        let side = limit / 4
        return "\(text(value.prefix(side)))…(\(value.count) characters)…\(text(value.suffix(side)))"
    }
}
