import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowEngine

@Suite("Runs that go on with another program")
struct MigrationTests {
    /// A run of this flow waits in `hold`.
    private static let text = """
        language: flow/1
        flow: example
        inputs:
          tenant: { type: string, default: acme }
        vars:
          tries: { type: int, init: 0 }
        defaults: { next: { any: failed } }
        start: begin
        steps:
          begin:
            do: set
            save: { vars.tries: 1 }
            next: hold
          hold:
            do: wait
            with: { for: 10m }
            visits: 3
            next: { ok: done, exhausted: failed }
        ends:
          done: { result: success }
          failed: { result: failure }

        """

    private static func journal() async throws -> (plan: RunPlan, entries: [JournalEntry]) {
        let plan = try Compiled.plan(text)
        return (plan, try await journal(plan))
    }

    private static func journal(_ plan: RunPlan) async throws -> [JournalEntry] {
        let journal = MemoryJournal()
        _ = await FlowRun(plan: plan, handler: Asleep(), sinks: [], journal: journal).run()
        let count = try #require(journal.points.first?.count)
        return Array(journal.entries.prefix(count))
    }

    private static func differences(_ text: String) async throws -> [Migration.Difference] {
        let (plan, entries) = try await journal()
        return try differences(plan, entries, try Compiled.program(text))
    }

    private static func differences(
        _ plan: RunPlan, _ entries: [JournalEntry], _ program: FlowProgram
    ) throws -> [Migration.Difference] {
        let new = RunPlan(
            program: program, providers: plan.providers,
            inputs: program.inputs.map { row in
                zip(plan.program.inputs, plan.inputs).first { $0.0.name == row.name }?.1
                    ?? row.standard ?? .null
            })
        return try Migration(try RecordedRun(entries), from: plan, to: new).differences()
    }

    @Test("the same flow, and one that changed where the run has not been, is good")
    func good() async throws {
        #expect(try await Self.differences(Self.text) == [])
        let changed = Self.text.replacing("ok: done", with: "ok: later").replacing(
            "ends:",
            with: """
                  later:
                    do: set
                    next: done
                ends:
                """
        ).replacing("  tenant:", with: "  region: { type: string, default: eu }\n  tenant:")
        #expect(try await Self.differences(changed) == [])
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let old: String
        let new: String
        let place: String
        let message: String

        var testDescription: String { message }
    }

    static let changes = [
        Change(
            old: "hold", new: "rest", place: "old 14:3",
            message: "there is no step \"hold\" any more, where the run is"),
        Change(
            old:
                "    do: wait\n    with: { for: 10m }\n    visits: 3\n    next: { ok: done, exhausted: failed }",
            new: "    do: set\n    visits: 3\n    next: { ok: done, exhausted: failed }", place: "new 14:3",
            message: "step \"hold\", where the run is, was wait and is set"),
        Change(
            old: "    visits: 3\n    next: { ok: done, exhausted: failed }", new: "    next: done",
            place: "new 14:3", message: "step \"hold\" has no outcome \"exhausted\" any more"),
        Change(
            old: "tries: { type: int, init: 0 }", new: "tries: { type: number, init: 0 }", place: "new 6:3",
            message: "vars.tries was int and is number"),
        Change(
            old: "tries", new: "attempts", place: "old 6:3",
            message: "there is no vars.tries any more, and the run has its value"),
        Change(
            old: "tenant: { type: string, default: acme }", new: "tenant: { type: int, default: 1 }",
            place: "new 4:3", message: "inputs.tenant was string and is int"),
    ]

    @Test("what the run needs and the new flow does not have is told with its place", arguments: changes)
    func difference(_ change: Change) async throws {
        let found = try await Self.differences(Self.text.replacing(change.old, with: change.new))
        #expect(found.map(\.message) == [change.message])
        #expect(found.first?.place.map(Self.words) == change.place)
    }

    private static func words(_ place: Migration.Place) -> String {
        "\(place.isOld ? "old" : "new") \(place.span.start.line):\(place.span.start.column)"
    }

    @Test("every difference is told at once")
    func several() async throws {
        let changed = Self.text.replacing("hold", with: "rest").replacing("type: int", with: "type: number")
        #expect(
            try await Self.differences(changed).map(\.message) == [
                "there is no step \"hold\" any more, where the run is", "vars.tries was int and is number",
            ])
    }

    @Test("a flow that asks for something else than the records answer is refused")
    func otherPath() async throws {
        let changed = Self.text.replacing(
            "  hold:",
            with: """
                  look:
                    do: restore
                    next: { any.choice: hold, ok: hold }
                  hold:
                """
        ).replacing("next: hold\n", with: "next: look\n")
        let found = try await Self.differences(changed)
        #expect(
            found.map(\.message) == [
                "the run would go on with load session of step \"look\", where it was at sleep of step \"hold\""
            ])
    }

    @Test(
        "of a step or token set that is gone all values are told at once",
        arguments: [("first", "step \"first\""), ("kept", "token set \"kept\"")])
    func owner(name: String, words: String) async throws {
        let text = FlowTexts.flow(
            """
              first: { do: restore, with: { into: kept }, next: hold }
              hold: { do: wait, with: { for: 10m }, next: done }
            """, start: "first")
        let plan = try Compiled.plan(text)
        let journal = MemoryJournal()
        let handler = ScriptedEffects([Scripts.load(), ScriptedEffect("sleep", .woke)])
        _ = await FlowRun(plan: plan, handler: handler, sinks: [], journal: journal).run()
        let count = try #require(journal.points.first?.count)
        let found = try Self.differences(
            plan, Array(journal.entries.prefix(count)),
            try Compiled.program(text.replacing(name, with: "other")))
        #expect(found.map(\.message) == ["there is no \(words) any more, and the run has its values"])
    }

    @Test("others learn at once that a request of the run may have been sent", arguments: [true, false])
    func spending(isSent: Bool) async throws {
        let plan = try Compiled.plan(FlowTexts.signIn())
        let journal = MemoryJournal()
        _ = await FlowRun(
            plan: plan, handler: ScriptedEffects(try Scripts.signIn()), sinks: [], journal: journal
        ).run()
        let sent = try #require(journal.entries.firstIndex { $0.kind == .intended })
        let program = try Compiled.program(FlowTexts.signIn().replacing("failed", with: "lost"))
        let new = RunPlan(program: program, providers: plan.providers, inputs: [])
        let recorded = try RecordedRun(Array(journal.entries[...(isSent ? sent : sent - 1)]))
        let again = MemoryJournal()
        let rest = isSent ? [] : [try Scripts.exchange(Answers.text(400, ""))]
        let script =
            [
                ScriptedEffect("open redirect", .redirectOpened(uri: "http://127.0.0.1:5000/callback"))
            ] + rest + [Scripts.badEnd]
        _ = await FlowRun(
            plan: new, handler: ScriptedEffects(script), sinks: [], journal: again,
            resuming: recorded.migrated(to: new)
        ).run()
        #expect(again.entries.prefix(2).map(\.kind) == [.resumed, .migrated])
        #expect(again.points.first?.standing == (isSent ? .spending(nil) : .working))
    }

    // MARK: Sub-flows

    private static let outer = FlowTexts.flow(
        "  inner: { do: subflow, with: { flow: inner }, next: { done: done, failed: failed } }",
        start: "inner")

    private static func plan(_ outer: String, inner: String) throws -> RunPlan {
        let inner = SourceFile(
            path: "inner.flow.yaml", text: inner.replacing("flow: example", with: "flow: inner"))
        let compilation = FlowCompiler.compile(
            SourceFile(path: "outer.flow.yaml", text: outer),
            sources: FlowSources(flow: { _, _ in inner }, imported: { _, _ in nil }))
        let program = try #require(compilation.program, "\(compilation.diagnostics)")
        let provider = try Compiled.provider()
        return RunPlan(
            program: program, providers: program.providers.map { _ in provider },
            inputs: try program.inputValues([:]))
    }

    static let innerChanges = [
        Change(
            old: "hold", new: "rest", place: "old 14:3",
            message: "there is no step \"inner/hold\" any more, where the run is"),
        Change(
            old: "failed: { result: failure }", new: "failed: { result: failure, exit: 5 }",
            place: "new 7:3",
            message: "outcome \"failed\" of step \"inner\" was of class config and is of class denied"),
        Change(
            old: "type: int", new: "type: number", place: "new 7:3",
            message: "inner/vars.tries was int and is number"),
    ]

    @Test("so it is with a flow that runs as a step, and with that step", arguments: innerChanges)
    func inner(_ change: Change) async throws {
        let plan = try Self.plan(Self.outer, inner: Self.text)
        let entries = try await Self.journal(plan)
        let changed = try Self.plan(Self.outer, inner: Self.text.replacing(change.old, with: change.new))
        let found = try Self.differences(plan, entries, changed.program)
        #expect(found.map(\.message) == [change.message])
        #expect(found.first?.place.map(Self.words) == change.place)
        #expect(try Self.differences(plan, entries, plan.program) == [])
        let renamed = Self.outer.replacing(" inner:", with: " other:").replacing(
            "t: inner\n", with: "t: other\n")
        let gone = try Self.differences(plan, entries, try Self.plan(renamed, inner: Self.text).program)
        #expect(
            gone.prefix(2).map(\.message) == [
                "there is no step \"inner\" any more, where the run is",
                "there is no step \"inner/hold\" any more, where the run is",
            ])
    }

    // MARK: Providers and sign-ins

    @Test("a provider that the run was begun with must be there")
    func provider() async throws {
        let both = Self.text.replacing(
            "inputs:", with: "providers: { main: { oidc: false }, second: { oidc: false } }\ninputs:")
        let plan = try Compiled.plan(both)
        let entries = try await Self.journal(plan)
        let found = try Self.differences(
            plan, entries, try Compiled.program(both.replacing("second", with: "third")))
        #expect(found.map(\.message) == ["there is no provider \"second\" any more"])
        #expect(found.first?.place.map(Self.words) == "old 3:37")
    }

    @Test(
        "a run that waits for a person goes on where it would have asked for the same",
        arguments: [("prompt: login", true), ("prompt: consent", false), ("scopes: [openid]", false)])
    func signIn(argument: String, isSame: Bool) async throws {
        func flow(_ argument: String) -> String {
            FlowTexts.signIn(["authorize": "{ with: { \(argument) }, next: callback }"])
        }
        let plan = try Compiled.plan(flow("prompt: login"))
        let waiting = [ScriptedEffect("await callback", .cancelled()), Scripts.badEnd]
        let journal = MemoryJournal()
        _ = await FlowRun(
            plan: plan, handler: ScriptedEffects(Scripts.authorize + waiting), sinks: [], journal: journal
        ).run()
        let shown = try #require(journal.entries.firstIndex { $0.facts["report"] == "presented" })
        let found = try Self.differences(
            plan, Array(journal.entries[...shown]), try Compiled.program(flow(argument)))
        let message =
            "step \"authorize\" would ask for something else than the run has asked for, whose answer it waits for"
        #expect(found.map(\.message) == (isSame ? [] : [message]))
    }

    @Test(
        "the journal says so before anything else happens, and a later process goes on with the new program")
    func recorded() async throws {
        let (plan, entries) = try await Self.journal()
        let changed = Self.text.replacing("done", with: "welcome")
        let program = try Compiled.program(changed)
        let new = RunPlan(program: program, providers: plan.providers, inputs: [.string("other")])
        #expect(try RecordedRun(entries).migrated(to: new).inputs == new.inputs)
        let journal = MemoryJournal()
        let outcome = await FlowRun(
            plan: new, handler: Asleep(), sinks: [], journal: journal,
            resuming: try RecordedRun(entries).migrated(to: new), origin: "today"
        ).run()
        #expect(outcome.end.name == "welcome")
        #expect(journal.entries.prefix(2).map(\.kind) == [.resumed, .migrated])
        #expect(journal.points.first?.count == 2)
        guard case .waiting(nil, _)? = journal.points.first?.standing else {
            Issue.record("the run does not wait any more")
            return
        }
        let again = try RecordedRun(entries + journal.entries.prefix(2))
        #expect(again.digest == program.digest)
        #expect(again.inputs == new.inputs)
        #expect(again.origin == "today")
        let third = await FlowRun(
            plan: new, handler: Asleep(), sinks: [], journal: MemoryJournal(), resuming: again
        ).run()
        #expect(third.end.name == "welcome")
        let old = await FlowRun(
            plan: plan, handler: Asleep(), sinks: [], journal: MemoryJournal(), resuming: again
        ).run()
        #expect(old.end.error?.code == .journal)
    }
}

/// A world in which nothing happens but time.
private struct Asleep: EffectHandler {
    private let clock = ManualClock()

    func now() -> Int64 { clock.now }
    func begin() -> RunIdentity { RunIdentity(runID: "r_1", seed: 1, traceKey: nil) }

    func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent {
        guard case .sleep(let until) = request.effect else { return .noSession }
        clock.advance(to: until)
        return .woke
    }
}
