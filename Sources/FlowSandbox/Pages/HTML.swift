/// A piece of HTML in which every interpolated text has been escaped.
///
/// A `String` that is interpolated becomes text or the value of a quoted attribute; only another `HTML` goes
/// in as it is. A literal of the source is taken as it is too; `init(stringLiteral:)` is for the compiler only.
struct HTML: Sendable, Hashable, ExpressibleByStringInterpolation {
    let source: String

    init(stringLiteral value: String) {
        source = value
    }

    init(stringInterpolation: Interpolation) {
        source = stringInterpolation.source
    }

    /// The pieces one after another, on a line each.
    init(_ pieces: [HTML]) {
        source = pieces.map(\.source).joined(separator: "\n")
    }

    static let empty: HTML = ""

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var source = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            source.reserveCapacity(literalCapacity)
        }

        mutating func appendLiteral(_ literal: String) { source += literal }

        mutating func appendInterpolation(_ text: String) { source += HTML.escape(text) }

        mutating func appendInterpolation(_ html: HTML) { source += html.source }
    }

    /// Escapes what ends a text or a quoted attribute; characters that control the terminal of a reader of the
    /// source or the direction of the text around them become visible replacements.
    private static func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\n", "\t": escaped.unicodeScalars.append(scalar)
            case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{200E}"..."\u{200F}", "\u{202A}"..."\u{202E}",
                "\u{2066}"..."\u{2069}":
                escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// The text that was escaped, where it had no controls in it.
    static func unescape(_ text: Substring) -> String {
        var plain = String(text)
        for (escape, character) in [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
        ] { plain.replace(escape, with: character) }
        return plain
    }
}
