import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import Testing

@Suite("wait")
struct WaitTests {
    private func run(_ with: String, _ script: [ScriptedEffect], extra: String = "") async throws
        -> Conversation
    {
        await Conversation.run(
            try Compiled.plan(FlowTexts.single("{ do: wait, with: { \(with) }\(extra), next: done }")), script
        )
    }

    @Test("for a duration, until an absolute instant, which may be longer than that for an event")
    func duration() async throws {
        let run = try await run("for: 10m", [ScriptedEffect("sleep", .woke)])
        #expect(run.outcomes(of: "work") == ["ok"])
        guard case .sleep(let until)? = run.performed.last?.effect else { return notFound() }
        #expect(until == ManualClock.start + 600_000)
    }

    @Test("until a time; one that is past is not waited for")
    func time() async throws {
        let later = try await run(
            "until: \"${run.now + 5s}\"", [ScriptedEffect("sleep", .woke)])
        #expect(later.outcomes(of: "work") == ["ok"])
        let past = try await run("until: \"${run.now - 5s}\"", [])
        #expect(past.outcomes(of: "work") == ["ok"])
    }

    @Test("the step's deadline ends the wait before its time")
    func deadline() async throws {
        let run = try await run("for: 5m", [ScriptedEffect("sleep", .woke)], extra: ", deadline: 1m")
        #expect(run.outcomes(of: "work") == ["timeout"])
    }

    @Test("the end of the run's time is no outcome of the step")
    func runDeadline() async throws {
        let flow = FlowTexts.single(
            "{ do: wait, with: { for: 5m }, next: { ok: done, timeout: done } }",
            extra: "limits: { deadline: 1m }")
        let run = await Conversation.run(try Compiled.plan(flow), [ScriptedEffect("sleep", .woke)])
        #expect(run.outcome.end.error?.code == .deadline)
        #expect(!run.outcome.isSuccess)
    }

    @Test("for an event, with what it brings")
    func event() async throws {
        let flow = FlowTexts.single(
            "{ do: wait, with: { event: approved }, timeout: 1m, next: done }",
            extra: "outputs: { data: optional json }",
            ends: """
                  done: { result: success, outputs: { data: "${steps.work.data}" } }
                  failed: { result: failure }
                """)
        let run = await Conversation.run(
            try Compiled.plan(flow), [ScriptedEffect("await event approved", .event(["by": "ada"]))])
        #expect(run.output("data") == .json(["by": "ada"]))
        guard case .awaitEvent(let wait)? = run.performed.last?.effect else { return notFound() }
        #expect(wait.until == ManualClock.start + 60_000)
    }

    @Test("an event that does not come is a timeout")
    func timeout() async throws {
        let run = try await run("event: approved", [ScriptedEffect("await event approved", .eventTimedOut)])
        #expect(run.outcomes(of: "work") == ["timeout"])
    }
}
