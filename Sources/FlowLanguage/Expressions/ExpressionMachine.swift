internal import JOSE
internal import OAuthProtocol

/// Runs compiled expressions: total, without side effects, in time linear in the values it touches.
package enum ExpressionMachine {
    /// The value of an expression.
    ///
    /// Never traps on a value: where one is not of the type that the compiler promised, or would grow beyond
    /// `ValueBounds`, the result is null or false.
    ///
    /// - Parameter stack: Room that is reused from call to call; what it holds is left alone.
    package static func evaluate(
        _ range: CodeRange, _ code: borrowing CodeTable, _ slots: borrowing ContiguousArray<Value>,
        _ stack: inout ContiguousArray<Value>
    ) -> Value {
        let start = Int(range.start)
        return run(from: start, to: start + Int(range.count), base: start, code, slots, &stack)
    }

    /// - Parameter base: The instruction that jumps count from.
    static func run(
        from start: Int, to end: Int, base: Int, _ code: borrowing CodeTable,
        _ slots: borrowing ContiguousArray<Value>, _ stack: inout ContiguousArray<Value>
    ) -> Value {
        let bottom = stack.count
        var position = start
        while position < end {
            let instruction = code.instructions[position]
            let operand = Int(instruction.operand)
            position += 1
            switch instruction.operation {
            case .constant: stack.append(code.constants[operand])
            case .slot:
                // A test of presence needs no copy of the value.
                if position < end, code.instructions[position].operation == .has {
                    stack.append(.bool(operand < slots.count && !slots[operand].isNull))
                    position += 1
                } else {
                    stack.append(operand < slots.count ? slots[operand] : .null)
                }
            case .pointer: replaceTop(&stack) { select(code.constants[operand], from: $0) }
            case .not: replaceTop(&stack) { .bool(!$0.isTrue) }
            case .has: replaceTop(&stack) { .bool(!$0.isNull) }
            case .equal: replaceTwo(&stack) { .bool(ValueEquality.areEqual($0, $1)) }
            case .notEqual: replaceTwo(&stack) { .bool(!ValueEquality.areEqual($0, $1)) }
            case .less: replaceTwo(&stack) { .bool(ValueEquality.isLess($0, $1) ?? false) }
            case .lessOrEqual: replaceTwo(&stack) { .bool(ValueEquality.isLess($1, $0).map { !$0 } ?? false) }
            case .greater: replaceTwo(&stack) { .bool(ValueEquality.isLess($1, $0) ?? false) }
            case .greaterOrEqual:
                replaceTwo(&stack) { .bool(ValueEquality.isLess($0, $1).map { !$0 } ?? false) }
            case .contains: replaceTwo(&stack) { .bool(ValueEquality.contains($1, $0)) }
            case .add: replaceTwo(&stack) { ValueArithmetic.sum($0, $1) }
            case .subtract: replaceTwo(&stack) { ValueArithmetic.difference($0, $1) }
            case .jumpIfSet: jump(!(stack.last ?? .null).isNull, &position, base + operand, &stack)
            case .jumpIfFalse: jump(!(stack.last ?? .null).isTrue, &position, base + operand, &stack)
            case .jumpIfTrue: jump((stack.last ?? .null).isTrue, &position, base + operand, &stack)
            case .branchIfFalse: if !(stack.popLast() ?? .null).isTrue { position = base + operand }
            case .jump: position = base + operand
            case .call: call(operand, Int(instruction.count), &stack)
            case .makeList: reduce(Int(instruction.count), &stack) { ValueBounds.bounded(.list(Array($0))) }
            case .makeText:
                reduce(Int(instruction.count), &stack) { values in
                    operand == 1 && values.contains(where: \.isNull) ? .null : text(values)
                }
            case .makeMap:
                reduce(Int(instruction.count), &stack) {
                    ValueBounds.bounded(map(code.constants[operand], $0))
                }
            case .matches:
                replaceTop(&stack) { .bool($0.text.map(code.patterns[operand].matches) ?? false) }
            }
        }
        let result = stack.count > bottom ? stack.removeLast() : .null
        if stack.count > bottom { stack.removeSubrange(bottom...) }
        return result
    }

    // MARK: The stack

    @inline(__always)
    private static func replaceTop(_ stack: inout ContiguousArray<Value>, _ body: (Value) -> Value) {
        guard let top = stack.indices.last else { return }
        stack[top] = body(stack[top])
    }

    @inline(__always)
    private static func replaceTwo(_ stack: inout ContiguousArray<Value>, _ body: (Value, Value) -> Value) {
        guard stack.count >= 2 else { return }
        let right = stack.removeLast()
        let left = stack.count - 1
        stack[left] = body(stack[left], right)
    }

    /// Keeps the top and goes to the target, or drops it and goes on.
    @inline(__always)
    private static func jump(
        _ condition: Bool, _ position: inout Int, _ target: Int, _ stack: inout ContiguousArray<Value>
    ) {
        if condition { position = target } else { _ = stack.popLast() }
    }

    private static func reduce(
        _ count: Int, _ stack: inout ContiguousArray<Value>, _ body: (ArraySlice<Value>) -> Value
    ) {
        let start = max(0, stack.count - count)
        let result = body(ArraySlice(stack[start...]))
        stack.removeSubrange(start...)
        stack.append(result)
    }

    private static func call(_ function: Int, _ count: Int, _ stack: inout ContiguousArray<Value>) {
        let rows = FunctionTable.rows
        reduce(count, &stack) {
            rows.indices.contains(function) ? ValueBounds.bounded(rows[function].evaluate(.init($0))) : .null
        }
    }

    // MARK: Members

    /// - Parameter path: A list of names and positions.
    private static func select(_ path: Value, from value: Value) -> Value {
        guard case .list(let keys) = path else { return .null }
        var value = value
        for key in keys {
            switch (value, key) {
            case (.map(let map), .string(let name)): value = map[name] ?? .null
            case (.json(let json), .string(let name)): value = json[name].map(Value.json) ?? .null
            case (.json(let json), .int(let index)):
                value = element(json.arrayValue ?? [], index).map(Value.json) ?? .null
            case (.list(let values), .int(let index)): value = element(values, index) ?? .null
            default: return .null
            }
        }
        return value
    }

    private static func element<Element>(_ elements: [Element], _ index: Int64) -> Element? {
        index >= 0 && index < elements.count ? elements[Int(index)] : nil
    }

    /// A text with a secret in it is a secret.
    private static func text(_ parts: ArraySlice<Value>) -> Value {
        var text = ""
        var isSecret = false
        for part in parts {
            if case .secret(let secret) = part {
                isSecret = true
                text += secret.reveal()
            } else {
                text += TextForm.text(of: part)
            }
        }
        return isSecret ? .secret(Secret(text, kind: .other)) : ValueBounds.joined([text])
    }

    private static func map(_ names: Value, _ values: ArraySlice<Value>) -> Value {
        .map(Dictionary(zip(names.texts ?? [], values)) { first, _ in first })
    }
}

/// Sums and differences; integers stay at the ends of their range instead of overflowing.
enum ValueArithmetic {
    static func sum(_ left: Value, _ right: Value) -> Value {
        switch (left, right) {
        case (.int(let left), .int(let right)): .int(add(left, right))
        case (.duration(let left), .duration(let right)): .duration(add(left, right))
        case (.time(let left), .duration(let right)), (.duration(let left), .time(let right)):
            .time(add(left, right))
        default: .null
        }
    }

    static func difference(_ left: Value, _ right: Value) -> Value {
        switch (left, right) {
        case (.int(let left), .int(let right)): .int(subtract(left, right))
        case (.duration(let left), .duration(let right)): .duration(subtract(left, right))
        case (.time(let left), .duration(let right)): .time(subtract(left, right))
        case (.time(let left), .time(let right)): .duration(subtract(left, right))
        default: .null
        }
    }

    private static func add(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflows) = left.addingReportingOverflow(right)
        return overflows ? (right < 0 ? .min : .max) : sum
    }

    private static func subtract(_ left: Int64, _ right: Int64) -> Int64 {
        let (difference, overflows) = left.subtractingReportingOverflow(right)
        return overflows ? (right < 0 ? .max : .min) : difference
    }
}
