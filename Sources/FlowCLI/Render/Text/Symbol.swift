/// The few signs of the renderers; `Cell` replaces each by letters where only ASCII is written.
enum Symbol {
    static let passed = "✓"
    static let failed = "✗"
    static let choice = "○"
    static let warning = "!"
    static let arrow = "→"
    static let dot = "·"

    /// ASCII for the signs, and for those that sources and references use.
    static func ascii(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "✓": "ok"
        case "✗": "x"
        case "○": "-"
        case "→": "->"
        case "·": "-"
        case "‹": "<"
        case "›": ">"
        case "«": "<<"
        case "»": ">>"
        case "§": "s."
        case "…": "..."
        case "–", "—": "-"
        case "│": "|"
        case "×": "x"
        case "’", "‘": "'"
        default: nil
        }
    }
}
