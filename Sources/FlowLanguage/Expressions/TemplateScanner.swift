internal import JOSE
internal import YAMLText

/// The pieces of a scalar: fixed text, and expressions in `${ }`.
enum TemplateSegment: Equatable {
    case text(String)
    /// The expression's place in the scalar, without its braces.
    case expression(Range<Int>)
}

enum TemplateScanner {
    /// Splits a scalar; `$${` is a literal `${`.
    static func segments(_ text: [Unicode.Scalar]) throws(ExpressionError) -> [TemplateSegment] {
        var segments: [TemplateSegment] = []
        segments.reserveCapacity(4)
        var literal = ""
        // Fixed text is copied in pieces: from `start` to the next sign that means something.
        var (start, offset) = (0, 0)
        while let dollar = text[offset...].firstIndex(of: "$") {
            if isOpening(text, at: dollar) {
                guard let close = closingBrace(after: dollar + 2, text) else {
                    let message = "this \"${\" is never closed; add a } or write $${ for the text"
                    throw ExpressionError(message: message, range: dollar..<(dollar + 2))
                }
                literal += String(scalars: text[start..<dollar])
                if !literal.isEmpty { segments.append(.text(literal)) }
                literal = ""
                segments.append(.expression((dollar + 2)..<close))
                offset = close + 1
                start = offset
            } else if dollar + 1 < text.count, text[dollar + 1] == "$", isOpening(text, at: dollar + 1) {
                literal += String(scalars: text[start..<dollar])
                start = dollar + 1
                offset = dollar + 3
            } else {
                offset = dollar + 1
            }
        }
        literal += String(scalars: text[start...])
        if !literal.isEmpty { segments.append(.text(literal)) }
        return segments
    }

    /// Whether the text holds an expression or an escaped `${`.
    static func isTemplate(_ text: String) -> Bool { text.holds("${") }

    /// Braces inside texts of the expression do not count.
    private static func closingBrace(after start: Int, _ text: [Unicode.Scalar]) -> Int? {
        var isText = false
        for offset in start..<text.count {
            if text[offset] == "'" { isText.toggle() }
            if text[offset] == "}", !isText { return offset }
        }
        return nil
    }

    private static func isOpening(_ text: [Unicode.Scalar], at dollar: Int) -> Bool {
        dollar + 1 < text.count && text[dollar + 1] == "{"
    }
}
