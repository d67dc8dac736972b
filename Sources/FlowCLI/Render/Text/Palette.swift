/// What a piece of text is to the reader.
enum Style: Sendable, Hashable {
    case plain, strong, dim, good, bad, warning, secret
    /// Light on dark, whatever the terminal is.
    case picture
}

/// ANSI colours, or none (ECMA-48 §8.3.117, SGR).
struct Palette: Sendable {
    let isOn: Bool

    func paint(_ text: String, _ style: Style) -> String {
        guard isOn, let code = Self.code(style) else { return text }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }

    private static func code(_ style: Style) -> String? {
        switch style {
        case .plain: nil
        case .strong: "1"
        case .dim: "2"
        case .good: "32"
        case .bad: "1;31"
        case .warning: "33"
        case .secret: "36"
        case .picture: "97;40"
        }
    }
}
