import FlowLive
import FlowSandbox
import Glibc
import OAuthProtocol
import Testing

@testable import FlowCLI

/// Real runs against a sandbox of their own on this machine.
@Suite("Live runs")
struct LiveRunTests {
    private let place: Workplace
    private let sandbox: SandboxServer

    init() throws {
        place = try Workplace()
        sandbox = try SandboxServer(port: nil, mode: .automatic)
    }

    private func line(_ rest: String) -> String {
        "login -p sandbox --set issuer=\(sandbox.issuer) --no-browser \(rest)"
    }

    /// Plays the browser for the address that appears on standard error.
    private func run(_ rest: String, environment: [String: String] = [:]) async throws -> Workplace.Result {
        try await follow(line(rest), environment)
    }

    private func follow(_ line: String, _ environment: [String: String] = [:]) async throws
        -> Workplace.Result
    {
        let browser = try AddressBrowser()
        let error = TextStream { browser.read($0) }
        let surroundings = place.surroundings(environment, error: error)
        let result = await Workplace.run(line, surroundings)
        browser.close()
        return result
    }

    @Test("a sign-in gives its outputs as JSON, and the session is there for the next run")
    func signIn() async throws {
        let first = try await run("-o json --trace t.jsonl")
        #expect(first.status == 0, "\(first.error)")
        #expect(first.output.hasPrefix("{\"flow\":\"login\",\"provider\":\"sandbox\",\"run\":\"r_"))
        #expect(
            first.output.contains(
                "\"end\":\"signed_in\",\"result\":\"success\",\"outputs\":{\"subject\":\"sandbox-user-1\""))
        #expect(first.output.hasSuffix("\"exit\":{\"code\":0,\"name\":\"ok\"}}\n"))
        #expect(place.permissions(of: "t.jsonl") == 0o600)
        let trace = try place.read("t.jsonl")
        #expect(!trace.contains("/authorize?"), "a trace file never holds the address with its state")
        let second = await place.run(line("--no-input"))
        #expect(second.status == 0)
        #expect(second.output.hasPrefix("subject: sandbox-user-1\nprofile:\n  sub: sandbox-user-1\n"))
        sandbox.stop()
    }

    @Test("a store that cannot be used is told with the one cause that fits, and so is a registration")
    func storeCause() async throws {
        sandbox.stop()
        let store = "home/.local/share/flowrun/store"
        try place.write("\(store)/note", "")
        chmod("\(place.path)/\(store)", 0o755)
        let denied = await place.run("token sandbox --no-input").error
        #expect(denied.contains("store_failed store_denied"), "\(denied)")
        #expect(denied.contains("belongs to somebody else, or has another mode"), "\(denied)")
        #expect(!denied.contains("another process holds"), "\(denied)")
        try place.write("other/.local/state", "a file where a folder should be")
        let line = "provider add sandbox --user --client-id a --public --no-input"
        let added = await place.run(line, environment: ["HOME": "\(place.path)/other"]).error
        #expect(added.contains("cannot be changed: \(place.path)/other/.local/state"), "\(added)")
        #expect(
            added.contains(
                "Not a directory\n  name a place that this user may write to: set HOME, or XDG_STATE_HOME\n"))
    }

    @Test("what helps is a command that finds the flow, by its path where it was given by one")
    func fix() async throws {
        sandbox.stop()
        // It could sign somebody in, and does not.
        let flow = try #require(Workplace.shipped("flows/login.flow.yaml"))
            .replacing("absent: authorize                  #", with: "absent: unattended  #")
        try place.write("own/it's.flow.yaml", flow)
        try place.write("flows/mine.flow.yaml", flow.replacing("flow: login\n", with: "flow: mine\n"))
        for (flow, written) in [("own/it's.flow.yaml", #"'own/it'\''s.flow.yaml'"#), ("mine", "mine")] {
            let result = await place.run("run \(flow) -p sandbox --set issuer=http://127.0.0.1:9")
            #expect(result.status == ExitStatus.authRequired.rawValue, "\(result.error)")
            let fix = "  fix  flowrun run \(written) --provider sandbox --set issuer=http://127.0.0.1:9\n"
            #expect(result.error.contains(fix), "\(result.error)")
        }
    }

    @Test("a flow that can sign nobody in is helped by the command that can, and not by itself")
    func signInCommand() async throws {
        sandbox.stop()
        try place.write("own.flow.yaml", try #require(Workplace.shipped("flows/userinfo.flow.yaml")))
        for flow in ["./own.flow.yaml", "userinfo"] {
            let result = await place.run("run \(flow) -p sandbox --set issuer=http://127.0.0.1:9")
            #expect(result.status == ExitStatus.authRequired.rawValue, "\(result.error)")
            let fix = "  fix  flowrun login sandbox --set issuer=http://127.0.0.1:9\n"
            #expect(result.error.contains(fix), "\(result.error)")
        }
    }

    @Test("a logout whose provider does not revoke the tokens ends the session here, and its status says so")
    func unrevoked() async throws {
        for profile in ["default", "work", "play"] {
            let signIn = try await run("--profile \(profile)")
            #expect(signIn.status == 0, "\(signIn.error)")
        }
        let logout = "logout sandbox --set issuer=\(sandbox.issuer) -o json"
        let revoked = await place.run("\(logout) --revoke --profile play")
        #expect(revoked.status == 0, "\(revoked.error)")
        sandbox.stop()
        let one = await place.run("\(logout) --revoke")
        #expect(one.status == ExitStatus.provider.rawValue, "\(one.error)")
        #expect(one.output.contains(#""end":"unrevoked","result":"success""#), "\(one.output)")
        #expect(one.error.contains("The provider has not revoked all tokens."), "\(one.error)")
        let others = await place.run("logout --all --revoke")
        #expect(others.status == ExitStatus.provider.rawValue, "\(others.error)")
        #expect(others.output == "! sandbox  profile work  deleted here, tokens not revoked\n")
        #expect(await place.run("status").output.contains("no session is stored"))
    }

    @Test("the session at a provider without an issuer is found again by what ends it, and shows none")
    func withoutIssuer() async throws {
        let client = try #require(SandboxClient.standard.first { $0.secret == nil })
        try place.write(
            "providers/plain.yaml",
            """
            provider: plain
            protocol: oauth2
            authorization_endpoint: \(sandbox.issuer)/authorize
            token_endpoint: \(sandbox.issuer)/token
            userinfo: { supported: false }
            revocation_endpoint: \(sandbox.issuer)/revoke
            client: { token_endpoint_auth_method: none }
            authorization: { scope: [profile, offline_access] }
            """)
        for end in ["revoke", "logout"] {
            let signIn = try await follow("login plain --client-id \(client.id) --no-browser")
            #expect(signIn.status == 0, "\(signIn.error)")
            let status = await place.run("status").output
            #expect(status.contains("client  \(client.id)") && !status.contains("issuer"), "\(status)")
            let ended = await place.run("\(end) plain --client-id \(client.id)")
            #expect(ended.status == 0, "\(ended.error)")
            #expect(await place.run("status").output.contains("no session is stored"))
        }
        sandbox.stop()
    }

    @Test("without its secret a client has the token that is still good, and can forget it")
    func unreadSecret() async throws {
        let secret = "--client-secret-env SANDBOX_SECRET"
        let signIn = try await run(secret, environment: ["SANDBOX_SECRET": "not checked"])
        #expect(signIn.status == 0, "\(signIn.error)")
        let rest = "sandbox --set issuer=\(sandbox.issuer) \(secret)"
        let token = await place.run("token \(rest)")
        #expect(token.status == 0, "\(token.error)")
        let refresh = await place.run("token \(rest) --force-refresh")
        #expect(refresh.status == ExitStatus.config.rawValue, "\(refresh.error)")
        #expect(refresh.error.contains("SANDBOX_SECRET, which is not set"), "\(refresh.error)")
        let logout = await place.run("logout \(rest)")
        #expect(logout.status == 0, "\(logout.error)")
        #expect(await place.run("status").output.contains("no session is stored"))
        sandbox.stop()
    }

    @Test("of the sessions that are stored, those of the same profile are told of first")
    func nearestSession() async throws {
        for profile in ["one", "three", "two"] {
            #expect(try await run("--profile \(profile)").status == 0)
        }
        #expect(try await run("").status == 0)
        let elsewhere = "token sandbox --set issuer=http://127.0.0.1:9 --no-input"
        let result = await place.run(elsewhere)
        #expect(result.status == ExitStatus.authRequired.rawValue)
        let hints = result.error.split(separator: "\n").filter { $0.contains("give --") }
        #expect(hints.count == 3, "\(result.error)")
        #expect(hints.first?.contains("give --set issuer=") == true, "\(result.error)")
        sandbox.stop()
    }

    @Test("a program's own token is printed, and kept for the next time")
    func ownToken() async throws {
        let secret = try #require(SandboxClient.standard.lazy.compactMap(\.secret).first)
        let surroundings = { place.surroundings(["SECRET": secret.reveal()]) }
        let added = await Workplace.run(
            "provider add sandbox --client-id flowrun-sandbox-confidential --client-secret-env SECRET "
                + "--no-input",
            surroundings())
        #expect(added.status == 0, "\(added.error)")
        let line = "run client-credentials -p sandbox --set issuer=\(sandbox.issuer)"
        let token = await Workplace.run("\(line) -o token --scope profile", surroundings())
        #expect(token.status == 0, "\(token.error)")
        #expect(token.output.split(separator: "\n").count == 1)
        let header = await Workplace.run("\(line) -o header --scope profile", surroundings())
        #expect(header.output == "Authorization: Bearer \(token.output)", "\(header.error)")
        sandbox.stop()
    }

    @Test(
        "a command that waits for a slow server says for whom, on standard error and not when it is to be quiet"
    )
    func slowServer() async throws {
        sandbox.stop()
        let faults = try ["token:slow=1500ms", "resource:slow=1500ms"].map(Fault.parse)
        let slow = try SandboxServer(port: nil, faults: faults, mode: .automatic)
        let secret = try #require(SandboxClient.standard.lazy.compactMap(\.secret).first)
        func run(_ line: String) async -> Workplace.Result {
            await Workplace.run(line, place.surroundings(["SECRET": secret.reveal()]))
        }
        let added = await run(
            "provider add sandbox --client-id flowrun-sandbox-confidential --client-secret-env SECRET "
                + "--set issuer=\(slow.issuer) --no-input")
        #expect(added.status == 0, "\(added.error)")
        let token = "  waiting for 127.0.0.1 to answer the client credentials request, up to "
        let resource = "  waiting for 127.0.0.1 to answer the GET request, up to "
        let usual = await run("run client-credentials -p sandbox --no-save")
        #expect(usual.status == 0, "\(usual.error)")
        #expect(usual.error.contains(token), "\(usual.error)")
        #expect(!usual.output.contains("waiting"))
        let script = await run("run client-credentials -p sandbox --no-save -o token")
        #expect(script.status == 0 && script.error.hasPrefix(token), "\(script.error)")
        #expect(script.error.split(separator: "\n").count == 1, "\(script.error)")
        #expect(!script.output.contains("waiting"))
        let quiet = await run("run client-credentials -p sandbox --no-save -q -o token")
        #expect(quiet.status == 0 && quiet.error == "", "\(quiet.error)")
        let call = await run("http GET \(slow.issuer)/resource -p sandbox --client-credentials")
        #expect(call.status == 0, "\(call.error)")
        let lines = call.error.split(separator: "\n")
        #expect(lines.count == 2, "\(call.error)")
        #expect(lines.first?.hasPrefix(token) == true && lines.last?.hasPrefix(resource) == true)
        #expect(!call.output.contains("waiting"))
        slow.stop()
    }

    @Test("token and exec give the ID token on demand, renewed where it has come near its end")
    func idToken() async throws {
        #expect(try await run("-o json").status == 0)
        func token(_ options: String) async -> Workplace.Result {
            let line = "token sandbox --set issuer=\(sandbox.issuer) \(options)"
            return await Workplace.run(line, place.surroundings())
        }
        let first = await token("--kind id")
        #expect(first.status == 0 && first.output.split(separator: ".").count == 3, "\(first.error)")
        #expect(await token("--kind id --header").output == "Authorization: Bearer \(first.output)")
        let json = await token("--kind id -o json").output
        #expect(json.hasPrefix("{\"id_token\":\"\(first.output.dropLast())\",\"expires_at\":\"20"))
        let access = await token("")
        let renewed = await token("--kind id --min-ttl 2h")
        #expect(renewed.status == 0 && renewed.output != first.output, "\(renewed.error)")
        #expect(
            renewed.error.contains(/ID tokens of 3\d+ s, less than --min-ttl demands/), "\(renewed.error)")
        #expect(await token("").output != access.output)
        #expect(await token("--kind id").output == renewed.output)
        for (options, reason) in [
            ("--scope email", "--scope narrows an access token down"),
            ("--client-credentials", "there is no ID token"),
        ] {
            let refused = await token("--kind id \(options)")
            #expect(refused.status == ExitStatus.usage.rawValue && refused.error.contains(reason))
        }
    }

    @Test("token, exec and http take a program's own token, which is asked for where none is kept")
    func ownTokenOfEveryDay() async throws {
        let secret = try #require(SandboxClient.standard.lazy.compactMap(\.secret).first)
        func run(_ line: String) async -> Workplace.Result {
            await Workplace.run(line, place.surroundings(["SECRET": secret.reveal()]))
        }
        let added = await run(
            "provider add sandbox --client-id flowrun-sandbox-confidential --client-secret-env SECRET "
                + "--set issuer=\(sandbox.issuer) --no-input")
        #expect(added.status == 0, "\(added.error)")
        let kept = await run("run client-credentials -p sandbox -o token")
        #expect(kept.status == 0, "\(kept.error)")
        let token = await run("token sandbox --client-credentials")
        #expect(token.output == kept.output, "\(token.error)")
        let status = await run("status --check")
        #expect(status.status == 0, "\(status.error)")
        #expect(
            status.output.contains("min, flowrun token --client-credentials asks for another"),
            "\(status.output)")
        let person = await run("token sandbox")
        #expect(person.status == ExitStatus.authRequired.rawValue)
        #expect(person.error.contains("give --client-credentials"), "\(person.error)")
        let request = await run("http GET \(sandbox.issuer)/resource -p sandbox")
        #expect(request.status == ExitStatus.authRequired.rawValue)
        #expect(request.error.contains("give --client-credentials"), "\(request.error)")
        let other = await run("token sandbox --client-credentials --force-refresh")
        #expect(other.status == 0 && other.output != kept.output, "\(other.error)")
        #expect(await run("token sandbox --client-credentials").output == other.output)
        let longer = await run("token sandbox --client-credentials --min-ttl 2h")
        #expect(longer.status == 0 && longer.output != other.output, "\(longer.error)")
        let narrow = await run("token sandbox --client-credentials --scope profile")
        #expect(narrow.status == 0 && narrow.output != longer.output, "\(narrow.error)")
        let answer = await run(
            "http GET \(sandbox.issuer)/resource?scope=profile -p sandbox --client-credentials --scope profile"
        )
        #expect(answer.status == 0, "\(answer.error)")
        #expect(answer.output.contains(#""scope":"profile""#), "\(answer.output)")
        sandbox.stop()
    }

    @Test("an address that cannot be written into its file is shown")
    func addressInNoFile() async throws {
        let result = await place.run(
            "login -p sandbox --set issuer=\(sandbox.issuer) --url-to file:/nonexistent/x --wait 100ms")
        #expect(result.status == 10, "\(result.error)")
        #expect(result.error.contains("/nonexistent"), "\(result.error)")
        #expect(result.error.contains(": \(sandbox.issuer)/authorize?"), "\(result.error)")
        sandbox.stop()
    }

    @Test("a session that is not to be kept is not there for the next run")
    func noSave() async throws {
        let unsaved = try await run("--no-save")
        #expect(unsaved.status == 0, "\(unsaved.error)")
        #expect(await place.run(line("--no-input")).status == 4)
        sandbox.stop()
    }

    @Test("a run of which nothing is kept does not say that it can be gone on with")
    func noSaveAndNobody() async throws {
        let result = await place.run(line("--no-save --no-input"))
        #expect(result.status == 4)
        #expect(result.error.contains("a person must sign in, and nobody can be asked"), "\(result.error)")
        #expect(!result.error.contains("resume"), "\(result.error)")
        sandbox.stop()
    }

    @Test("without a place for sessions a token of the client's own is to be had where nothing is kept")
    func noPlace() async throws {
        let secret = try #require(SandboxClient.standard.lazy.compactMap(\.secret).first)
        try place.write(
            "flowrun.yaml",
            """
            registrations:
              sandbox:
                client_id: flowrun-sandbox-confidential
                client_secret: { env: SANDBOX_SECRET }
                token_endpoint_auth_method: client_secret_basic
                variables: { issuer: "\(sandbox.issuer)" }

            """)
        func run(_ line: String, home: String = "") async -> Workplace.Result {
            await place.run(line, environment: ["HOME": home, "SANDBOX_SECRET": secret.reveal()])
        }
        let kept = await run("token sandbox --client-credentials")
        #expect(kept.status == ExitStatus.local.rawValue)
        #expect(kept.error.contains("there is no place for sessions: HOME is not set"), "\(kept.error)")
        #expect(kept.error.hasSuffix("need not be kept: --no-save\n"), "\(kept.error)")
        let unkept = await run("token sandbox --client-credentials --no-save")
        #expect(unkept.status == 0 && unkept.error == "", "\(unkept.error)")
        #expect(await run("provider test sandbox").status == 0)
        // Where there is one that cannot be used, each call asks the provider anew.
        let lost = await run("token sandbox --client-credentials", home: "/dev/null")
        #expect(lost.status == 0 && lost.output.count == unkept.output.count, "\(lost.error)")
        #expect(
            lost.error.replacing("\n    ", with: " ") == """
                ! the session is not kept: the session store at /dev/null/.local/share/flowrun/store cannot be used: \
                Not a directory

                """)
        let resumed = await run("resume r_0123456789abcdef", home: "/dev/null")
        #expect(resumed.status == ExitStatus.local.rawValue)
        #expect(!resumed.error.contains("another process"), "\(resumed.error)")
        sandbox.stop()
    }

    @Test("where nobody can be asked, the run ends with 4 and says what helps")
    func noInput() async throws {
        let result = await place.run(line("--no-input"))
        #expect(result.status == 4)
        #expect(result.error.contains("exit 4 (auth-required)"))
        sandbox.stop()
    }

    @Test("a command that wants a session advises a sign-in for the same one, and its JSON says what failed")
    func advice() async throws {
        let result = await place.run(
            "token sandbox --set issuer=\(sandbox.issuer) --profile work --json")
        #expect(result.status == 4)
        #expect(result.output.contains(#""error":"absent","class":"session""#))
        let text = await place.run("introspect sandbox --set issuer=\(sandbox.issuer) --profile work")
        #expect(text.error.contains("flowrun login sandbox --profile work --set issuer=\(sandbox.issuer)\n"))
        sandbox.stop()
    }

    @Test("--json sends events to standard error, the one with the address among them")
    func events() async throws {
        let browser = try AddressBrowser()
        let surroundings = place.surroundings(error: TextStream { browser.read($0) })
        let result = await Workplace.run(line("--json"), surroundings)
        browser.close()
        #expect(result.status == 0)
        let lines = result.error.split(separator: "\n")
        #expect(lines.allSatisfy { $0.hasPrefix("{\"v\":1,") })
        #expect(
            lines.contains { $0.contains("\"type\":\"user.action_required\"") && $0.contains("/authorize?") })
        sandbox.stop()
    }

    @Test(
        "no secret of a sign-in is on any stream or in the trace, not even at the highest detail [rule 175]")
    func secrets() async throws {
        try place.write(
            "providers/confidential.yaml",
            """
            provider: confidential
            protocol: oidc
            variables:
              issuer: {description: where the sandbox is}
            issuer: ${vars.issuer}
            client: {token_endpoint_auth_method: client_secret_basic}
            authorization: {scope: [openid, profile, offline_access]}
            """)
        let environment = [
            "CONFIDENTIAL_CLIENT_ID": "flowrun-sandbox-confidential",
            "CONFIDENTIAL_CLIENT_SECRET": "sandbox-secret-that-everybody-knows",
        ]
        let result = try await run(
            "-p confidential -vv --trace t.txt --trace-format text", environment: environment)
        #expect(result.status == 0, "\(result.error)")
        let all = try result.output + result.error + place.read("t.txt")
        #expect(!all.contains("sandbox-secret-that-everybody-knows"))
        #expect(!all.contains("eyJ"), "no token begins like this")
        sandbox.stop()
    }

    @Test("a port that is taken ends with 9")
    func portTaken() async throws {
        let port = try #require(sandbox.issuer.split(separator: ":").last)
        #expect(await place.run(line("--port \(port)")).status == 9)
        sandbox.stop()
    }

    @Test("a provider that nobody serves ends with 8")
    func network() async throws {
        let issuer = sandbox.issuer
        sandbox.stop()
        let result = await place.run("login -p sandbox --no-input --set issuer=\(issuer)")
        #expect(result.status == 8, "\(result.error)")
    }

    @Test("the sandbox command serves until a signal, on a port of chance")
    func sandboxCommand() async throws {
        let interruption = Interruption()
        let output = TextStream { _ in interruption.arrive(SIGINT) }
        let surroundings = place.surroundings(output: output, interruption: interruption)
        let result = await Workplace.run("sandbox --port 0 --json", surroundings)
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("{\"issuer\":\"http://127.0.0.1:"))
        sandbox.stop()
    }
}
