internal import FlowEngine
internal import FlowReport

/// What the events of a run say of one step: its visits, and what leads to it.
struct StepAccount: Sendable {
    /// One visit.
    struct Visit: Sendable {
        let number: Int
        let start: StepStart
        /// `nil` when the step was left without an outcome, or the run ended in it.
        var end: StepEnd?
        /// The hook that led elsewhere or stopped the run.
        var hook: TracedHook?
    }

    /// An outcome of another step that may lead here.
    struct Way: Sendable, Hashable {
        let step: String
        let outcome: String
        let outcomeClass: String
        /// Position of the alternative among those of the route, from 1.
        let alternative: Int
        let alternatives: Int
        /// How the visits of that step ended.
        let ended: [String]
    }

    let question: WhyQuestion
    let kind: String?
    private(set) var visits: [Visit] = []
    private(set) var ways: [Way] = []
    /// Whether the run begins with the step.
    let isStart: Bool
    let runEnd: RunEnd?

    /// The visits that are asked about.
    var asked: [Visit] { visits.filter { question.visit == nil || $0.number == question.visit } }

    /// - Throws: `Problem` where the flow has no such step.
    init(_ question: WhyQuestion, _ events: [TraceEvent]) throws(Problem) {
        self.question = question
        let flow = Self.flow(of: events)
        try Self.check(question, flow, events)
        kind = flow?.steps.first { $0.name == question.step }?.kind
        isStart = flow?.start == question.step
        runEnd = if case .runEnd(let end)? = events.last?.body { end } else { nil }
        for event in events where event.step == question.step { add(event.body) }
        ways = flow.map { Self.ways(to: question.step, $0, events) } ?? []
    }

    private mutating func add(_ body: TraceEvent.Body) {
        switch body {
        case .stepStart(let start): visits.append(Visit(number: start.visit, start: start))
        case .stepEnd(let end): change { $0.end = end }
        case .hook(let hook)
        where hook.decision.hasPrefix("goto ") || ["abort", "failed"].contains(hook.decision):
            change { $0.hook = hook }
        case .runStart, .flow, .request, .response, .transportFailure, .token, .check, .security, .note,
            .warning, .actionRequired, .callbackIgnored, .waiting, .hook, .retry, .saved, .runEnd:
            break
        }
    }

    private mutating func change(_ body: (inout Visit) -> Void) {
        guard let last = visits.indices.last else { return }
        body(&visits[last])
    }

    // MARK: Other steps

    private static func ways(to step: String, _ flow: TracedFlow, _ events: [TraceEvent]) -> [Way] {
        let passages = TracePassage.all(of: events)
        return flow.steps.flatMap { other in
            let ended = passages.filter { $0.name == other.name }.map { $0.outcome ?? "(no outcome)" }
            return other.routes.flatMap { route in
                route.targets.enumerated().filter { $0.element == step }.map { position, _ in
                    Way(
                        step: other.name, outcome: route.outcome, outcomeClass: route.outcomeClass,
                        alternative: position + 1, alternatives: route.targets.count, ended: ended)
                }
            }
        }
    }

    /// Names of the flow's steps; of an old trace that does not hold its flow, those that were entered.
    static func steps(of events: [TraceEvent]) -> [String] {
        if let flow = flow(of: events) { return flow.steps.map(\.name) }
        var names: [String] = []
        for passage in TracePassage.all(of: events) where !names.contains(passage.name) {
            names.append(passage.name)
        }
        return names
    }

    private static func flow(of events: [TraceEvent]) -> TracedFlow? {
        events.lazy.compactMap { if case .flow(let flow) = $0.body { flow } else { nil } }.first
    }

    private static func check(
        _ question: WhyQuestion, _ flow: TracedFlow?, _ events: [TraceEvent]
    ) throws(Problem) {
        let names = steps(of: events)
        if names.contains(question.step) { return }
        if flow?.ends.contains(where: { $0.name == question.step }) == true {
            let last = TracePassage.all(of: events).last { $0.end?.target == question.step }
            throw Problem(
                .usage, "--why: \"\(question.step)\" is an end and no step",
                hints: [
                    last.map { "ask about the step that led there: --why \($0.name)" }
                        ?? "the run did not come to it; steps: \(names.joined(separator: ", "))"
                ])
        }
        let known = ArgumentReader.suggestion(question.step, names)
        throw Problem(
            .usage, "--why: the flow has no step \"\(question.step)\"\(known)",
            hints: ["steps: \(names.joined(separator: ", "))"])
    }
}

extension StepAccount {
    /// An assumption with which a rehearsal would come to the step: it changes the outcome of a step that was visited.
    /// `nil` where the run came to it, or no single one is enough.
    var assumption: String? {
        guard visits.isEmpty else { return nil }
        let way = ways.first { !$0.ended.isEmpty && $0.alternative == 1 && !$0.ended.contains($0.outcome) }
        return way.map { "\($0.step)=\($0.outcome)" }
    }
}
