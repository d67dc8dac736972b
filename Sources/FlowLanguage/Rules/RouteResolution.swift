internal import YAMLText

/// Finds the route of every outcome by the order of flow/1 §6, and reports what has none.
struct RouteResolution {
    let flow: FlowDefinition
    let links: FlowLinks
    let targets: [String: FlowTarget]
    var findings: Findings
    private var guesses: Set<FlowTarget> = []
    private var hasLostWay = false
    /// Names of the outcomes that the steps of this flow can have.
    private let declared: Set<String>

    static func resolve(
        _ flow: FlowDefinition, _ links: FlowLinks, _ findings: inout Findings
    ) -> FlowGraph {
        var resolution = RouteResolution(flow: flow, links: links, findings: findings)
        let specs = StepSpec(flow: flow, links: links)
        let nodes = flow.steps.indices.map { resolution.node(flow.steps[$0], specs.spec(of: $0)) }
        let start = resolution.start()
        findings = resolution.findings
        return FlowGraph(
            flow: flow, links: links, nodes: nodes, start: start, guesses: resolution.guesses,
            hasLostWay: resolution.hasLostWay)
    }

    private init(flow: FlowDefinition, links: FlowLinks, findings: Findings) {
        self.flow = flow
        self.links = links
        self.findings = findings
        var targets: [String: FlowTarget] = [:]
        for (index, end) in flow.ends.enumerated() { targets[end.name] = .end(index) }
        for (index, step) in flow.steps.enumerated() { targets[step.name] = .step(index) }
        self.targets = targets
        for end in flow.ends where !end.isImplicit && flow.steps.contains(where: { $0.name == end.name }) {
            self.findings.report("FL013", at: end.span, "\"\(end.name)\" names a step and an end; rename one")
        }
        let specs = StepSpec(flow: flow, links: links)
        declared = Set(flow.steps.indices.flatMap { specs.spec(of: $0)?.outcomes.map(\.name) ?? [] })
        checkDefaults()
    }

    private mutating func start() -> Int? {
        guard let start = flow.start else { return nil }
        if let index = flow.steps.firstIndex(where: { $0.name == start.value }) { return index }
        let suggestion = didYouMean(start.value, among: flow.steps.map(\.name))
        findings.report(
            "FL020", at: start.span, "start \"\(start.value)\" is no step\(suggestion)", fix: suggestion.fix)
        return nil
    }

    // MARK: Outcomes

    /// What the step can end with: the kind's outcomes and those that its own keys bring (flow/1 §6).
    private func outcomes(of step: StepDefinition, _ spec: KindSpec) -> [OutcomeSpec] {
        var outcomes = spec.outcomes
        let hooks = flow.hooks + step.before
        if step.condition != nil || hooks.contains(where: { $0.maySkip(step.name, spec.kind) }) {
            outcomes.append(OutcomeSpec(outcome: .skipped, outcomeClass: .choice))
        }
        if !step.assertions.isEmpty {
            outcomes.append(OutcomeSpec(outcome: .assertionFailed, outcomeClass: .data))
        }
        if step.visits != nil { outcomes.append(OutcomeSpec(outcome: .exhausted, outcomeClass: .limit)) }
        for index in outcomes.indices { outcomes[index].position = UInt8(clamping: index) }
        return outcomes
    }

    private mutating func node(_ step: StepDefinition, _ spec: KindSpec?) -> FlowGraph.Node {
        var lists = step.routes.map { route in edges(route.edges, of: step, route) }
        let ownLists = lists.count
        guard let spec, let kind = step.kind else {
            if step.routes.isEmpty { hasLostWay = true }
            return FlowGraph.Node(
                step: step, spec: nil, outcomes: [], routes: [], lists: lists, isIncomplete: true)
        }
        let outcomes = outcomes(of: step, spec)
        checkSelectors(of: step, kind, outcomes)
        var routes: [FlowGraph.Route] = []
        var unrouted: [OutcomeSpec] = []
        for outcome in outcomes {
            let search = RouteSearch(outcome, own: step.routes, defaults: flow.defaults.routes)
            guard let found = search.found else {
                unrouted.append(outcome)
                continue
            }
            while found.isDefault, lists.count < ownLists + flow.defaults.routes.count {
                let route = flow.defaults.routes[lists.count - ownLists]
                lists.append(edges(route.edges, of: nil, route))
            }
            routes.append(
                FlowGraph.Route(
                    outcome: outcome, reason: found.reason,
                    list: found.isDefault ? ownLists + found.index : found.index, looks: search.looks))
        }
        reportUnrouted(unrouted, of: step, kind)
        let isIncomplete = routes.count < outcomes.count || lists.joined().contains { $0.target == nil }
        return FlowGraph.Node(
            step: step, spec: spec, outcomes: outcomes, routes: routes, lists: lists,
            isIncomplete: isIncomplete)
    }

    /// Each choice by itself, since it needs a thought of its own; what a default would cover in one line.
    private mutating func reportUnrouted(
        _ outcomes: [OutcomeSpec], of step: StepDefinition, _ kind: StepKind
    ) {
        if step.routes.isEmpty, outcomes.contains(where: { $0.outcomeClass == .success }) {
            hasLostWay = true
        }
        let coverable = outcomes.filter(\.outcomeClass.isCoveredByAny)
        for outcome in outcomes where coverable.count == 1 || !outcome.outcomeClass.isCoveredByAny {
            reportUnrouted(outcome, of: step, kind)
        }
        guard coverable.count > 1 else { return }
        let names = coverable.map { "\($0.name) [\($0.outcomeClass.rawValue)]" }.joined(separator: ", ")
        findings.report(
            "FL025", at: step.span,
            "step \"\(step.name)\" (\(kind.rawValue)) does not say where these outcomes go: \(names); "
                + "route them in next, or for all steps in defaults.next, where \"any\" stands for all of them"
        )
    }

    private mutating func reportUnrouted(_ outcome: OutcomeSpec, of step: StepDefinition, _ kind: StepKind) {
        let reason =
            switch outcome.outcomeClass {
            case .choice: "\"any\" in defaults never covers a choice; route it in next"
            case .success: "defaults never cover a success; route it in next"
            case .denied, .grant, .config, .transient, .security, .data, .limit, .internal:
                "route it in next, or for all steps in defaults.next"
            }
        findings.report(
            "FL025", at: step.span,
            "step \"\(step.name)\" (\(kind.rawValue)) does not say where outcome \"\(outcome.name)\" "
                + "[\(outcome.outcomeClass.rawValue)] goes; \(reason)")
    }

    // MARK: Selectors

    private mutating func checkSelectors(
        of step: StepDefinition, _ kind: StepKind, _ outcomes: [OutcomeSpec]
    ) {
        for route in step.routes {
            switch route.selector {
            case .success, .any: break
            case .outcome(let name): checkOutcome(name, route, of: step, kind, outcomes)
            case .byClass(let outcomeClass):
                guard !outcomes.contains(where: { $0.outcomeClass == outcomeClass }) else { continue }
                let message = "has no outcome of class \"\(outcomeClass.rawValue)\""
                findings.report("FL019", at: route.span, "\(kind.rawValue) step \"\(step.name)\" \(message)")
            }
        }
    }

    private mutating func checkOutcome(
        _ name: String, _ route: RouteDefinition, of step: StepDefinition, _ kind: StepKind,
        _ outcomes: [OutcomeSpec]
    ) {
        guard !outcomes.contains(where: { $0.name == name }) else { return }
        // Where it leads is reached once the name is right.
        guesses.formUnion(route.edges.compactMap { $0.target.flatMap { targets[$0.value] } })
        // An answer brings it, which the step does not declare: reported there.
        let brought = step.statuses.map(\.outcome) + step.classification.map(\.outcome)
        guard !brought.contains(where: { $0.value == name }) else { return }
        findings.report(
            "FL019", at: route.span, Self.impossible(name, step: step.name, kind, outcomes),
            fix: outcomeMeant(name, among: outcomes.map(\.name)).fix)
    }

    /// Says that a step cannot end so, and how it can.
    static func impossible(_ name: String, step: String, _ kind: StepKind, _ outcomes: [OutcomeSpec])
        -> String
    {
        let brought = ["skipped": "if", "assertion_failed": "assert", "exhausted": "visits"]
        let subject = "\(kind.rawValue) step \"\(step)\" cannot end with outcome \"\(name)\""
        if let key = brought[name] { return "\(subject); it exists when the step has \"\(key)\"" }
        let names = outcomes.map(\.name)
        if kind == .http, name.allSatisfy(\.isNumber) {
            let way = "with.expect gives a status an outcome, as expect: { 404: missing }"
            return "\(subject), which is a status; \(way) (outcomes: \(names.joined(separator: ", ")))"
        }
        return "\(subject)\(outcomeMeant(name, among: names)) (outcomes: \(names.joined(separator: ", ")))"
    }

    /// Lines of `defaults.next` are about all kinds at once.
    private mutating func checkDefaults() {
        for route in flow.defaults.routes {
            switch route.selector {
            case .any, .success: break
            case .byClass(let outcomeClass):
                guard outcomeClass == .success else { continue }
                findings.report("FL019", at: route.span, "defaults never route outcomes of class \"success\"")
            case .outcome(let name):
                if name == "ok" {
                    findings.report("FL019", at: route.span, "defaults never route outcome \"ok\" [success]")
                } else if Outcome.named(name) == nil, !declared.contains(name) {
                    let suggestion = outcomeMeant(name, among: KindTable.outcomeNames)
                    findings.report(
                        "FL019", at: route.span, "no step can end with outcome \"\(name)\"\(suggestion)",
                        fix: suggestion.fix)
                }
            }
        }
        // Reported here once, not for every step that falls back to them.
        for route in flow.defaults.routes { checkList(route.edges, of: "defaults", route) }
    }

    // MARK: Edges

    /// - Parameter step: `nil` for edges of the defaults, which are checked once for all steps.
    private mutating func edges(
        _ definitions: [EdgeDefinition], of step: StepDefinition?, _ route: RouteDefinition
    ) -> [FlowGraph.Edge] {
        if let step { checkList(definitions, of: "step \"\(step.name)\"", route) }
        return definitions.map { definition in
            FlowGraph.Edge(target: definition.target.flatMap { targets[$0.value] }, definition: definition)
        }
    }

    private mutating func checkList(_ edges: [EdgeDefinition], of subject: String, _ route: RouteDefinition) {
        for edge in edges { checkTarget(edge, of: subject) }
        for edge in edges.drop(while: { !$0.isPlain }).dropFirst() {
            findings.report(
                "FL027", at: edge.span, "\(subject): the edge is never tried: an earlier one is always taken")
        }
        guard let last = edges.last, !edges.contains(where: \.isPlain) else { return }
        let outcome = if case .outcome(let name) = route.selector { ", outcome \"\(name)\"" } else { "" }
        findings.report(
            "FL026", at: last.span,
            "\(subject)\(outcome): the last alternative must have no \"if\" and no \"max\", or the transition is not total",
            hint: last.target.map { "say where it leads else, as in [{ to: \($0.value), ... }, failed]" })
    }

    private mutating func checkTarget(_ edge: EdgeDefinition, of subject: String) {
        guard let target = edge.target else {
            hasLostWay = true
            return
        }
        guard targets[target.value] == nil else { return }
        let names = flow.steps.map(\.name) + flow.ends.map(\.name)
        let guess = SpellingSuggestion.nearest(to: target.value, in: names)
        if let guess, let meant = targets[guess] { guesses.insert(meant) }
        if guess == nil { hasLostWay = true }
        let suggestion = Suggestion(guess, isOwn: flow.ends.contains { $0.name == guess })
        let steps = flow.steps.map(\.name).joined(separator: ", ")
        let ends = flow.ends.map(\.name).joined(separator: ", ")
        findings.report(
            "FL021", at: target.span, "\(subject): target \"\(target.value)\" does not exist\(suggestion)",
            hint: guess == nil ? "steps: \(steps); ends: \(ends)" : nil, fix: suggestion.fix)
    }
}
