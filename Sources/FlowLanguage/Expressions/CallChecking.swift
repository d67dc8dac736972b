internal import YAMLText

/// Calls of functions and of the forms that do not evaluate all their arguments.
extension ExpressionEmitter {
    mutating func call(
        _ name: String, _ range: Range<Int>, _ arguments: [Expression], _ whole: Expression, _ isGuarded: Bool
    ) -> FlowType? {
        switch name {
        case "has":
            let first = flows.count
            guard hasCount(1, name, range, arguments), expression(arguments[0], isGuarded: true) != nil else {
                return nil
            }
            hideFlows(since: first)
            emit(.has)
            return .bool
        case "if":
            guard hasCount(3, name, range, arguments) else { return nil }
            return choice(arguments[0], arguments[1], arguments[2], whole, isGuarded)
        case "default":
            guard hasCount(2, name, range, arguments) else { return nil }
            return coalesce(arguments[0], arguments[1], whole, isGuarded)
        case "matches":
            guard hasCount(2, name, range, arguments) else { return nil }
            return matches(arguments[0], arguments[1])
        default:
            guard let index = FunctionTable.index(of: name) else {
                unknown(name, range)
                return nil
            }
            return call(FunctionTable.rows[index], index, range, arguments, isGuarded)
        }
    }

    private mutating func call(
        _ row: FunctionRow, _ index: Int, _ range: Range<Int>, _ arguments: [Expression], _ isGuarded: Bool
    ) -> FlowType? {
        guard hasCount(row.parameters.count, row.name, range, arguments) else { return nil }
        if row.name == "md5" {
            report(
                "FL107", range, "md5 keeps no attacker out: it is for providers that ask for it",
                hint: "where the provider takes another, choose hmac_sha256 or sha256", severity: .info)
        }
        var types: [FlowType] = []
        var starts: [Int] = []
        for (number, (parameter, argument)) in zip(row.parameters, arguments).enumerated() {
            starts.append(flows.count)
            // A conversion passes on that a value may be unset.
            let isPassedOn = isGuarded && parameter == .anything
            if parameter == .pointer { checkPointer(argument, "argument \(number + 1) of \(row.name)") }
            guard let type = expression(argument, isGuarded: isPassedOn),
                fits(type, parameter, argument, "argument \(number + 1) of \(row.name)")
            else { continue }
            types.append(type)
        }
        emit(.call, index, count: arguments.count)
        apply(row.effect, starts + [flows.count])
        guard types.count == arguments.count else { return nil }
        switch row.result {
        case .type(let type): return type
        case .sameAsFirst: return types.first
        case .element:
            guard case .list(let element) = types.first?.required else { return .optional(.json) }
            return element.asOptional
        }
    }

    /// - Parameter starts: For each argument, the first flow that came with it; then the end of them all.
    private mutating func apply(_ effect: FunctionRow.LabelEffect, _ starts: [Int]) {
        switch effect {
        case .joins: return
        case .declassifies: hideFlows(since: starts[0])
        case .followsArgument(let argument):
            for (index, start) in starts.dropLast().enumerated() where index != argument {
                disarmFlows(since: start, until: starts[index + 1])
            }
        }
    }

    /// Reports an argument that the parameter does not take.
    private mutating func fits(
        _ type: FlowType, _ parameter: FunctionRow.Parameter, _ argument: Expression, _ place: String
    ) -> Bool {
        switch parameter {
        case .anything:
            guard type.holdsSecret else { return true }
            report("FL009", argument.range, "\(place) cannot be a secret")
            return false
        case .list:
            guard let found = required(type, argument) else { return false }
            if case .list = found { return true }
            report("FL009", argument.range, "\(place) must be a list, not \(found)")
            return false
        case .pointer: return true
        case .oneOf(let wanted):
            guard let found = required(type, argument, wanted: wanted.first) else { return false }
            if wanted.contains(where: { found.isAccepted(as: $0) }) { return true }
            let names = wanted.map { $0 == FlowType.emptyList ? "list" : $0.description }
            report(
                "FL009", argument.range, "\(place) must be \(names.joined(separator: " or ")), not \(found)",
                hint: wanted.first.flatMap(found.listHint))
            return false
        }
    }

    private mutating func checkPointer(_ argument: Expression, _ place: String) {
        if case .literal(.string(let text), _) = argument.node, JSONPointerText.isValid(text) { return }
        report(
            "FL009", argument.range, "\(place) must be a literal JSON pointer", hint: "such as '/user/0/name'"
        )
    }

    /// `matches(text, 'pattern')`: the pattern is compiled here, once.
    private mutating func matches(_ text: Expression, _ pattern: Expression) -> FlowType? {
        let type = expression(text)
        let isText = type.map { fits($0, .text, text, "argument 1 of matches") } ?? false
        guard case .literal(.string(let source), _) = pattern.node else {
            let hint = "a pattern is compiled when the flow is loaded"
            report(
                "FL057", pattern.range, "the pattern of matches must be a text in single quotes", hint: hint)
            return nil
        }
        do throws(PatternError) {
            emitMatches(try Pattern(source))
            return isText ? .bool : nil
        } catch {
            report("FL057", places(error.range, inText: pattern.range), error.message, hint: error.hint)
            return nil
        }
    }

    /// Where characters of a text in quotes are written: a quote in it takes two places.
    private func places(_ range: Range<Int>, inText text: Range<Int>) -> Range<Int> {
        var places: [Int] = []
        var place = text.lowerBound + 1
        while place < text.upperBound {
            places.append(place)
            let isQuote = scalars[place] == "'" && place + 1 < text.upperBound - 1
            place += isQuote ? 2 : 1
        }
        guard let end = places.last else { return text }
        let start = range.lowerBound < places.count ? places[range.lowerBound] : end
        return start..<max(start + 1, range.upperBound < places.count ? places[range.upperBound] : end)
    }

    /// `if(condition, a, b)`.
    private mutating func choice(
        _ condition: Expression, _ one: Expression, _ other: Expression, _ whole: Expression,
        _ isGuarded: Bool
    ) -> FlowType? {
        let first = flows.count
        let isBool = require(.bool, condition)
        // Both values are the author's; the condition only chooses.
        disarmFlows(since: first)
        let toSecond = emitJump(.branchIfFalse)
        let (whenTrue, whenFalse) = (facts(of: condition, when: true), facts(of: condition, when: false))
        let firstType = knowing(whenTrue) { $0.expression(one, isGuarded: isGuarded) }
        let toEnd = emitJump(.jump)
        land(toSecond)
        let secondType = knowing(whenFalse) { $0.expression(other, isGuarded: isGuarded) }
        land(toEnd)
        guard isBool, let firstType, let secondType else { return nil }
        let left = Self.type(of: one, firstType, beside: secondType)
        guard let type = left.united(with: Self.type(of: other, secondType, beside: firstType)) else {
            report(
                "FL054", whole.range,
                "both sides of if must have one type, not \(firstType) and \(secondType)")
            return nil
        }
        return type
    }

    private mutating func hasCount(
        _ count: Int, _ name: String, _ range: Range<Int>, _ arguments: [Expression]
    ) -> Bool {
        guard arguments.count != count else { return true }
        let plural = count == 1 ? "" : "s"
        report("FL009", range, "\(name) takes \(count) argument\(plural), not \(arguments.count)")
        return false
    }

    private mutating func unknown(_ name: String, _ range: Range<Int>) {
        let nearest = WordMeant.nearest(to: name, in: FunctionTable.names)
        let suggestion = Suggestion(nearest)
        let meant = name == "not" ? Suggestion(words: "; write ! for not") : suggestion
        report("FL009", range, "unknown function \"\(name)\"\(meant)", fix: meant.fix)
    }
}

extension FlowType {
    /// Whether a function that takes `parameter` takes a value of this type.
    fileprivate func isAccepted(as parameter: FlowType) -> Bool {
        if self == parameter { return true }
        switch (self, parameter) {
        case (.list, .list(.null)): return true
        case (.list(.null), .list): return true
        case (.list(let element), .list(let wanted)): return element.isText && wanted.isText
        case (_, .string): return isText
        default: return false
        }
    }
}
