internal import YAMLText

/// A place of a flow where an expression stands.
struct ExpressionSite {
    /// The step, end or hook, for messages.
    let place: String
    /// What may be true there; `nil` where no path leads, and nothing is asked then.
    var state: FlowState?
    /// The step that `out` stands for.
    var step: Int?
    var knowsError = false
    /// Slots that a condition before it has tested.
    var narrowed: Set<Int> = []
    /// Where the value goes.
    var sink = Sink("text")
    /// Whether the value may hold secrets: it goes where they belong.
    var takesSecrets = false
    /// The `http` step whose answer `status`, `headers` and `body` are.
    var answer: Int?
    /// The provider that `provider` stands for; `nil` where the step says none and there are several.
    var provider: Int? = 0

    func takingSecrets() -> ExpressionSite {
        var site = self
        site.takesSecrets = true
        return site
    }

    func narrowed(by slots: Set<Int>) -> ExpressionSite {
        var site = self
        site.narrowed.formUnion(slots)
        return site
    }

    func into(_ name: String) -> ExpressionSite {
        var site = self
        site.sink.name = name
        return site
    }

    func into(_ name: String, limit: Label.Secrecy) -> ExpressionSite {
        var site = into(name)
        site.sink.limit = limit
        return site
    }

    func into(_ name: String, _ purpose: Sink.Purpose) -> ExpressionSite {
        var site = into(name)
        site.sink.purpose = purpose
        return site
    }

    /// A value of that type that the flow acts on or ends with: as a URL it decides a destination.
    func into(_ name: String, _ type: FlowType, least: Label.Integrity) -> ExpressionSite {
        type.required == .url ? into(name, .destination(least)) : into(name)
    }
}

/// Compiles the expressions of one flow into one code table, and checks that what they need is set.
struct ExpressionLowering {
    let graph: FlowGraph
    let table: SlotTable
    let demands: DemandRule
    let labels: SlotLabels
    var code = CodeTable()
    /// What flows where, of all expressions that were compiled.
    private(set) var sunk: [LabelRules.Sunk] = []

    private func context(_ site: ExpressionSite, _ findings: Findings) -> ExpressionContext {
        let scope = FlowScope(
            table: table, graph: graph, step: site.step, knowsError: site.knowsError, answer: site.answer,
            provider: site.provider)
        var context = ExpressionContext(
            file: findings.file, scope: scope, narrowed: site.narrowed, sink: site.sink)
        context.takesSecrets = site.takesSecrets
        if let state = site.state { context.narrowed.formUnion(demands.transfer.knownSlots(in: state)) }
        return context
    }

    /// A condition, and the slots that are set where it holds.
    mutating func condition(
        _ node: YAMLNode, at site: ExpressionSite, _ findings: inout Findings
    ) -> (code: CodeRange, slots: Set<Int>)? {
        let context = context(site, findings)
        var reports: [Diagnostic] = []
        let compiled = ExpressionCompiler.condition(node, context, into: &code, &reports)
        accept(compiled, reports, site, &findings)
        guard let compiled else { return nil }
        var sink = Sink("a condition", limit: .sensitive, purpose: .condition)
        if case .success = site.sink.purpose { sink.purpose = site.sink.purpose }
        record(compiled.flows, into: sink)
        if let constant = compiled.constant {
            let value = constant.isTrue ? "true" : "false"
            findings.report("FL028", at: node.span, "the condition is always \(value)")
        }
        return (compiled.range, compiled.slotsWhenTrue)
    }

    mutating func template(
        _ node: YAMLNode, as type: FlowType?, at site: ExpressionSite, _ findings: inout Findings
    ) -> CodeRange? {
        compiled(node, as: type, at: site, &findings)?.range
    }

    /// The same with what flows into the value.
    mutating func compiled(
        _ node: YAMLNode, as type: FlowType?, at site: ExpressionSite, _ findings: inout Findings
    ) -> CompiledExpression? {
        var reports: [Diagnostic] = []
        let compiled = ExpressionCompiler.template(
            node, expecting: type, context(site, findings), into: &code, &reports)
        accept(compiled, reports, site, &findings)
        var sink = site.sink
        if site.takesSecrets || type?.holdsSecret == true { sink.limit = .secret }
        if type?.required == .sensitive { sink.limit = max(sink.limit, .sensitive) }
        record(compiled?.flows ?? [], into: sink)
        return compiled
    }

    /// The code of a value that is the same in every run.
    mutating func constant(_ value: Value) -> CodeRange {
        code.instructions.append(Instruction(.constant, code.constants.count))
        code.constants.append(value)
        return CodeRange(start: code.instructions.count - 1, count: 1)
    }

    /// A value without expressions: a default, an initial value, an input of a test.
    func literal(_ node: YAMLNode, as type: FlowType, _ findings: inout Findings) -> Value? {
        ExpressionCompiler.literal(node, as: type, file: findings.file, &findings.diagnostics)
    }

    /// Remembers values whose label is not the best there is.
    mutating func record(_ flows: [ValueFlow], into sink: Sink, isAnswered: Bool = false) {
        let flows = flows.filter { labels.matters($0.slot) && ($0.isShown || $0.isDeciding) }
        if flows.isEmpty { return }
        sunk.append(LabelRules.Sunk(flows: flows, sink: sink, isAnswered: isAnswered))
    }

    private func accept(
        _ compiled: CompiledExpression?, _ reports: [Diagnostic], _ site: ExpressionSite,
        _ findings: inout Findings
    ) {
        findings.diagnostics += reports.filter { $0.code != FlowScope.reported }
        guard let compiled else { return }
        for flow in compiled.flows { deferName(flow, &findings) }
        guard let state = site.state else { return }
        for demand in compiled.demands { demands.check(demand, in: state, at: site.place, &findings) }
    }

    /// Leaves it to the binding whether there is what `provider.endpoints.NAME` or `provider.NAME` names.
    private func deferName(_ flow: ValueFlow, _ findings: inout Findings) {
        guard let member = flow.members.first, member.hasPrefix("."),
            let provider = table.providerBases.lastIndex(where: { $0 <= flow.slot })
        else { return }
        let place: ProviderMember
        switch flow.slot - table.providerBases[provider] {
        case ProviderMember.endpoints.position: place = .endpoints
        case ProviderMember.values.position: place = .values
        default: return
        }
        let name = String(member.dropFirst())
        findings.deferred.append(
            DeferredFinding(
                provider: provider, condition: .names(name, in: place, isDemanded: flow.isDemanded),
                diagnostic: Diagnostic(
                    code: "FL090", file: findings.file, span: flow.span,
                    message: "the provider names nothing \"\(name)\"")))
    }
}
