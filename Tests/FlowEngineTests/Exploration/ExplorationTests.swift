import FlowEngine
import FlowLanguage
import FlowTesting
import Testing

/// Explorations of flows small enough to walk by hand.
@Suite("Explorations")
struct ExplorationTests {
    private func explore(_ flow: String, provider: String = Self.provider) async throws -> PathTable {
        let program = try Compiled.program(flow)
        let provider = try Compiled.provider(provider)
        let providers = program.providers.map { _ in provider }
        return await FlowExplorer(
            program, providers, inputs: SyntheticInputs.values(of: program, providers)
        ).explore()
    }

    private static let provider = ProviderText.make().replacing(
        ", id_token_signed_response_alg: ES256", with: "")

    private static let ends = """
          done: { result: success }
          none: { result: failure }
          failed: { result: failure }
        """

    @Test("every outcome of a step has a line with its end and what is assumed")
    func oneStep() async throws {
        let table = try await explore(
            FlowTexts.flow(
                "  restore: { next: { ok: done, absent: none } }", start: "restore", ends: Self.ends))
        #expect(
            table.text == """
                restore absent -> none  []
                restore corrupt -> failed  [restore=corrupt]
                restore expired -> failed  [restore=expired]
                restore insufficient -> failed  [restore=insufficient]
                restore ok -> done  [restore=ok]
                restore store_failed -> failed  [restore=store_failed]
                restore unrefreshable -> failed  [restore=unrefreshable]

                """)
    }

    @Test("a budget is used up before the alternative behind it is taken")
    func budget() async throws {
        let table = try await explore(
            FlowTexts.flow(
                """
                  clear: { next: { ok: done, store_failed: [ { to: clear, max: 2 }, last ] } }
                  last: { do: clear, next: done }
                """, start: "clear", ends: Self.ends))
        #expect(
            table.text == """
                clear ok -> done  []
                clear store_failed -> done  [clear@1=store_failed]
                last ok -> done  [clear@1=store_failed, clear@2=store_failed, clear@3=store_failed]
                last store_failed -> failed  [clear@1=store_failed, clear@2=store_failed, clear@3=store_failed, last=store_failed]

                """)
    }

    @Test("visits are used up before the step is exhausted")
    func visits() async throws {
        let table = try await explore(
            FlowTexts.flow(
                "  clear: { visits: 2, next: { ok: done, store_failed: clear, exhausted: none } }",
                start: "clear",
                ends: Self.ends))
        #expect(
            table.text == """
                clear exhausted -> none  [clear@1=store_failed, clear@2=store_failed]
                clear ok -> done  []
                clear store_failed -> done  [clear@1=store_failed]

                """)
    }

    @Test("a step that nothing repeats is never exhausted")
    func unrepeated() async throws {
        let table = try await explore(
            FlowTexts.flow(
                "  clear: { visits: 2, next: { ok: done, exhausted: none } }", start: "clear", ends: Self.ends
            ))
        #expect(table.rows.map(\.text).first == "clear exhausted -- no path leads there")
        #expect(table.reachedCount == table.rows.count - 1)
    }

    @Test("where a guard refuses the shortest way, a longer one is found")
    func guards() async throws {
        let table = try await explore(
            FlowTexts.flow(
                """
                  clear: { save: { vars.way: short }, next: { ok: fork, store_failed: long } }
                  long: { do: set, save: { vars.way: long }, next: fork }
                  fork: { do: choose, next: [ { if: "vars.way == 'long'", to: target }, done ] }
                  target: { do: clear, next: done }
                """, start: "clear", extra: "vars: { way: { type: string, init: '' } }", ends: Self.ends))
        #expect(table.rows.map(\.text).contains("target ok -> done  [clear=store_failed]"))
        #expect(table.reachedCount == table.rows.count)
    }

    @Test("where only another input opens the way, it is named")
    func inputs() async throws {
        let table = try await explore(
            FlowTexts.flow(
                """
                  fork: { do: choose, next: [ { if: inputs.force, to: target }, done ] }
                  target: { do: clear, next: done }
                """, start: "fork", extra: "inputs: { force: { type: bool, default: false }, name: string }",
                ends: Self.ends))
        #expect(
            table.text == """
                fork ok -> done  []
                target ok -> done  [inputs.force=true]
                target store_failed -> failed  [target=store_failed, inputs.force=true]

                """)
    }

    @Test("where only what a test of the flow gives opens the way, it is named")
    func given() async throws {
        let table = try await explore(
            FlowTexts.flow(
                """
                  restore:
                    next:
                      ok: [ { if: "run.now - (out.refreshed_at ?? run.now) >= 24h", to: target }, done ]
                      absent: failed
                  target: { do: set, next: done }
                """, start: "restore",
                extra:
                    "tests: [ { name: old, assume: [restore=ok], given: { restore.refreshed_at: -25h }, expect: { end: done } } ]",
                ends: Self.ends))
        #expect(
            table.rows.last?.text == "target ok -> done  [restore=ok, given restore.refreshed_at=-25h]")
    }

    @Test("what no run comes to is told with the reason")
    func unreached() async throws {
        let table = try await explore(
            FlowTexts.flow(
                """
                  fork: { do: choose, next: [ { if: "vars.way == 'long'", to: target }, done ] }
                  target: { do: set, next: done }
                """, start: "fork", extra: "vars: { way: { type: string, init: '' } }", ends: Self.ends))
        #expect(
            table.text == """
                fork ok -> done  []
                target ok -- fork leads to done, not to target

                """)
    }

    @Test("the reason is that of the run that came nearest, with the inputs that brought it there")
    func nearestReason() async throws {
        let table = try await explore(
            FlowTexts.flow(
                """
                  fork: { do: choose, next: [ { if: inputs.force, to: inner }, done ] }
                  inner: { do: choose, next: [ { if: "vars.way == 'long'", to: target }, none ] }
                  target: { do: set, next: done }
                """, start: "fork",
                extra: """
                    vars: { way: { type: string, init: '' } }
                    inputs: { force: { type: bool, default: false } }
                    """, ends: Self.ends))
        let reason = "inner leads to none, not to target (with inputs.force=true)"
        #expect(table.rows.last?.text == "target ok -- \(reason)")
    }

    @Test("the reason is that of the shortest way and of the usual inputs where others come no nearer")
    func firstReason() async throws {
        let table = try await explore(
            FlowTexts.flow(
                """
                  fork:
                    do: choose
                    next: [ { if: inputs.away, to: none }, { if: "vars.way == 'long'", to: target }, last ]
                  last: { do: clear, next: { ok: done, store_failed: again } }
                  again: { do: choose, next: [ { if: "vars.way == 'longer'", to: target }, done ] }
                  target: { do: set, next: done }
                """, start: "fork",
                extra: """
                    vars: { way: { type: string, init: '' } }
                    inputs: { away: { type: bool, default: false } }
                    """, ends: Self.ends))
        #expect(table.rows.last?.text == "target ok -- fork leads to last, not to target")
    }

    @Test("what the provider decides otherwise is told")
    func provider() async throws {
        let table = try await explore(FlowTexts.signIn(), provider: ProviderText.plain)
        let unreached = table.rows.map(\.text).filter { $0.contains(" -- ") }
        #expect(unreached == ["verify ok -- verify ends with absent, not with ok"])
    }

    @Test("steps that are left out by a condition are reached both ways")
    func conditions() async throws {
        let table = try await explore(
            FlowTexts.flow(
                "  clear: { if: \"vars.way == ''\", assert: \"vars.way == ''\", next: { ok: done, skipped: none } }",
                start: "clear", extra: "vars: { way: { type: string, init: '' } }", ends: Self.ends))
        #expect(
            table.text == """
                clear assertion_failed -> failed  [clear=assertion_failed]
                clear ok -> done  []
                clear skipped -> none  [clear=skipped]
                clear store_failed -> failed  [clear=store_failed]

                """)
    }

    @Test("the engine's own end of a run is told with its code")
    func engine() async throws {
        let table = try await explore(
            FlowTexts.flow(
                """
                  clear: { next: { ok: done, store_failed: [ { to: clear, max: 20 }, last ] } }
                  last: { do: set, next: done }
                """, start: "clear", extra: "limits: { transitions: 5 }", ends: Self.ends))
        #expect(table.rows.last?.text == "last ok -- no path leads there")
    }

    @Test("the same flow gives the same table")
    func same() async throws {
        let first = try await explore(FlowTexts.signIn())
        let second = try await explore(FlowTexts.signIn())
        #expect(first.text == second.text)
        #expect(first.json == second.json)
    }
}

/// The committed tables of the flows that come with the program.
@Suite("Paths of the shipped flows")
struct ShippedPathTests {
    @Test("every outcome leads where it led before", arguments: try Shipped.flows())
    func shipped(_ name: String) async throws {
        let program = try Shipped.program(name)
        let usual = program.tests.lazy.compactMap(\.provider).first ?? "sandbox"
        let providers = try program.providers.map { try Shipped.provider($0.standard?.value ?? usual) }
        let table = await FlowExplorer(
            program, providers, inputs: SyntheticInputs.values(of: program, providers)
        ).explore()
        try expectGolden(table.text, named: "paths/\(name).paths")
    }

    @Test("there is no table without a flow")
    func unused() throws {
        #expect(try Golden.unused(in: "paths", suffix: ".paths", used: Shipped.flows()) == [])
    }
}
