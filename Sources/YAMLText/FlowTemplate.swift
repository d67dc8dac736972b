/// Finds a `${...}` that libyaml cannot read because it stands unquoted inside `{ }` or `[ ]`.
///
/// To libyaml its brace opens a mapping, and the message would be about a missing comma. Only looked for
/// after a syntax error.
struct FlowTemplate {
    /// The bytes from the dollar sign to the closing brace, or to the opening one if it is never closed.
    let bytes: Range<Int>
    let isClosed: Bool

    /// - Parameters:
    ///   - start: Where to begin: between two tokens.
    ///   - depth: How many brackets are open there.
    ///   - end: Where to stop looking.
    init?(in text: [UInt8], from start: Int, depth: Int, upTo end: Int) {
        var scan = FlowScan(text: text, offset: start, depth: depth)
        guard let dollar = scan.template(upTo: min(end, text.count)) else { return nil }
        let close = Self.closingBrace(after: dollar, in: text)
        bytes = dollar..<((close ?? dollar + 1) + 1)
        isClosed = close != nil
    }

    /// The text with the braces and what is between them made harmless, every character still in its place.
    func masked(in text: [UInt8]) -> [UInt8] {
        let inner = (bytes.lowerBound + 1)..<bytes.upperBound
        let characters = text[inner].filter { !SourceOffset.isContinuation($0) }
        var masked = text
        masked.replaceSubrange(inner, with: characters.map { _ in UInt8(ascii: "x") })
        return masked
    }

    /// The brace that closes the expression, on the same line; braces in its strings do not count.
    private static func closingBrace(after dollar: Int, in text: [UInt8]) -> Int? {
        var depth = 0
        var isString = false
        for offset in (dollar + 1)..<text.count {
            switch text[offset] {
            case UInt8(ascii: "\n"): return nil
            case UInt8(ascii: "'"): isString.toggle()
            case UInt8(ascii: "{") where !isString: depth += 1
            case UInt8(ascii: "}") where !isString:
                depth -= 1
                if depth == 0 { return offset }
            default: break
            }
        }
        return nil
    }
}

/// Steps over YAML tokens just well enough to tell quoted from plain and inside from outside.
private struct FlowScan {
    let text: [UInt8]
    var offset: Int
    var depth: Int

    /// The offset of the first dollar sign of a template in a plain scalar inside brackets.
    mutating func template(upTo end: Int) -> Int? {
        while offset < end {
            switch text[offset] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                offset += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth = max(0, depth - 1)
                offset += 1
            case UInt8(ascii: "#"): offset = SourceOffset.lineEnd(from: offset, in: text)
            case UInt8(ascii: "\""), UInt8(ascii: "'"): skipQuoted()
            case UInt8(ascii: "|"), UInt8(ascii: ">"):
                // A block scalar holds anything; the error is after it or has nothing to do with brackets.
                if depth == 0 { return nil }
                offset += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "?"), 0...0x20:
                offset += 1
            default:
                if let dollar = skipPlain(upTo: end) { return dollar }
            }
        }
        return nil
    }

    private mutating func skipQuoted() {
        let quote = text[offset]
        offset += 1
        while offset < text.count, text[offset] != quote {
            offset += text[offset] == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") ? 2 : 1
        }
        // A quote written twice reads as two strings side by side, which is as good here.
        offset += 1
    }

    /// - Returns: The offset of a template's dollar sign, if one is met.
    private mutating func skipPlain(upTo end: Int) -> Int? {
        while offset < end {
            let byte = text[offset]
            let next = offset + 1 < text.count ? text[offset + 1] : UInt8(ascii: "\n")
            if depth > 0, byte == UInt8(ascii: "$"), next == UInt8(ascii: "{") { return offset }
            if byte == UInt8(ascii: "\n") || (byte == UInt8(ascii: ":") && next <= 0x20) { return nil }
            if byte <= 0x20, next == UInt8(ascii: "#") {
                offset += 1
                return nil
            }
            if depth > 0, Self.endsPlainInBrackets.contains(byte) { return nil }
            offset += 1
        }
        return nil
    }

    private static let endsPlainInBrackets = Array(",[]{}".utf8)
}
