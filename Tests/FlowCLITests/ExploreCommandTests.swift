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
        #expect(result.error.contains("none.paths"))
    }
}
