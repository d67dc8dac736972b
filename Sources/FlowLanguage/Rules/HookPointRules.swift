internal import YAMLText

/// FL085: what a hook asks for beyond what its point lets it do (flow/1 §9).
enum HookPointRules {
    /// - Parameter steps: Where the hook may fire.
    static func check(
        _ hook: HookDefinition, _ graph: FlowGraph, _ steps: [Int], _ findings: inout Findings
    ) {
        guard let point = hook.point, let action = hook.action else { return }
        let place = hook.id?.span ?? hook.span
        guard point.actions.contains(action.key) else {
            let known = point.actions.joined(separator: ", ")
            findings.report(
                "FL085", at: place, "at \(point.rawValue) a hook cannot \(action.key); actions here: \(known)"
            )
            return
        }
        checkPowers(hook, point, action, &findings)
        checkWrites(hook, point, &findings)
        checkArguments(hook, graph, steps, &findings)
        checkSimulation(hook, &findings)
        SimulationRule.check(hook, graph, steps, &findings)
        if case .map(let fields) = action { checkMap(fields, place, graph, steps, &findings) }
        if hook.attempts > 1, !action.isCall {
            findings.report("FL085", at: place, "only exec, http and native can fail and be tried again")
        }
    }

    private static func checkPowers(
        _ hook: HookDefinition, _ point: HookPoint, _ action: HookDefinition.Action,
        _ findings: inout Findings
    ) {
        if let first = hook.powers?.first, !action.isCall {
            findings.report(
                "FL085", at: first.span, "\(action.key) has no answer; may is for exec, http and native")
            return
        }
        for power in hook.powers ?? [] where !point.powers.contains(power.value) {
            let known = point.powers.map(\.rawValue).joined(separator: ", ")
            let rest = known.isEmpty ? "it can change nothing" : "it may \(known)"
            findings.report(
                "FL085", at: power.span,
                "at \(point.rawValue) a hook has no power to \(power.value.rawValue); \(rest)")
        }
    }

    /// Writes without the power to set, and the power without writes.
    private static func checkWrites(
        _ hook: HookDefinition, _ point: HookPoint, _ findings: inout Findings
    ) {
        if let first = hook.writes.first {
            if !point.powers.contains(.set) {
                findings.report("FL085", at: first.span, "at \(point.rawValue) a hook sets no values")
            } else if let powers = hook.powers, !powers.contains(where: { $0.value == .set }) {
                findings.report("FL085", at: first.span, "writes needs \"set\" among what the hook may")
            }
            if hook.action?.isCall == false {
                findings.report("FL085", at: first.span, "writes is for the answers of exec, http and native")
            }
        } else if let power = hook.powers?.first(where: { $0.value == .set }) {
            findings.report("FL085", at: power.span, "\"set\" needs writes, which says what may be set")
        }
    }

    /// The power to change arguments where no kind has one that is open to hooks.
    private static func checkArguments(
        _ hook: HookDefinition, _ graph: FlowGraph, _ steps: [Int], _ findings: inout Findings
    ) {
        guard let power = hook.powers?.first(where: { $0.value == .args }), !steps.isEmpty else { return }
        let isOpen = steps.contains {
            graph.nodes[$0].spec?.arguments.contains(where: \.isOpenToHooks) == true
        }
        guard !isOpen else { return }
        findings.report("FL085", at: power.span, "no step of this hook has an argument that hooks may change")
    }

    private static func checkSimulation(_ hook: HookDefinition, _ findings: inout Findings) {
        guard let simulation = hook.simulation else { return }
        guard hook.action?.isCall == true else {
            findings.report(
                "FL085", at: simulation.span, "only the answers of exec, http and native are simulated")
            return
        }
        let decisions: [String: HookPower] = ["abort": .abort, "skip": .skip, "goto": .goto, "veto": .veto]
        if let word = simulation.decision, let power = decisions[word.value], !hook.allowed.contains(power) {
            findings.report("FL085", at: word.span, "the hook simulates \(word.value), which it may not")
        }
        let powers: [String: HookPower] = [
            "args": .args, "headers": .headers, "query": .query, "outcome": .outcome, "presented": .present,
            "meta": .meta,
        ]
        for member in simulation.members {
            guard let power = powers[member.name], !hook.allowed.contains(power) else { continue }
            findings.report(
                "FL085", at: member.nameSpan, "the hook simulates \(member.name), which it may not")
        }
        let isGoing = simulation.decision?.value == "goto"
        if isGoing, !hook.targets.contains(where: { $0.value == simulation.to?.value }) {
            findings.report(
                "FL085", at: simulation.to?.span ?? simulation.span,
                "\"to\" is none of the steps and ends that the hook may lead to")
        }
        if !hook.allowed.contains(.set), let first = simulation.saves.first {
            findings.report("FL085", at: first.target.span, "the hook simulates set, which it may not")
            return
        }
        let writes = hook.writes.compactMap { $0.scalar?.text }
        for save in simulation.saves where save.variable != nil && !writes.contains(save.target.value) {
            findings.report(
                "FL085", at: save.target.span,
                "the hook simulates a write to \(save.target.value), which is not among its writes",
                hint: "a real answer that set it would fail the hook")
        }
    }

    /// `map` is about the profile of `userinfo`; whose profile it is stays the engine's word.
    private static func checkMap(
        _ fields: [NamedNode], _ place: SourceSpan, _ graph: FlowGraph, _ steps: [Int],
        _ findings: inout Findings
    ) {
        if steps.contains(where: { graph.nodes[$0].spec?.kind != .userinfo }) {
            findings.report(
                "FL085", at: place, "map sets fields of a profile, and only userinfo has one",
                hint: "kinds: [userinfo], outcomes: [ok]")
        }
        for field in fields where field.name == "sub" {
            findings.report(
                "FL076", at: field.nameSpan,
                "\"sub\" of a profile is protocol state and cannot be written by a hook")
        }
    }
}
