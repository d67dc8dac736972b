import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("Hooks")
struct HookTests {
    /// A restore with hooks around it; what they set is the output `log`.
    private static func flow(_ hooks: String, inline: String = "", extra: String = "") -> String {
        FlowTexts.flow(
            "  restore: { \(inline) next: { ok: done, absent: sad } }", start: "restore",
            extra: """
                vars: { log: { type: string, init: '' }, num: { type: int, init: 0 } }
                outputs: { log: string, num: int }
                hooks:
                \(hooks)
                \(extra)
                """,
            ends: """
                  done: { result: success, outputs: { log: "${vars.log}", num: "${vars.num}" } }
                  sad: { result: failure, outputs: { log: "${vars.log}", num: "${vars.num}" } }
                  failed: { result: failure, outputs: { log: "${vars.log}", num: "${vars.num}" } }
                """)
    }

    private static func add(_ letter: String, at point: String, _ more: String = "") -> String {
        "  - { id: \(letter), at: \(point), \(more) set: { vars.log: \"${vars.log}\(letter)\" } }"
    }

    private static func adding(_ letter: String) -> String {
        "{ set: { vars.log: \"${vars.log}\(letter)\" } }"
    }

    private func run(
        _ flow: String, _ script: [ScriptedEffect] = [Scripts.load()],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Conversation {
        await Conversation.run(try Compiled.plan(flow), script, sourceLocation: sourceLocation)
    }

    private static func native(_ point: String, _ more: String = "") -> String {
        "  - { id: h, at: \(point), \(more) native: { name: h } }"
    }

    private static func answer(_ reply: HookReply) -> ScriptedEffect {
        ScriptedEffect("hook h", .hook(reply))
    }

    // MARK: Time

    @Test("a trace has how long a hook was waited for, which try it was and where it stands")
    func traced() async throws {
        let flow = Self.flow(
            Self.native("step.before", "retry: { attempts: 2 },")
                + "\n  - { id: e, at: step.before, emit: { event: seen } }")
        let slow = { (reply: HookReply) in ScriptedEffect("hook h", after: 400, .hook(reply)) }
        let run = try await run(flow, [slow(.failed("no")), slow(HookReply()), Scripts.load()])
        let hooks = run.events.hooks
        #expect(hooks.map(\.duration) == [400, 400, nil])
        #expect(hooks.map(\.attempt) == [1, 2, 1])
        #expect(hooks.allSatisfy { $0.place?.contains(".yaml:") == true }, "\(hooks.map(\.place))")
    }

    @Test("a hook that limits.hook_time cuts off names that limit")
    func cutOff() async throws {
        let flow = Self.flow(Self.native("step.before", "timeout: 5s,"), extra: "limits: { hook_time: 3s }")
        let late = ScriptedEffect("hook h", after: 3_000, .hook(.failed("it took longer than 3000 ms")))
        let run = try await run(flow, [late])
        #expect(
            run.outcome.end.error?.message
                == "hook \"h\" failed: it took longer than 3000 ms; limits.hook_time is used up: "
                + "3s for all hooks of a run together")
    }

    @Test("hooks share the time of limits.hook_time; none is asked when it is used up")
    func sharedTime() async throws {
        let hooks = ["step.before", "step.after"].map {
            Self.native($0, "on_failure: continue, timeout: 5s,")
        }
        let flow = Self.flow(
            hooks[0] + "\n" + hooks[1].replacing("id: h", with: "id: late"),
            extra: "limits: { hook_time: 3s }")
        let asked = ScriptedEffect("hook h", after: 2_000) { request in
            guard case .hook(let call) = request.effect else { return .done }
            #expect(call.timeout == 3_000)
            return .hook(HookReply())
        }
        let rest = ScriptedEffect("hook late", after: 1_000) { request in
            guard case .hook(let call) = request.effect else { return .done }
            #expect(call.timeout == 1_000)
            return .hook(.failed("it took longer than 1s"))
        }
        let run = try await run(flow, [asked, Scripts.load(), rest])
        #expect(run.end == "done")
        let slow = ScriptedEffect("hook h", after: 3_000, .hook(HookReply()))
        let starved = try await self.run(flow, [slow, Scripts.load()])
        #expect(starved.end == "done")
        let told = starved.events.compactMap {
            if case .hook(let hook) = $0.body { hook.message } else { nil }
        }
        #expect(told.last == "limits.hook_time is used up: 3s for all hooks of a run together")
    }

    // MARK: Order

    @Test("before a step the flow's hooks come first, after it the step's own; each layer in its order")
    func order() async throws {
        let hooks = [
            Self.add("a", at: "step.before"), Self.add("z", at: "step.after"),
            Self.add("b", at: "step.before"),
            Self.add("y", at: "step.after"),
        ].joined(separator: "\n")
        let inline =
            "hooks: { before: [\(Self.adding("c")), \(Self.adding("d"))], after: [\(Self.adding("w")), \(Self.adding("x"))] },"
        let run = try await run(Self.flow(hooks, inline: inline))
        #expect(run.output("log") == .string("abcdwxzy"))
    }

    @Test("a hook sees what the hooks before it have done")
    func sees() async throws {
        let hooks = """
              - { id: one, at: step.before, set: { vars.num: "${vars.num + 1}" } }
              - { id: two, at: step.before, if: vars.num == 1, set: { vars.num: "${vars.num + 10}" } }
              - { id: three, at: step.before, if: vars.num == 1, set: { vars.num: "${vars.num + 100}" } }
            """
        #expect(try await run(Self.flow(hooks)).output("num") == .int(11))
    }

    @Test("filters for steps, kinds and outcomes decide where a hook fires")
    func filters() async throws {
        let hooks = [
            Self.add("a", at: "step.after", "steps: [restore],"),
            Self.add("b", at: "step.after", "kinds: [restore],"),
            Self.add("c", at: "step.after", "outcomes: [ok],"),
            Self.add("d", at: "step.after", "outcomes: [absent],"),
            Self.add("e", at: "step.after", "outcomes: [any.choice],"),
            Self.add("f", at: "step.after", "outcomes: [any.success],"),
        ].joined(separator: "\n")
        #expect(try await run(Self.flow(hooks)).output("log") == .string("abcf"))
        let absent = try await run(Self.flow(hooks), [ScriptedEffect("load session", .noSession)])
        #expect(absent.output("log") == .string("abde"))
    }

    @Test("flow.error fires for failures alone, flow.end always and last")
    func ends() async throws {
        let hooks = [
            Self.native("flow.end"), "  - { id: e, at: flow.error, native: { name: e } }",
        ].joined(separator: "\n")
        let error = ScriptedEffect("hook e", .hook(HookReply()))
        let good = try await run(Self.flow(hooks), [Scripts.load(), Self.answer(HookReply())])
        #expect(good.end == "done")
        let bad = try await run(
            Self.flow(hooks), [ScriptedEffect("load session", .noSession), error, Self.answer(HookReply())])
        #expect(bad.end == "sad")
        let cancelled = try await run(
            Self.flow(hooks), [ScriptedEffect("load session", .cancelled()), Self.answer(HookReply())])
        #expect(cancelled.end == "cancelled")
        let late = try await run(
            Self.flow(hooks, extra: "limits: { deadline: 1s }")
                .replacing("absent: sad } }", with: "absent: again } }\n  again: { do: choose, next: sad }"),
            [ScriptedEffect("load session", after: 1_000, .noSession), error, Self.answer(HookReply())])
        #expect(late.outcome.end.error?.code == .deadline)
    }

    @Test(
        "no hook at the end can change how the run ends",
        arguments: [
            HookReply(.abort(message: "no")), HookReply.failed("it broke"),
            HookReply(set: ["vars.log": "forged"]),
        ])
    func endings(reply: HookReply) async throws {
        let hooks = [
            "  - { id: h, at: flow.error, on_failure: abort, native: { name: h } }",
            "  - { id: last, at: flow.end, native: { name: last } }",
        ].joined(separator: "\n")
        let run = try await run(
            Self.flow(hooks),
            [
                ScriptedEffect("load session", .noSession), Self.answer(reply),
                ScriptedEffect("hook last", .hook(reply)),
            ])
        #expect(run.end == "sad")
        #expect(run.outcome.end.error == nil)
        #expect(run.output("log") == .string(""))
    }

    @Test("a hook cancelled at the end does not stop the others")
    func cancelledEnding() async throws {
        let hooks = [Self.native("flow.end"), "  - { id: last, at: flow.end, native: { name: last } }"]
            .joined(separator: "\n")
        let run = try await run(
            Self.flow(hooks),
            [
                Scripts.load(), ScriptedEffect("hook h", .cancelled()),
                ScriptedEffect("hook last", .hook(HookReply())),
            ])
        #expect(run.end == "done")
    }

    // MARK: Actions

    @Test("an assertion of a hook that does not hold ends the run with status 11")
    func assertion() async throws {
        let hooks =
            "  - { id: guard, at: step.after, assert: { that: \"'files' in tokens.main.scopes\", message: no files } }"
        let flow = Self.flow(hooks.replacing("at: step.after", with: "at: step.after, outcomes: [ok]"))
        let run = try await run(flow)
        #expect(run.outcome.end.error == RunFailure(.hookRefused, "hook \"guard\": no files"))
        #expect(run.outcome.exitStatus == 11)
        #expect(run.events.hooks.map(\.decision) == ["abort"])
    }

    @Test("an assertion that holds lets the flow go on")
    func holds() async throws {
        let hooks =
            "  - { id: guard, at: step.after, outcomes: [ok], assert: { that: \"'email' in tokens.main.scopes\" } }"
        let run = try await run(Self.flow(hooks))
        #expect(run.end == "done")
        #expect(run.events.hooks.map(\.decision) == ["continue"])
    }

    @Test("emit says something in the trace and changes nothing")
    func emit() async throws {
        let hooks =
            "  - { id: tell, at: flow.end, emit: { event: over, data: { num: \"${vars.num}\", run: \"${run.id}\" } } }"
        let run = try await run(Self.flow(hooks))
        #expect(run.events.hooks.map(\.message) == [#"over num=0 run="run-1""#])
        #expect(run.events.hooks.map(\.action) == ["emit"])
    }

    @Test("exec and native hooks are told what they declared, the point, the step and its outcome")
    func call() async throws {
        let hooks = """
              - id: h
                at: step.after
                reads: [vars.num, run.id, steps.restore.error]
                exec: { argv: [./hooks/audit, --now], env: [LANG] }
            """
        let run = try await run(
            Self.flow(hooks), [ScriptedEffect("load session", .noSession), Self.answer(HookReply())])
        let call = try #require(run.hookCalls.first)
        #expect(call.hook == "h")
        #expect(call.point == .stepAfter)
        #expect(call.step?.id == "restore")
        #expect(call.step?.outcome == "absent")
        #expect(call.flow == "example")
        #expect(call.runID == "run-1")
        #expect(!call.isDryRun)
        #expect(call.values == ["vars.num": 0, "run.id": "run-1", "steps.restore.error": .null])
        #expect(call.secrets.isEmpty)
        guard case .exec(let argv, let environment) = call.action else {
            Issue.record("no program")
            return
        }
        #expect(argv == ["./hooks/audit", "--now"])
        #expect(environment == ["LANG"])
        #expect(run.events.hooks.map(\.variables) == [["LANG"]])
    }

    @Test("what a program that failed wrote is told, unless it is the reason itself")
    func remarks() async throws {
        for (reason, notes) in [("it exited with status 1", ["hook h wrote: said"]), ("it said", [])] {
            var reply = HookReply.failed(reason)
            reply.remarks = "said"
            let run = try await run(Self.flow(Self.native("step.before")), [Self.answer(reply)])
            #expect(run.outcome.end.error?.message == "hook \"h\" failed: \(reason)")
            #expect(run.events.notes.filter { $0.hasPrefix("hook") } == notes)
        }
    }

    @Test("a hook before a step is told no outcome, one at flow.error that of the failed step")
    func outcomes() async throws {
        let hooks = [Self.native("step.before"), "  - { id: e, at: flow.error, native: { name: e } }"].joined(
            separator: "\n")
        let run = try await run(
            Self.flow(hooks),
            [
                Self.answer(HookReply()), ScriptedEffect("load session", .noSession),
                ScriptedEffect("hook e", .hook(HookReply())),
            ])
        #expect(run.hookCalls.map(\.step?.outcome) == [nil, nil])
        #expect(run.hookCalls.map(\.step?.id) == ["restore", nil])
    }

    // MARK: Answers

    private static let writing = native("step.before", "writes: [vars.log, vars.num],")

    @Test("what a hook declares it may set")
    func writes() async throws {
        let reply = HookReply(set: ["vars.log": "set", "vars.num": 5])
        let run = try await run(Self.flow(Self.writing), [Self.answer(reply), Scripts.load()])
        #expect(run.output("log") == .string("set"))
        #expect(run.output("num") == .int(5))
        #expect(run.events.hooks.map(\.wrote) == [["vars.log", "vars.num"]])
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let assignments: [String: JSONValue]
        let reason: String

        var testDescription: String { reason }
    }

    static let wrong = [
        Wrong(
            assignments: ["vars.log": "x", "vars.other": 1],
            reason: "it set \"vars.other\", which it does not declare under writes"),
        Wrong(
            assignments: ["vars.log": "x", "num": 1],
            reason: "it set \"num\", which it does not declare under writes; did you mean \"vars.num\"?"),
        Wrong(
            assignments: ["steps.restore.subject": "x"],
            reason: "it set \"steps.restore.subject\", which it does not declare under writes"),
        Wrong(
            assignments: ["vars.log": "x", "vars.num": "5"],
            reason: "it set \"vars.num\" to a value that is not of type int"),
        Wrong(
            assignments: ["vars.log": 5], reason: "it set \"vars.log\" to a value that is not of type string"),
        Wrong(
            assignments: ["vars.log": .null],
            reason: "it set \"vars.log\" to a value that is not of type string"),
        Wrong(
            assignments: ["vars.num": 1.5], reason: "it set \"vars.num\" to a value that is not of type int"),
    ]

    @Test("anything else is a failed hook, and nothing of its answer is used", arguments: wrong)
    func wrongWrites(_ wrong: Wrong) async throws {
        let run = try await run(Self.flow(Self.writing), [Self.answer(HookReply(set: wrong.assignments))])
        #expect(run.outcome.end.error == RunFailure(.hookFailed, "hook \"h\" failed: \(wrong.reason)"))
        #expect(run.outcome.exitStatus == 11)
        #expect(run.output("log") == .string(""))
        #expect(run.events.hooks.map(\.decision) == ["failed"])
        #expect(run.events.hooks.map(\.message) == [wrong.reason])
    }

    @Test(
        "a failed hook that the flow can do without is a warning",
        arguments: [
            HookReply.failed("it exited with status 1"),
            HookReply(set: ["vars.log": "half", "vars.other": 1]),
        ])
    func goesOn(reply: HookReply) async throws {
        let flow = Self.flow(Self.native("step.before", "writes: [vars.log], on_failure: continue,"))
        let run = try await run(flow, [Self.answer(reply), Scripts.load()])
        #expect(run.end == "done")
        #expect(run.output("log") == .string(""))
        let warned = run.events.compactMap { event in
            if case .warning(_, let hook) = event.body { hook ?? "(none)" } else { nil }
        }
        #expect(warned == ["h"])
        #expect(run.events.hooks.map(\.decision) == ["failed"])
    }

    @Test("a hook may end the run, with its reason")
    func abort() async throws {
        let run = try await run(
            Self.flow(Self.native("step.before")), [Self.answer(HookReply(.abort(message: "closed today")))])
        #expect(run.outcome.end.error == RunFailure(.hookRefused, "hook \"h\": closed today"))
        #expect(run.path == ["restore"])
        #expect(run.runEnd?.errorCode == "hook_refused")
    }

    @Test("in a live run the words of a dry run are a failure like any other")
    func pretended() async throws {
        let run = try await run(
            Self.flow(Self.native("step.before")), [Self.answer(.failed(HookReply.wouldRun))])
        #expect(run.outcome.end.error?.code == .hookFailed)
    }

    @Test("a task that is cancelled while a hook runs is a cancelled run, not a failed hook")
    func cancelledTask() async throws {
        let plan = try Compiled.plan(Self.flow(Self.native("step.before")))
        let script = [
            ScriptedEffect("hook h") { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                return .hook(.failed("the run was cancelled"))
            }
        ]
        let run = await Task { await Conversation.run(plan, script) }.value
        #expect(run.end == "cancelled")
        #expect(run.outcome.exitStatus == 130)
    }

    // MARK: Checks stay checks

    @Test("whatever hooks answer, a failed check stays failed", arguments: ["step.after", "step.before"])
    func failedCheck(point: String) async throws {
        let flow = FlowTexts.signIn(
            extra: """
                vars: { ok: { type: bool, init: true } }
                hooks: [ { id: h, at: \(point), steps: [callback], writes: [vars.ok], native: { name: h } } ]
                """)
        let hook = Self.answer(HookReply(set: ["vars.ok": true]))
        let forged = Scripts.callback([("state", "forged")])
        let script =
            Scripts.authorize + (point == "step.before" ? [hook, forged] : [forged, hook]) + [Scripts.badEnd]
        let run = try await run(flow, script)
        #expect(run.outcomes(of: "callback") == ["state_mismatch"])
        #expect(run.end == "failed")
    }

    // MARK: Times

    @Test("times are RFC 3339 and lengths of time as in a flow, both ways; an answer may count seconds")
    func times() async throws {
        let flow = FlowTexts.single(
            "{ do: set, save: { vars.at: \"${run.now}\", vars.long: \"${-90s}\" }, next: done }",
            extra: """
                vars: { at: time, long: duration, late: time, short: duration }
                outputs: { at: time, long: duration, late: time, short: duration }
                hooks:
                """ + "\n"
                    + Self.native(
                        "step.after",
                        "reads: [vars.at, vars.long], writes: [vars.at, vars.long, vars.late, vars.short],"),
            ends: """
                  done: { result: success, outputs: { at: "${vars.at}", long: "${vars.long}", late: "${vars.late}", short: "${vars.short}" } }
                  failed: { result: failure }
                """)
        let reply = HookReply(set: [
            "vars.at": "2026-01-31T13:00:00+01:00", "vars.long": "250ms", "vars.late": 60, "vars.short": 5,
        ])
        let run = await Conversation.run(try Compiled.plan(flow), [ScriptedEffect("hook h", .hook(reply))])
        #expect(
            run.hookCalls.first?.values == [
                "vars.at": .string(TimeText.format(ManualClock.start)), "vars.long": "-90s",
            ])
        #expect(run.output("at") == .time(1_769_860_800_000))
        #expect(run.output("long") == .duration(250))
        #expect(run.output("late") == .time(60_000))
        #expect(run.output("short") == .duration(5_000))
    }

    // MARK: Repetition

    @Test("a failing call is made again at once, as the same call, and not more often than allowed")
    func again() async throws {
        let flow = FlowTexts.single(
            "{ do: choose, next: done }",
            extra: "hooks:\n" + Self.native("step.before", "retry: { attempts: 3 },"))
        let plan = try Compiled.plan(flow)
        let failure = ScriptedEffect("hook h", .hook(.failed("down")))
        let good = await Conversation.run(
            plan, [failure, failure, ScriptedEffect("hook h", .hook(HookReply()))])
        #expect(good.end == "done")
        #expect(good.hookCalls.map(\.tries) == [1, 2, 3])
        #expect(good.hookCalls.map(\.sequence) == [1, 1, 1])
        let bad = await Conversation.run(plan, [failure, failure, failure])
        #expect(bad.outcome.end.error == RunFailure(.hookFailed, "hook \"h\" failed: down"))
    }

    @Test("each hook of a point has all its calls")
    func againEach() async throws {
        let flow = FlowTexts.single(
            "{ do: choose, next: done }",
            extra: "hooks:\n" + Self.native("step.before", "retry: { attempts: 2 },")
                + "\n  - { id: i, at: step.before, retry: { attempts: 2 }, native: { name: i } }")
        let script = ["h", "i"].flatMap { id in
            [HookReply.failed("down"), HookReply()].map { ScriptedEffect("hook \(id)", .hook($0)) }
        }
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.end == "done")
        #expect(run.hookCalls.map(\.tries) == [1, 2, 1, 2])
        #expect(run.hookCalls.map(\.sequence) == [1, 1, 2, 2])
    }

    @Test("a run without hooks asks none, and says once of each what is not refused")
    func leftOut() async throws {
        let program = try Compiled.program(
            FlowTexts.flow(
                "  one: { do: choose, next: two }\n  two: { do: choose, next: done }", start: "one",
                extra: "hooks:\n" + Self.native("step.before") + "\n"
                    + "  - { id: i, at: step.after, steps: [two], on_failure: continue, native: { name: i } }"
            ))
        let provider = try Compiled.provider()
        let plan = RunPlan(
            program: program, providers: program.providers.map { _ in provider },
            inputs: try program.inputValues([:]), asksHooks: false)
        let run = await Conversation.run(plan, [])
        #expect(run.end == "done")
        #expect(
            run.events.warnings == [
                "hook \"h\" is left out (--no-hooks); what it would refuse is not refused",
                "hook \"i\" is left out (--no-hooks)",
            ])
        #expect(run.events.hooks.map(\.decision) == ["left out", "left out", "left out"])
    }
}
