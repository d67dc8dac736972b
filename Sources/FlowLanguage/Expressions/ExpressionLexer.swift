/// A word of an expression.
struct ExpressionToken {
    enum Kind: Equatable {
        /// Without its sign.
        case int(UInt64)
        case number(Double)
        /// Milliseconds.
        case duration(Int64)
        case string(String)
        case name(String)
        case symbol(Symbol)
        case end
    }

    /// An operator or a bracket.
    enum Symbol: String {
        case or = "||"
        case and = "&&"
        case equal = "=="
        case notEqual = "!="
        case lessOrEqual = "<="
        case greaterOrEqual = ">="
        case coalesce = "??"
        case not = "!"
        case less = "<"
        case greater = ">"
        case plus = "+"
        case minus = "-"
        case dot = "."
        case openBracket = "["
        case closeBracket = "]"
        case openParenthesis = "("
        case closeParenthesis = ")"
        case comma = ","
    }

    let kind: Kind
    let range: Range<Int>
}

/// Splits an expression into words, with a hint for what other languages would allow.
struct ExpressionLexer {
    private let text: ArraySlice<Unicode.Scalar>
    private var offset: Int

    /// - Parameter text: The expression as a slice of its YAML scalar, so that indices are places in it.
    init(_ text: ArraySlice<Unicode.Scalar>) {
        self.text = text
        offset = text.startIndex
    }

    static func tokens(_ text: ArraySlice<Unicode.Scalar>) throws(ExpressionError) -> [ExpressionToken] {
        guard text.count <= ExpressionLimits.characters else {
            let message =
                "the expression has \(text.count) characters, more than \(ExpressionLimits.characters)"
            throw ExpressionError(code: "FL056", message: message, range: text.indices)
        }
        var lexer = ExpressionLexer(text)
        var tokens: [ExpressionToken] = []
        tokens.reserveCapacity(8)
        while true {
            let token = try lexer.next()
            tokens.append(token)
            if case .end = token.kind { return tokens }
        }
    }

    private mutating func next() throws(ExpressionError) -> ExpressionToken {
        while let scalar = peek(), Self.isSpace(scalar) { offset += 1 }
        let start = offset
        guard let scalar = peek() else { return ExpressionToken(kind: .end, range: start..<start) }
        let kind: ExpressionToken.Kind
        if Self.isDigit(scalar) {
            kind = try number()
        } else if Self.isNameStart(scalar) {
            kind = .name(take(while: Self.isNamePart))
        } else if scalar == "'" {
            kind = try string()
        } else {
            kind = try symbol(scalar)
        }
        return ExpressionToken(kind: kind, range: start..<offset)
    }

    private mutating func number() throws(ExpressionError) -> ExpressionToken.Kind {
        let start = offset
        let digits = take(while: Self.isDigit)
        if peek() == ".", let next = peek(1), Self.isDigit(next) {
            offset += 1
            let text = digits + "." + take(while: Self.isDigit)
            guard let number = Double(text), number.isFinite else { throw tooLarge(start) }
            return .number(number)
        }
        guard let scalar = peek(), Self.isNameStart(scalar) else {
            guard let value = UInt64(digits) else { throw tooLarge(start) }
            return .int(value)
        }
        let unit = take(while: Self.isNamePart)
        guard DurationText.unitNames.contains(unit) else {
            throw ExpressionError(
                message: "unknown unit \"\(unit)\" in \"\(digits)\(unit)\"",
                hint: "units of a duration: \(DurationText.unitNames.joined(separator: ", "))",
                range: start..<offset)
        }
        guard let value = DurationText.parse(digits + unit) else {
            throw ExpressionError(
                message: "this duration is longer than \(DurationText.format(DurationText.longest))",
                range: start..<offset)
        }
        return .duration(value)
    }

    private func tooLarge(_ start: Int) -> ExpressionError { .tooLarge(start..<offset) }

    /// `'...'`, a quote inside written twice.
    private mutating func string() throws(ExpressionError) -> ExpressionToken.Kind {
        let start = offset
        var content = ""
        offset += 1
        var piece = offset
        while let scalar = peek() {
            offset += 1
            guard scalar == "'" else { continue }
            content += String(scalars: text[piece..<(offset - 1)])
            guard peek() == "'" else { return .string(content) }
            // The second of two quotes is the first sign of what follows.
            piece = offset
            offset += 1
        }
        throw ExpressionError(message: "this text is never closed; add a '", range: start..<offset)
    }

    private mutating func symbol(_ scalar: Unicode.Scalar) throws(ExpressionError) -> ExpressionToken.Kind {
        if let pair = Self.pair(scalar, peek(1)) {
            offset += 2
            return .symbol(pair)
        }
        guard let single = Self.single(scalar) else { throw unexpected(scalar) }
        offset += 1
        return .symbol(single)
    }

    private static func pair(
        _ first: Unicode.Scalar, _ second: Unicode.Scalar?
    ) -> ExpressionToken.Symbol? {
        switch (first, second) {
        case ("|", "|"): .or
        case ("&", "&"): .and
        case ("=", "="): .equal
        case ("!", "="): .notEqual
        case ("<", "="): .lessOrEqual
        case (">", "="): .greaterOrEqual
        case ("?", "?"): .coalesce
        default: nil
        }
    }

    private static func single(_ scalar: Unicode.Scalar) -> ExpressionToken.Symbol? {
        switch scalar {
        case "!": .not
        case "<": .less
        case ">": .greater
        case "+": .plus
        case "-": .minus
        case ".": .dot
        case "[": .openBracket
        case "]": .closeBracket
        case "(": .openParenthesis
        case ")": .closeParenthesis
        case ",": .comma
        default: nil
        }
    }

    private func unexpected(_ scalar: Unicode.Scalar) -> ExpressionError {
        let range = offset..<(offset + 1)
        let message = "unexpected character '\(scalar)' in expression"
        switch scalar {
        case "\"":
            return ExpressionError(message: "texts in expressions are written in single quotes", range: range)
        case "*", "/", "%":
            return ExpressionError(message: message + " (no multiplication or division)", range: range)
        case "?":
            let hint = "write if(condition, a, b), or a ?? b for a value that may be unset"
            return ExpressionError(message: message, hint: hint, range: range)
        case "=":
            return ExpressionError(message: "a single '=' is no comparison; write ==", range: range)
        case "&":
            return ExpressionError(message: message, hint: "write && for and", range: range)
        case "|":
            return ExpressionError(message: message, hint: "write || for or", range: range)
        case "{", "}":
            return ExpressionError(
                message: message, hint: "${ } stands around a whole expression", range: range)
        default:
            return ExpressionError(message: message, range: range)
        }
    }

    private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        offset + distance < text.endIndex ? text[offset + distance] : nil
    }

    private mutating func take(while matches: (Unicode.Scalar) -> Bool) -> String {
        let start = offset
        while let scalar = peek(), matches(scalar) { offset += 1 }
        return String(scalars: text[start..<offset])
    }

    static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\n" || scalar == "\t" || scalar == "\r"
    }

    static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
    }

    static func isNamePart(_ scalar: Unicode.Scalar) -> Bool { isNameStart(scalar) || isDigit(scalar) }
}
