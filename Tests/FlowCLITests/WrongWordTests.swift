import Testing

@testable import FlowCLI

@Suite("Wrong words on the command line")
struct WrongWordTests {
    static let statuses: [(line: String, status: Int32, error: String)] = [
        ("lnt", 2, "flowrun: unknown command or flow \"lnt\"; did you mean \"lint\"?\n  see: flowrun help\n"),
        (
            "logn -q", 2,
            "flowrun: unknown command or flow \"logn\"; did you mean \"login\"?\n  see: flowrun help\n"
        ),
        ("run logn", 2, "flowrun: no flow is named \"logn\"; did you mean \"login\"?\n"),
        (
            "run google", 2,
            "flowrun: no flow is named \"google\"\n  \"google\" is a provider: flowrun login google\n"
        ),
        (
            "provider show login", 2,
            "flowrun: no provider is named \"login\"\n  \"login\" is a flow: flowrun run login\n"
        ),
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
            "token sandbox --profile=", 2,
            "flowrun: --profile needs a name, not an empty text\n  see: flowrun help token\n"
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
        (
            "login sandbox --dry-run --port 9000 --redirect-uri http://127.0.0.1:8765/cb", 2,
            """
            flowrun: --port 9000 does not count: the browser comes back to http://127.0.0.1:8765/cb (--redirect-uri)
              leave one of the two out, or give them the same port

            """
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

    @Test("a port beside the redirect URI of the same port is no mistake, nor one of the environment")
    func agreeingPorts() async throws {
        let uri = "--redirect-uri http://127.0.0.1:8765/cb"
        let plan = try await Workplace().run("login sandbox --dry-run --port 8765 \(uri)")
        #expect(plan.status == 0, "\(plan.error)")
        let other = try await Workplace().run(
            "login sandbox --dry-run \(uri)", environment: ["FLOWRUN_PORT": "9"])
        #expect(other.status == 0, "\(other.error)")
    }

    static let variables: [(line: String, variable: String, value: String, error: String)] = [
        (
            "plan login -p google --client-id a", "FLOWRUN_ENVIRONMENT", "nowhere",
            "flowrun: provider \"google\" has no environment \"nowhere\"\n"
        ),
        (
            "login sandbox --no-input", "FLOWRUN_TRACE", "no/such/folder/t.jsonl",
            "flowrun: /"
        ),
        ("plan login", "FLOWRUN_PROVIDER", "gogle", "flowrun: no provider is named \"gogle\"; did you mean"),
        (
            "provider list", "FLOWRUN_PROVIDERS", "nowhere",
            "flowrun: FLOWRUN_PROVIDERS: nowhere is no folder\n"
        ),
        (
            "plan login -p sandbox", "FLOWRUN_REDIRECT_URI", "http://acme.example/cb",
            "flowrun: the redirect URI \"http://acme.example/cb\" is not https\n"
        ),
    ]

    @Test("a wrong value of the environment is told with its variable", arguments: variables)
    func wrongVariable(line: String, variable: String, value: String, error: String) async throws {
        let result = try await Workplace().run(line, environment: [variable: value])
        #expect(result.error.hasPrefix(error), "\(result.error)")
        #expect(result.error.contains(variable), "\(result.error)")
        #expect(!(try await Workplace().run(line).error.contains(variable)))
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
}
