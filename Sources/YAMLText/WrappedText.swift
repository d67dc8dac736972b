/// Text in lines that a terminal need not break.
enum WrappedText {
    /// Beside a longer beginning no text is read with ease.
    private static let narrowest = 30

    /// The text behind a beginning, broken between words; further lines begin below the first word.
    ///
    /// - Parameters:
    ///   - columns: Of the beginning, which is not in the text.
    ///   - width: Of the terminal; `nil` leaves the text in one line.
    static func lines(_ text: String, after columns: Int, width: Int?) -> String {
        guard let width, columns + self.columns(of: text[...]) > width else { return text }
        let margin = width - columns < narrowest ? 4 : columns
        var result = ""
        var used = columns
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let size = self.columns(of: word)
            if result.isEmpty {
                result = String(word)
                used += size
            } else if used + 1 + size > width, used > margin {
                result += "\n" + String(repeating: " ", count: margin) + word
                used = margin + size
            } else {
                result += " " + word
                used += 1 + size
            }
        }
        return result
    }

    /// Of text without anything invisible.
    static func columns(of text: Substring) -> Int {
        text.unicodeScalars.reduce(0) { $0 + VisibleText.cell($1).width }
    }
}
