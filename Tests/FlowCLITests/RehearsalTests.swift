import JOSE
import Testing

@testable import FlowCLI

@Suite("Rehearsals")
struct RehearsalTests {
    @Test("a trace says which layer each value of the registration is from")
    func layers() async throws {
        let place = try Workplace([
            "providers/acme.yaml": """
            provider: acme
            protocol: oauth2
            variables: { tenant: { default: main } }
            authorization_endpoint: https://acme.example/${vars.tenant}/authorize
            token_endpoint: https://acme.example/token
            """,
            "flowrun.yaml": """
            registrations:
              acme: { client_id: file, client_secret: { env: ACME_SECRET }, variables: { tenant: one }, scopes: [a] }
            """,
        ])
        let result = await place.run(
            "plan login -p acme --scope b --set tenant=two --trace t.jsonl --report html=t.html",
            environment: ["ACME_CLIENT_ID": "variable"])
        #expect(result.status == 0, "\(result.error)")
        let first = try place.read("t.jsonl").split(separator: "\n").first ?? ""
        let facts = try JSON.parse(Array(first.utf8))["registration"]?.arrayValue ?? []
        let told = facts.map { fact in
            ["n", "v", "src"].map { fact[$0]?.stringValue ?? "" }.joined(separator: " | ")
        }
        #expect(
            told == [
                "client_id | variable | variable ACME_CLIENT_ID",
                "client_secret | in variable ACME_SECRET | flowrun.yaml:2", "scopes | a | flowrun.yaml:2",
                "scopes | b | --scope", "tenant | two | --set",
            ])
        #expect(try place.read("t.html").contains("variable ACME_CLIENT_ID"))
    }

    @Test("--param adds what the provider's file allows to the authorization request, and its source is told")
    func parameter() async throws {
        let place = try Workplace()
        let result = await place.run("plan login -p google --client-id a --param hd=acme.example")
        #expect(result.status == 0, "\(result.error)")
        let line = result.output.split(separator: "\n").first { $0.contains("acme.example") }
        #expect(line?.contains("hd") == true)
        #expect(line?.contains("flag") == true)
    }

    @Test("a plan is the same bytes every time, wherever it is written to")
    func stable() async throws {
        let first = try await Workplace().run("plan login -p google")
        let second = try await Workplace().run(
            "run login --dry-run --provider google", environment: ["TZ": "Asia/Tokyo", "COLUMNS": "20"])
        #expect(first.status == 0)
        #expect(first.output == second.output)
        #expect(first.error == "no client is registered with google; the plan shows <client-id>\n")
    }

    @Test("a plan equals its golden file, and shows the lines that changed")
    func golden() async throws {
        let place = try Workplace()
        try place.write("golden", await place.run("plan login -p sandbox").output)
        let same = await place.run("plan login -p sandbox --check golden")
        #expect(same.status == 0)
        #expect(same.output == "")
        #expect(same.error == "the plan is as in golden\n")
        let other = await place.run("plan login -p sandbox --check golden --assume callback=access_denied")
        #expect(other.status == 12)
        #expect(other.output.contains("access_denied"))
        #expect(other.error == "the plan is not as in golden\n")
        let missing = await place.run("plan login -p sandbox --check nowhere")
        #expect(missing.status == 3)
    }

    @Test("a plan shows the registered client and never its secret")
    func secrets() async throws {
        let environment = ["GOOGLE_CLIENT_ID": "my-client", "GOOGLE_CLIENT_SECRET": "canary-secret"]
        for line in [
            "plan login -p google -vv", "plan login -p google --json", "plan login -p google --trace -",
        ] {
            let result = try await Workplace().run(line, environment: environment)
            #expect(result.status == 0)
            #expect(result.output.contains("my-client"))
            #expect(!(result.output + result.error).contains("canary-secret"))
        }
    }

    @Test(
        "a client that nobody registered a secret of is planned as those of its provider are, and that is said"
    )
    func missingSecret() async throws {
        let place = try Workplace()
        for (provider, options) in [("google", ""), ("shopify", " --set shop=a")] {
            let result = await place.run("plan login -p \(provider) --client-id a -vv\(options)")
            #expect(result.status == 0, "\(result.output)")
            let words =
                "no client secret is registered with \(provider); the plan shows where it would be sent, "
                + "a run sends none\n"
            #expect(result.error.contains(words))
            #expect(result.output.contains("client_secret"))
        }
        try place.write(
            "flowrun.yaml",
            "registrations: { google: { client_id: a, token_endpoint_auth_method: none } }\n")
        let open = await place.run("plan login -p google")
        #expect(open.error == "")
        #expect(!open.output.contains("client_secret"))
    }

    @Test("another seed and another time are shown in the events")
    func seedAndTime() async throws {
        let place = try Workplace()
        let line = "plan login -p sandbox --json"
        let usual = await place.run(line).error
        #expect(usual.contains("\"t\":\"2026-01-01T00:00:00.000Z\""))
        let later = await place.run("\(line) --now 2031-05-06T07:08:09Z").error
        #expect(later.contains("\"t\":\"2031-05-06T07:08:09.000Z\""))
        #expect(usual.split(separator: "\n").last?.contains("\"type\":\"run.end\"") == true)
    }

    @Test(
        "a plan as JSON is one object with its events; --json writes them to standard error too, and nothing else"
    )
    func json() async throws {
        let place = try Workplace()
        let plan = await place.run("plan login -p google -o json")
        #expect(plan.status == 0)
        #expect(plan.error == "no client is registered with google; the plan shows <client-id>\n")
        let document = try JSON.parse(Array(plan.output.utf8))
        #expect(document["flow"]?.stringValue == "login")
        #expect(document["exit"] == ["code": 0, "name": "ok"])
        let streamed = await place.run("plan login -p google --json")
        #expect(streamed.output == plan.output)
        let lines = try streamed.error.split(separator: "\n").map { try JSON.parse(Array($0.utf8)) }
        #expect(document["events"]?.arrayValue == lines)
        let failed = await place.run("plan login -p google -o json --assume callback=access_denied")
        #expect(failed.status == 0)
        #expect(try JSON.parse(Array(failed.output.utf8))["end"]?.stringValue == "denied")
        try place.write("golden", plan.output)
        #expect(await place.run("plan login -p google -o json --check golden").status == 0)
    }

    @Test("a rehearsal writes nothing but the trace that was asked for, for its owner alone")
    func files() async throws {
        let place = try Workplace()
        _ = await place.run("plan login -p sandbox --trace t.jsonl")
        #expect(place.permissions(of: "t.jsonl") == 0o600)
        #expect(try place.read("t.jsonl").hasPrefix("{\"v\":1,\"seq\":1,"))
        #expect(place.permissions(of: "home") == nil)
    }

    @Test("where an endpoint cannot be made of what was made up, the plan says where a better value goes")
    func example() async throws {
        let provider = """
            provider: acme
            protocol: oauth2
            authorization_endpoint: https://acme.example/authorize
            token_endpoint: https://acme.example/token
            userinfo: { endpoint: "https://api.acme.example/${after(token.access_token, '.')}" }
            claims: { sub: id }

            """
        let place = try Workplace(["providers/acme.yaml": provider])
        let refused = await place.run("plan login -p acme --client-id c")
        #expect(refused.output.contains("error endpoint_refused\n    what answers hold is made up here"))
        let example = "token: { example: { access_token: abcdefghijklmnop.0123456789abcdef } }\n"
        try place.write("providers/acme.yaml", provider + example)
        let plan = await place.run("plan login -p acme --client-id c")
        #expect(plan.output.contains("GET https://api.acme.example/‹secret›"), "\(plan.output)")
    }

    @Test("variables without a value are asked for")
    func variables() async throws {
        let result = try await Workplace().run("plan login -p custom-oidc")
        #expect(result.status == 3)
        #expect(
            result.error.hasPrefix("flowrun: provider \"custom-oidc\" cannot be used with these variables\n"))
        let set = try await Workplace().run("plan login -p custom-oidc --set issuer=https://id.example")
        #expect(set.status == 0)
        #expect(set.output.contains("https://id.example/.well-known/openid-configuration"))
    }

    @Test("inputs are checked by name and type, and their texts are not repeated")
    func inputs() async throws {
        let place = try Workplace(["flows/choice.flow.yaml": ChoiceFlow.text])
        let unknown = await place.run("plan choice --input goo=true")
        #expect(unknown.status == 2)
        #expect(
            unknown.error
                == "flowrun: flow \"choice\" has no input \"goo\"; did you mean \"go\"?\n  inputs: go, note\n"
        )
        let wrong = await place.run("plan choice --input go=canary")
        #expect(wrong.status == 2)
        #expect(wrong.error == "flowrun: --input go is no bool, write true or false\n")
        let both = await place.run("plan choice --input go=canary --input goo=true")
        #expect(both.status == 2)
        #expect(
            both.error == """
                flowrun: 2 mistakes in what flow "choice" is given
                  flow "choice" has no input "goo"; did you mean "go"?
                    inputs: go, note
                  --input go is no bool, write true or false

                """)
        let secret = await place.run("plan choice", environment: ["NOTE": "canary-secret"])
        #expect(secret.status == 0)
        #expect(!(secret.output + secret.error).contains("canary"))
    }

    @Test("what a step leaves behind is given by its path, as explore and the tests of a flow write it")
    func given() async throws {
        let place = try Workplace(["renew.flow.yaml": Self.renewing])
        let line = "plan ./renew.flow.yaml -p sandbox -o json --assume restore=ok"
        for (given, step) in [("", nil), (" --given restore.refreshed_at=-25h", "old")] as [(String, String?)]
        {
            let result = await place.run(line + given)
            #expect(result.status == 0, "\(result.error)")
            let events = try JSON.parse(Array(result.output.utf8))["events"]?.arrayValue ?? []
            let steps = events.filter { $0["type"]?.stringValue == "step.start" }.map {
                $0["step"]?.stringValue
            }
            #expect(steps == ["restore"] + (step.map { [$0] } ?? []))
        }
    }

    private static let renewing = """
        language: flow/1
        flow: renew
        start: restore
        defaults: { next: { any.choice: failed, any: failed } }
        steps:
          restore:
            next:
              ok: [ { to: old, if: "run.now - (out.refreshed_at ?? run.now) >= 24h" }, done ]
          old: { do: set, next: done }
        ends:
          done: { result: success }

        """

    @Test(
        "what no step leaves behind, and a value of another type, cannot be given",
        arguments: [
            (
                "restore.expires=1m",
                "no step of flow \"refresh\" leaves \"restore.expires\" behind\n  write STEP.FIELD or tokens.SET.MEMBER"
            ),
            (
                "restore.expires_ta=1m",
                "no step of flow \"refresh\" leaves \"restore.expires_ta\" behind; did you mean \"restore.expires_at\"?\n"
                    + "  write STEP.FIELD or tokens.SET.MEMBER"
            ),
            ("restore.refreshable=maybe", nil), ("restore.expires_at=soon", nil),
            ("refresh.access_token=x", nil),
        ] as [(String, String?)])
    func wrongGiven(_ given: String, _ message: String?) async throws {
        let result = try await Workplace().run("plan refresh -p sandbox --given \(given)")
        #expect(result.status == 2)
        let words = message.map { "--given: \($0)\n" } ?? "--given \(given.prefix { $0 != "=" }) is no "
        #expect(result.error.contains("flowrun: \(words)"), "\(result.error)")
        #expect(!result.error.contains("soon"))
        #expect(try await Workplace().run("run refresh -p sandbox --given \(given)").status == 2)
    }

    @Test("a plan is valid wherever the flow ends")
    func failureEnd() async throws {
        let place = try Workplace(["flows/choice.flow.yaml": ChoiceFlow.text])
        #expect(await place.run("plan choice --input go=false").status == 0)
        #expect(await place.run("run choice --input go=false --no-save").status == 5)
    }
}
