import Testing

@testable import FlowCLI

@Suite("The explore command")
struct ExploreCommandTests {
    private static let flow = """
        language: flow/1
        flow: short
        start: clear
        steps:
          clear: { next: { ok: done, store_failed: failed } }
        ends:
          done: { result: success }
          failed: { result: failure }

        """
    private static let table = """
        clear ok -> done  []
        clear store_failed -> failed  [clear=store_failed]

        """

    @Test("the table goes to standard output, the count to standard error")
    func text() async throws {
        let result = try await Workplace(["short.flow.yaml": Self.flow]).run("explore short.flow.yaml")
        #expect(result.status == 0)
        #expect(result.output == Self.table)
        #expect(result.error == "2 of 2 pairs of step and outcome are reached\n")
    }

    @Test("JSON names end, assumptions and path of each pair")
    func json() async throws {
        let result = try await Workplace(["short.flow.yaml": Self.flow]).run(
            "explore short.flow.yaml --json -q")
        #expect(
            result.output == """
                {"pairs":[{"step":"clear","outcome":"ok","end":"done","assume":[],"path":["clear"]},\
                {"step":"clear","outcome":"store_failed","end":"failed","assume":["clear=store_failed"],"path":["clear"]}],\
                "reached":2}

                """)
    }

    @Test("a written table is found again, until the flow leads elsewhere")
    func golden() async throws {
        let place = try Workplace(["short.flow.yaml": Self.flow])
        let written = await place.run("explore short.flow.yaml --write short.paths -q")
        #expect(written.status == 0)
        #expect(written.output == "")
        #expect(try place.read("short.paths") == Self.table)
        #expect(await place.run("explore short.flow.yaml --check short.paths -q").status == 0)
        try place.write(
            "short.flow.yaml", Self.flow.replacing("store_failed: failed", with: "store_failed: done"))
        let changed = await place.run("explore short.flow.yaml --check short.paths -q")
        #expect(changed.status == 12)
        #expect(
            changed.output == """
                2- clear store_failed -> failed  [clear=store_failed]
                2+ clear store_failed -> done  [clear=store_failed]

                """)
    }

    @Test("a table that is not there is told")
    func missing() async throws {
        let result = try await Workplace(["short.flow.yaml": Self.flow])
            .run("explore short.flow.yaml --check none.paths -q")
        #expect(result.status == 3)
        #expect(
            result.error == """
                flowrun: there is no none.paths to compare with
                  what this command writes without --check makes it: ... > none.paths

                """)
    }

    private static let two = """
        language: flow/1
        flow: two
        providers: { main: {}, machine: { oidc: false } }
        defaults: { next: { any: failed } }
        start: restore
        steps:
          restore: { next: { ok: done, any.choice: token } }
          token: { do: client_credentials, provider: machine, next: done }
        ends:
          done: { result: success }
          failed: { result: failure }

        """

    @Test("each alias may have a provider of its own, and the trace of a plan says which")
    func aliases() async throws {
        let other = "provider: machines\nextends: sandbox\n"
        let place = try Workplace(["flows/two.flow.yaml": Self.two, "providers/machines.yaml": other])
        #expect(await place.run("explore two -p sandbox -p machine=machines -q").status == 0)
        let unknown = await place.run("explore two -p robot=machines")
        #expect(unknown.status == 2)
        #expect(unknown.error.contains("flow \"two\" has no provider alias \"robot\""), "\(unknown.error)")
        let client = await place.run("plan two -p sandbox -p machine=machines --client-id machine=abc")
        #expect(client.status == 2)
        #expect(client.error.contains("--client-id is the identifier alone"), "\(client.error)")
        let plan = await place.run("plan two -p sandbox -p machine=machines --trace two.jsonl")
        #expect(plan.output.contains("provider sandbox, machines (machine)"), "\(plan.output)")
        let start = try #require(try place.read("two.jsonl").split(separator: "\n").first)
        #expect(
            start.contains(#""furtherProviders":[{"alias":"machine","provider":"machines"}]"#), "\(start)")
        let replay = await place.run("trace replay two.jsonl")
        #expect(replay.status == 0, "\(replay.error)")
    }
}
