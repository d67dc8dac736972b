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

    /// A function that writes a text as a form has it, as the parts of Basic credentials are (RFC 6749 §2.3.1).
    static let form = #"""
        form() {
            printf '%s' "$1" | od -An -v -tx1 | tr 'a-f' 'A-F' | tr -s ' ' '\n' | while read -r byte; do
                case $byte in
                '') ;;
                20) printf '+' ;;
                2D | 2E | 5F | 7E | 3[0-9] | 4[1-9A-F] | 5[0-9A] | 6[1-9A-F] | 7[0-9A])
                    printf "\\$(printf '%o' "0x$byte")" ;;
                *) printf '%%%s' "$byte" ;;
                esac
            done
        }

        """#

    static func isFormUsed(in script: String) -> Bool { script.contains("$(form ") }

    static func comment(_ text: String) -> String { "# \(PlainLine.of(text))\n" }

    /// No argument of a program can hold this character.
    private static func withoutNUL(_ text: String) -> String { text.replacing("\0", with: "\u{FFFD}") }
}
