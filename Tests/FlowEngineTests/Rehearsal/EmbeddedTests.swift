import FlowEngine
import FlowLanguage
import FlowTesting
import Testing

@Suite("Embedded tests of the shipped flows")
struct EmbeddedTests {
    struct Embedded: Sendable, CustomTestStringConvertible {
        let flow: String
        let test: EmbeddedTest

        var testDescription: String { "\(flow): \(test.name)" }
    }

    static func all() throws -> [Embedded] {
        try Shipped.flows().flatMap { flow in
            try Shipped.program(flow).tests.map { Embedded(flow: flow, test: $0) }
        }
    }

    private func plan(_ program: FlowProgram, _ test: EmbeddedTest) throws -> RunPlan {
        try Shipped.rehearsal(
            program, provider: test.provider, inputs: test.inputs, test.assumptions, given: test.given)
    }

    @Test("each passes", arguments: try all())
    func passes(_ embedded: Embedded) async throws {
        let plan = try plan(Shipped.program(embedded.flow), embedded.test)
        #expect(await EmbeddedTestRun.run(embedded.test, plan).failures == [])
    }

    // MARK: The runner itself

    private static let steps = """
          restore: { next: { ok: userinfo, absent: authorize } }
          authorize: { next: callback }
          callback: { next: exchange }
          exchange: { next: verify }
          verify: { do: verify_id_token, next: { ok: userinfo, absent: userinfo } }
          userinfo: { next: done }
        """

    private func failures(_ test: String, _ steps: String = steps) async throws -> [String] {
        let flow = FlowTexts.flow(steps, start: "restore", extra: "tests:\n  - \(test)")
        let program = try Compiled.program(flow)
        let test = try #require(program.tests.first)
        return await EmbeddedTestRun.run(
            test, try Compiled.rehearsal(program, Compiled.provider(), test.assumptions)
        ).failures
    }

    @Test("a test that expects what happens has no failures")
    func satisfied() async throws {
        let test = """
            { name: t, assume: [restore=ok], expect: { end: done, path: [restore, userinfo], visits: { userinfo: 1 }, \
            never: [authorize], requests: { userinfo.method: GET, userinfo.headers.authorization: present, \
            userinfo.header.authorization: present } } }
            """
        #expect(try await failures(test) == [])
    }

    @Test(
        "a session that is taken for granted will do, whatever is asked of one",
        arguments: ["max_auth_age: 10m", "acr: [gold]", "scopes: [unheard_of]", "min_ttl: 30d"])
    func grantedSession(demand: String) async throws {
        let steps = Self.steps.replacing(
            "restore: { next: { ok: userinfo, absent: authorize } }",
            with: "restore: { with: { \(demand) }, next: { ok: userinfo, any.choice: authorize } }")
        let test = "{ name: t, assume: [restore=ok], expect: { end: done, path: [restore, userinfo] } }"
        #expect(try await failures(test, steps) == [])
    }

    @Test("where the network is down, a step that sends something finds it so")
    func networkDown() async throws {
        let expected = "expect: { end: failed, path: [restore, userinfo] }"
        #expect(try await failures("{ name: t, assume: [restore=ok, network=down], \(expected) }") == [])
    }

    @Test("an end that nobody expected is told with the step that failed before it")
    func unexpectedFailure() async throws {
        let test = "{ name: t, assume: [restore=ok, network=down], expect: { end: done } }"
        #expect(
            try await failures(test) == [
                "end: expected done, got failed (userinfo: network, the network is down)"
            ])
    }

    @Test(
        "what differs is said",
        arguments: [
            ("end: failed", ["end: expected failed, got done"]),
            ("path: [restore]", ["path: expected restore, got restore userinfo"]),
            ("visits: { userinfo: 2 }", ["visits of userinfo: expected 2, got 1"]),
            ("never: [userinfo]", ["never: userinfo was entered"]),
            ("requests: { userinfo.method: POST }", ["userinfo.method: expected POST, got GET"]),
            ("requests: { userinfo.query.x: present }", ["userinfo.query.x: expected present, got absent"]),
            (
                "requests: { authorize.query.state: present }",
                ["authorize.query.state: authorize made no request"]
            ),
        ])
    func differences(expectation: String, failures expected: [String]) async throws {
        #expect(
            try await failures("{ name: t, assume: [restore=ok], expect: { \(expectation) } }") == expected)
    }
}
