internal import YAMLText

/// Turns a resolved flow into a program, compiling its expressions on the way.
///
/// Runs for flows with mistakes too: expressions are checked by being compiled. What cannot be lowered has been
/// reported then, and the program is thrown away.
struct FlowLowering {
    let analysis: FlowAnalysis
    let file: SourceFile
    var expressions: ExpressionLowering
    var findings: Findings
    var edges: ContiguousArray<EdgeRow> = []
    var routes: ContiguousArray<RouteRow> = []
    /// By `subflow` step, what it gives to the other flow's inputs.
    var frameInputs: [Int: [String: CodeRange]] = [:]

    var graph: FlowGraph { analysis.transfer.graph }
    var table: SlotTable { analysis.transfer.table }
    var flow: FlowDefinition { graph.flow }

    init(_ analysis: FlowAnalysis, _ file: SourceFile, _ findings: Findings) {
        self.analysis = analysis
        self.file = file
        self.findings = findings
        expressions = ExpressionLowering(
            graph: analysis.transfer.graph, table: analysis.transfer.table,
            demands: DemandRule(transfer: analysis.transfer, file: file),
            labels: SlotLabels(analysis.transfer.graph, analysis.transfer.table))
    }

    mutating func program() -> FlowProgram {
        let inputs = flow.inputs.map { input($0) }
        let variables = flow.variables.map { variable($0) }
        let steps = ContiguousArray(graph.nodes.indices.map { step($0) })
        let hooks = self.hooks()
        let ends = ContiguousArray(flow.ends.indices.map { end($0) })
        let tests = flow.tests.map { test($0, inputs) }
        let labels = LabelRules.check(expressions.sunk, expressions.labels, table, &findings)
        let program = FlowProgram(
            name: flow.name, version: flow.version, summary: flow.summary, file: file.path, digest: "",
            limits: flow.limits, providers: providers, inputs: inputs,
            outputs: flow.outputs.map { OutputRow(name: $0.name, type: $0.type ?? .json) },
            variables: variables,
            tokenSets: table.tokenSets.indices.map { index in
                TokenSetRow(name: table.tokenSets[index], slotBase: table.tokenBases[index])
            },
            steps: steps, ends: ends, edges: edges, routes: routes, hooks: hooks, slots: labels.rows(table),
            ports: graph.links.ports.map { port($0) }, code: expressions.code, start: graph.start ?? 0,
            failedEnd: endIndex("failed"),
            cancelledEnd: endIndex("cancelled"), tests: tests,
            deferred: findings.deferred)
        let whole = withFrames(program)
        return whole.withDigest(ProgramDigest.hex(of: whole))
    }

    private var providers: [ProviderSlot] {
        flow.providers.enumerated().map { index, provider in
            ProviderSlot(
                alias: provider.alias, standard: provider.standard, expectsIDToken: provider.expectsIDToken,
                slotBase: table.providerBases[index], requirements: provider.requirements,
                span: provider.span)
        }
    }

    /// Implicit ends make both names exist in every flow.
    private func endIndex(_ name: String) -> Int {
        flow.ends.firstIndex { $0.name == name } ?? 0
    }

    private mutating func input(_ input: ValueDefinition) -> InputRow {
        let type = input.type ?? .json
        return InputRow(
            name: input.name, type: type, standard: literal(input.standard, input.type),
            environment: input.environment, file: input.file, constraints: constraints(input),
            slot: table.inputs[input.name] ?? 0,
            span: input.span)
    }

    /// What a value must be beyond its type; a default must be that too.
    private mutating func constraints(_ input: ValueDefinition) -> ValueConstraints? {
        var constraints = input.constraints
        constraints.members = Dictionary(
            input.members.compactMap { member in member.type.map { (member.name, $0) } }
        ) { first, _ in first }
        guard constraints != ValueConstraints() else { return nil }
        if let node = input.standard, let type = input.type {
            var reports = Findings(file: findings.file)
            let value = expressions.literal(node, as: type, &reports)
            if let problem = value.flatMap({ constraints.problem(with: $0) }) {
                findings.report("FL016", at: node.span, "the default of input \"\(input.name)\" \(problem)")
            }
        }
        return constraints
    }

    private mutating func port(_ port: PortDefinition) -> PortRow {
        var fields: [String: Value] = [:]
        for entry in port.simulatedFields {
            guard let field = port.fields.first(where: { $0.name == entry.name }) else {
                let suggestion = didYouMean(entry.name, among: port.fields.map(\.name))
                findings.report(
                    "FL023", at: entry.nameSpan,
                    "port \"\(port.name)\" has no field \"\(entry.name)\"\(suggestion)", fix: suggestion.fix)
                continue
            }
            if let type = field.type { fields[entry.name] = literal(entry.node, type) }
        }
        let simulation = PortRow.Simulation(outcome: port.simulatedOutcome?.value, fields: fields)
        return PortRow(
            name: port.name, arguments: port.arguments.map { ($0.name, $0.type ?? .json) },
            fields: port.fields.map { FieldSpec(name: $0.name, type: $0.type ?? .json) },
            outcomes: port.outcomes.map(\.value), program: port.program,
            simulation: port.hasSimulation ? simulation : nil, folder: port.folder, span: port.span,
            programSpan: port.programSpan)
    }

    private mutating func variable(_ variable: ValueDefinition) -> VariableRow {
        VariableRow(
            name: variable.name, type: variable.type ?? .json,
            initial: literal(variable.initial, variable.type),
            slot: table.variables[variable.name] ?? 0, span: variable.span)
    }

    mutating func literal(_ node: YAMLNode?, _ type: FlowType?) -> Value? {
        guard let node, let type else { return nil }
        return expressions.literal(node, as: type, &findings)
    }

    // MARK: Assignments

    mutating func saves(_ saves: [SaveDefinition], at site: ExpressionSite) -> [SaveRow] {
        saves.compactMap { save in
            guard let name = save.variable, let slot = table.variables[name],
                let type = flow.variables.first(where: { $0.name == name })?.type
            else { return nil }
            let code = expressions.template(
                save.value, as: type, at: site.into("\"\(save.target.value)\"", .variable(slot)), &findings)
            return code.map { SaveRow(slot: slot, code: $0) }
        }
    }

    mutating func assertions(_ assertions: [AssertionDefinition], at site: ExpressionSite) -> [AssertionRow] {
        assertions.compactMap { assertion in
            let condition = expressions.condition(assertion.condition, at: site, &findings)
            return condition.map {
                AssertionRow(condition: $0.code, message: assertion.message, span: assertion.span)
            }
        }
    }

    mutating func templates(
        _ entries: [NamedNode], as type: FlowType, at site: ExpressionSite
    ) -> [(name: String, code: CodeRange)] {
        entries.compactMap { entry in
            let code = expressions.template(entry.node, as: type, at: site, &findings)
            return code.map { (entry.name, $0) }
        }
    }

    // MARK: Ends

    private mutating func end(_ index: Int) -> EndRow {
        let end = flow.ends[index]
        var site = ExpressionSite(place: end.name, state: analysis.ends[index])
        site.knowsError = end.result != .success
        var outputs: [(output: Int, code: CodeRange)] = []
        for entry in end.outputs {
            guard let output = flow.outputs.firstIndex(where: { $0.name == entry.name }),
                let type = flow.outputs[output].type
            else { continue }
            let sink = site.into("output \"\(entry.name)\"", type, least: .asserted)
            if let code = expressions.template(entry.node, as: type, at: sink, &findings) {
                outputs.append((output, code))
            }
        }
        let message = end.message.flatMap {
            expressions.template($0, as: .string, at: site.into("message text", limit: .public), &findings)
        }
        return EndRow(
            name: end.name, result: end.result, exit: end.exit, outputs: outputs, message: message,
            error: end.error,
            span: end.span)
    }

    // MARK: Tests

    private mutating func test(_ test: TestDefinition, _ rows: [InputRow]) -> EmbeddedTest {
        let inputs = test.inputs.map { ($0, flow.inputs) }
        let outputs = test.outputs.map { ($0, flow.outputs) }
        let values = inputs.compactMap { value($0.0, $0.1) }
        for (name, value) in values { checkBounds(of: name, value, test, rows) }
        return EmbeddedTest(
            name: test.name, assumptions: test.assumptions.map(\.value),
            inputs: values, given: test.given.compactMap { given($0) },
            provider: test.provider?.value, providerSpan: test.provider?.span, end: test.end?.value,
            path: test.path?.map(\.value),
            visits: test.visits.map { ($0.value.step, $0.value.count) }, never: test.never.map(\.value),
            outputs: outputs.compactMap { value($0.0, $0.1) },
            requests: test.requests.map { ($0.path.value, $0.expected) }, span: test.span)
    }

    /// FL101: no run begins with an input that is out of its bounds.
    private mutating func checkBounds(
        of name: String, _ value: Value, _ test: TestDefinition, _ rows: [InputRow]
    ) {
        guard let entry = test.inputs.first(where: { $0.name == name }),
            let problem = rows.first(where: { $0.name == name })?.constraints?.problem(with: value)
        else { return }
        findings.report("FL101", at: entry.node.span, "input \"\(name)\" of the test \(problem)")
    }

    /// FL101: a field of a step, or a member of a token set, and a value of its type; a time may be counted from now.
    private mutating func given(_ entry: NamedNode) -> (path: String, value: Value)? {
        let path = entry.name.hasPrefix("tokens.") ? entry.name : "steps.\(entry.name)"
        guard let slot = table.rows.first(where: { $0.path == path }) else {
            let known = table.rows.map(\.path).filter { $0.hasPrefix("steps.") }.map {
                String($0.dropFirst(6))
            }
            let suggestion = didYouMean(entry.name, among: known)
            findings.report(
                "FL101", at: entry.nameSpan, "no step leaves \"\(entry.name)\" behind\(suggestion)",
                fix: suggestion.fix)
            return nil
        }
        if slot.type.required == .time, let text = entry.node.scalar?.text,
            let offset = DurationText.signed(text)
        {
            return (path, .duration(offset))
        }
        return literal(entry.node, slot.type).map { (path, $0) }
    }

    private mutating func value(
        _ entry: NamedNode, _ declarations: [ValueDefinition]
    ) -> (name: String, value: Value)? {
        let type = declarations.first { $0.name == entry.name }?.type
        return literal(entry.node, type).map { (entry.name, $0) }
    }
}
