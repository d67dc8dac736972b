import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import Testing
import YAMLText

/// Flows that run another flow: what is told of the inner one, and what its failure means for the outer one.
@Suite("Sub-flows")
struct SubflowTests {
    private static func program(
        innerEnd: String, innerRestore: String = "{ ok: found, absent: missing }", outerSteps: String? = nil
    ) throws -> FlowProgram {
        let inner = FlowTexts.flow(
            "  restore: { next: \(innerRestore) }", start: "restore",
            ends: """
                  found: { result: success }
                  missing: \(innerEnd)
                  failed: { result: failure }
                """
        )
        return try program(
            inner: inner,
            outer: FlowTexts.flow(
                outerSteps
                    ?? "  sign_in: { do: subflow, with: { flow: inner }, next: { found: done, missing: failed } }",
                start: "sign_in"))
    }

    private static func program(inner: String, outer: String) throws -> FlowProgram {
        let inner = inner.replacing("flow: example", with: "flow: inner")
        let compilation = FlowCompiler.compile(
            SourceFile(path: "outer.flow.yaml", text: outer),
            sources: FlowSources(
                flow: { id, _ in id == "inner" ? SourceFile(path: "inner.flow.yaml", text: inner) : nil },
                imported: { _, _ in nil }))
        return try #require(compilation.program, "\(compilation.diagnostics)")
    }

    private static let session = InputEvent.session(
        StoredSession(bytes: StoredTokens().bytes, generation: 7))

    private static func run(
        _ program: FlowProgram, _ events: [InputEvent] = [.noSession]
    ) async throws -> Conversation {
        await Conversation.run(try plan(program), events.map { ScriptedEffect("load session", $0) })
    }

    private static func plan(_ program: FlowProgram) throws -> RunPlan {
        let provider = try Compiled.provider()
        return RunPlan(
            program: program, providers: program.providers.map { _ in provider },
            inputs: try program.inputValues([:]))
    }

    @Test("every event says its step: the end of the sub-flow's step is its own")
    func steps() async throws {
        let run = try await Self.run(Self.program(innerEnd: "{ result: failure }"))
        let told = run.events.compactMap { event -> String? in
            switch event.body {
            case .stepStart: "begin \(event.step ?? "-")"
            case .stepEnd(let end): "end \(event.step ?? "-") \(end.outcome)"
            default: nil
            }
        }
        #expect(
            told == [
                "begin sign_in", "begin sign_in/restore", "end sign_in/restore absent", "end sign_in missing",
            ])
    }

    @Test(
        "what went wrong inside explains the outer failure, with the status and the code of the inner end",
        arguments: [
            ("{ result: failure }", InputEvent.noSession, "absent", 1),
            ("{ result: failure, exit: 10 }", .noSession, "absent", 10),
            ("{ result: failure, error: nobody, exit: 4 }", .noSession, "nobody", 4),
            ("{ result: failure }", .storeFailed(reason: "x"), "store_failed", 9),
        ])
    func failure(innerEnd: String, event: InputEvent, code: String, exit: Int) async throws {
        let run = try await Self.run(Self.program(innerEnd: innerEnd), [event])
        #expect(run.outcome.failedStep?.name == "sign_in/restore")
        #expect(run.runEnd?.errorCode == code)
        #expect(run.runEnd?.exit == exit)
    }

    @Test("a sub-flow that succeeds leaves no problem behind, and takes none away")
    func success() async throws {
        let steps = """
              sign_in: { do: subflow, with: { flow: inner }, next: { found: later, missing: failed } }
              later: { do: restore, next: { ok: done, absent: again } }
              again: { do: subflow, with: { flow: inner }, next: { found: failed, missing: failed } }
            """
        let run = try await Self.run(
            Self.program(innerEnd: "{ result: failure }", outerSteps: steps),
            [Self.session, .storeFailed(reason: "x")])
        #expect(run.outcome.failedStep?.name == "later")
        let good = try await Self.run(
            Self.program(innerEnd: "{ result: failure }", outerSteps: steps),
            [Self.session, .noSession, Self.session])
        #expect(good.outcome.failedStep == nil)
        #expect(good.runEnd?.exit == 1)
    }

    @Test(
        "what went wrong before a sub-flow is no reason for its end, and is one again after it",
        arguments: [
            ("{ ok: found, absent: missing }", "first"), ("{ ok: missing, absent: found }", "sign_in"),
        ])
    func before(innerRestore: String, reason: String) async throws {
        let steps = """
              first: { do: restore, next: { ok: done, store_failed: sign_in } }
              sign_in: { do: subflow, with: { flow: inner }, next: { found: last, missing: failed } }
              last: { do: choose, next: failed }
            """
        let inner = FlowTexts.flow(
            "  restore: { next: \(innerRestore) }", start: "restore",
            ends:
                "  found: { result: success }\n  missing: { result: failure }\n  failed: { result: failure }")
        let program = try Self.program(inner: inner, outer: FlowTexts.flow(steps, start: "first"))
        let run = try await Self.run(program, [.storeFailed(reason: "x"), Self.session])
        #expect(run.outcome.failedStep?.name == reason)
    }

    @Test("an exploration reaches every outcome of the sub-flow's step, the success too")
    func explored() async throws {
        let program = try Self.program(innerEnd: "{ result: failure }")
        let provider = try Compiled.provider()
        let providers = program.providers.map { _ in provider }
        let table = await FlowExplorer(
            program, providers, inputs: SyntheticInputs.values(of: program, providers)
        ).explore()
        #expect(table.text.contains("sign_in found -> done  [sign_in/restore=ok]"), "\(table.text)")
        #expect(!table.text.contains(" -- "), "\(table.text)")
    }

    @Test("an inner flow that chooses to fail tells the code and the status of its end too")
    func chosen() async throws {
        let program = try Self.program(
            innerEnd: "{ result: failure, error: nobody, exit: 5 }",
            innerRestore: "{ ok: missing, absent: found }")
        let run = try await Self.run(program, [Self.session])
        #expect(run.lastEnd(of: "sign_in")?.error == "nobody")
        #expect(run.runEnd?.errorCode == "nobody")
        #expect(run.runEnd?.exit == 5)
    }

    @Test("hooks of the inner flow are told of it alone, and its error is over when it is left")
    func hooks() async throws {
        let inner = FlowTexts.flow(
            "  restore: { next: { ok: done, absent: failed } }", start: "restore",
            extra: """
                hooks:
                  - { id: begin, at: flow.start, native: { name: begin } }
                  - { id: end, at: flow.end, native: { name: end } }
                  - { id: wrong, at: flow.error, reads: [error.code], native: { name: wrong } }
                """)
        let outer = FlowTexts.flow(
            """
              first: { do: subflow, with: { flow: inner }, next: { done: failed, failed: second } }
              second: { do: subflow, with: { flow: inner }, next: { done: last, failed: failed } }
              last: { do: choose, next: done }
            """, start: "first",
            extra: "hooks:\n  - { id: outer, at: flow.end, reads: [error.code], native: { name: outer } }")
        let answer = { (id: String) in ScriptedEffect("hook \(id)", .hook(HookReply())) }
        let run = await Conversation.run(
            try Self.plan(Self.program(inner: inner, outer: outer)),
            [
                answer("first/begin"), ScriptedEffect("load session", .noSession), answer("first/wrong"),
                answer("first/end"), answer("second/begin"), ScriptedEffect("load session", Self.session),
                answer("second/end"), answer("outer"),
            ])
        #expect(run.end == "done")
        #expect(
            run.hookCalls.map(\.values) == [
                [:], ["error.code": "absent"], [:], [:], [:], ["error.code": .null],
            ])
        #expect(
            run.hookCalls.map { $0.facts["error"]?["code"] } == [nil, "absent", nil, nil, nil, nil])
    }

    @Test("what its hooks emit has its own values, and personal ones of it stay personal")
    func emitted() async throws {
        let inner = FlowTexts.flow(
            "  restore: { next: { ok: done, absent: failed } }", start: "restore",
            extra: """
                vars: { name: { type: string, init: Ada, label: pii }, count: { type: int, init: 3 } }
                hooks:
                  - id: tell
                    at: step.after
                    emit: { event: seen, data: { name: "${vars.name}", count: "${vars.count}" } }
                """)
        let outer = FlowTexts.flow(
            "  go: { do: subflow, with: { flow: inner }, next: { done: done } }", start: "go",
            extra: "vars: { name: { type: string, init: outer }, count: { type: int, init: 7 } }")
        let run = try await Self.run(Self.program(inner: inner, outer: outer), [Self.session])
        #expect(run.events.hooks.map(\.id) == ["go/tell"])
        #expect(run.events.hooks.map(\.message) == ["seen name=\"(personal)\" count=3"])
    }

    @Test(
        "its end leaves room for the transition of its step",
        arguments: [(2, nil), (1, RunFailure.Code.transitions)],
        ["restore", "choose"])
    func transitions(limit: (most: Int, error: RunFailure.Code?), kind: String) async throws {
        let inner = FlowTexts.flow("  only: { do: \(kind), next: done }", start: "only")
        let outer = FlowTexts.flow(
            "  go: { do: subflow, with: { flow: inner }, next: { done: done } }", start: "go",
            extra: "limits: { transitions: \(limit.most) }")
        let run = try await Self.run(
            Self.program(inner: inner, outer: outer), kind == "choose" ? [] : [Self.session])
        #expect(run.outcome.end.error?.code == limit.error)
        #expect(run.end == (limit.error == nil ? "done" : "failed"))
    }

    @Test("a hook inside that gave an answer its outcome is at fault outside too")
    func hookAtFault() async throws {
        let inner = FlowTexts.flow(
            "  ask: { do: http, with: { url: \"https://p.example/api\" }, next: done }", start: "ask",
            extra: "hooks: [ { id: h, at: step.response, may: [outcome], native: { name: h } } ]")
        let outer = FlowTexts.flow(
            "  go: { do: subflow, with: { flow: inner }, next: { done: done } }", start: "go")
        var reply = HookReply()
        reply.outcome = "rejected"
        let run = await Conversation.run(
            try Self.plan(Self.program(inner: inner, outer: outer)),
            [
                ScriptedEffect("http http", Answers.json(200)), ScriptedEffect("hook go/h", .hook(reply)),
            ])
        #expect(run.outcome.failedStep?.name == "go/ask")
        #expect(run.outcome.hookAtFault == "go/h")
    }

    @Test("what went wrong inside is no reason of a step that a hook has led to")
    func detour() async throws {
        let inner = FlowTexts.flow("  restore: { next: { ok: done, absent: failed } }", start: "restore")
        let outer = FlowTexts.flow(
            """
              sign_in: { do: subflow, with: { flow: inner }, next: { done: done, failed: failed } }
              later: { do: restore, next: { ok: done } }
            """, start: "sign_in",
            extra: """
                hooks:
                  - { id: h, at: step.after, steps: [sign_in], may: [{ goto: [later] }], native: { name: h } }
                """)
        let run = await Conversation.run(
            try Self.plan(Self.program(inner: inner, outer: outer)),
            [
                ScriptedEffect("load session", .noSession),
                ScriptedEffect("hook h", .hook(HookReply(.goto("later")))),
                ScriptedEffect("load session", .storeFailed(reason: "x")),
            ])
        #expect(run.outcome.failedStep?.name == "later")
        #expect(run.runEnd?.errorCode == "store_failed")
    }

    @Test("its step is tried once, however often a step of it was")
    func attempts() async throws {
        let inner = FlowTexts.flow(
            """
              ask:
                do: http
                with: { url: "https://p.example/api" }
                retry: { outcomes: [server_error], attempts: 2, backoff: { initial: 1s, jitter: none } }
                next: done
            """, start: "ask")
        let outer = FlowTexts.flow(
            "  go: { do: subflow, with: { flow: inner }, next: { done: done } }", start: "go",
            extra: "hooks: [ { id: h, at: step.after, steps: [go], native: { name: h } } ]")
        let run = await Conversation.run(
            try Self.plan(Self.program(inner: inner, outer: outer)),
            [
                ScriptedEffect("http http", Answers.json(503)), ScriptedEffect("sleep", .woke),
                ScriptedEffect("http http", Answers.json(200)), ScriptedEffect("hook h", .hook(HookReply())),
            ])
        #expect(run.hookCalls.map(\.step?.attempt) == [1])
    }

    @Test("each time it is run it begins afresh, and gives what came of it")
    func afresh() async throws {
        let inner = FlowTexts.flow(
            """
              restore:
                visits: 1
                next: { ok: [ { to: done, if: vars.count == 1, max: 1, save: { vars.count: 2 } }, failed ] }
            """, start: "restore",
            extra: "vars: { count: { type: int, init: 1 } }\noutputs: { count: int }",
            ends: """
                  done: { result: success, outputs: { count: "${vars.count}" } }
                  failed: { result: failure }
                """)
        let outer = FlowTexts.flow(
            """
              go: { do: subflow, with: { flow: inner }, next: { done: again } }
              again: { do: choose, next: [ { to: go, max: 1 }, done ] }
            """, start: "go", extra: "outputs: { count: int }",
            ends: """
                  done: { result: success, outputs: { count: "${steps.go.count}" } }
                  failed: { result: failure }
                """)
        let run = try await Self.run(
            Self.program(inner: inner, outer: outer), [Self.session, Self.session])
        #expect(run.path == ["go", "go/restore", "again", "go", "go/restore", "again"])
        #expect(run.output("count") == .int(2))
    }

    @Test(
        "its deadline ends it, and is over when it is left",
        arguments: [
            ("1s", 900, 900, nil), ("1s", 1_000, 0, "sign_in/inner"), ("15m", 0, 2_000, "last"),
        ] as [(String, Int64, Int64, String?)])
    func deadline(inner: String, first: Int64, second: Int64, failed: String?) async throws {
        let restore = FlowTexts.flow(
            "  restore: { next: inner }\n  inner: { do: choose, next: done }", start: "restore",
            extra: "limits: { deadline: \(inner) }")
        let outer = FlowTexts.flow(
            """
              sign_in: { do: subflow, with: { flow: inner }, next: { done: later } }
              later: { do: restore, next: last }
              last: { do: choose, next: done }
            """, start: "sign_in", extra: "limits: { deadline: 2s }")
        let plan = try Self.plan(Self.program(inner: restore, outer: outer))
        let script = [
            ScriptedEffect("load session", after: first, Self.session),
            ScriptedEffect("load session", after: second, Self.session),
        ]
        let run = await Conversation.run(plan, failed == "sign_in/inner" ? [script[0]] : script)
        #expect(run.outcome.end.error?.code == (failed == nil ? nil : .deadline))
        #expect(run.outcome.failedStep?.name == failed)
    }

    @Test(
        "what a step gives must be what the inner flow takes, which has its own where nothing is given",
        arguments: [
            (4, nil, "the input \"count\" of step \"go\" must be at most 3"), (3, 3, nil), (nil, 2, nil),
        ] as [(Int?, Int64?, String?)])
    func inputs(given: Int?, taken: Int64?, problem: String?) async throws {
        let inner = FlowTexts.flow(
            "  choose: { next: done }", start: "choose",
            extra: "inputs: { count: { type: int, max: 3, default: 2 } }\noutputs: { count: int }",
            ends: """
                  done: { result: success, outputs: { count: "${inputs.count}" } }
                  failed: { result: failure }
                """)
        let inputs = given == nil ? "" : ", inputs: { count: \"${vars.count}\" }"
        let outer = FlowTexts.flow(
            "  go: { do: subflow, with: { flow: inner\(inputs) }, next: { done: done } }", start: "go",
            extra: "vars: { count: { type: int, init: \(given ?? 0) } }\noutputs: { count: int }",
            ends: """
                  done: { result: success, outputs: { count: "${steps.go.count}" } }
                  failed: { result: failure }
                """)
        let run = try await Self.run(Self.program(inner: inner, outer: outer), [])
        #expect(run.output("count") == taken.map(Value.int))
        #expect(run.outcome.end.error == problem.map { RunFailure(.inputInvalid, $0) })
    }
}
