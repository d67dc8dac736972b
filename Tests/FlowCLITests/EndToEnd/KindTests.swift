import FlowEngine
import FlowLanguage
import FlowSandbox
import FlowTesting
import JOSE
import OAuthProtocol
import Synchronization
import Testing
import YAMLText

@testable import FlowLive

/// The kinds that no browser redirect carries, over real sockets against the sandbox.
@Suite("Further kinds, live")
struct KindTests {
    private let folder: ScratchFolder
    private let sandbox: SandboxServer

    init() throws {
        folder = ScratchFolder()
        sandbox = try SandboxServer(
            port: nil, mode: .automatic, lifetimes: SandboxLifetimes(pollInterval: 1))
    }

    private var provider: String {
        """
        provider: sandbox
        protocol: oidc
        variables: { issuer: { description: where the sandbox is } }
        issuer: ${vars.issuer}
        client: { token_endpoint_auth_method: client_secret_basic }
        authorization: { scope: [openid, profile, offline_access] }
        refresh: { rotation: single_use }
        resources: ["${vars.issuer}/resource"]
        endpoints: { resource: "${vars.issuer}/resource", weak: "${vars.issuer}/resource?acr=gold" }
        """
    }

    /// A machine that is busy with every other test needs time.
    private static let defaults = "defaults: { timeout: 10m, next: { any: failed, any.choice: failed } }"

    private static let ends = """
          done: { result: success, outputs: { value: "${vars.value}" } }
          failed: { result: failure }
        """

    private func plan(_ steps: String, start: String, extra: String = "") throws -> RunPlan {
        let head = "outputs: { value: optional json }\nvars: { value: { type: optional json, init: null } }\n"
        let program = try Compiled.program(
            FlowTexts.flow(
                steps, start: start, extra: head + extra, defaults: Self.defaults, ends: Self.ends))
        let bound = try Compiled.provider(
            provider, clientID: "flowrun-sandbox-confidential", secret: "sandbox-secret-that-everybody-knows",
            variables: ["issuer": sandbox.issuer])
        return RunPlan(
            program: program, providers: [bound], inputs: try program.inputValues([:]),
            directory: folder.path)
    }

    private func run(
        _ steps: String, start: String, extra: String = "",
        _ change: (inout LiveConfiguration) -> Void = { _ in }
    ) async throws -> RunOutcome {
        var configuration = LiveConfiguration(
            storeDirectory: folder.path + "/store", stateDirectory: folder.path + "/state",
            opensBrowser: false)
        change(&configuration)
        let effects = try LiveEffects(configuration)
        let run = FlowRun(
            plan: try plan(steps, start: start, extra: extra), handler: effects, sinks: [])
        let outcome = await run.run()
        await effects.shutDown()
        sandbox.stop()
        return outcome
    }

    private func value(_ outcome: RunOutcome) -> JSONValue {
        guard case .json(let json)? = outcome.end.outputs.first?.value else { return .null }
        return json
    }

    private static let device = """
          begin: { do: device_authorize, next: poll }
          poll: { do: device_poll, next: verify }
          verify: { do: verify_id_token, next: { ok: work, absent: failed } }

        """

    @Test("a device signs in, its tokens are introspected, called with, exchanged and revoked")
    func device() async throws {
        let outcome = try await run(
            Self.device + """
                  work: { do: introspect, next: call }
                  call: { do: http, with: { url: "${provider.endpoints.resource}", method: POST, auth: bearer, use: main,
                    json: { k: 1 }, out: { subject: { at: /subject, type: string } } },
                    save: { vars.value: "${out.body}" }, next: { ok: exchange } }
                  exchange: { do: token_exchange, with: { into: other, scopes: [profile], audience: [sandbox-api] },
                    next: other }
                  other: { do: introspect, with: { use: other }, assert: "out.scopes == ['profile']", next: revoke }
                  revoke: { do: revoke, assert: "out.revoked == ['refresh_token', 'access_token']", next: after }
                  after: { do: introspect, next: { ok: failed, inactive: done } }
                """, start: "begin")
        #expect(outcome.end.name == "done", "\(outcome.errorCode ?? "")")
        #expect(value(outcome)["subject"] == "sandbox-user-1")
        #expect(value(outcome)["sent"] == ["k": 1])
    }

    @Test("a level that was not reached is demanded")
    func stepUp() async throws {
        let outcome = try await run(
            Self.device + """
                  work: { do: http, with: { url: "${provider.endpoints.weak}", auth: bearer, use: main },
                    next: { ok: failed, insufficient_auth: { to: done, save: { vars.value: "${out.acr_values}" } } } }
                """, start: "begin")
        #expect(value(outcome) == ["gold"])
    }

    @Test("a client obtains tokens for itself")
    func client() async throws {
        let outcome = try await run(
            """
              token: { do: client_credentials, with: { scopes: [profile] }, next: call }
              call: { do: http, with: { url: "${provider.endpoints.resource}", auth: bearer, use: main },
                save: { vars.value: "${out.body}" }, next: done }
            """, start: "token")
        #expect(value(outcome)["client"] == "flowrun-sandbox-confidential")
        #expect(value(outcome)["subject"] == nil)
    }

    private static let keyed = "keyed-client"

    /// With a client that signs, and with faults.
    private func signing(
        _ steps: String, start: String, faults: [String] = [], _ recorder: EventRecorder = EventRecorder()
    ) async throws -> RunOutcome {
        sandbox.stop()
        let faults = try faults.map(Fault.parse)
        let keySet: JSONObject = ["keys": [try PrivateKey(pem: TestKey.pem).publicJWK(alg: .es256)]]
        let change = { (configuration: inout SandboxConfiguration) in
            configuration.faults = faults
            configuration.clients.append(
                SandboxClient(
                    id: Self.keyed, name: "keyed", redirectURIs: ["http://127.0.0.1/callback"],
                    keySet: keySet))
        }
        let other = try SandboxServer(port: nil, mode: .automatic, change: change)
        defer { other.stop() }
        let head = "outputs: { value: optional json }\nvars: { value: { type: optional json, init: null } }\n"
        let program = try Compiled.program(
            FlowTexts.flow(steps, start: start, extra: head, defaults: Self.defaults, ends: Self.ends))
        let bound = try Compiled.provider(
            provider, clientID: Self.keyed, secret: nil, privateKey: TestKey.pem,
            variables: ["issuer": other.issuer], method: .privateKeyJWT)
        let effects = try LiveEffects(
            LiveConfiguration(
                storeDirectory: folder.path + "/store", stateDirectory: folder.path + "/state",
                opensBrowser: false))
        let plan = RunPlan(program: program, providers: [bound], inputs: [])
        let outcome = await FlowRun(plan: plan, handler: effects, sinks: [recorder]).run()
        await effects.shutDown()
        return outcome
    }

    @Test("an assertion that the client signs brings a token for whom it speaks")
    func assertion() async throws {
        let outcome = try await signing(
            """
              token: { do: jwt_bearer, with: { subject: alice, scopes: [profile] }, next: call }
              call: { do: http, with: { url: "${provider.endpoints.resource}", auth: bearer, use: main },
                save: { vars.value: "${out.body}" }, next: done }
            """, start: "token")
        #expect(outcome.end.name == "done", "\(outcome.problem?.description ?? outcome.errorCode ?? "")")
        #expect(value(outcome)["client"]?.stringValue == Self.keyed)
        #expect(value(outcome)["subject"] == "sandbox-user-1")
    }

    @Test(
        "an assertion for nobody, for another server, or with a claim too many is refused as it should",
        arguments: [
            ("subject: nobody", "invalid_grant"),
            ("subject: alice, audience: https://other.example", "invalid_grant"),
            ("subject: alice, scopes: [offline_access]", "rejected"),
        ])
    func refusedAssertion(with: String, outcome: String) async throws {
        let end = try await signing(
            "  token: { do: jwt_bearer, with: { \(with) }, next: { ok: failed, \(outcome): done } }",
            start: "token")
        #expect(end.end.name == "done", "\(end.problem?.description ?? end.errorCode ?? "")")
    }

    @Test(
        "a signed answer about a token is believed, and every fault of it has an outcome",
        arguments: [
            (nil, "ok"), ("signature=bad", "signature_invalid"), ("alg=none", "signature_invalid"),
            ("typ=jwt", "signature_invalid"), ("signed=plain", "signature_invalid"),
            ("kid=unknown", "signature_invalid"), ("iss=other", "issuer_mismatch"),
            ("aud=other", "audience_mismatch"), ("iat=old", "claims_invalid"),
        ] as [(String?, String)])
    func signedIntrospection(fault: String?, outcome: String) async throws {
        let recorder = EventRecorder()
        let end = try await signing(
            """
              token: { do: jwt_bearer, with: { subject: alice, scopes: [profile] }, next: ask }
              ask: { do: introspect, with: { signed: true }, next: done }
            """, start: "token", faults: fault.map { ["introspection:\($0)"] } ?? [], recorder)
        #expect(recorder.events.outcomes(of: "ask") == [outcome])
        #expect((end.end.name == "done") == (outcome == "ok"))
    }

    @Test("a client registers itself; a server that changes what was asked for is told apart")
    func registration() async throws {
        let step =
            "  register: { with: { client_name: Tool }, save: { vars.value: \"${out.metadata}\" }, next: "
        let good = try await signing("\(step)done }", start: "register")
        #expect(good.end.name == "done", "\(good.problem?.description ?? good.errorCode ?? "")")
        #expect(value(good)["client_name"] == "Tool")
        for (fault, outcome) in [
            ("redirect_uris=other", "ok"), ("management=other", "ok"), ("client_id=missing", "malformed"),
        ] {
            let recorder = EventRecorder()
            let changed = try await signing(
                "\(step){ ok: done, malformed: done } }", start: "register",
                faults: ["registration:\(fault)"], recorder)
            #expect(changed.end.name == "done", "\(fault)")
            #expect(recorder.events.outcomes(of: "register") == [outcome], "\(fault)")
            // The client is there, so what is wrong with it is told beside it.
            let warnings = recorder.events.count { if case .warning = $0.body { true } else { false } }
            #expect(warnings == (outcome == "ok" ? 1 : 0), "\(fault)")
        }
        let refused = try await signing(
            "\(step){ ok: failed, unauthorized: done } }", start: "register",
            faults: ["registration:invalid_token"])
        #expect(refused.end.name == "done")
    }

    @Test("a person enters the code on the page, and the device goes on")
    func page() async throws {
        let paged = try SandboxServer(
            port: nil, mode: .page, lifetimes: SandboxLifetimes(pollInterval: 1))
        let program = try Compiled.program(
            FlowTexts.flow(
                Self.device.replacing("work", with: "done"), start: "begin", defaults: Self.defaults,
                ends: "  done: { result: success }\n  failed: { result: failure }"))
        let bound = try Compiled.provider(
            provider, clientID: "flowrun-sandbox-confidential", secret: "sandbox-secret-that-everybody-knows",
            variables: ["issuer": paged.issuer])
        let effects = try LiveEffects(
            LiveConfiguration(
                storeDirectory: folder.path + "/store", stateDirectory: folder.path + "/state",
                opensBrowser: false))
        let person = PersonWithCode(effects.transport, issuer: paged.issuer)
        let plan = RunPlan(program: program, providers: [bound], inputs: [])
        let outcome = await FlowRun(plan: plan, handler: effects, sinks: [person]).run()
        await effects.shutDown()
        paged.stop()
        sandbox.stop()
        #expect(outcome.end.name == "done", "\(outcome.errorCode ?? "")")
    }

    @Test("waits for a time and for an event of the host")
    func wait() async throws {
        let events = EventDesk()
        events.post("approved", ["by": "ada"])
        let outcome = try await run(
            """
              time: { do: wait, with: { for: 10ms }, next: event }
              event: { do: wait, with: { event: approved }, save: { vars.value: "${out.data}" }, next: late }
              late: { do: wait, with: { event: approved }, timeout: 20ms, next: { ok: failed, timeout: done } }
            """, start: "time"
        ) { $0.events = events }
        #expect(value(outcome) == ["by": "ada"])
    }

    @Test("asks a closure of the host through a port")
    func closure() async throws {
        var ports = PortRegistry()
        ports.register("account.find") { call in
            PortReply("linked", fields: ["user": .json(["of": HookText.of(call.arguments["id"])])])
        }
        let outcome = try await run(
            """
              find: { do: call, with: { port: account.find, args: { id: ada } }, save: { vars.value: "${out.user}" },
                next: { linked: done, unknown: failed } }
            """, start: "find",
            extra: """
                calls:
                  account.find: { args: { id: string }, out: { user: json }, outcomes: [linked, unknown] }
                """
        ) { $0.ports = ports }
        #expect(value(outcome) == ["of": "ada"])
    }

    @Test("a port that nobody answers for, and one that throws, is port_failed", arguments: [false, true])
    func noClosure(throwing: Bool) async throws {
        var ports = PortRegistry()
        if throwing { ports.register("account.find") { _ in throw FixtureError(description: "no") } }
        let outcome = try await run(
            "  find: { do: call, with: { port: account.find }, next: { ok: failed, port_failed: done } }",
            start: "find", extra: "calls: { account.find: { outcomes: [ok] } }"
        ) { $0.ports = ports }
        #expect(outcome.end.name == "done")
    }

    @Test("asks a program through a port, JSON in and JSON out")
    func program() async throws {
        let script =
            "#!/bin/sh\nread -r line\nprintf '{\"outcome\":\"linked\",\"out\":{\"user\":%s}}' \"$line\"\n"
        _ = folder.write("find", script, mode: 0o700)
        let outcome = try await run(
            """
              find: { do: call, with: { port: account.find, args: { id: ada } }, save: { vars.value: "${out.user}" },
                next: { linked: done, unknown: failed } }
            """, start: "find",
            extra: """
                calls:
                  account.find: { args: { id: string }, out: { user: json }, outcomes: [linked, unknown],
                    exec: { argv: [./find] } }
                """)
        #expect(outcome.end.name == "done", "\(outcome.problem?.description ?? outcome.errorCode ?? "")")
        #expect(value(outcome)["port"] == "1")
        #expect(value(outcome)["args"] == ["id": "ada"])
    }

    @Test("a closure of the host maps a claim of the provider's own into the profile")
    func profileClosure() async throws {
        var hooks = HookRegistry()
        hooks.register("department") { call in
            var profile = call.values["steps.who.profile"]?.objectValue ?? [:]
            profile["nickname"] = profile["name"]
            return .init(.continue, set: ["steps.who.profile": .object(profile)])
        }
        let outcome = try await run(
            Self.device + """
                  work: { do: set, next: who }
                  who: { do: userinfo, next: last }
                  last: { do: set, save: { vars.value: "${steps.who.profile}" }, next: done }
                """, start: "begin",
            extra: """
                hooks:
                  - id: department
                    at: step.after
                    steps: [who]
                    outcomes: [ok]
                    native: { name: department }
                    reads: [steps.who.profile]
                    writes: [steps.who.profile]

                """
        ) { $0.hooks = hooks }
        #expect(outcome.end.name == "done", "\(outcome.errorCode ?? "")")
        #expect(value(outcome)["nickname"] == "Alice Example")
        #expect(value(outcome)["sub"] == "sandbox-user-1")
    }

    @Test("a logout sends the browser to the provider and waits until it is back")
    func logout() async throws {
        let text =
            Self.device + """
                  work: { do: logout, with: { await_return: true }, next: done }
                """
        let effects = try LiveEffects(
            LiveConfiguration(
                storeDirectory: folder.path + "/store", stateDirectory: folder.path + "/state",
                opensBrowser: false))
        let browser = PersonWithCode(effects.transport, issuer: sandbox.issuer)
        let outcome = await FlowRun(
            plan: try plan(text, start: "begin"), handler: effects, sinks: [browser]
        ).run()
        await effects.shutDown()
        sandbox.stop()
        #expect(outcome.end.name == "done", "\(outcome.problem?.description ?? outcome.errorCode ?? "")")
    }
}

private enum HookText {
    static func of(_ value: Value?) -> JSONValue {
        if case .string(let text)? = value { .string(text) } else { .null }
    }
}

/// Does what the terminal asks of a person: enters codes, and opens addresses as a browser would.
private final class PersonWithCode: TraceSink {
    private let transport: CurlTransport
    private let issuer: String

    init(_ transport: CurlTransport, issuer: String) {
        self.transport = transport
        self.issuer = issuer
    }

    func receive(_ event: TraceEvent) {
        guard case .actionRequired(let action) = event.body else { return }
        let (transport, issuer) = (transport, issuer)
        switch action.errand {
        case .enterCode(let code):
            let form = [
                ("user_code", code), ("username", "bob"), ("password", "sandbox"), ("decision", "allow"),
            ]
            let request = HTTPRequest(
                method: .post, url: action.url,
                fields: [HTTPField("Content-Type", FormBody.contentType), HTTPField("Origin", issuer)],
                body: FormBody.encode(form.map { (name: $0.0, value: $0.1) }))
            Task { _ = await transport.send(request) }
        case .signIn, .logout:
            Task {
                var next: String? = action.url
                while let url = next {
                    let request = HTTPRequest(method: .get, url: url, fields: [])
                    guard case .success(let response) = await transport.send(request) else { return }
                    next = response.field("Location").flatMap { $0.hasPrefix("http") ? $0 : nil }
                }
            }
        }
    }
}
