import FlowEngine
import FlowReport
import OAuthProtocol
import Testing

@Suite("Reading a trace back")
struct RoundTripTests {
    static let parameters = [
        TracedParameter(
            name: "scope", value: .text("openid \"x\"\n"), source: "flow", reference: "RFC 6749 §3.3"),
        TracedParameter(
            name: "code", value: .secret(kind: "code", length: 43, fingerprint: "c3d1"), source: "step a",
            reference: nil),
        TracedParameter(
            name: "Authorization",
            value: .prefixed("Basic me:", kind: "client_secret", length: nil, fingerprint: nil),
            source: "registration", reference: nil),
    ]

    static let bodies: [TraceEvent.Body] = [
        .runStart(
            RunStart(
                run: "r1", flow: "login", version: 2, digest: "sha256:9f", provider: "p",
                furtherProviders: [.init(alias: "machine", provider: "q")], profile: "work", isDryRun: false,
                inputs: parameters)),
        .flow(
            TracedFlow(
                file: "login.flow.yaml", lines: ["language: flow/1", "", "# ü"], start: "authorize",
                steps: [
                    .init(
                        name: "authorize", kind: "authorize", firstLine: 3, lastLine: 5,
                        routes: [.init(outcome: "ok", outcomeClass: "success", targets: ["a", "b"])])
                ], ends: [.init(name: "done", result: "success")])),
        .stepStart(StepStart(kind: "exchange", visit: 2, place: "login.flow.yaml:3:5", summary: "s")),
        .request(
            TracedRequest(
                purpose: "token", method: "POST", endpoint: "https://p.example/token", query: parameters,
                fields: parameters, body: parameters, bodyFormat: "form", endpointSource: "p.yaml:3")),
        .request(
            TracedRequest(
                purpose: "userinfo", method: "GET", endpoint: "https://p.example/me", query: [], fields: [],
                body: [], bodyFormat: "none")),
        .response(
            TracedResponse(
                status: 200, contentType: "application/json", bytes: 12, members: [parameterOfAnswer],
                duration: 214, fields: parameters,
                phases: ExchangePhases(resolved: 1, connected: 2, secured: 9, answered: 200))),
        .response(TracedResponse(status: 401, contentType: nil, bytes: 0, members: [], duration: nil)),
        .transportFailure(cause: "tls", delivered: true, message: "m"),
        .token(TracedToken(kind: "id_token", header: parameters, claims: parameters)),
        .check(TracedCheck(number: 3, name: "state", reference: "RFC 6749 §10.12", verdict: .passed)),
        .check(
            TracedCheck(
                number: 4, name: "iss", reference: "RFC 9207", verdict: .failed(expected: "a", actual: "b"))),
        .check(
            TracedCheck(number: 5, name: "x", reference: "", verdict: .notApplicable(reason: "none asked"))),
        .check(TracedCheck(number: 6, name: "y", reference: "r", verdict: .relaxed(reason: "a file"))),
        .security(
            SecurityEvent(
                .critical, .refused, Check(recalled: 900, name: "of the future", reference: "RFC 1"),
                host: "h.example", "summary",
                evidence: [.init("pin", "a"), .init("pin", "b"), .init("seen", "c")])),
        .note("n"), .warning("w"), .warning("w", hook: "audit"),
        .actionRequired(
            TracedAction(
                url: "https://p.example/authorize?state=x", opened: "browser", expiresAt: 1_767_225_600_000,
                ways: AnswerWays(obstacle: "ssh", forwarding: "ssh -L", takesPaste: true))),
        .actionRequired(
            TracedAction(
                url: "https://p.example/device", opened: nil, expiresAt: 1_767_225_600_000,
                errand: .enterCode("ABCD"), complete: "https://p.example/device?c=ABCD")),
        .actionRequired(
            TracedAction(
                url: "https://p.example/logout", opened: nil, expiresAt: 1_767_225_600_000, errand: .logout)),
        .callbackIgnored(reason: "wrong state"), .waiting(forWhat: "a lock", until: 1_767_225_601_000),
        .hook(
            TracedHook(
                id: "audit", point: "step.after", action: "exec", decision: "continue", reads: ["run.id"],
                grants: ["tokens.main.access_token"], wrote: ["vars.tenant"], message: "m")),
        asked, .retry(outcome: "network", attempt: 2, delay: 500, reason: "again"),
        .saved(variables: ["vars.x"]),
        .stepEnd(
            StepEnd(
                outcome: "ok", outcomeClass: "success", visit: 1, error: nil, description: nil, status: nil,
                target: "verify", targetIsEnd: false, reason: "exact", edge: "edge 1 of 2",
                otherRoutes: [.init(outcome: "network", target: "failed")])),
        .stepEnd(
            StepEnd(
                outcome: "invalid_grant", outcomeClass: "grant", visit: 1, error: "invalid_grant",
                description: "no", status: 400, target: "failed", targetIsEnd: true, reason: "any", edge: nil,
                otherRoutes: [])),
        ruled,
        .runEnd(
            RunEnd(
                end: "failed", result: "failure", message: "m", errorCode: "invalid_grant",
                failureClass: .provider, exit: 6, transitions: 4, retries: 1, duration: 42,
                outputs: parameters, secrets: 7, causes: ["why"], fixes: ["do", "see"])),
    ]

    /// A hook with all that there can be.
    static let asked: TraceEvent.Body = {
        var hook = TracedHook(
            id: "ask", point: "step.after", action: "http", decision: "failed", reads: [], grants: [],
            wrote: [], message: "it answered with status 503")
        (hook.place, hook.duration, hook.attempt) = ("login.flow.yaml:9:5", 42, 2)
        (hook.url, hook.status, hook.variables) = ("https://h.example/hook", 503, ["HOOK_KEY"])
        hook.readValues = [
            TracedParameter(name: "run.id", value: .text("r_1"), source: "hook", reference: nil),
            TracedParameter(
                name: "tokens.main.access_token",
                value: .secret(kind: "access_token", length: 24, fingerprint: "77ab"), source: "hook",
                reference: nil),
        ]
        hook.writtenValues = [
            TracedParameter(name: "vars.tenant", value: .text("acme"), source: "hook", reference: nil)
        ]
        return .hook(hook)
    }()

    /// A refusal by a rule of the descriptor.
    static let ruled: TraceEvent.Body = {
        var end = StepEnd(
            outcome: "rejected", outcomeClass: "grant", visit: 2, error: "E1", description: nil, status: 200,
            target: "failed", targetIsEnd: true, reason: "any", edge: nil, otherRoutes: [])
        end.rule = "acme.yaml:12, error_when: ok = false"
        end.retryAfter = 31_000
        end.resolution = TracedResolution(
            lines: [
                .init(reason: "exact", selector: "rejected", place: nil, verdict: .absent),
                .init(reason: "any", selector: "any", place: "login.flow.yaml:31:7", verdict: .taken),
            ],
            alternatives: [
                .init(
                    target: "authorize", place: "login.flow.yaml:31:20", condition: "vars.tries < 2",
                    values: [
                        TracedParameter(
                            name: "vars.tries", value: .text("2"), source: "guard", reference: nil)
                    ], maximum: nil, used: 0, verdict: .notHolding),
                .init(
                    target: "refresh", place: "login.flow.yaml:32:20", condition: nil, values: [], maximum: 1,
                    used: 1, verdict: .usedUp),
                .init(
                    target: "failed", place: "login.flow.yaml:33:20", condition: nil, values: [],
                    maximum: nil, used: 0, verdict: .taken),
            ],
            retry: .init(
                place: "login.flow.yaml:9:5", isDefault: true, outcomes: ["network"], allowed: 3, attempts: 1,
                verdict: .otherOutcome))
        return .stepEnd(end)
    }()

    static let parameterOfAnswer = TracedParameter(
        name: "error", value: .text("x"), source: "answer", reference: nil)

    static var events: [TraceEvent] {
        bodies.enumerated().map { index, body in
            TraceEvent(
                sequence: index + 1, time: 1_767_225_600_123 + Int64(index),
                step: index > 1 && index < bodies.count - 1 ? "exchange" : nil, body: body)
        }
    }

    static func text(_ events: [TraceEvent], reveals: Bool = false) -> String {
        var trace = JSONLinesTrace(revealsActionURL: reveals)
        return events.map { trace.render($0) }.joined()
    }

    @Test("every event comes back as it was")
    func roundTrip() throws {
        let read = try TraceReader.read(Array(Self.text(Self.events, reveals: true).utf8))
        #expect(read.count == Self.events.count)
        for (one, other) in zip(read, Self.events) { #expect(one == other) }
    }

    @Test("a file lacks what only a live reader may see, and nothing else")
    func file() throws {
        let text = Self.text(Self.events)
        #expect(Self.text(try TraceReader.read(Array(text.utf8))) == text)
        #expect(!text.contains("state=x"))
        #expect(!text.contains("ABCD"))
    }

    @Test("types and members of a later version are skipped")
    func future() throws {
        let lines = Self.text(Self.events).split(separator: "\n")
        let first = lines[0].replacing("{\"v\":1", with: "{\"v\":1,\"new\":{\"x\":[1]}")
        let unknown = #"{"v":1,"seq":2,"t":"2026-01-01T00:00:00.000Z","run":"r1","type":"teleport"}"#
        let read = try TraceReader.read(Array("\(first)\n\(unknown)\n".utf8))
        #expect(read == [Self.events[0]])
    }

    @Test(
        "what is no trace is told with its line",
        arguments: [
            ("", 0, "a trace begins with run.start"), ("x\n", 1, "this is not JSON"),
            ("[1]\n", 1, "this is no JSON object"),
            (#"{"v":2,"seq":1}"#, 1, "a trace of version 2, and this program reads 1"),
            (#"{"seq":1}"#, 1, "no event of a trace: it has no version (v)"),
            (#"{"v":1}"#, 1, "an event without a sequence number"),
            (#"{"v":1,"seq":2}"#, 1, "event 1 is missing: 2 follows 0"),
            (
                #"{"v":1,"seq":1,"t":"2026-01-01T00:00:00.000Z","type":"note"}"#, 1,
                "an event \"note\" without a good \"message\""
            ),
        ])
    func mistakes(text: String, line: Int, message: String) throws {
        let mistake = try #require(throws: TraceReader.Mistake.self) {
            try TraceReader.read(Array(text.utf8))
        }
        #expect(mistake.line == line)
        #expect(mistake.message.hasPrefix(message))
    }
}
