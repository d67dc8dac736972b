internal import YAMLText

/// Checks expressions and writes their instructions, in one pass over the syntax.
///
/// Mistakes are collected and not thrown, so that both sides of an operator are looked at. A missing type stands for a
/// part that has been reported already.
struct ExpressionEmitter {
    /// Something that is surely set: a slot, or what a path selects from it.
    struct Fact: Hashable {
        let slot: Int
        var path: [String] = []
    }

    let context: ExpressionContext
    /// The scalar that is being read.
    var node: YAMLNode
    var scalars: [Unicode.Scalar] = []
    var facts: Set<Fact>
    private(set) var code = CodeTable()
    private(set) var references: [(slot: Int, span: SourceSpan)] = []
    var flows: [ValueFlow] = []
    var diagnostics: [Diagnostic] = []
    /// Whether the last instruction makes a text of the whole value, which is of another type.
    var endsInText = false

    init(_ node: YAMLNode, _ context: ExpressionContext) {
        self.node = node
        self.context = context
        facts = Set(context.narrowed.map { Fact(slot: $0) })
        code.instructions.reserveCapacity(8)
        code.constants.reserveCapacity(4)
    }

    // MARK: Reports

    mutating func report(
        _ code: String, _ range: Range<Int>, _ message: String, hint: String? = nil,
        fix: Diagnostic.Fix? = nil,
        severity: Diagnostic.Severity = .error
    ) {
        diagnostics.append(
            Diagnostic(
                code: code, severity: severity, file: context.file, span: node.span(ofScalars: range),
                message: message, hint: hint, fix: fix))
    }

    mutating func report(_ error: ExpressionError) {
        report(error.code, error.range, error.message, hint: error.hint)
    }

    /// The expression as written, for messages.
    func source(_ expression: Expression) -> String {
        let text = scalars[expression.range.clamped(to: scalars.indices)]
        let shown = String(String.UnicodeScalarView(text))
        return shown.utf8.count <= 80 ? shown : shown.prefix(60) + "..."
    }

    // MARK: Instructions

    mutating func emit(_ operation: Instruction.Operation, _ operand: Int = 0, count: Int = 0) {
        code.instructions.append(Instruction(operation, operand, count: count))
    }

    mutating func constant(_ value: Value) -> Int {
        code.constants.append(value)
        return code.constants.count - 1
    }

    mutating func emitMatches(_ pattern: Pattern) {
        code.patterns.append(pattern)
        emit(.matches, code.patterns.count - 1)
    }

    mutating func emitConstant(_ value: Value) { emit(.constant, constant(value)) }

    mutating func emitCall(_ function: String) {
        guard let index = FunctionTable.index(of: function) else { return }
        emit(.call, index, count: 1)
    }

    /// Writes a jump whose target is not known yet.
    mutating func emitJump(_ operation: Instruction.Operation) -> Int {
        emit(operation)
        return code.instructions.count - 1
    }

    /// Lets a jump lead to the next instruction.
    mutating func land(_ jump: Int) {
        code.instructions[jump] = Instruction(code.instructions[jump].operation, code.instructions.count)
    }

    /// Puts the test of `??` between its left side, which ends at `place`, and its right side, which ends here.
    mutating func insertCoalesce(at place: Int, cast: String?) {
        var inserted: ContiguousArray<Instruction> = []
        if let cast, let index = FunctionTable.index(of: cast) {
            inserted.append(Instruction(.call, index, count: 1))
        }
        let shift = inserted.count + 1
        let right = code.instructions[place...].map { $0.operation.hasTarget ? $0.moved(by: shift) : $0 }
        inserted.append(Instruction(.jumpIfSet, place + shift + right.count))
        code.instructions.replaceSubrange(place..., with: inserted + right)
    }

    mutating func reference(_ slot: Int, _ members: [String], _ range: Range<Int>, isDemanded: Bool) {
        let span = node.span(ofScalars: range)
        references.append((slot, span))
        flows.append(ValueFlow(slot: slot, members: members, span: span, isDemanded: isDemanded))
    }

    // MARK: Flows

    /// Takes what has flowed in since as not shown by the result.
    mutating func hideFlows(since first: Int) {
        for index in first..<flows.count { flows[index].isShown = false }
    }

    /// Takes what has flowed in since as having no say in the result.
    mutating func disarmFlows(since first: Int, until last: Int? = nil) {
        for index in first..<(last ?? flows.count) { flows[index].isDeciding = false }
    }

    // MARK: Constants

    /// Runs `body`, and replaces what it wrote by its value when that is the same in every run.
    mutating func folding(_ body: (inout ExpressionEmitter) -> FlowType?) -> FlowType? {
        let (instructions, constants) = (code.instructions.count, code.constants.count)
        let patterns = code.patterns.count
        let (references, mistakes) = (self.references.count, diagnostics.count)
        let type = body(&self)
        guard type != nil, references == self.references.count, mistakes == diagnostics.count,
            code.instructions.count > instructions + 1
        else { return type }
        var stack: ContiguousArray<Value> = []
        let value = ExpressionMachine.run(
            from: instructions, to: code.instructions.count, base: 0, code, [], &stack)
        code.instructions.removeSubrange(instructions...)
        code.constants.removeSubrange(constants...)
        code.patterns.removeSubrange(patterns...)
        emitConstant(value)
        return type
    }

    /// The value of everything written so far, when it is the same in every run.
    var constantValue: Value? {
        guard code.instructions.count == 1, code.instructions[0].operation == .constant else { return nil }
        return code.constants[Int(code.instructions[0].operand)]
    }

    /// Appends what was written to a table.
    func finish(
        _ type: FlowType, slotsWhenTrue: Set<Int> = [], into table: inout CodeTable
    ) -> CompiledExpression {
        let range = CodeRange(start: table.instructions.count, count: code.instructions.count)
        let base = table.constants.count
        let patternBase = table.patterns.count
        table.constants += code.constants
        table.patterns += code.patterns
        for instruction in code.instructions {
            var offset = instruction.operation.hasConstant ? base : 0
            if instruction.operation == .matches { offset = patternBase }
            table.instructions.append(
                Instruction(
                    instruction.operation, Int(instruction.operand) + offset, count: Int(instruction.count)))
        }
        let constant = constantValue
        let before = CodeRange(start: Int(range.start), count: max(0, code.instructions.count - 1))
        return CompiledExpression(
            range: range, type: type, rangeBeforeText: endsInText && constant == nil ? before : nil,
            constant: constant, slotsWhenTrue: slotsWhenTrue, references: references, flows: flows)
    }
}

extension Instruction {
    fileprivate func moved(by distance: Int) -> Instruction {
        Instruction(operation, Int(operand) + distance, count: Int(count))
    }
}

extension Instruction.Operation {
    /// Whether the operand is the place of an instruction.
    fileprivate var hasTarget: Bool {
        switch self {
        case .jumpIfSet, .jumpIfFalse, .jumpIfTrue, .branchIfFalse, .jump: true
        case .constant, .pointer, .makeMap, .slot, .not, .equal, .notEqual, .less, .lessOrEqual, .greater,
            .greaterOrEqual, .contains, .add, .subtract, .has, .call, .makeList, .makeText, .matches:
            false
        }
    }

    /// Whether the operand is the index of a constant.
    fileprivate var hasConstant: Bool {
        switch self {
        case .constant, .pointer, .makeMap: true
        case .slot, .not, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .contains, .add,
            .subtract, .jumpIfSet, .jumpIfFalse, .jumpIfTrue, .branchIfFalse, .jump, .has, .call, .makeList,
            .makeText, .matches:
            false
        }
    }
}
