import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// A run may be killed after any of its records.
@Suite("Journal")
struct JournalTests {
    private static let seeds = Array(1...25)
    private static let provider =
        ProviderText.complete.replacing(", id_token_signed_response_alg: ES256", with: "")
        + "registration_endpoint: https://p.example/register\n"

    private static func plan(_ seed: Int) throws -> (RunPlan, GeneratedFlow) {
        let flow = try GeneratedFlow.make(seed)
        let provider = try Compiled.provider(provider, privateKey: TestKey.pem)
        let providers = flow.program.providers.map { _ in provider }
        let plan = RunPlan(
            program: flow.program, providers: providers,
            inputs: SyntheticInputs.values(of: flow.program, providers))
        return (plan, flow)
    }

    private static func reports(_ entries: ArraySlice<JournalEntry>) -> Int {
        entries.count { $0.kind == .reported }
    }

    @Test("a run that is resumed after any of its records comes to the same end", arguments: seeds)
    func everyRecord(seed: Int) async throws {
        let (plan, flow) = try Self.plan(seed)
        for world in 0..<4 {
            let journal = MemoryJournal()
            let log = WorldLog(RandomWorld(seed: seed * 100 + world))
            let outcome = await FlowRun(plan: plan, handler: log, sinks: [], journal: journal).run()
            for point in journal.points {
                if case .ended = point.standing { continue }
                let entries = journal.entries[..<point.count]
                let recorded = try RecordedRun(Array(entries))
                let rest = log.answers[Self.reports(entries)...]
                let handler = RestOfWorld(rest, now: entries.last?.time ?? 0)
                guard !recorded.isSpending else { continue }
                let resumed = await FlowRun(
                    plan: plan, handler: handler, sinks: [], journal: MemoryJournal(), resuming: recorded
                ).run()
                #expect(resumed.runID == outcome.runID)
                #expect(resumed.end.name == outcome.end.name, "\(flow.text)")
                #expect(resumed.end.error == outcome.end.error)
                #expect(resumed.end.transitions == outcome.end.transitions)
                #expect("\(resumed.end.outputs)" == "\(outcome.end.outputs)")
                #expect(resumed.tokens.map { $0?.accessToken } == outcome.tokens.map { $0?.accessToken })
            }
        }
    }

    @Test("a request that may have been sent is not sent again", arguments: seeds)
    func nothingTwice(seed: Int) async throws {
        let (plan, _) = try Self.plan(seed)
        for world in 0..<4 {
            let journal = MemoryJournal()
            let log = WorldLog(RandomWorld(seed: seed * 100 + world))
            _ = await FlowRun(plan: plan, handler: log, sinks: [], journal: journal).run()
            for point in journal.points {
                guard case .spending = point.standing else { continue }
                let entries = journal.entries[..<point.count]
                let recorded = try RecordedRun(Array(entries))
                #expect(recorded.isSpending)
                let handler = Bystander(now: entries.last?.time ?? 0)
                let again = MemoryJournal()
                _ = await FlowRun(
                    plan: plan, handler: handler, sinks: [], journal: again, resuming: recorded
                ).run()
                let first = try #require(again.entries.first { $0.kind == .reported })
                #expect(first.facts["report"] == "unanswered")
                #expect(first.facts["effect"] == entries.last?.facts["effect"])
                #expect(handler.spent == 0)
            }
        }
    }

    @Test("a record that cannot be kept keeps a request from being sent", arguments: seeds)
    func fullDisk(seed: Int) async throws {
        let (plan, _) = try Self.plan(seed)
        for world in 0..<4 {
            let seed = seed * 100 + world
            let healthy = MemoryJournal()
            _ = await FlowRun(plan: plan, handler: RandomWorld(seed: seed), sinks: [], journal: healthy).run()
            for number in healthy.points.indices {
                let journal = MemoryJournal(fullFrom: number)
                let log = WorldLog(RandomWorld(seed: seed))
                let outcome = await FlowRun(plan: plan, handler: log, sinks: [], journal: journal).run()
                // Every request that must not be sent twice was announced before.
                let announced = journal.entries.count { $0.kind == .intended }
                #expect(log.answers.count { $0.request.singleUse != nil } == announced)
                switch healthy.points[number].standing {
                case .spending, .waiting: #expect(outcome.end.error?.code == .journal)
                case .working, .spent, .ended: break
                }
            }
        }
    }

    @Test("a run that does nothing which cannot be done twice leaves no journal")
    func quiet() async throws {
        let program = try Shipped.program("refresh")
        let provider = try Shipped.provider("sandbox")
        let plan = RunPlan(
            program: program, providers: [provider], inputs: SyntheticInputs.values(of: program, [provider]))
        let journal = MemoryJournal()
        let outcome = await FlowRun(plan: plan, handler: EmptyStore(), sinks: [], journal: journal).run()
        #expect(!outcome.isSuccess)
        #expect(journal.entries.isEmpty)
    }

    @Test("a step that waits is kept, so that the run can go on after its process")
    func waiting() async throws {
        let plan = try Compiled.plan(FlowTexts.single("{ do: wait, with: { for: 10m }, next: done }"))
        let journal = MemoryJournal()
        let outcome = await FlowRun(plan: plan, handler: RandomWorld(seed: 1), sinks: [], journal: journal)
            .run()
        #expect(outcome.isSuccess)
        guard case .waiting(nil, _)? = journal.points.first?.standing else {
            Issue.record("nothing is kept before the wait")
            return
        }
    }

    @Test("a run that goes on takes its redirect and shows its address again, and its trace tells all of it")
    func reinstated() async throws {
        let plan = try Compiled.plan(FlowTexts.signIn())
        let journal = MemoryJournal()
        let first = ScriptedEffects(Scripts.authorize + [ScriptedEffect("await callback", .suspended)])
        _ = await FlowRun(plan: plan, handler: first, sinks: [], journal: journal).run()
        #expect(journal.entries.last?.kind == .suspended)
        let recorded = try RecordedRun(journal.entries)
        let again = ScriptedEffect("open redirect") { request in
            guard case .openRedirect(let plan) = request.effect else { return .done }
            #expect(plan.fixed == "http://127.0.0.1:5000/callback" && plan.isAgain)
            return .redirectOpened(uri: plan.fixed ?? "")
        }
        let rest = try Scripts.signIn().dropFirst(Scripts.authorize.count)
        let handler = ScriptedEffects([again, ScriptedEffect("present", .presented(how: ""))] + rest)
        let recorder = EventRecorder()
        let outcome = await FlowRun(
            plan: plan, handler: handler, sinks: [recorder], journal: MemoryJournal(), resuming: recorded
        ).run()
        handler.expectUsedUp()
        #expect(outcome.end.name == "done")
        #expect(recorder.events.path.first == "authorize")
        #expect(recorder.events.outcomes(of: "authorize") == ["ok"])
    }

    @Test("an answer is told again without its date: the event has the time at which the run goes on")
    func retoldDate() async throws {
        let plan = try Compiled.plan(FlowTexts.signIn(), provider: ProviderText.discovered)
        let date = HTTPField("Date", "Sun, 06 Nov 1994 08:49:37 GMT")
        let metadata = Answers.json(200, Answers.metadataDocument(), [date])
        let waits = ScriptedEffect("await callback", .suspended)
        let journal = MemoryJournal()
        let (first, second) = (EventRecorder(), EventRecorder())
        let beginning = [
            ScriptedEffect("recall metadata", .nothingKept), ScriptedEffect("http discovery", metadata),
            ScriptedEffect("keep metadata"),
        ]
        _ = await FlowRun(
            plan: plan, handler: ScriptedEffects(beginning + Scripts.authorize + [waits]), sinks: [first],
            journal: journal
        ).run()
        #expect(Self.fields(first.events).contains("Date"))
        let again = [Scripts.authorize[0], ScriptedEffect("present", .presented(how: "")), waits]
        _ = try await FlowRun(
            plan: plan, handler: ScriptedEffects(again), sinks: [second], journal: MemoryJournal(),
            resuming: RecordedRun(journal.entries)
        ).run()
        #expect(Self.fields(second.events) == ["Content-Type"])
    }

    /// Names of the fields of all answers.
    private static func fields(_ events: [TraceEvent]) -> [String] {
        events.flatMap { event in
            guard case .response(let response) = event.body else { return [String]() }
            return response.fields.map(\.name)
        }
    }

    static let fates: [(event: InputEvent, standing: RunStanding)] = [
        (Answers.json(400, ["error": "invalid_grant"]), .spent), (Answers.text(500, ""), .spent),
        (Answers.text(502, ""), .working), (Answers.text(504, ""), .working),
        (Answers.lost(.perhapsDelivered), .working), (Answers.lost(.notDelivered), .spent),
        (.cancelled(delivery: .perhapsDelivered), .working), (.cancelled(delivery: .notDelivered), .spent),
    ]

    @Test("others learn whether a request that must not be sent twice may still have been", arguments: fates)
    func fate(event: InputEvent, standing: RunStanding) async throws {
        let journal = MemoryJournal()
        let handler = ScriptedEffects(
            Scripts.untilCode + [ScriptedEffect("http token", event), Scripts.badEnd])
        let outcome = await FlowRun(
            plan: try Compiled.plan(FlowTexts.signIn()), handler: handler, sinks: [], journal: journal
        ).run()
        handler.expectUsedUp()
        let standings = journal.points.map(\.standing)
        let sent = try #require(standings.firstIndex(of: .spending(nil)))
        #expect(standings[(sent + 1)...].first == standing)
        #expect(standings.last == .ended(end: outcome.end.name, exit: outcome.exitStatus))
        #expect(journal.entries.last?.facts["end"] == .string(outcome.end.name))
        #expect(journal.entries.last?.facts["error"]?.stringValue == outcome.end.error?.code.rawValue)
    }

    @Test("a pause before another attempt is kept where the run has a journal, and begins none")
    func pause() async throws {
        let retry =
            "{ retry: { outcomes: [server_error], attempts: 2, backoff: { initial: 1s, jitter: none } }, "
        let pause = [
            ScriptedEffect("http userinfo", Answers.text(503, "")), ScriptedEffect("sleep", .woke),
        ]
        let quiet = MemoryJournal()
        _ = await FlowRun(
            plan: try Compiled.plan(FlowTexts.ask(["userinfo": retry + "next: done }"])),
            handler: ScriptedEffects([Scripts.load()] + pause + [Scripts.userinfo]), sinks: [], journal: quiet
        ).run()
        #expect(quiet.entries.isEmpty)
        let journal = MemoryJournal()
        let handler = ScriptedEffects(
            try Scripts.untilTokens() + [Scripts.keys()] + pause
                + [Scripts.userinfo, Scripts.save, Scripts.goodEnd])
        _ = await FlowRun(
            plan: try Compiled.plan(FlowTexts.signIn(["userinfo": retry + "next: store }"])),
            handler: handler, sinks: [], journal: journal
        ).run()
        handler.expectUsedUp()
        #expect(
            journal.points.map(\.standing).contains(.waiting(state: nil, until: ManualClock.start + 1_000)))
    }

    @Test("records of another program are refused")
    func otherProgram() async throws {
        let (plan, _) = try Self.plan(1)
        let journal = MemoryJournal()
        var world = 0
        while journal.entries.isEmpty {
            _ = await FlowRun(plan: plan, handler: RandomWorld(seed: world), sinks: [], journal: journal)
                .run()
            world += 1
        }
        let recorded = try RecordedRun(journal.entries)
        let (other, _) = try Self.plan(2)
        let outcome = await FlowRun(
            plan: other, handler: Bystander(now: 0), sinks: [], resuming: recorded
        ).run()
        #expect(outcome.end.error?.code == .journal)
        #expect(outcome.exitStatus == 9)
    }

    @Test(
        "a record that answers another request than the run makes is refused",
        arguments: ["effect", "step", "visit", "attempt"])
    func otherRequest(fact: String) async throws {
        let (plan, _) = try Self.plan(1)
        let journal = MemoryJournal()
        var world = 0
        while !journal.entries.contains(where: { $0.kind == .reported }) {
            _ = await FlowRun(plan: plan, handler: RandomWorld(seed: world), sinks: [], journal: journal)
                .run()
            world += 1
        }
        let entries = journal.entries.map { entry in
            guard entry.kind == .reported else { return entry }
            var facts = entry.facts
            facts[fact] = ["effect", "step"].contains(fact) ? "another" : 99
            return JournalEntry(entry.kind, at: entry.time, facts: facts, content: entry.content)
        }
        let outcome = await FlowRun(
            plan: plan, handler: Bystander(now: 0), sinks: [], resuming: try RecordedRun(entries)
        ).run()
        #expect(outcome.end.error?.code == .journal)
        #expect(outcome.end.error?.message.hasSuffix("when the run began, and does not any more") == true)
    }

    @Test("another client does not go on with a run")
    func otherClient() async throws {
        let program = try Shipped.program("client-credentials")
        let provider = try Shipped.provider("sandbox")
        let plan = RunPlan(
            program: program, providers: [provider], inputs: SyntheticInputs.values(of: program, [provider]))
        let start = JournalEntry(
            .started, at: ManualClock.start,
            content: [
                "journal": 1, "run": "r", "seed": "1", "program": .string(program.digest),
                "profile": "default", "inputs": [], "clients": ["another at https://p.example"],
            ])
        let outcome = await FlowRun(
            plan: plan, handler: Bystander(now: 0), sinks: [], resuming: try RecordedRun([start])
        ).run()
        #expect(outcome.end.error?.code == .journal)
        #expect(outcome.end.error?.message.hasPrefix("the run was begun by another at") == true)
    }

    @Test("what is no journal is told")
    func damaged() {
        let start = JournalEntry(.started, at: 1, content: ["journal": 1, "run": "r"])
        let later = JournalEntry(.started, at: 1, content: ["journal": 2])
        let cases: [([JournalEntry], String)] = [
            ([], "the journal does not begin with run_started"),
            ([JournalEntry(.resumed, at: 1)], "the journal does not begin with run_started"),
            ([later], "the journal was written by another version of flowrun, or its run has ended"),
            ([start], "its first record lacks a member"),
            (
                [
                    JournalEntry(
                        .started, at: 1,
                        content: [
                            "journal": 1, "run": "r", "seed": "1", "program": "p", "profile": "default",
                            "inputs": [["no": "value"]], "clients": [],
                        ])
                ], "an input cannot be read"
            ),
        ]
        for (entries, reason) in cases {
            #expect(throws: JournalFailure(reason)) { try RecordedRun(entries) }
        }
    }
}

/// A store without sessions, and nothing else.
private struct EmptyStore: EffectHandler {
    func now() -> Int64 { ManualClock.start }
    func begin() -> RunIdentity { RunIdentity(runID: "run-1", seed: 1, traceKey: nil) }
    func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent { .noSession }
}

/// Answers nothing well, and counts what must not be sent twice.
private final class Bystander: EffectHandler {
    private let world: WorldLog
    private let time: Int64

    init(now: Int64) {
        time = now
        world = WorldLog(Refusing(time: now))
    }

    var spent: Int { world.answers.prefix(1).count { $0.request.singleUse != nil } }

    func now() -> Int64 { time }
    func begin() -> RunIdentity { world.begin() }
    func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent {
        await world.perform(request, events: events)
    }
}

/// A world that was switched off.
private struct Refusing: EffectHandler {
    let time: Int64

    func now() -> Int64 { time }
    func begin() -> RunIdentity { RunIdentity(runID: "another", seed: 99, traceKey: nil) }

    func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent { .cancelled() }
}
