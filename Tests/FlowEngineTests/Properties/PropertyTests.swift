import FlowEngine
import FlowLanguage
import FlowTesting
import FoundationEssentials
import JOSE
import OAuthProtocol
import Testing
import YAMLText

/// What must hold of every run of every flow: random flows, random outcomes, the same ones each time.
@Suite("Properties of all flows")
struct PropertyTests {
    /// PROPERTY_SEEDS=1000 looks further than every build needs to; the last seeds once found something.
    static let seeds =
        Array(1...(ProcessInfo.processInfo.environment["PROPERTY_SEEDS"].flatMap { Int($0) } ?? 40)) + [
            133, 212, 364,
        ]
    private static let scriptsEach = 6
    private static let provider =
        ProviderText.complete.replacing(", id_token_signed_response_alg: ES256", with: "")
        + "registration_endpoint: https://p.example/register\n"

    // MARK: Rehearsals with random assumptions

    /// Takes random outcomes for granted.
    private static func script(_ program: FlowProgram, _ dice: inout Dice) -> [Assumption] {
        var script: [Assumption] = []
        let share = dice.pick([15, 35, 60])
        for step in program.steps.indices {
            let outcomes = program.outcomePairs.filter { $0.step == step && $0.outcome != .exhausted }
            for visit in 1...4 where dice.chance(share) {
                let name = program.name(of: dice.pick(outcomes).outcome, at: step)
                script.append(
                    Assumption(step: program.steps[step].name, visit: visit, answer: .outcome(name)))
            }
        }
        return script
    }

    private static func plan(
        _ program: FlowProgram, _ script: [Assumption], _ provider: BoundProvider, isRehearsal: Bool = true
    ) -> RunPlan {
        let providers = program.providers.map { _ in provider }
        return RunPlan(
            program: program, providers: providers, inputs: SyntheticInputs.values(of: program, providers),
            assumptions: script, isRehearsal: isRehearsal)
    }

    @Test("a second interpreter of the file comes to the same steps, values and end", arguments: seeds)
    func differential(seed: Int) async throws {
        let flow = try GeneratedFlow.make(seed)
        let provider = try Compiled.provider(Self.provider, privateKey: TestKey.pem)
        var dice = Dice(seed)
        for _ in 0..<Self.scriptsEach {
            let script = Self.script(flow.program, &dice)
            let plan = Self.plan(flow.program, script, provider)
            let observed = try await ObservedRun.rehearse(plan)
            let naive = try Naive.run(flow.text, ["inner": flow.inner], plan, observed)
            Naive.expectSame(observed, naive, "\(flow.text)\n\(flow.inner)\n\(script)")
            #expect(naive.followed == 0)
            Self.expectBudgets(observed, flow.program)
            Self.expectSecurity(observed, flow.program, flow.text)
        }
    }

    @Test("the shipped flows run as the second interpreter reads them", arguments: try Shipped.flows())
    func shipped(name: String) async throws {
        let program = try Shipped.program(name)
        let providers = try program.providers.map { try Shipped.provider($0.standard?.value ?? "sandbox") }
        let text = try Repository.text(of: "flows/\(name).flow.yaml")
        let others = try Dictionary(
            uniqueKeysWithValues: Shipped.flows().map {
                ($0, try Repository.text(of: "flows/\($0).flow.yaml"))
            })
        var dice = Dice(7)
        for _ in 0..<15 {
            let script = Self.script(program, &dice)
            let plan = RunPlan(
                program: program, providers: providers,
                inputs: SyntheticInputs.values(of: program, providers),
                assumptions: script, isRehearsal: true)
            let observed = try await ObservedRun.rehearse(plan)
            let naive = try Naive.run(text, others, plan, observed)
            Naive.expectSame(observed, naive, "\(script)")
            Self.expectBudgets(observed, program)
            Self.expectSecurity(observed, program, "\(script)")
        }
    }

    @Test(
        "a rehearsal gives the same bytes twice and shows no secret", arguments: seeds.filter { $0 % 4 == 0 })
    func sameBytes(seed: Int) async throws {
        let flow = try GeneratedFlow.make(seed)
        let provider = try Compiled.provider(Self.provider, privateKey: TestKey.pem)
        var dice = Dice(seed)
        let script = Self.script(flow.program, &dice)
        var texts: [String] = []
        for _ in 0..<2 {
            let recorder = EventRecorder()
            let plan = Self.plan(flow.program, script, provider)
            let outcome = await FlowRun(
                plan: plan, handler: PlannedEffects(assumptions: script), sinks: [recorder]
            ).run()
            Conversation.expectSoundTrace(recorder.events, #_sourceLocation)
            texts.append(recorder.events.map { "\($0)\n" }.joined() + "\(outcome.end)")
        }
        #expect(texts[0] == texts[1])
        let secrets = [
            "rehearsed-access-token", "rehearsed-refresh-token", "rehearsed-stored", "marker-api-key",
        ]
        for secret in secrets { #expect(!texts[0].contains(secret)) }
    }

    // MARK: Live runs in a random world

    @Test("whatever the world answers, a run ends within its bounds and shows no secret", arguments: seeds)
    func world(seed: Int) async throws {
        let flow = try GeneratedFlow.make(seed)
        let provider = try Compiled.provider(Self.provider, privateKey: TestKey.pem)
        for world in 0..<Self.scriptsEach {
            let plan = Self.plan(flow.program, [], provider, isRehearsal: false)
            let observed = try await ObservedRun.run(plan, RandomWorld(seed: seed * 100 + world))
            Self.expectBudgets(observed, flow.program)
            Self.expectSecurity(observed, flow.program, flow.text)
            let recorder = EventRecorder()
            let outcome = await FlowRun(
                plan: plan, handler: RandomWorld(seed: seed * 100 + world), sinks: [recorder]
            ).run()
            Conversation.expectSoundTrace(recorder.events, #_sourceLocation)
            #expect(outcome.end.name == observed.end)
            #expect(recorder.events.stepEnds.map(\.end.outcome) == observed.legs.map(\.outcome))
            #expect(!"\(recorder.events)".contains("marker/device-code"))
        }
    }

    @Test("a run that nobody watches is the same run", arguments: seeds)
    func unwatched(seed: Int) async throws {
        let flow = try GeneratedFlow.make(seed)
        // Without hooks there is more that an unwatched run need not stop at.
        let bare = try #require(flow.withoutHooks.program)
        let provider = try Compiled.provider(Self.provider, privateKey: TestKey.pem)
        for world in 0..<Self.scriptsEach {
            let seed = seed * 100 + world
            let plan = Self.plan(bare, [], provider, isRehearsal: false)
            let watched = try await ObservedRun.run(plan, RandomWorld(seed: seed))
            let unwatched = try await ObservedRun.run(plan, RandomWorld(seed: seed), takesNotes: false)
            #expect(unwatched.end == watched.end, "\(flow.text)\n\(flow.inner)")
            #expect(unwatched.error == watched.error, "\(flow.text)\n\(flow.inner)")
            #expect(unwatched.outputs == watched.outputs, "\(flow.text)\n\(flow.inner)")
            #expect(unwatched.transitions == watched.transitions, "\(flow.text)\n\(flow.inner)")
        }
    }

    @Test("the trace of a failure made afterwards is the one that was made meanwhile", arguments: seeds)
    func relived(seed: Int) async throws {
        let flow = try GeneratedFlow.make(seed)
        let program = flow.program
        let provider = try Compiled.provider(Self.provider, privateKey: TestKey.pem)
        for world in 0..<Self.scriptsEach {
            let seed = seed * 100 + world
            let plan = Self.plan(program, [], provider, isRehearsal: false)
            var traces: [[TraceEvent]] = []
            var isSuccess = false
            for occasion in [TraceOccasion.always, .failure] {
                let recorder = EventRecorder()
                let run = FlowRun(
                    plan: plan, handler: RandomWorld(seed: seed), sinks: [recorder], tracing: occasion)
                isSuccess = await run.run().isSuccess
                traces.append(recorder.events)
            }
            let live = isSuccess ? [] : traces[0]
            #expect(traces[1].map(\.step) == live.map(\.step), "\(flow.text)")
            let difference = zip(traces[1], live).first { Self.lasting($0) != Self.lasting($1) }
            #expect(difference == nil, "\(flow.text)")
        }
    }

    /// Without what the clock, or the chance in a signature, makes different each time.
    private static func lasting(_ event: TraceEvent) -> String {
        switch event.body {
        case .runEnd(let end): "\(end.end) \(end.result) \(end.errorCode ?? "")"
        case .request, .response, .token:
            "\(event.body)".replacing(#/fingerprint: Optional\("[0-9a-f]+"\)/#, with: "")
        default: "\(event.body)"
        }
    }

    // MARK: What holds of every run

    /// No edge, step or run goes beyond what the file allows; steps of sub-flows count anew each time.
    private static func expectBudgets(_ run: ObservedRun, _ program: FlowProgram) {
        #expect(run.transitions <= program.limits.transitions)
        // A hook that leads elsewhere takes no edge.
        let led = run.hooks.count { $0.contains(" goto ") }
        #expect(run.transitions == run.legs.count + led)
        var used: [Int: Int] = [:]
        var visits: [Int: Int] = [:]
        for leg in run.legs where !leg.step.contains("/") {
            guard let step = program.steps.firstIndex(where: { $0.name == leg.step }),
                let outcome = program.outcome(named: leg.outcome, at: step)
            else {
                Issue.record("\(leg.step) cannot end with \(leg.outcome)")
                continue
            }
            visits[step, default: 0] += 1
            #expect(visits[step] == leg.visit)
            let row = program.steps[step]
            #expect(leg.visit <= row.visits || (row.isVisitsExplicit && outcome == .exhausted))
            let edges = program.routes[Int(row.routes[Int(outcome.rawValue)])].edges
            let edge = edges.lowerBound + leg.edge
            used[edge, default: 0] += 1
            #expect(used[edge, default: 0] <= program.edges[edge].maximum ?? .max)
        }
    }

    /// After a failed check only a new authorization leads to success (flow/1 §6); where the farewell to the provider
    /// failed, forgetting the session will do.
    private static func expectSecurity(_ run: ObservedRun, _ program: FlowProgram, _ context: String) {
        guard program.ends.first(where: { $0.name == run.end })?.result == .success, run.error == nil else {
            return
        }
        var failed: StepKind?
        for (leg, outcomeClass) in zip(run.legs, run.classes) {
            guard let kind = program.steps.first(where: { $0.name == leg.step })?.kind else { continue }
            let spec = KindTable.spec(of: kind)
            if outcomeClass == .security { failed = kind }
            guard outcomeClass == .success, let origin = failed else { continue }
            let isFarewell = origin == .revoke || origin == .logout
            if spec.transaction == .opens || (isFarewell && spec.tokens == .forgets) { failed = nil }
        }
        #expect(failed == nil, "\(context)")
    }
}

/// Runs of the naive interpreter.
private enum Naive {
    static func run(
        _ text: String, _ others: [String: String], _ plan: RunPlan, _ observed: ObservedRun
    ) throws -> NaiveRun {
        var nodes: [String: YAMLNode] = [:]
        for (name, text) in others { nodes[name] = try node(text) }
        let inputs = zip(plan.program.inputs, plan.inputs).map { row, value in
            (row.name, NaiveValue(value))
        }
        let outcomes = plan.assumptions.map { assumption in
            var name = ""
            if case .outcome(let outcome) = assumption.answer { name = outcome }
            return ("\(assumption.step)@\(assumption.visit ?? 0)", name)
        }
        return NaiveRun(
            try node(text), flows: { nodes[$0] }, inputs: Dictionary(inputs) { $1 },
            script: Dictionary(outcomes) { first, _ in first }, tape: observed.reports)
    }

    private static func node(_ text: String) throws -> YAMLNode {
        try #require(YAMLDocument.parse(SourceFile(path: "naive.yaml", text: text)).root)
    }

    static func expectSame(_ observed: ObservedRun, _ naive: NaiveRun, _ context: String) {
        #expect(naive.legs == observed.legs, "\(context)")
        #expect(naive.end == observed.end, "\(context)")
        #expect(naive.error == observed.error, "\(context)")
        if naive.followed == 0, naive.legs == observed.legs {
            #expect(observed.hooks.filter { !$0.contains("would run") } == naive.hooks, "\(context)")
        }
        for (name, value) in naive.outputs where value != .unknown {
            #expect(observed.outputs[name] == value, "output \(name): \(context)")
        }
    }
}
