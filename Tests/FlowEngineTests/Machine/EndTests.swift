import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("Ends")
struct EndTests {
    private static func flow(_ end: String, extra: String = "") -> String {
        FlowTexts.flow(
            "  restore: { next: { ok: done, absent: other } }", start: "restore", extra: extra,
            ends: "  done: { result: success }\n  other: \(end)\n  failed: { result: failure }")
    }

    private func run(_ flow: String, _ event: InputEvent = .noSession) async throws -> Conversation {
        await Conversation.run(try Compiled.plan(flow), [ScriptedEffect("load session", event)])
    }

    @Test(
        "an end's own status wins, otherwise its result says it",
        arguments: [
            ("{ result: success }", 0), ("{ result: failure }", 1), ("{ result: cancelled }", 130),
            ("{ result: failure, exit: 4 }", 4), ("{ result: cancelled, exit: 10 }", 10),
        ])
    func exits(end: String, status: Int) async throws {
        let run = try await run(Self.flow(end))
        #expect(run.outcome.exitStatus == status)
        #expect(run.runEnd?.exit == status)
        #expect(run.runEnd?.end == "other")
    }

    @Test("an end's message and error code are told")
    func message() async throws {
        let run = try await run(
            Self.flow("{ result: failure, error: nobody_home, message: \"nobody for ${provider.name}\" }"))
        #expect(run.runEnd?.message == "nobody for Provider P")
        #expect(run.runEnd?.errorCode == "nobody_home")
    }

    @Test("without a code of its own, a failure bears the outcome that led to it")
    func code() async throws {
        #expect(try await run(Self.flow("{ result: failure }")).runEnd?.errorCode == "absent")
        #expect(
            try await run(Self.flow("{ result: failure }"), .storeFailed(reason: "x")).runEnd?.errorCode
                == "store_failed")
        #expect(try await run(Self.flow("{ result: success }")).runEnd?.errorCode == nil)
    }

    @Test("the last problem counts, not an earlier one that the flow got over")
    func lastProblem() async throws {
        let flow = FlowTexts.flow(
            """
              restore: { next: { ok: done, corrupt: clear } }
              clear: { next: second }
              second: { do: restore, next: { ok: done, absent: failed } }
            """, start: "restore")
        let script = [
            ScriptedEffect("load session", .sessionCorrupt(reason: "x")), ScriptedEffect("delete session"),
            ScriptedEffect("load session", .noSession),
        ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.runEnd?.errorCode == "absent")
        #expect(run.outcome.failedStep?.name == "second")
    }

    @Test("a failure end can say what went wrong")
    func errorSlots() async throws {
        let flow = Self.flow(
            """
            { result: failure, outputs: { told: "${error.code ?? ''} ${error.step ?? ''} ${error.outcome ?? ''} ${error.message ?? ''}" } }
            """, extra: "outputs: { told: optional string }"
        )
        .replacing("absent: other", with: "store_failed: other")
        let run = try await run(flow, .storeFailed(reason: "disk full"))
        #expect(run.output("told") == .string("store_failed restore store_failed disk full"))
    }

    @Test("an engine failure goes to the declared end failed and keeps its own status")
    func declaredFailed() async throws {
        let flow = FlowTexts.flow(
            "  restore: { next: userinfo }\n  userinfo: { next: done }", start: "restore",
            extra: "limits: { deadline: 1s }",
            ends: "  done: { result: success }\n  failed: { result: failure, exit: 3, message: own words }")
        let run = await Conversation.run(
            try Compiled.plan(flow), [ScriptedEffect("load session", after: 1_000, Scripts.load().answer)])
        #expect(run.end == "failed")
        #expect(run.outcome.exitStatus == 10)
        #expect(run.runEnd?.errorCode == "deadline")
        #expect(run.runEnd?.message == "the run took longer than limits.deadline allows")
    }

    @Test("one millisecond before the deadline nothing is late")
    func inTime() async throws {
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.ask(extra: "limits: { deadline: 1s }")),
            [ScriptedEffect("load session", after: 999, Scripts.load().answer), Scripts.userinfo])
        #expect(run.end == "done")
    }

    @Test("what arrives at the deadline is taken in, and nothing is begun after it")
    func late() async throws {
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.ask(extra: "limits: { deadline: 1s }")),
            [ScriptedEffect("load session", after: 1_000, Scripts.load().answer)])
        #expect(run.outcomes(of: "restore") == ["ok"])
        #expect(run.path == ["restore"])
        #expect(run.outcome.end.error?.code == .deadline)
    }

    @Test("a cancelled run ends cancelled, closes its redirect, and asks for nothing else [rule 51]")
    func cancelled() async throws {
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn()),
            Scripts.authorize + [ScriptedEffect("await callback", .cancelled()), Scripts.badEnd])
        #expect(run.end == "cancelled")
        #expect(run.outcome.end.result == .cancelled)
        #expect(run.runEnd?.errorCode == "cancelled")
        #expect(run.outcome.exitStatus == 130)
        guard case .conclude(_, let code)? = run.performed.last?.effect else { return notFound() }
        #expect(code == "cancelled")
    }

    @Test("a cancelled task is a cancelled run, and closes its redirect all the same")
    func cancelledTask() async throws {
        let plan = try Compiled.plan(FlowTexts.signIn())
        let script =
            Array(Scripts.authorize.dropLast()) + [
                ScriptedEffect("present") { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    return .presented(how: "")
                }, Scripts.badEnd,
            ]
        let run = await Task { await Conversation.run(plan, script) }.value
        #expect(run.end == "cancelled")
        #expect(run.path == ["authorize", "callback"])
    }

    @Test("the person in the browser is told how the run ended, when the run has ended")
    func conclusion() async throws {
        let good = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), try Scripts.signIn())
        #expect(good.names.last == "conclude well")
        let script =
            Scripts.untilCode + [
                ScriptedEffect("http token", Answers.json(400, ["error": "invalid_grant"])), Scripts.badEnd,
            ]
        let bad = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), script)
        guard case .conclude(_, let code)? = bad.performed.last?.effect else { return notFound() }
        #expect(code == "invalid_grant")
    }

    @Test("the end of the run counts transitions, retries and time")
    func counts() async throws {
        var script = try Scripts.signIn()
        script[3] = Scripts.callback(after: 4_200)
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), script)
        #expect(run.runEnd?.transitions == 6)
        #expect(run.runEnd?.retries == 0)
        #expect(run.runEnd?.duration == 4_200)
    }
}
