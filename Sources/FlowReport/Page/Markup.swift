/// HTML or SVG. What a literal says is markup; every text that is put into it is escaped.
///
///     let cell: Markup = "<td>\(parameter.name)</td>"
struct Markup: Sendable, Hashable, ExpressibleByStringInterpolation {
    private(set) var text: String

    init(stringLiteral value: String) { text = value }

    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    fileprivate init(raw text: String) { self.text = text }

    static let empty = Markup(raw: "")

    var isEmpty: Bool { text.isEmpty }

    static func + (one: Markup, other: Markup) -> Markup { Markup(raw: one.text + other.text) }

    static func += (one: inout Markup, other: Markup) { one.text += other.text }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity * 2) }

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ value: String) { text += Markup.escaped(value) }

        mutating func appendInterpolation(_ value: Markup) { text += value.text }

        mutating func appendInterpolation(_ value: [Markup]) { for part in value { text += part.text } }

        mutating func appendInterpolation(_ value: some BinaryInteger) { text += String(value) }
    }

    /// Text as it stands between tags and in quoted attributes; what turns the direction of writing is replaced.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.value {
            case 0x26: result += "&amp;"
            case 0x3C: result += "&lt;"
            case 0x3E: result += "&gt;"
            case 0x22: result += "&quot;"
            case 0x27: result += "&#39;"
            case 0x09, 0x0A: result.unicodeScalars.append(scalar)
            case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0x200E, 0x200F, 0x061C, 0x202A...0x202E,
                0x2066...0x2069, 0xFFFE, 0xFFFF:
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Markup {
    /// A style or a script of the page's own: nothing in it is escaped.
    static func verbatim(_ text: StaticString) -> Markup { Markup(raw: text.description) }
}

extension Sequence<Markup> {
    func joined(_ separator: Markup = .empty) -> Markup {
        var result = Markup.empty
        for (index, part) in enumerated() { result += index == 0 ? part : separator + part }
        return result
    }
}
