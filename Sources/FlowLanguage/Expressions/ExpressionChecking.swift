internal import YAMLText

/// Names, operators and lists.
extension ExpressionEmitter {
    /// Writes an expression.
    ///
    /// - Parameter isGuarded: Whether an unset slot is provided for: left of `??`, and in `has`.
    /// - Returns: Its type, or `nil` after a report.
    mutating func expression(_ expression: Expression, isGuarded: Bool = false) -> FlowType? {
        folding { emitter in
            switch expression.node {
            case .literal(let value, let type):
                emitter.emitConstant(value)
                return type
            case .path(let root, let selections):
                return emitter.path(root, selections, expression, isGuarded)
            case .select(let base, let selections):
                guard let type = emitter.expression(base, isGuarded: isGuarded) else { return nil }
                return emitter.select(selections[...], from: type)
            case .call(let name, let range, let arguments):
                return emitter.call(name, range, arguments, expression, isGuarded)
            case .list(let elements): return emitter.list(elements)
            case .not(let operand):
                let isBool = emitter.require(.bool, operand)
                emitter.emit(.not)
                return isBool ? .bool : nil
            case .binary(let binary, let left, let right):
                return emitter.binary(binary, left, right, expression, isGuarded)
            }
        }
    }

    /// Writes an expression that must be of a type; reports it otherwise.
    mutating func require(_ type: FlowType, _ expression: Expression) -> Bool {
        guard let found = self.expression(expression) else { return false }
        return accept(found, as: type, expression)
    }

    /// Reports an expression that is not of the type.
    mutating func accept(_ found: FlowType, as type: FlowType, _ expression: Expression) -> Bool {
        guard let found = required(found, expression, wanted: type) else { return false }
        guard found != type else { return true }
        let hint = found == .json ? Self.conversionHint(source(expression), type) : nil
        report(
            "FL054", expression.range, "\"\(source(expression))\" is \(found), but \(type) is expected here",
            hint: hint)
        return false
    }

    /// The type without its `optional`; reports a value that may be unset.
    mutating func required(_ type: FlowType, _ expression: Expression, wanted: FlowType? = nil) -> FlowType? {
        guard type.isOptional else { return type }
        if type == .null {
            report("FL055", expression.range, "null stands where a value is needed")
            return nil
        }
        let text = source(expression)
        var hint = "write \(text) ?? <value>"
        if case .path = expression.node { hint += ", or test has(\(text)) before" }
        if type.required == .json, let wanted { hint = Self.conversionHint(text, wanted) ?? hint }
        report("FL055", expression.range, "\"\(text)\" is \(type) and may be unset", hint: hint)
        return nil
    }

    private static func conversionHint(_ text: String, _ type: FlowType) -> String? {
        switch type {
        case .string, .sensitive: "write \(text) ?? 'text'"
        case .bool: "write \(text) ?? false, or bool(\(text)) ?? false for a text such as 'true'"
        case .int, .number, .time, .duration, .url: "write \(type)(\(text)) ?? <value>"
        case .bytes, .json, .map, .secret, .tokenset, .list, .optional, .null: nil
        }
    }

    // MARK: Names

    private mutating func path(
        _ root: String, _ selections: [Expression.Selection], _ expression: Expression, _ isGuarded: Bool
    ) -> FlowType? {
        let start = expression.range.lowerBound
        let rootRange = start..<(start + root.unicodeScalars.count)
        switch context.scope.resolve(Self.names(root, selections)) {
        case .unknown(let code, let message, let hint, let fix, let index):
            let place = index > 0 && index <= selections.count ? selections[index - 1].range : rootRange
            report(code, place, message, hint: hint, fix: fix)
            return nil
        case .slot(let slot, let type, let consumed):
            let rest = selections.dropFirst(max(0, consumed - 1))
            let isSet = facts.contains(Fact(slot: slot))
            let members = rest.isEmpty ? [] : Self.keys(rest)
            reference(slot, members, expression.range, isDemanded: !isGuarded && !isSet)
            emit(.slot, slot)
            // Elsewhere the empty text is as good as no value, and fits into texts.
            if isGuarded, context.scope.isUnsetWhenEmpty(slot) { emitCall(FunctionTable.unsetWhenEmpty) }
            let known = isSet ? type.required : type
            guard !rest.isEmpty else { return known }
            let selected = select(rest, from: known)
            return facts.contains(Fact(slot: slot, path: members)) ? selected?.required : selected
        }
    }

    /// The name and the members after it, up to the first position in a list.
    private static func names(_ root: String, _ selections: [Expression.Selection]) -> [String] {
        var names: [String] = []
        names.reserveCapacity(selections.count + 1)
        names.append(root)
        for selection in selections {
            guard case .member(let name) = selection.key else { break }
            names.append(name)
        }
        return names
    }

    private static func keys(_ selections: ArraySlice<Expression.Selection>) -> [String] {
        selections.map { selection in
            switch selection.key {
            case .member(let name): "." + name
            case .index(let index): "[\(index)]"
            }
        }
    }

    /// Selects from JSON, maps and lists; what is not there is unset.
    private mutating func select(
        _ selections: ArraySlice<Expression.Selection>, from type: FlowType
    ) -> FlowType? {
        var current = type.required
        for selection in selections {
            switch (current, selection.key) {
            case (.json, _), (.map, .member): current = .json
            case (.list(let element), .index): current = element.required
            default:
                report("FL049", selection.range, "\(current) has no \(selection.key.description)")
                return nil
            }
        }
        emit(.pointer, constant(.list(selections.map(\.key.value))))
        return .optional(current)
    }

    // MARK: Lists

    private mutating func list(_ elements: [Expression]) -> FlowType? {
        var type: FlowType? = .null
        for element in elements {
            guard let found = expression(element), let one = required(found, element), let before = type
            else {
                type = nil
                continue
            }
            guard let united = before == .null ? one : before.united(with: one) else {
                report("FL054", element.range, "a list of \(before) cannot hold \(one)")
                type = nil
                continue
            }
            type = united
        }
        emit(.makeList, count: elements.count)
        return type.map { .list($0) }
    }

    // MARK: Facts

    /// What is surely set when the condition has the value.
    func facts(of condition: Expression, when value: Bool) -> Set<Fact> {
        switch condition.node {
        case .not(let operand): return facts(of: operand, when: !value)
        case .binary(.and, let left, let right), .binary(.or, let left, let right):
            let (first, second) = (facts(of: left, when: value), facts(of: right, when: value))
            if case .binary(.and, _, _) = condition.node {
                return value ? first.union(second) : first.intersection(second)
            }
            return value ? first.intersection(second) : first.union(second)
        case .call("has", _, let arguments):
            guard value, arguments.count == 1, case .path(let root, let selections) = arguments[0].node,
                case .slot(let slot, _, let consumed) = context.scope.resolve(Self.names(root, selections))
            else { return [] }
            let path = Self.keys(selections.dropFirst(max(0, consumed - 1)))
            return [Fact(slot: slot), Fact(slot: slot, path: path)]
        case .literal, .path, .select, .call, .list, .binary: return []
        }
    }

    /// Runs `body` knowing more.
    mutating func knowing<Result>(
        _ more: Set<Fact>, _ body: (inout ExpressionEmitter) -> Result
    ) -> Result {
        let outer = facts
        facts.formUnion(more)
        defer { facts = outer }
        return body(&self)
    }
}

extension Expression.Selection.Key {
    fileprivate var value: Value {
        switch self {
        case .member(let name): .string(name)
        case .index(let index): .int(Int64(index))
        }
    }

    fileprivate var description: String {
        switch self {
        case .member(let name): "member \"\(name)\""
        case .index(let index): "element \(index)"
        }
    }
}
