import FoundationEssentials
import Glibc
import JOSE
import Testing

@testable import FlowCLI

@Suite("Commands")
struct CommandTests {
    /// A flow that ends where its only check says.
    static let flow = """
        language: flow/1
        flow: choice
        summary: Chooses.
        providers:
          main: {default: sandbox}
        inputs:
          go: {type: bool, default: true}
          note: {type: optional secret, env: NOTE}
        outputs:
          where: string
        start: pick
        steps:
          pick:
            do: choose
            next:
              - {to: left, if: "inputs.go"}
              - right
        ends:
          left: {result: success, outputs: {where: left}}
          right: {result: failure, exit: 5}
        tests:
          - name: goes left
            expect: {end: left, path: [pick], outputs: {where: left}}
          - name: goes right
            inputs: {go: false}
            expect: {end: right}

        """

    @Test("secrets are shown elsewhere than on a terminal where somebody allows it, and never in CI")
    func reveal() async throws {
        let place = try Workplace(["choice.flow.yaml": Self.flow])
        let allowed = ["FLOWRUN_ALLOW_REVEAL": "1"]
        let line = "plan choice.flow.yaml -p sandbox --reveal"
        #expect(await place.run(line, environment: allowed).status == 0)
        for environment in [allowed.merging(["CI": "true"]) { $1 }, [:]] {
            let result = await place.run(line, environment: environment)
            #expect(result.status == 2)
            #expect(result.error.contains("--reveal shows secrets on terminals only"), "\(result.error)")
        }
    }

    // MARK: lint

    @Test("lint says what is wrong and where, and ends with 3")
    func lint() async throws {
        let place = try Workplace([
            "flows/a.flow.yaml": Self.flow.replacing("start: pick", with: "start: pik")
        ])
        let result = await place.run("lint --format short")
        #expect(result.status == 3)
        #expect(
            result.output == """
                flows/a.flow.yaml:11:8: error[FL020]: start "pik" is no step; did you mean "pick"?
                flows/a.flow.yaml: 1 error(s), 0 warning(s)

                """)
        #expect(await place.run("lint --exit-zero").status == 0)
    }

    @Test("lint knows flows, providers and registrations by their keys and leaves other YAML alone")
    func lintKinds() async throws {
        let place = try Workplace([
            "x/one.yaml": Self.flow, "x/two.yaml": "provider: two\n", "x/three.yaml": "services: {}\n",
            "x/flowrun.yaml": "registrations: {a: {client_secret: canary-secret}}\n",
        ])
        let result = await place.run("lint x --format json")
        #expect(result.status == 3)
        #expect(!result.output.contains("three.yaml"))
        #expect(
            result.output.contains(
                "\"code\":\"FL066\",\"severity\":\"error\",\"file\":\"x/flowrun.yaml\",\"line\":1"))
        #expect(result.output.contains("\"code\":\"FL011\",\"severity\":\"error\",\"file\":\"x/two.yaml\""))
        #expect(!result.output.contains("canary-secret"))
    }

    @Test("what cannot be read is a finding among the others, in every form")
    func lintUnreadable() async throws {
        let place = try Workplace([
            "flows/a.flow.yaml": Self.flow.replacing("start: pick", with: "start: pik"), "providers/none": "",
        ])
        #expect(symlink("nowhere", "\(place.path)/providers/lost.yaml") == 0)
        #expect(symlink(".", "\(place.path)/providers/round") == 0)
        #expect(mkfifo("\(place.path)/providers/pipe.yaml", 0o600) == 0)
        let text = await place.run("lint missing flows providers --format short")
        #expect(text.status == 3)
        #expect(
            text.output == """
                flows/a.flow.yaml:11:8: error[FL020]: start "pik" is no step; did you mean "pick"?
                flows/a.flow.yaml: 1 error(s), 0 warning(s)
                missing:1:1: error[FL002]: cannot be read: No such file or directory
                missing: 1 error(s), 0 warning(s)
                providers/lost.yaml:1:1: error[FL002]: cannot be read: No such file or directory
                providers/lost.yaml: 1 error(s), 0 warning(s)
                providers/pipe.yaml:1:1: error[FL002]: cannot be read: it is a pipe, not a file
                providers/pipe.yaml: 1 error(s), 0 warning(s)

                """)
        let json = await place.run("lint missing flows providers --format json")
        #expect(try JSON.parse(Array(json.output.utf8)).arrayValue?.count == 4)
        #expect(await place.run("provider list pipe").output.contains("it is a pipe, not a file"))
    }

    @Test("a flowrun.yaml that is a pipe or leads nowhere ends the run with its name, and nothing waits")
    func unreadableRegistrations() async throws {
        let place = try Workplace()
        #expect(mkfifo("\(place.path)/flowrun.yaml", 0o600) == 0)
        let pipe = await place.run("plan login -p sandbox")
        #expect(pipe.status == 3)
        #expect(pipe.error == "flowrun: flowrun.yaml: it is a pipe, not a file\n")
        let other = try Workplace()
        #expect(symlink("nowhere", "\(other.path)/flowrun.yaml") == 0)
        #expect(
            await other.run("plan login -p sandbox").error
                == "flowrun: flowrun.yaml: No such file or directory\n")
    }

    @Test("lint holds registrations against their providers")
    func lintRegistrations() async throws {
        let place = try Workplace([
            "providers/acme.yaml": """
            provider: acme
            protocol: oauth2
            token_endpoint: "${vars.base}/token"
            environments: {test: {token_endpoint: "https://test.acme.example/${vars.base}"}}
            variables: {base: {}}

            """,
            "flowrun.yaml": """
            registrations:
              acme: {client_id: a, variables: {base: "http://acme.example"}}
              acne: {client_id: a}

            """,
        ])
        let wrong = await place.run("lint --format short")
        #expect(wrong.status == 3)
        #expect(wrong.output.contains("flowrun.yaml:2:3: error[FL099]"))
        #expect(wrong.output.contains("there is no provider \"acne\""))
        try place.write(
            "flowrun.yaml",
            "registrations:\n  acme: {client_id: a, environment: test, variables: {base: x}}\n  sandbox: {client_id: b}\n"
        )
        #expect(await place.run("lint").status == 0)
    }

    @Test("a mistake that two files share is told once, and neither counts as clean")
    func lintShared() async throws {
        let place = try Workplace([
            "providers/parent.yaml": "provider: parent\nprotocol: oauth2\ntoken_endpoint: x\n",
            "providers/child.yaml": "provider: child\nextends: parent\n",
        ])
        let result = await place.run("lint")
        #expect(result.output.components(separatedBy: "is not an absolute URL").count == 2)
        #expect(result.output.hasSuffix("2 file(s) checked, 0 without a finding\n"))
    }

    @Test("lint without a project asks for paths")
    func lintNothing() async throws {
        let result = try await Workplace().run("lint")
        #expect(result.status == 2)
        #expect(result.error == "flowrun: there is no project here\n  name files or folders to check\n")
    }

    @Test(
        "a value of kilobytes is cut in messages, and its length is said",
        arguments: [
            "run LONG", "flow show LONG", "LONG", "plan login -p LONG", "help LONG", "explain LONG",
            "plan login -p sandbox -i LONG=x", "plan login -p sandbox --set issuer=LONG", "lint LONG",
            "sandbox --fault LONG", "trace show LONG", "--LONG", "run login --wait LONG",
        ])
    func longValues(line: String) async throws {
        let place = try Workplace()
        let value = String(repeating: "abcdefgh", count: 1_000)
        let result = await place.run(line.replacing("LONG", with: value))
        let text = result.output + result.error
        #expect(result.status != 0)
        #expect(text.contains("characters)…"), "\(text.prefix(2_000))")
        #expect(text.utf8.count < 2_500, "\(text.prefix(2_000))")
    }

    @Test("a folder without a file of ours is a mistake, beside others a warning")
    func lintEmpty() async throws {
        let place = try Workplace(["empty/readme.md": "x", "other/a.yaml": "services: {}\n"])
        for (paths, shown) in [("empty", "empty"), ("empty other", "empty, other")] {
            let result = await place.run("lint \(paths)")
            #expect(result.status == 2)
            #expect(result.output == "")
            #expect(
                result.error == """
                    flowrun: there is nothing to check in \(shown)
                      files are known by their names: NAME.flow.yaml, NAME.provider.yaml, flowrun.yaml
                      name a file of another name itself, or write one to begin with: flowrun flow new NAME

                    """)
        }
        try place.write("flows/choice.flow.yaml", Self.flow)
        let beside = await place.run("lint empty flows flows")
        #expect(beside.status == 0)
        #expect(beside.output == "1 file(s) checked, 1 without a finding\n")
        #expect(beside.error == "warning: there is nothing to check in empty\n")
        let project = try Workplace(["flows/readme.md": "x"])
        let nothing = await project.run("lint")
        #expect(nothing.status == 2)
        #expect(nothing.error.hasPrefix("flowrun: there is nothing to check in the project\n"))
    }

    @Test("everything that comes with flowrun is without a finding")
    func lintShipped() async throws {
        let folder = Workplace.packageFolder
        let result = try await Workplace().run("lint \(folder)/flows \(folder)/providers --format json")
        #expect(result.output == "[]\n")
        #expect(result.status == 0)
    }

    // MARK: test

    @Test("test runs the tests of the project's flows")
    func test() async throws {
        let place = try Workplace(["flows/choice.flow.yaml": Self.flow])
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
        let place = try Workplace(["flows/choice.flow.yaml": Self.flow, "flows/other.flow.yaml": Self.other])
        for option in ["", " --coverage", " --format junit"] {
            let result = await place.run("test --filter \(filter)\(option)")
            #expect(result.status == (message == nil ? 0 : 2))
            #expect(result.error == (message.map { "flowrun: \($0)" } ?? ""))
            #expect(result.output.isEmpty == (message != nil), "\(result.output)")
        }
    }

    static let other =
        "language: flow/1\nflow: other\nstart: clear\nsteps: {clear: {next: {ok: done, any: done}}}\n"
        + "ends: {done: {result: success}}\n"

    @Test("a test that fails shows what was expected, and ends with 12")
    func failingTest() async throws {
        let wrong = Self.flow.replacing(
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

    // MARK: list and show

    @Test("list shows names, summaries, origins and what is hidden")
    func list() async throws {
        let place = try Workplace(["flows/login.flow.yaml": Self.flow, "flows/bad.flow.yaml": "flow: bad\n"])
        let result = await place.run("flow list")
        let lines = result.output.split(separator: "\n")
        #expect(result.status == 0)
        let bad = try #require(lines.first { $0.hasPrefix("bad  ") })
        #expect(bad.hasSuffix("project: flows/bad.flow.yaml"))
        let logins = lines.filter { $0.hasPrefix("login  ") }
        #expect(logins.count == 2)
        #expect(logins.first?.contains("Chooses. ") == true)
        #expect(
            logins.last?.hasSuffix(
                "installed, hidden by project: \(Workplace.packageFolder)/flows/login.flow.yaml") == true)
        let json = await place.run("flow list --json")
        #expect(json.output.contains("\"name\": \"login\""))
        #expect(json.output.contains("\"hiddenBy\": \"project\""))
    }

    @Test("flow show lists what the flow takes, does and gives")
    func showFlow() async throws {
        let place = try Workplace(["flows/choice.flow.yaml": Self.flow])
        let result = await place.run("flow show choice")
        #expect(
            result.output == """
                flow choice v1  flows/choice.flow.yaml
                Chooses.

                providers
                  main  default sandbox

                inputs
                  go    bool, has a default
                  note  optional secret, from NOTE

                outputs
                  where  string

                steps
                  pick  choose to left, right

                ends
                  left       success
                  right      failure, status 5
                  failed     failure
                  cancelled  cancelled

                tests
                  goes left
                  goes right

                """)
    }

    @Test("provider show says where the client is registered and never shows its secret")
    func showProvider() async throws {
        let place = try Workplace()
        let environment = ["GOOGLE_CLIENT_ID": "canary-id", "GOOGLE_CLIENT_SECRET": "canary-secret"]
        let result = await place.run("provider show google", environment: environment)
        #expect(result.status == 0)
        #expect(result.output.contains("  client_id       canary-id  (variable GOOGLE_CLIENT_ID)\n"))
        #expect(result.output.contains("  client_secret   in variable GOOGLE_CLIENT_SECRET\n"))
        #expect(!(result.output + result.error).contains("canary-secret"))
        let other = await place.run("provider show google")
        #expect(other.output.contains("  registered      no; see: flowrun provider add google\n"))
    }

    // MARK: The rest

    static let statuses: [(line: String, status: Int32, error: String)] = [
        ("lnt", 2, "flowrun: unknown command or flow \"lnt\"; did you mean \"lint\"?\n  see: flowrun help\n"),
        (
            "logn -q", 2,
            "flowrun: unknown command or flow \"logn\"; did you mean \"login\"?\n  see: flowrun help\n"
        ),
        ("run logn", 2, "flowrun: no flow is named \"logn\"; did you mean \"login\"?\n"),
        ("plan login -p gogle", 2, "flowrun: no provider is named \"gogle\"; did you mean \"google\"?\n"),
        (
            "explain FL25", 2,
            "flowrun: no diagnostic and no failure has the code \"FL25\"; did you mean \"FL025\"?\n"
        ),
        ("lnt --help", 2, "flowrun: unknown command \"lnt\"; did you mean \"lint\"?\n  see: flowrun help\n"),
        ("help stor", 2, "flowrun: no help on \"stor\"; did you mean \"store\"?\n  see: flowrun help\n"),
        ("--hlep", 2, "flowrun: unknown option --hlep; did you mean --help?\n  see: flowrun help\n"),
        ("help lnt", 2, "flowrun: no help on \"lnt\"; did you mean \"lint\"?\n  see: flowrun help\n"),
        (
            "plan login -p sandbox --assume exchnge=ok", 2,
            """
            flowrun: --assume: flow "login" has no step "exchnge"; did you mean "exchange"?
              steps: restore, refresh, clear, authorize, callback, exchange, verify, userinfo, store

            """
        ),
        (
            "plan login -p sandbox --assume store=500", 2,
            """
            flowrun: --assume: store sends nothing; name an outcome
              outcomes: ok, store_failed, conflict

            """
        ),
        (
            "plan login -p sandbox --assume userinfo@1=unauthorised", 2,
            """
            flowrun: --assume: userinfo cannot end with "unauthorised"; did you mean "unauthorized"?
              outcomes: ok, network, server_error, rate_limited, malformed, unsupported, insecure, \
            metadata_untrusted, insufficient_auth, subject_mismatch, unauthorized, insufficient_scope

            """
        ),
        (
            "register sandbox --show --delete", 2,
            "flowrun: give one of --show, --update and --delete\n"
        ),
        (
            "register sandbox --show --name x", 2,
            "flowrun: what the client is to be goes with --update or a new registration\n"
        ),
        (
            "register sandbox --update --initial-access-token-env X", 2,
            "flowrun: an initial access token only registers; what changes a registration is kept with it\n"
        ),
        (
            "register sandbox --initial-access-token-env X --initial-access-token-file y", 2,
            "flowrun: give one of --initial-access-token-file, --initial-access-token-env and --initial-access-token-stdin\n"
        ),
        (
            "sandbox --initial-access-token-env X --initial-access-token-file y", 2,
            "flowrun: give one of --initial-access-token-file and --initial-access-token-env\n"
        ),
        ("provider list --providers nowhere", 2, "flowrun: --providers: nowhere is no folder\n"),
        (
            "plan login -p sandbox --redirect-uri http://acme.example/cb", 2,
            "flowrun: the redirect URI \"http://acme.example/cb\" is not https\n"
        ),
        (
            "plan login -p google --client-id a --param hdd=acme.example", 2,
            "flowrun: provider \"google\" takes no further parameter \"hdd\"; did you mean \"hd\"?\n"
        ),
        ("plan login -p google --client-id a --param hd", 2, "flowrun: --param needs NAME=VALUE\n"),
        (
            "provider add sandbox --client-id a --public --redirect-uri javascript:x", 2,
            "flowrun: the redirect URI \"javascript:x\" has a scheme that belongs to others\n"
        ),
        (
            "provider add sandbox --client-id a --client-secret-file a --client-secret-env B", 2,
            "flowrun: give one of --client-secret-file and --client-secret-env\n"
        ),
        (
            "config set sandbox.redirect_uri http://acme.example/cb", 2,
            "flowrun: the redirect URI \"http://acme.example/cb\" is not https\n"
        ),
        (
            "login a\u{1B}[31mb", 2,
            "flowrun: no provider is named \"a\\u{1B}[31mb\"\n"
        ),
        ("register gogle", 2, "flowrun: no provider is named \"gogle\"; did you mean \"google\"?\n"),
        (
            "sandbox --fault token:nothing-of-the-kind", 2,
            "flowrun: --fault: no fault is named 'token:nothing-of-the-kind'\n"
        ),
    ]

    @Test("a wrong word ends with 2 and the nearest right one", arguments: statuses)
    func wrongWord(line: String, status: Int32, error: String) async throws {
        let result = try await Workplace().run(line)
        #expect(result.status == status)
        #expect(result.error.hasPrefix(error), "\(result.error)")
        #expect(result.output == "")
    }

    @Test("a command that prints a token as JSON says as JSON why there is none")
    func tokenFailure() async throws {
        let result = try await Workplace().run("token gogle --json")
        #expect(result.status == 2)
        #expect(
            result.output
                == #"{"result":"failure","message":"no provider is named \"gogle\"; did you mean \"google\"?","#
                + #""exit":{"code":2,"name":"usage"}}"# + "\n")
    }

    static let commandsWithoutResult: [(line: String, status: Int32, name: String)] = [
        ("resume r_none -o json", 2, "usage"), ("resume r_none --migrate --json", 2, "usage"),
        ("resume --callback-url http://127.0.0.1/?state=s -o json", 4, "auth-required"),
        ("journal r_none -o json", 2, "usage"), ("plan gogle -o json", 2, "usage"),
        ("provider test gogle -o json", 2, "usage"), ("provider hosts gogle --json", 2, "usage"),
        ("hooks list nothing -o json", 2, "usage"), ("explore nothing -o json", 2, "usage"),
        ("register gogle -o json", 2, "usage"), ("kinds nothing -o json", 2, "usage"),
    ]

    @Test("a command that is to print JSON says as JSON why it does not", arguments: commandsWithoutResult)
    func failureAsJSON(line: String, status: Int32, name: String) async throws {
        let result = try await Workplace().run(line)
        #expect(result.status == status)
        let json = try JSON.parse(Array(result.output.utf8))
        #expect(json["result"] == "failure")
        #expect(json["exit"] == ["code": .int(Int64(status)), "name": .string(name)])
        let message = try #require(json["message"]?.stringValue)
        #expect(result.error.hasPrefix("flowrun: \(message)\n"), "\(result.error)")
    }

    @Test("it says where in which file the mistakes are")
    func diagnosticsAsJSON() async throws {
        let place = try Workplace()
        try place.write("mine.flow.yaml", "flow: mine\nlanguage: flow/1\nstart: one\nstpes: {}\n")
        let result = await place.run("plan ./mine.flow.yaml -p sandbox -o json")
        #expect(result.status == 3)
        let json = try JSON.parse(Array(result.output.utf8))
        let list = try #require(json["diagnostics"]?.arrayValue)
        let unknown = try #require(list.first { $0["line"] == 4 })
        #expect(unknown["file"] == "mine.flow.yaml" || unknown["file"] == "./mine.flow.yaml")
        #expect(unknown["code"] == "FL010")
    }

    @Test("what has begun to write its result is not told a second one")
    func failureAfterOutput() async throws {
        let place = try Workplace()
        let result = await place.run("trace verify nothing -o json")
        #expect(result.status == 3)
        #expect(result.output == "[]\n")
    }

    @Test(
        "help fits the terminal that it is shown on, and loses no word of it",
        arguments: [40, 60, 80, 200], [["run"], ["environment"], ["files"], ["faults"], ["http"], []])
    func fittedHelp(width: Int, topic: [String]) async throws {
        let place = try Workplace()
        let output = TextStream(isTerminal: true)
        let surroundings = place.surroundings(["COLUMNS": "\(width)"], output: output)
        _ = await Workplace.run((["help"] + topic).joined(separator: " "), surroundings)
        let whole = try HelpText.text(of: topic)
        #expect(
            output.text.split(whereSeparator: \.isWhitespace) == whole.split(whereSeparator: \.isWhitespace))
        let long = output.text.split(separator: "\n").filter { $0.count > width }
        // One word may be longer than there is room.
        #expect(long.allSatisfy { !$0.drop { $0 == " " }.contains(" ") }, "\(long)")
        #expect(await place.run((["help"] + topic).joined(separator: " ")).output == whole)
    }

    @Test("a row of the help goes on below its right column, where there is room for one")
    func fittedRow() {
        let text = "options\n  --name NAME   what people read when they are asked\n"
        #expect(
            FittedText.fitted(text, to: 40)
                == "options\n  --name NAME   what people read when\n                they are asked\n")
        #expect(
            FittedText.fitted(text, to: 30)
                == "options\n  --name NAME\n      what people read when\n      they are asked\n")
    }

    @Test("version, explain and help answer on standard output")
    func information() async throws {
        let place = try Workplace()
        #expect(await place.run("--version").output == "flowrun \(VersionCommand.version) (flow/1)\n")
        #expect(await place.run("version --json").output.hasPrefix("{\"name\":\"flowrun\",\"version\":\"0."))
        #expect(
            await place.run("explain fl025").output.hasPrefix("FL025 (error): outcome without destination\n"))
        #expect(await place.run("").output == HelpText.overview)
        #expect(await place.run("--help").output == HelpText.overview)
        #expect(await place.run("-h").output == HelpText.overview)
        #expect(await place.run("run --help").output == (try HelpText.text(of: ["run"])))
        #expect(await place.run("help environment").output.contains("FLOWRUN_HTTP_TIMEOUT"))
        let codes = await place.run("help exit-codes").output
        for status in ExitStatus.allCases { #expect(codes.contains("\(status.rawValue)  \(status.name)")) }
    }
}
