internal import YAMLText

/// A flow whose `next` lines are resolved: which outcome of which step leads where.
///
/// Steps are known by their place in `flow.steps`, ends by theirs in `flow.ends`. What could not be resolved has been
/// reported and is left out, so the graph of a flow with mistakes has fewer edges.
struct FlowGraph: Sendable {
    struct Edge: Sendable {
        /// `nil` when the target was reported.
        let target: FlowTarget?
        let definition: EdgeDefinition
    }

    /// Where one outcome leads. Outcomes that one line of the file routes share its `list`.
    struct Route: Sendable {
        let outcome: OutcomeSpec
        let reason: RouteRow.Reason
        let list: Int
        /// Where its line was looked for.
        let looks: [RouteLook]
    }

    struct Node: Sendable {
        let step: StepDefinition
        /// `nil` when the kind was reported.
        let spec: KindSpec?
        /// All outcomes that the step can have, in the order of the kind table.
        let outcomes: [OutcomeSpec]
        let routes: [Route]
        let lists: [[Edge]]
        /// Whether an edge is missing here because a mistake was reported.
        let isIncomplete: Bool
        /// Where hooks may lead, when they fail or because they say so, each with the place that allows it.
        var detours: [Located<FlowTarget>] = []

        /// Names of the outcomes that are the step's own, in the order of their numbers.
        var declaredOutcomes: [String] {
            outcomes.filter { $0.outcome.rawValue >= Outcome.firstDeclared }
                .sorted { $0.outcome.rawValue < $1.outcome.rawValue }.map(\.name)
        }

        func edges(of route: Route) -> [Edge] { lists[route.list] }

        /// Where the step may lead; every line of a step whose outcomes are not known counts.
        var targets: [FlowTarget] {
            let known =
                spec == nil ? lists.joined().map(\.target) : routes.flatMap { edges(of: $0).map(\.target) }
            return known.compactMap(\.self) + detours.map(\.value)
        }
    }

    let flow: FlowDefinition
    let links: FlowLinks
    private(set) var nodes: [Node]
    let start: Int?
    /// Steps and ends that an unknown target was probably meant to be.
    let guesses: Set<FlowTarget>
    /// Whether a way is missing because of a mistake that was reported, and nobody knows where it was to lead.
    let hasLostWay: Bool
    /// Every hook: the flow's own in their order, then those of each step.
    let hooks: [HookDefinition]

    init(
        flow: FlowDefinition, links: FlowLinks, nodes: [Node], start: Int?, guesses: Set<FlowTarget>,
        hasLostWay: Bool
    ) {
        self.flow = flow
        self.links = links
        self.nodes = nodes
        self.start = start
        self.guesses = guesses
        self.hasLostWay = hasLostWay
        hooks = flow.hooks + flow.steps.flatMap { $0.before + $0.after }
    }

    /// Adds the ways that hooks open.
    mutating func addDetours(_ assignment: HookAssignment) {
        for (index, hook) in hooks.enumerated() where hook.point?.mayDetour == true {
            let names = (hook.detour.map { [$0] } ?? []) + (hook.allowed.contains(.goto) ? hook.targets : [])
            for name in names {
                guard let target = target(name.value) else { continue }
                for step in assignment.steps(of: index) {
                    nodes[step].detours.append(Located(target, at: name.span))
                }
            }
        }
    }

    /// The step or end of that name.
    func target(_ name: String) -> FlowTarget? {
        stepIndex(name).map { .step($0) } ?? flow.ends.firstIndex { $0.name == name }.map { .end($0) }
    }

    func name(of target: FlowTarget) -> String {
        switch target {
        case .step(let index): nodes[index].step.name
        case .end(let index): flow.ends[index].name
        }
    }

    func stepIndex(_ name: String) -> Int? {
        nodes.firstIndex { $0.step.name == name }
    }

    /// The steps that paths from `start` meet, and the ends they come to.
    func reachable() -> (steps: Set<Int>, ends: Set<Int>) { reachable(from: start.map { [.step($0)] } ?? []) }

    /// The same from several places, which count as met.
    func reachable(from places: some Sequence<FlowTarget>) -> (steps: Set<Int>, ends: Set<Int>) {
        var steps: Set<Int> = []
        var ends: Set<Int> = []
        var waiting: [Int] = []
        for place in places {
            switch place {
            case .step(let step): waiting.append(step)
            case .end(let end): ends.insert(end)
            }
        }
        while let index = waiting.popLast() {
            guard steps.insert(index).inserted else { continue }
            for target in nodes[index].targets {
                switch target {
                case .step(let next): waiting.append(next)
                case .end(let end): ends.insert(end)
                }
            }
        }
        return (steps, ends)
    }
}
