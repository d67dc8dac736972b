/// Moves rows of one program to where they lie in another.
struct Relocation {
    let prefix: String
    /// Of the inner program.
    let file: String
    /// Its folder, seen from that of the outer program.
    let folder: String
    /// By provider of the inner program.
    let providers: [Int]
    let step: Int
    let end: Int
    let edge: Int
    let route: Int
    let hook: Int
    let slot: Int
    let tokenSet: Int
    let port: Int
    let frame: Int
    let instruction: Int
    let constant: Int
    let pattern: Int

    // MARK: Indices

    func slot(_ index: Int) -> Int { index < CommonSlot.allCases.count ? index : index + slot }
    func stepIndex(_ index: Int) -> Int { index + step }
    func tokenSet(_ index: Int) -> Int { index + tokenSet }
    func steps(_ range: Range<Int>) -> Range<Int> { range.lowerBound + step..<range.upperBound + step }
    func edges(_ range: Range<Int>) -> Range<Int> { range.lowerBound + edge..<range.upperBound + edge }
    func tokenSets(_ range: Range<Int>) -> Range<Int> {
        range.lowerBound + tokenSet..<range.upperBound + tokenSet
    }

    private func provider(_ index: Int) -> Int { providers.indices.contains(index) ? providers[index] : 0 }

    private func target(_ target: FlowTarget) -> FlowTarget {
        switch target {
        case .step(let index): .step(index + step)
        case .end(let index): .end(index + end)
        }
    }

    // MARK: Code

    func range(_ range: CodeRange) -> CodeRange {
        CodeRange(start: Int(range.start) + instruction, count: Int(range.count))
    }

    /// Jumps count from the start of their expression and stay as they are.
    func instruction(_ row: Instruction) -> Instruction {
        let operand = Int(row.operand)
        switch row.operation {
        case .slot: return Instruction(.slot, slot(operand), count: Int(row.count))
        case .constant, .pointer, .makeMap:
            return Instruction(row.operation, operand + constant, count: Int(row.count))
        case .matches: return Instruction(.matches, operand + pattern, count: Int(row.count))
        case .not, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .contains, .add,
            .subtract, .jumpIfSet, .jumpIfFalse, .jumpIfTrue, .branchIfFalse, .jump, .has, .call, .makeList,
            .makeText:
            return row
        }
    }

    private func save(_ row: SaveRow) -> SaveRow { SaveRow(slot: slot(row.slot), code: range(row.code)) }

    private func assertion(_ row: AssertionRow) -> AssertionRow {
        AssertionRow(condition: range(row.condition), message: row.message, span: row.span)
    }

    private func named(_ rows: [(name: String, code: CodeRange)]) -> [(name: String, code: CodeRange)] {
        rows.map { ($0.name, range($0.code)) }
    }

    private func emission(_ row: HookRow.Emission) -> HookRow.Emission {
        HookRow.Emission(name: row.name, code: range(row.code), shown: row.shown.map { slot($0) })
    }

    // MARK: Rows

    func step(_ row: StepRow) -> StepRow {
        StepRow(
            name: prefix + row.name, kind: row.kind, provider: provider(row.provider),
            condition: row.condition.map { range($0) }, arguments: row.arguments.map { argument($0) },
            assertions: row.assertions.map { assertion($0) }, saves: row.saves.map { save($0) },
            retry: row.retry, retryPlace: row.retryPlace, timeout: row.timeout, deadline: row.deadline,
            visits: row.visits,
            isVisitsExplicit: row.isVisitsExplicit, fieldBase: slot(row.fieldBase),
            fieldCount: row.fieldCount,
            errorFieldCount: row.errorFieldCount, declaredOutcomes: row.declaredOutcomes,
            routes: row.routes.map { $0 == RouteRow.none ? $0 : UInt16(clamping: Int($0) + route) },
            beforeHooks: row.beforeHooks.map { $0 + hook }, afterHooks: row.afterHooks.map { $0 + hook },
            tokenHooks: row.tokenHooks.map { $0 + hook }, attemptHooks: row.attemptHooks.moved(by: hook),
            file: row.file ?? file, span: row.span)
    }

    private func argument(_ row: ArgumentRow) -> ArgumentRow {
        let value: ArgumentValue =
            switch row.value {
            case .code(let code): .code(range(code))
            case .constant: row.value
            case .tokenSet(let index): .tokenSet(index + tokenSet)
            case .step(let index): .step(index + step)
            case .templates(let rows): .templates(named(rows))
            case .statuses: row.value
            case .classification(let rules): .classification(rules.map { (range($0.condition), $0.outcome) })
            case .extraction: row.value
            case .port(let index): .port(index + port)
            case .frame(let index): .frame(index + frame)
            }
        return ArgumentRow(name: row.name, value: value, span: row.span)
    }

    func edge(_ row: EdgeRow) -> EdgeRow {
        EdgeRow(
            target: target(row.target), guardCode: row.guardCode.map { range($0) }, guardText: row.guardText,
            maximum: row.maximum, saves: row.saves.map { save($0) }, span: row.span)
    }

    func route(_ row: RouteRow) -> RouteRow {
        RouteRow(
            outcomeClass: row.outcomeClass, reason: row.reason, edges: edges(row.edges), looks: row.looks)
    }

    func end(_ row: EndRow, _ frameEnd: FrameEnd) -> EndRow {
        let place =
            row.frame.map { FrameEnd(frame: $0.frame + frame, outcome: $0.outcome) } ?? frameEnd
        return EndRow(
            name: prefix + row.name, result: row.result, exit: row.exit,
            outputs: row.outputs.map { ($0.output, range($0.code)) }, message: row.message.map { range($0) },
            error: row.error, frame: place, span: row.span)
    }

    func hook(_ row: HookRow, frame own: Int) -> HookRow {
        let action: HookRow.Action =
            switch row.action {
            case .set(let saves): .set(saves.map { save($0) })
            case .assert(let rows): .assert(rows.map { assertion($0) })
            case .map(let fields): .map(named(fields))
            case .emit(let event, let data): .emit(event: event, data: data.map { emission($0) })
            case .exec, .http, .native: row.action
            }
        let read = { (row: HookRow.Read) in HookRow.Read(path: row.path, slot: slot(row.slot)) }
        return HookRow(
            id: prefix + row.id, point: row.point, outcomes: row.outcomes,
            condition: row.condition.map { range($0) }, action: action, reads: row.reads.map(read),
            grants: row.grants.map(read), writes: row.writes.map(read), timeout: row.timeout,
            onFailure: policy(row.onFailure), powers: powers(row.powers), attempts: row.attempts,
            simulation: row.simulation.map { simulation in
                HookRow.Simulation(saves: simulation.saves.map { save($0) }, answer: simulation.answer)
            },
            frame: row.frame.map { $0 + frame } ?? own, file: row.file ?? file,
            folder: FlowFolder.join(folder, row.folder), span: row.span, programSpan: row.programSpan)
    }

    func port(_ row: PortRow) -> PortRow {
        PortRow(
            name: row.name, arguments: row.arguments, fields: row.fields, outcomes: row.outcomes,
            program: row.program, simulation: row.simulation, file: row.file ?? file,
            folder: FlowFolder.join(folder, row.folder), span: row.span, programSpan: row.programSpan)
    }

    private func powers(_ powers: HookRow.Powers) -> HookRow.Powers {
        HookRow.Powers(
            allowed: powers.allowed,
            targets: powers.targets.map { HookRow.Target(name: $0.name, target: target($0.target)) })
    }

    private func policy(_ policy: HookRow.FailurePolicy) -> HookRow.FailurePolicy {
        switch policy {
        case .abort, .continue: policy
        case .goto(let index): .goto(index + step)
        }
    }

    func frame(_ row: FrameRow) -> FrameRow {
        FrameRow(
            step: row.step + step, start: row.start + step, steps: steps(row.steps), edges: edges(row.edges),
            inputs: row.inputs.map {
                FrameRow.Input(
                    name: $0.name, slot: slot($0.slot), code: $0.code.map { range($0) },
                    standard: $0.standard, constraints: $0.constraints)
            },
            variables: row.variables.map { (slot($0.slot), $0.initial) }, deadline: row.deadline,
            tokenSets: tokenSets(row.tokenSets),
            tokens: row.tokens.map { ($0.from + tokenSet, $0.into + tokenSet) },
            providers: row.providers.map { (slot($0.slotBase), provider($0.provider)) })
    }
}
