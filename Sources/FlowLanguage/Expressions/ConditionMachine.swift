/// Conditions over truths, integers, times and durations: the guards that are asked all the time.
///
/// Works on plain numbers and leaves everything else to `ExpressionMachine`, of which it is the quick way.
extension ExpressionMachine {
    /// Whether a condition is true.
    package static func holds(
        _ range: CodeRange, _ code: borrowing CodeTable, _ slots: borrowing ContiguousArray<Value>,
        _ stack: inout ContiguousArray<Value>
    ) -> Bool {
        quickly(range, code, slots) ?? evaluate(range, code, slots, &stack).isTrue
    }

    /// - Returns: `nil` when a value or an instruction is not one of the simple ones.
    private static func quickly(
        _ range: CodeRange, _ code: borrowing CodeTable, _ slots: borrowing ContiguousArray<Value>
    ) -> Bool? {
        let base = Int(range.start)
        let end = base + Int(range.count)
        var position = base
        var numbers = NumberStack()
        while position < end {
            let instruction = code.instructions[position]
            let operand = Int(instruction.operand)
            position += 1
            switch instruction.operation {
            case .constant:
                guard let number = code.constants[operand].plainNumber, numbers.push(number) else {
                    return nil
                }
            case .slot:
                if position < end, code.instructions[position].operation == .has {
                    guard numbers.push(slots[operand].isNull ? 0 : 1) else { return nil }
                    position += 1
                } else {
                    guard let number = slots[operand].plainNumber, numbers.push(number) else { return nil }
                }
            case .not: numbers.top = numbers.top == 0 ? 1 : 0
            case .equal: numbers.reduce { $0 == $1 }
            case .notEqual: numbers.reduce { $0 != $1 }
            case .less: numbers.reduce { $0 < $1 }
            case .lessOrEqual: numbers.reduce { $0 <= $1 }
            case .greater: numbers.reduce { $0 > $1 }
            case .greaterOrEqual: numbers.reduce { $0 >= $1 }
            case .jumpIfFalse:
                if numbers.top == 0 { position = base + operand } else { numbers.drop() }
            case .jumpIfTrue:
                if numbers.top != 0 { position = base + operand } else { numbers.drop() }
            case .branchIfFalse:
                let isFalse = numbers.top == 0
                numbers.drop()
                if isFalse { position = base + operand }
            case .jump: position = base + operand
            case .pointer, .has, .contains, .add, .subtract, .jumpIfSet, .call, .makeList, .makeText,
                .makeMap,
                .matches:
                return nil
            }
        }
        return numbers.top != 0
    }
}

/// A few numbers, the last one on top.
private struct NumberStack {
    private var below: (Int64, Int64, Int64) = (0, 0, 0)
    private var count = 0
    var top: Int64 = 0

    /// - Returns: Whether there was room.
    @inline(__always)
    mutating func push(_ number: Int64) -> Bool {
        guard count < 4 else { return false }
        below = (top, below.0, below.1)
        top = number
        count += 1
        return true
    }

    @inline(__always)
    mutating func drop() {
        top = below.0
        below = (below.1, below.2, 0)
        count -= 1
    }

    @inline(__always)
    mutating func reduce(_ compare: (Int64, Int64) -> Bool) {
        let right = top
        drop()
        top = compare(top, right) ? 1 : 0
    }
}

extension Value {
    /// The number behind a truth, an integer, a time or a duration.
    @inline(__always)
    fileprivate var plainNumber: Int64? {
        switch self {
        case .bool(let flag): flag ? 1 : 0
        case .int(let number), .time(let number), .duration(let number): number
        case .null, .number, .string, .json, .list, .map, .secret: nil
        }
    }
}
