/// Texts inside a script for `sh` (POSIX.1-2024, XCU 2.2).
enum ShellText {
    /// One word that stands for exactly this text.
    static func quoted(_ text: String) -> String {
        "'\(withoutNUL(text).replacing("'", with: #"'\''"#))'"
    }

    /// Text between double quotes, where a variable may stand beside it.
    static func inDoubleQuotes(_ text: String) -> String {
        withoutNUL(text).unicodeScalars.reduce(into: "") { result, scalar in
            if "$`\"\\".unicodeScalars.contains(scalar) { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
    }

    static func comment(_ text: String) -> String { "# \(PlainLine.of(text))\n" }

    /// No argument of a program can hold this character.
    private static func withoutNUL(_ text: String) -> String { text.replacing("\0", with: "\u{FFFD}") }
}
