import FlowEngine
import FlowLanguage
import FlowTesting
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
        ).replacing("flow: example", with: "flow: inner")
        let outer = FlowTexts.flow(
            outerSteps
                ?? "  sign_in: { do: subflow, with: { flow: inner }, next: { found: done, missing: failed } }",
            start: "sign_in")
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
        let provider = try Compiled.provider()
        let plan = RunPlan(
            program: program, providers: program.providers.map { _ in provider },
            inputs: try program.inputValues([:]))
        return await Conversation.run(plan, events.map { ScriptedEffect("load session", $0) })
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
        #expect(run.runEnd?.errorCode == "nobody")
        #expect(run.runEnd?.exit == 5)
    }
}
