/// Reads the grammar of flow/1 §5 by recursive descent.
struct ExpressionParser {
    private let tokens: [ExpressionToken]
    private var position = 0
    private var depth = 0
    private var nodes = 0
    /// Literals in a literal list are free: their number has its own bound.
    private var freeLiterals = false

    /// - Parameter text: The expression as a slice of its YAML scalar.
    static func parse(_ text: ArraySlice<Unicode.Scalar>) throws(ExpressionError) -> Expression {
        let tokens = try ExpressionLexer.tokens(text)
        if let path = path(tokens) { return path }
        var parser = ExpressionParser(tokens: tokens)
        guard parser.token.kind != .end else {
            let start = text.startIndex
            throw ExpressionError(message: "an expression is missing here", range: start..<(start + 1))
        }
        let expression = try parser.expression()
        guard parser.token.kind == .end else { throw parser.unexpectedAfter(expression) }
        return expression
    }

    /// A name with members behind dots, as most expressions are; `nil` for all others.
    private static func path(_ tokens: [ExpressionToken]) -> Expression? {
        guard tokens.count % 2 == 0, case .name(let root) = tokens[0].kind, !isWord(root) else { return nil }
        var selections: [Expression.Selection] = []
        for index in stride(from: 1, to: tokens.count - 1, by: 2) {
            guard case .symbol(.dot) = tokens[index].kind, case .name(let name) = tokens[index + 1].kind
            else { return nil }
            selections.append(Expression.Selection(key: .member(name), range: tokens[index + 1].range))
        }
        let range = tokens[0].range.lowerBound..<tokens[tokens.count - 2].range.upperBound
        return Expression(node: .path(root: root, selections), range: range)
    }

    /// Whether the word is no name.
    private static func isWord(_ text: String) -> Bool {
        switch text {
        case "true", "false", "null", "in": true
        default: false
        }
    }

    private init(tokens: [ExpressionToken]) {
        self.tokens = tokens
    }

    // MARK: Levels of precedence, from the weakest

    private mutating func expression() throws(ExpressionError) -> Expression {
        try nested { (parser) throws(ExpressionError) in try parser.or() }
    }

    private mutating func or() throws(ExpressionError) -> Expression {
        var left = try and()
        while take(.or) { left = try join(.or, left, try and()) }
        return left
    }

    private mutating func and() throws(ExpressionError) -> Expression {
        var left = try not()
        while take(.and) { left = try join(.and, left, try not()) }
        return left
    }

    private mutating func not() throws(ExpressionError) -> Expression {
        let start = token.range.lowerBound
        guard take(.not) else { return try comparison() }
        let operand = try nested { (parser) throws(ExpressionError) in try parser.not() }
        return try node(.not(operand), start..<operand.range.upperBound)
    }

    private mutating func comparison() throws(ExpressionError) -> Expression {
        let left = try coalesce()
        guard let comparison = takeComparison() else { return left }
        let result = try join(comparison, left, try coalesce())
        let next = token.range
        if takeComparison() != nil {
            let hint = "compare twice and join with &&"
            throw ExpressionError(message: "comparisons cannot be chained", hint: hint, range: next)
        }
        return result
    }

    private mutating func takeComparison() -> BinaryOperator? {
        let comparison: BinaryOperator
        switch token.kind {
        case .symbol(.equal): comparison = .equal
        case .symbol(.notEqual): comparison = .notEqual
        case .symbol(.less): comparison = .less
        case .symbol(.lessOrEqual): comparison = .lessOrEqual
        case .symbol(.greater): comparison = .greater
        case .symbol(.greaterOrEqual): comparison = .greaterOrEqual
        case .name("in"): comparison = .contains
        case .int, .number, .duration, .string, .name, .symbol, .end: return nil
        }
        position += 1
        return comparison
    }

    private mutating func coalesce() throws(ExpressionError) -> Expression {
        // To the right, so that one test decides: a ?? (b ?? c).
        let left = try sum()
        guard take(.coalesce) else { return left }
        return try join(.coalesce, left, try coalesce())
    }

    private mutating func sum() throws(ExpressionError) -> Expression {
        var left = try postfix()
        while true {
            let sign = token.range
            if take(.plus) {
                left = try join(.add, left, try postfix())
            } else if take(.minus) {
                try refuseHyphenatedName(sign)
                left = try join(.subtract, left, try postfix())
            } else {
                return left
            }
        }
    }

    /// `user-id` is a difference; who writes it means a name.
    private func refuseHyphenatedName(_ sign: Range<Int>) throws(ExpressionError) {
        guard position >= 2, case .name(let left) = tokens[position - 2].kind,
            case .name(let right) = token.kind,
            tokens[position - 2].range.upperBound == sign.lowerBound,
            token.range.lowerBound == sign.upperBound
        else { return }
        throw ExpressionError(
            message: "'-' is minus, so \"\(left)-\(right)\" is no name",
            hint: "select a member of that name as ['\(left)-\(right)'], or put spaces around the minus",
            range: tokens[position - 2].range.lowerBound..<token.range.upperBound)
    }

    private mutating func postfix() throws(ExpressionError) -> Expression {
        let start = token.range.lowerBound
        let base = try primary()
        let selections = try selections()
        guard let last = selections.last else { return base }
        let range = start..<last.range.upperBound
        // A path is one node, however long.
        if case .path(let root, let inner) = base.node {
            return Expression(node: .path(root: root, inner + selections), range: range)
        }
        return try node(.select(base, selections), range)
    }

    private mutating func selections() throws(ExpressionError) -> [Expression.Selection] {
        var selections: [Expression.Selection] = []
        while true {
            if take(.dot) {
                guard case .name(let name) = token.kind else { throw unexpected("a name after the dot") }
                selections.append(Expression.Selection(key: .member(name), range: token.range))
                position += 1
            } else if token.kind == .symbol(.openBracket) {
                selections.append(try bracket())
            } else {
                return selections
            }
        }
    }

    private mutating func bracket() throws(ExpressionError) -> Expression.Selection {
        position += 1
        let key: Expression.Selection.Key
        switch token.kind {
        case .int(let index) where index <= UInt64(Int32.max): key = .index(Int(index))
        case .string(let name): key = .member(name)
        case .int, .number, .duration, .name, .symbol, .end:
            throw unexpected("a position or a name in single quotes")
        }
        let range = token.range
        position += 1
        try expect(.closeBracket)
        return Expression.Selection(key: key, range: range)
    }

    // MARK: Primary expressions

    private mutating func primary() throws(ExpressionError) -> Expression {
        let token = token
        switch token.kind {
        case .int(let magnitude):
            guard let value = Int64(exactly: magnitude) else { throw .tooLarge(token.range) }
            return try literal(.int(value), .int)
        case .number(let value): return try literal(.number(value), .number)
        case .duration(let value): return try literal(.duration(value), .duration)
        case .string(let value): return try literal(.string(value), .string)
        case .name(let name): return try named(name)
        case .symbol(.openParenthesis):
            position += 1
            let inner = try expression()
            let end = try expect(.closeParenthesis)
            return Expression(node: inner.node, range: token.range.lowerBound..<end)
        case .symbol(.openBracket): return try list()
        case .symbol(.minus): return try negative()
        case .symbol, .end: throw unexpected("a value")
        }
    }

    private mutating func literal(_ value: Value, _ type: FlowType) throws(ExpressionError) -> Expression {
        let range = token.range
        position += 1
        return try node(.literal(value, type), range, isFree: freeLiterals)
    }

    private mutating func negative() throws(ExpressionError) -> Expression {
        let start = token.range.lowerBound
        position += 1
        let range = start..<token.range.upperBound
        let value: (Value, FlowType)
        switch token.kind {
        case .int(let magnitude):
            // The least of all has no positive counterpart.
            guard magnitude <= Int64.min.magnitude else { throw .tooLarge(range) }
            value = (.int(0 &- Int64(truncatingIfNeeded: magnitude)), .int)
        case .number(let number): value = (.number(-number), .number)
        case .duration(let number): value = (.duration(-number), .duration)
        case .string, .name, .symbol, .end: throw unexpected("a number after the sign")
        }
        position += 1
        return try node(.literal(value.0, value.1), range)
    }

    private mutating func named(_ name: String) throws(ExpressionError) -> Expression {
        let range = token.range
        switch name {
        case "true": return try literal(.bool(true), .bool)
        case "false": return try literal(.bool(false), .bool)
        case "null": return try literal(.null, .null)
        case "in": throw unexpected("a value")
        default: position += 1
        }
        guard take(.openParenthesis) else { return try node(.path(root: name, []), range) }
        var arguments: [Expression] = []
        if token.kind != .symbol(.closeParenthesis) {
            repeat { arguments.append(try expression()) } while take(.comma)
        }
        let end = try expect(.closeParenthesis)
        return try node(.call(name: name, nameRange: range, arguments), range.lowerBound..<end)
    }

    private mutating func list() throws(ExpressionError) -> Expression {
        let start = token.range.lowerBound
        position += 1
        var elements: [Expression] = []
        let outer = freeLiterals
        freeLiterals = true
        if token.kind != .symbol(.closeBracket) {
            repeat { elements.append(try expression()) } while take(.comma)
        }
        freeLiterals = outer
        let end = try expect(.closeBracket)
        guard elements.count <= ExpressionLimits.listElements else {
            let message =
                "a list has at most \(ExpressionLimits.listElements) elements, not \(elements.count)"
            throw ExpressionError(code: "FL056", message: message, range: start..<end)
        }
        return try node(.list(elements), start..<end)
    }

    // MARK: Tokens and limits

    private var token: ExpressionToken { tokens[position] }

    private mutating func take(_ symbol: ExpressionToken.Symbol) -> Bool {
        guard case .symbol(symbol) = tokens[position].kind else { return false }
        position += 1
        return true
    }

    /// - Returns: The place after the symbol.
    @discardableResult
    private mutating func expect(_ symbol: ExpressionToken.Symbol) throws(ExpressionError) -> Int {
        let end = token.range.upperBound
        guard take(symbol) else { throw unexpected("'\(symbol.rawValue)'") }
        return end
    }

    /// Words that other languages have for operators.
    private static let operators = [
        "and": "&&", "or": "||", "eq": "==", "is": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">",
        "ge": ">=",
    ]

    private func unexpectedAfter(_ expression: Expression) -> ExpressionError {
        var error = unexpected("an operator or the end")
        if case .name(let word) = token.kind, let symbol = Self.operators[word.lowercased()] {
            error.hint = "write \(symbol)"
        } else if case .path(root: "not", let selections) = expression.node, selections.isEmpty {
            error.hint = "write ! for not"
        }
        return error
    }

    private func unexpected(_ expected: String) -> ExpressionError {
        let found: String
        switch token.kind {
        case .int, .number, .duration: found = "a number"
        case .string: found = "a text"
        case .name(let name): found = "\"\(name)\""
        case .symbol(let symbol): found = "'\(symbol.rawValue)'"
        case .end: found = "the end"
        }
        let start = token.range.lowerBound
        let range = start..<max(token.range.upperBound, start + 1)
        return ExpressionError(message: "expected \(expected), found \(found)", range: range)
    }

    private mutating func nested(
        _ body: (inout ExpressionParser) throws(ExpressionError) -> Expression
    ) throws(ExpressionError) -> Expression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= ExpressionLimits.depth else {
            let message = "the expression is nested more than \(ExpressionLimits.depth) deep"
            throw ExpressionError(code: "FL056", message: message, range: token.range)
        }
        return try body(&self)
    }

    private mutating func join(
        _ binary: BinaryOperator, _ left: Expression, _ right: Expression
    ) throws(ExpressionError) -> Expression {
        try node(.binary(binary, left, right), left.range.lowerBound..<right.range.upperBound)
    }

    private mutating func node(
        _ node: Expression.Node, _ range: Range<Int>, isFree: Bool = false
    ) throws(ExpressionError) -> Expression {
        if !isFree { nodes += 1 }
        guard nodes <= ExpressionLimits.nodes else {
            let message = "the expression has more than \(ExpressionLimits.nodes) parts"
            throw ExpressionError(code: "FL056", message: message, range: range)
        }
        return Expression(node: node, range: range)
    }
}
