import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("Rehearsing the further kinds")
struct FurtherKindsTests {
    private struct Rehearsed {
        let outcome: RunOutcome
        let events: [TraceEvent]
        let requests: [RehearsedRequest]
    }

    private func rehearse(
        _ flow: String, assume: [String] = [], given: [(path: String, value: Value)] = []
    ) async throws -> Rehearsed {
        let program = try Compiled.program(flow)
        let provider = try Compiled.provider(Self.provider, privateKey: TestKey.pem)
        let assumptions = assume.compactMap(Assumption.init)
        let plan = RunPlan(
            program: program, providers: program.providers.map { _ in provider },
            inputs: try program.inputValues([:]), assumptions: assumptions, isRehearsal: true, given: given)
        let effects = PlannedEffects(assumptions: assumptions)
        let recorder = EventRecorder()
        let outcome = await FlowRun(plan: plan, handler: effects, sinks: [recorder]).run()
        return Rehearsed(outcome: outcome, events: recorder.events, requests: effects.requests)
    }

    /// Signs by RS256, as the key of rehearsals does.
    private static let provider = """
        provider: p
        protocol: oidc
        issuer: https://p.example
        authorization: { scope: [openid, email] }
        resources: [https://api.example]
        endpoints: { report: "https://api.example/report" }
        """

    private static let device = """
          begin: { do: device_authorize, next: poll }
          poll: { do: device_poll, next: verify }
          verify: { do: verify_id_token, next: { ok: done, absent: failed } }
        """

    @Test("a device sign-in is pending once, then brings an ID token that verifies")
    func device() async throws {
        let run = try await rehearse(FlowTexts.flow(Self.device, start: "begin"))
        #expect(run.outcome.end.name == "done")
        #expect(run.requests.map(\.step) == ["begin", "begin", "poll", "poll", "verify"])
    }

    @Test(
        "what is taken for granted about a device decides",
        arguments: ["access_denied", "expired", "network", "invalid_grant"])
    func deviceOutcomes(outcome: String) async throws {
        let run = try await rehearse(FlowTexts.flow(Self.device, start: "begin"), assume: ["poll=\(outcome)"])
        #expect(run.events.outcomes(of: "poll") == [outcome])
    }

    private static let all = FlowTexts.flow(
        """
          token: { do: client_credentials, next: exchange }
          exchange: { do: token_exchange, with: { into: other }, next: assertion }
          assertion: { do: jwt_bearer, with: { subject: ada, into: third }, next: introspect }
          introspect: { next: signed }
          signed: { do: introspect, with: { use: third, signed: true }, next: register }
          register: { next: revoke }
          revoke: { with: { tokens: [access_token] }, next: wait }
          wait: { with: { for: 5m }, next: event }
          event: { do: wait, with: { event: approved }, next: logout }
          logout: { with: { await_return: true }, next: done }
        """, start: "token")

    @Test("every other kind succeeds, and real time does not pass")
    func all() async throws {
        let run = try await rehearse(Self.all)
        #expect(run.outcome.end.name == "done")
        #expect(
            run.requests.map(\.step) == [
                "token", "token", "exchange", "assertion", "introspect", "signed", "signed", "register",
                "revoke", "logout",
            ])
    }

    @Test(
        "an outcome that is taken for granted takes the place of the answer",
        arguments: [
            ("token", "invalid_client"), ("exchange", "invalid_target"), ("introspect", "inactive"),
            ("assertion", "invalid_grant"), ("signed", "signature_invalid"), ("register", "unauthorized"),
            ("revoke", "partial"), ("wait", "timeout"), ("event", "timeout"), ("logout", "state_mismatch"),
        ])
    func assumed(step: String, outcome: String) async throws {
        let run = try await rehearse(Self.all, assume: ["\(step)=\(outcome)"])
        #expect(run.events.outcomes(of: step) == [outcome])
    }

    // MARK: Refusals

    private static let signIn = FlowTexts.flow(
        """
          authorize: { next: { ok: callback, headless: failed } }
          callback: { next: exchange }
          exchange: { next: verify }
          verify: { do: verify_id_token, next: { ok: userinfo, absent: failed } }
          userinfo: { next: done }
        """, start: "authorize")

    private static let words = [
        "invalid_client", "invalid_grant", "unauthorized_client", "access_denied", "server_error",
        "authorization_pending", "slow_down", "expired_token", "invalid_token", "insufficient_scope",
        "insufficient_user_authentication", "use_dpop_nonce", "invalid_target", "login_required", "something",
    ]

    @Test(
        "no word of a server ends a step in a way that its kind does not have",
        arguments: [
            ("token", "all"), ("exchange", "all"), ("assertion", "all"), ("introspect", "all"),
            ("signed", "all"), ("register", "all"), ("revoke", "all"), ("begin", "device"),
            ("poll", "device"), ("exchange", "signIn"), ("verify", "signIn"), ("userinfo", "signIn"),
        ])
    func refusals(step: String, of name: String) async throws {
        let flows = [
            "all": Self.all, "device": FlowTexts.flow(Self.device, start: "begin"), "signIn": Self.signIn,
        ]
        let flow = try #require(flows[name])
        for word in Self.words {
            for status in [200, 400, 401] {
                let run = try await rehearse(flow, assume: ["\(step)=\(status):\(word)"])
                let last = try #require(run.events.outcomes(of: step).last)
                // A token that is not known is one that is worth nothing.
                #expect(last != "ok" || status == 200 || step == "revoke", "\(status) \(word)")
            }
        }
    }

    // MARK: Ports

    private static let ports = FlowTexts.flow(
        """
          find: { do: call, with: { port: find }, next: { linked: plain, unknown: done } }
          plain: { do: call, with: { port: plain }, next: done }
        """, start: "find",
        extra: """
            calls:
              find: { out: { user: string }, outcomes: [linked, unknown], simulate: { out: { user: ada } } }
              plain: { out: { user: string, session: secret, level: optional int }, outcomes: [ok] }
            outputs: { first: optional string, second: optional string }
            """,
        ends: """
              done: { result: success, outputs: { first: "${steps.find.user ?? null}", second: "${steps.plain.user ?? null}" } }
              failed: { result: failure }
            """)

    @Test("a port answers what the flow simulates, else its first outcome with values by type")
    func ports() async throws {
        let run = try await rehearse(Self.ports)
        #expect(run.events.outcomes(of: "find") == ["linked"])
        #expect(run.outcome.end.outputs.map(\.value) == [.string("ada"), .string("rehearsed-user")])
        let other = try await rehearse(Self.ports, assume: ["find=unknown"])
        #expect(other.events.outcomes(of: "find") == ["unknown"])
        let failed = try await rehearse(Self.ports, assume: ["find=port_failed"])
        #expect(failed.events.outcomes(of: "find") == ["port_failed"])
    }

    // MARK: http

    private static let http = FlowTexts.flow(
        """
          call: { do: http, with: { url: "${provider.endpoints.report}", method: POST, into: other,
            classify: [{ if: "body.flag ?? false", outcome: flagged }],
            out: { id_token: { at: /idToken, type: secret }, user: { at: /user/0/id, type: string },
              flag: { at: /flag, type: optional bool } } },
            outcomes: { flagged: choice }, next: { ok: verify, flagged: failed } }
          verify: { do: verify_id_token, with: { use: other }, next: { ok: done, absent: failed } }
        """, start: "call")

    @Test("an API's answer has what the step takes out of it, ID tokens with a real signature")
    func http() async throws {
        let run = try await rehearse(Self.http)
        #expect(run.outcome.end.name == "done")
    }

    @Test(
        "outcomes that the step declares and statuses can be taken for granted",
        arguments: [
            ("call=flagged", "flagged"), ("call=401", "unauthorized"), ("call=403", "insufficient_scope"),
            ("call=401:insufficient_user_authentication", "insufficient_auth"), ("call=502", "unanswered"),
            ("call=201", "ok"),
        ])
    func statuses(assumption: String, outcome: String) async throws {
        let run = try await rehearse(Self.http, assume: [assumption])
        #expect(run.events.outcomes(of: "call") == [outcome])
    }

    // MARK: Given values

    private static let age = FlowTexts.flow(
        """
          restore: { next: { ok: [{ if: "run.now - (out.refreshed_at ?? run.now) >= 24h", to: done }, { to: failed }] } }
        """, start: "restore")

    @Test("a value can be forced into what a step leaves behind")
    func given() async throws {
        let plain = try await rehearse(Self.age, assume: ["restore=ok"])
        #expect(plain.outcome.end.name == "failed")
        let forced = try await rehearse(
            Self.age, assume: ["restore=ok"], given: [("restore.refreshed_at", .string("-25h"))])
        #expect(forced.outcome.end.name == "done")
    }

    @Test("a value that does not fit is not taken")
    func givenTypes() throws {
        let program = try Compiled.program(Self.age)
        #expect(GivenValue(path: "restore.refreshed_at", .string("soon"), in: program) == nil)
        #expect(GivenValue(path: "restore.nothing", .string("1"), in: program) == nil)
        #expect(GivenValue(path: "restore.refreshable", .string("maybe"), in: program) == nil)
        #expect(GivenValue(path: "restore.refreshable", .string("true"), in: program) != nil)
        #expect(GivenValue(path: "tokens.main.expires_at", .duration(-1), in: program) != nil)
    }
}
