/// Text inside XML 1.0 and HTML.
package enum XMLText {
    package static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// Characters that XML 1.0 cannot hold at all are replaced (§2.2).
    package static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n", "\t": result += "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
