import Testing

@testable import FlowCLI

@Suite("test")
struct TestCommandTests {
    @Test("test runs the tests of the project's flows")
    func test() async throws {
        let place = try Workplace(["flows/choice.flow.yaml": ChoiceFlow.text])
        let result = await place.run("test")
        #expect(result.status == 0)
        #expect(
            result.output == """
                choice  flows/choice.flow.yaml
                  ✓ goes left
                  ✓ goes right
                2 tests, 2 passed, 0 failed

                """)
    }

    @Test(
        "a filter that no test's name holds is a mistake, and the nearest name is told",
        arguments: [
            ("left", nil), ("zzz", "no test has \"zzz\" in its name\n  tests: goes left, goes right\n"),
            (
                "lfet",
                "no test has \"lfet\" in its name; did you mean \"goes left\"?\n  tests: goes left, goes right\n"
            ),
            (
                "Right",
                "no test has \"Right\" in its name; did you mean \"goes right\"?\n  tests: goes left, goes right\n"
            ),
        ] as [(String, String?)])
    func filter(_ filter: String, _ message: String?) async throws {
        let place = try Workplace([
            "flows/choice.flow.yaml": ChoiceFlow.text, "flows/other.flow.yaml": ChoiceFlow.other,
        ])
        for option in ["", " --coverage", " --format junit"] {
            let result = await place.run("test --filter \(filter)\(option)")
            #expect(result.status == (message == nil ? 0 : 2))
            #expect(result.error == (message.map { "flowrun: \($0)" } ?? ""))
            #expect(result.output.isEmpty == (message != nil), "\(result.output)")
        }
    }

    @Test("a test that fails shows what was expected, and ends with 12")
    func failingTest() async throws {
        let wrong = ChoiceFlow.text.replacing(
            "expect: {end: left, path: [pick], outputs: {where: left}}",
            with:
                "expect: {end: right, path: [pick, pick], visits: {pick: 2}, never: [pick], outputs: {where: x}}"
        )
        let place = try Workplace(["flows/choice.flow.yaml": wrong])
        let result = await place.run("test --ascii --filter left")
        #expect(result.status == 12)
        #expect(
            result.output == """
                choice  flows/choice.flow.yaml
                  not ok goes left  (flows/choice.flow.yaml:22)
                      end: expected right, got left
                      path: expected pick pick, got pick
                      visits of pick: expected 2, got 1
                      never: pick was entered
                      output where: expected "x", got "left"
                1 tests, 0 passed, 1 failed

                """)
    }

    @Test("expectations of requests see parts, presence and absence, and never a secret")
    func requestExpectations() async throws {
        let tests = """
            tests:
              - name: requests
                expect:
                  requests:
                    authorize.query.code_challenge_method: S256
                    authorize.query.state: present
                    authorize.query.code_verifier: absent
                    exchange.form.grant_type: refresh_token
                    exchange.form.code_verifier: absent
                    exchange.headers.accept: application/json
                    exchange.method: POST
                    restore.method: POST
            """
        let shipped = try #require(Workplace.shipped("flows/login.flow.yaml"))
        let head = try #require(shipped.firstRange(of: "\ntests:")).lowerBound
        let place = try Workplace(["login.flow.yaml": shipped[..<head] + "\n" + tests])
        let result = await place.run("test ./login.flow.yaml")
        #expect(result.status == 12)
        let failures = result.output.split(separator: "\n").dropFirst(2).dropLast().map {
            $0.drop { $0 == " " }
        }
        #expect(
            failures == [
                "exchange.form.grant_type: expected refresh_token, got authorization_code",
                "exchange.form.code_verifier: expected absent, got ‹code_verifier›",
                "restore.method: restore made no request",
            ])
    }

    @Test("the tests that come with flowrun pass")
    func shippedTests() async throws {
        let folder = Workplace.packageFolder
        let result = try await Workplace().run(
            "test \(folder)/flows/login.flow.yaml \(folder)/flows/refresh.flow.yaml -q")
        #expect(result.status == 0, "\(result.output)")
    }
}
