/// One instruction of a compiled expression: a stack machine's, eight bytes.
package struct Instruction: Sendable, Hashable {
    package enum Operation: UInt8, Sendable, Hashable {
        /// Push constant `operand`.
        case constant
        /// Push slot `operand`.
        case slot
        /// Replace the top by its JSON member or element; `operand` names the constant that holds the pointer.
        case pointer
        case not
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, contains
        case add, subtract
        /// Go to instruction `operand` of the expression when the top is not null and keep it, else drop it.
        case jumpIfSet
        /// Go to `operand` when the top is false (true) and keep it, else drop it.
        case jumpIfFalse, jumpIfTrue
        /// Drop the top; go to `operand` when it was false.
        case branchIfFalse
        case jump
        /// Replace the top by whether it is set.
        case has
        /// Call function `operand` with `count` arguments.
        case call
        /// Make a list of the top `count` values; a text of them, unset with `operand` 1 when one of them is; a map of
        /// `count` values whose names are the list in constant `operand`.
        case makeList, makeText, makeMap
        /// Replace the top by whether it is a text that matches pattern `operand`.
        case matches
    }

    package let operation: Operation
    package let count: UInt16
    package let operand: UInt32

    package init(_ operation: Operation, _ operand: Int = 0, count: Int = 0) {
        self.operation = operation
        self.operand = UInt32(operand)
        self.count = UInt16(count)
    }
}

/// Where an expression lies in a `CodeTable`.
package struct CodeRange: Sendable, Hashable {
    package let start: UInt32
    package let count: UInt32

    package init(start: Int, count: Int) {
        self.start = UInt32(start)
        self.count = UInt32(count)
    }
}

/// All expressions of one program or descriptor, with the constants they share.
package struct CodeTable: Sendable, Hashable {
    package var instructions: ContiguousArray<Instruction> = []
    package var constants: ContiguousArray<Value> = []
    package var patterns: ContiguousArray<Pattern> = []

    package init() {}

    /// The slots that an expression may read, each once, in the order in which it names them.
    package func slots(of range: CodeRange) -> [Int] {
        let start = Int(range.start)
        var slots: [Int] = []
        for instruction in instructions[start..<(start + Int(range.count))]
        where instruction.operation == .slot && !slots.contains(Int(instruction.operand)) {
            slots.append(Int(instruction.operand))
        }
        return slots
    }
}
