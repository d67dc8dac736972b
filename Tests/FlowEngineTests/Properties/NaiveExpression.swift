/// Evaluates the text of an expression word by word, after flow/1 §5; both sides of everything, since nothing fails.
struct NaiveExpression {
    private enum Word: Equatable {
        case name(String)
        case value(NaiveValue)
        case sign(String)
        case end
    }

    private var words: [Word]
    private var next = 0
    private let root: (String) -> NaiveValue

    /// - Parameter root: The value of `vars`, `inputs` and the like.
    static func evaluate(_ text: String, _ root: @escaping (String) -> NaiveValue) -> NaiveValue {
        var expression = NaiveExpression(words: words(of: text), root: root)
        let value = expression.or()
        return expression.words[expression.next] == .end ? value : .unknown
    }

    /// A literal with `${ }` in it; one that is nothing but a `${ }` keeps its type.
    static func template(_ text: String, _ root: @escaping (String) -> NaiveValue) -> NaiveValue {
        var parts: [NaiveValue] = []
        var rest = Substring(text)
        while let open = rest.firstRange(of: "${") {
            let before = rest[..<open.lowerBound]
            if !before.isEmpty { parts.append(.string(String(before))) }
            rest = rest[open.upperBound...]
            guard let close = rest.firstIndex(of: "}") else { return .unknown }
            parts.append(evaluate(String(rest[..<close]), root))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.string(String(rest))) }
        if parts.count == 1 { return parts[0] }
        var joined = ""
        for part in parts {
            switch part {
            case .string(let text): joined += text
            case .int(let number): joined += String(number)
            case .bool(let flag): joined += String(flag)
            case .null: continue
            case .number, .time, .duration, .list, .object, .unknown: return .unknown
            }
        }
        return .string(joined)
    }

    // MARK: Words

    private init(words: [Word], root: @escaping (String) -> NaiveValue) {
        self.words = words
        self.root = root
    }

    private static func words(of text: String) -> [Word] {
        var words: [Word] = []
        var rest = Substring(text)
        while let first = rest.first {
            if first.isWhitespace {
                rest.removeFirst()
            } else if first == "'" {
                words.append(.value(.string(quoted(&rest))))
            } else if first.isNumber {
                words.append(.value(number(&rest)))
            } else if first.isLetter || first == "_" {
                let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                rest = rest.dropFirst(name.count)
                words.append(
                    ["true": .value(.bool(true)), "false": .value(.bool(false)), "null": .value(.null)][
                        String(name)] ?? .name(String(name)))
            } else {
                let sign =
                    ["||", "&&", "==", "!=", "<=", ">=", "??"].first { rest.hasPrefix($0) } ?? String(first)
                rest = rest.dropFirst(sign.count)
                words.append(.sign(sign))
            }
        }
        return words + [.end]
    }

    private static func quoted(_ rest: inout Substring) -> String {
        var text = ""
        rest.removeFirst()
        while let character = rest.popFirst() {
            if character != "'" { text.append(character) }
            guard character == "'" else { continue }
            guard rest.first == "'" else { break }
            text.append(rest.removeFirst())
        }
        return text
    }

    private static func number(_ rest: inout Substring) -> NaiveValue {
        let digits = rest.prefix { $0.isNumber }
        rest = rest.dropFirst(digits.count)
        let unit = rest.prefix { $0.isLetter }
        rest = rest.dropFirst(unit.count)
        guard let number = Int(digits), rest.first != "." else { return .unknown }
        if unit.isEmpty { return .int(number) }
        let scale = ["ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000][String(unit)]
        return scale.map { .duration(number * $0) } ?? .unknown
    }

    private mutating func take(_ sign: String) -> Bool {
        guard words[next] == .sign(sign) else { return false }
        next += 1
        return true
    }

    // MARK: Grammar

    private mutating func or() -> NaiveValue {
        var left = and()
        while take("||") {
            let right = and()
            left = left.isTrue || right.isTrue ? .bool(true) : Self.both(left, right) { _, _ in .bool(false) }
        }
        return left
    }

    private mutating func and() -> NaiveValue {
        var left = not()
        while take("&&") {
            let right = not()
            let isFalse = left == .bool(false) || right == .bool(false)
            left = isFalse ? .bool(false) : Self.both(left, right) { .bool($0.isTrue && $1.isTrue) }
        }
        return left
    }

    private mutating func not() -> NaiveValue {
        guard take("!") else { return comparison() }
        let value = not()
        return value == .unknown ? .unknown : .bool(!value.isTrue)
    }

    private mutating func comparison() -> NaiveValue {
        let left = coalescing()
        for sign in ["==", "!=", "<=", ">=", "<", ">"] where take(sign) {
            return Self.compare(left, sign, coalescing())
        }
        guard words[next] == .name("in") else { return left }
        next += 1
        return Self.both(left, coalescing()) { item, list in
            if case .list(let items) = list { .bool(items.contains(item)) } else { .unknown }
        }
    }

    private mutating func coalescing() -> NaiveValue {
        var left = sum()
        while take("??") {
            let right = sum()
            if left == .null { left = right }
        }
        return left
    }

    private mutating func sum() -> NaiveValue {
        var left = member()
        while true {
            let sign: Int
            if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return left }
            left = Self.add(left, sign, member())
        }
    }

    private mutating func member() -> NaiveValue {
        var value = primary()
        while true {
            if take(".") {
                guard case .name(let name) = words[next] else { return .unknown }
                next += 1
                value = Self.select(value, .string(name))
            } else if take("[") {
                let key = or()
                guard take("]") else { return .unknown }
                value = Self.select(value, key)
            } else {
                return value
            }
        }
    }

    private mutating func primary() -> NaiveValue {
        if take("(") {
            let value = or()
            return take(")") ? value : .unknown
        }
        if take("[") { return arguments(until: "]").map { .list($0) } ?? .unknown }
        switch words[next] {
        case .value(let value):
            next += 1
            return value
        case .name(let name):
            next += 1
            guard take("(") else { return root(name) }
            return arguments(until: ")").map { Self.call(name, $0) } ?? .unknown
        case .sign, .end: return .unknown
        }
    }

    private mutating func arguments(until close: String) -> [NaiveValue]? {
        var values: [NaiveValue] = []
        if take(close) { return values }
        repeat { values.append(or()) } while take(",")
        return take(close) ? values : nil
    }

    // MARK: Operations

    private static func both(
        _ left: NaiveValue, _ right: NaiveValue, _ body: (NaiveValue, NaiveValue) -> NaiveValue
    ) -> NaiveValue {
        left == .unknown || right == .unknown ? .unknown : body(left, right)
    }

    private static func compare(_ left: NaiveValue, _ sign: String, _ right: NaiveValue) -> NaiveValue {
        both(left, right) { left, right in
            if sign == "==" { return .bool(left == right) }
            if sign == "!=" { return .bool(left != right) }
            let difference: Int
            switch (left, right) {
            case (.int(let left), .int(let right)), (.time(let left), .time(let right)),
                (.duration(let left), .duration(let right)):
                difference = left < right ? -1 : (left > right ? 1 : 0)
            default: return .unknown
            }
            switch sign {
            case "<": return .bool(difference < 0)
            case "<=": return .bool(difference <= 0)
            case ">": return .bool(difference > 0)
            default: return .bool(difference >= 0)
            }
        }
    }

    private static func add(_ left: NaiveValue, _ sign: Int, _ right: NaiveValue) -> NaiveValue {
        switch (left, right) {
        case (.int(let left), .int(let right)): .int(left + sign * right)
        case (.time(let left), .duration(let right)): .time(left + sign * right)
        case (.time(let left), .time(let right)) where sign < 0: .duration(left - right)
        case (.duration(let left), .duration(let right)): .duration(left + sign * right)
        default: .unknown
        }
    }

    private static func select(_ value: NaiveValue, _ key: NaiveValue) -> NaiveValue {
        switch (value, key) {
        case (.object(let members), .string(let name)): members[name] ?? .null
        case (.list(let items), .int(let index)): items.indices.contains(index) ? items[index] : .null
        case (.null, _): .null
        default: .unknown
        }
    }

    private static func call(_ name: String, _ values: [NaiveValue]) -> NaiveValue {
        if values.contains(.unknown) { return .unknown }
        switch (name, values.first, values.count) {
        case ("has", let value?, 1): return .bool(value != .null)
        case ("if", let condition?, 3): return condition.isTrue ? values[1] : values[2]
        case ("default", let value?, 2): return value == .null ? values[1] : value
        case ("length", .string(let text)?, 1): return .int(text.unicodeScalars.count)
        case ("length", .list(let items)?, 1): return .int(items.count)
        case ("starts_with", .string(let text)?, 2):
            if case .string(let prefix) = values[1] { return .bool(text.hasPrefix(prefix)) }
        case ("contains", .string(let text)?, 2):
            if case .string(let part) = values[1] { return .bool(text.contains(part)) }
        case ("upper", .string(let text)?, 1): return .string(text.uppercased())
        default: break
        }
        return .unknown
    }
}
