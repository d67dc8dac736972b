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
        var literal = String.UnicodeScalarView()
        var offset = 0
        while offset < text.count {
            if starts("$${", text, offset) {
                literal.append(contentsOf: "${".unicodeScalars)
                offset += 3
            } else if starts("${", text, offset) {
                guard let close = closingBrace(after: offset + 2, text) else {
                    let message = "this \"${\" is never closed; add a } or write $${ for the text"
                    throw ExpressionError(message: message, range: offset..<(offset + 2))
                }
                if !literal.isEmpty { segments.append(.text(String(literal))) }
                literal = .init()
                segments.append(.expression((offset + 2)..<close))
                offset = close + 1
            } else {
                literal.append(text[offset])
                offset += 1
            }
        }
        if !literal.isEmpty { segments.append(.text(String(literal))) }
        return segments
    }

    /// Whether the text holds an expression or an escaped `${`.
    static func isTemplate(_ text: String) -> Bool {
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: "{"), previous == UInt8(ascii: "$") { return true }
            previous = byte
        }
        return false
    }

    /// Braces inside texts of the expression do not count.
    private static func closingBrace(after start: Int, _ text: [Unicode.Scalar]) -> Int? {
        var isText = false
        for offset in start..<text.count {
            if text[offset] == "'" { isText.toggle() }
            if text[offset] == "}", !isText { return offset }
        }
        return nil
    }

    private static func starts(_ mark: String, _ text: [Unicode.Scalar], _ offset: Int) -> Bool {
        text[offset...].starts(with: mark.unicodeScalars)
    }
}
