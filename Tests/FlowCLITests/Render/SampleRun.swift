@testable import FlowEngine

/// Events as a run makes them, for renderers to write.
struct SampleRun {
    var events: [TraceEvent] = []
    private var now: Int64 = 1_767_225_600_000
    private var step: String?

    mutating func add(_ body: TraceEvent.Body, after milliseconds: Int64 = 0) {
        now += milliseconds
        if case .runEnd = body { step = nil }
        events.append(TraceEvent(sequence: events.count + 1, time: now, step: step, body: body))
        if case .stepEnd = body { step = nil }
    }

    mutating func start(
        isDryRun: Bool = false, inputs: [TracedParameter] = [], registration: [TracedParameter] = []
    ) {
        add(
            .runStart(
                RunStart(
                    run: "01JRUN", flow: "login", version: 1, digest: "sha256:9f3c1e2ab0c4d5e6",
                    provider: "example",
                    isDryRun: isDryRun, inputs: inputs, registration: registration)))
    }

    mutating func enter(_ name: String, _ kind: String? = nil, line: Int = 10, visit: Int = 1) {
        step = name
        add(
            .stepStart(
                StepStart(
                    kind: kind ?? name, visit: visit, place: "login.flow.yaml:\(line):3",
                    summary: "does \(name)")))
    }

    mutating func leave(
        _ outcome: String = "ok", _ outcomeClass: String = "success", error: String? = nil,
        description: String? = nil, status: Int? = nil, to target: String, isEnd: Bool = false,
        reason: String = "exact", edge: String? = nil, others: [(String, String)] = []
    ) {
        add(
            .stepEnd(
                StepEnd(
                    outcome: outcome, outcomeClass: outcomeClass, visit: 1, error: error,
                    description: description,
                    status: status, target: target, targetIsEnd: isEnd, reason: reason, edge: edge,
                    otherRoutes: others.map { StepEnd.Route(outcome: $0.0, target: $0.1) })))
    }

    mutating func finish(
        _ end: String = "signed_in", _ result: String = "success", message: String? = nil,
        error: String? = nil,
        exit: Int = 0, outputs: [TracedParameter] = []
    ) {
        add(
            .runEnd(
                RunEnd(
                    end: end, result: result, message: message, errorCode: error,
                    failureClass: error.flatMap(FailureCode.named)?.failureClass, exit: exit, transitions: 4,
                    retries: 0,
                    duration: now - (events.first?.time ?? now), outputs: outputs)))
    }

    static func text(
        _ name: String, _ value: String, _ source: String = "step authorize", _ reference: String? = nil
    )
        -> TracedParameter
    {
        TracedParameter(name: name, value: .text(value), source: source, reference: reference)
    }

    static func secret(
        _ name: String, _ kind: String? = nil, length: Int? = nil, fingerprint: String? = nil,
        reference: String? = nil
    ) -> TracedParameter {
        TracedParameter(
            name: name, value: .secret(kind: kind ?? name, length: length, fingerprint: fingerprint),
            source: "step authorize", reference: reference)
    }

    static func check(
        _ number: Int, _ name: String, _ reference: String, _ verdict: TracedCheck.Verdict = .passed
    )
        -> TraceEvent.Body
    {
        .check(TracedCheck(number: number, name: name, reference: reference, verdict: verdict))
    }
}

extension SampleRun {
    static let authorization = TracedRequest(
        purpose: "authorization", method: "GET", endpoint: "https://login.example/authorize",
        query: [
            text("response_type", "code", "protocol", "RFC 6749 §4.1.1"),
            text("client_id", "client-1", "registration", "RFC 6749 §4.1.1"),
            text("redirect_uri", "http://127.0.0.1:PORT/callback", "step authorize", "RFC 6749 §4.1.1"),
            text("scope", "openid email", "step authorize", "RFC 6749 §3.3"),
            secret("state", reference: "RFC 6749 §10.12"),
            text(
                "code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "step authorize",
                "RFC 7636 §4.3"),
            text("code_challenge_method", "S256", "protocol", "RFC 7636 §4.3"),
            text("access_type", "offline", "example.provider.yaml:12"),
        ], fields: [], body: [], bodyFormat: "none")

    static func request(
        _ purpose: String, query: [String: TracedValue] = [:], fields: [String: TracedValue] = [:],
        body: [String: TracedValue] = [:]
    ) -> TracedRequest {
        let parameters = { (values: [String: TracedValue]) in
            values.map { TracedParameter(name: $0.key, value: $0.value, source: "", reference: nil) }
        }
        return TracedRequest(
            purpose: purpose, method: "POST", endpoint: "https://p.example/\(purpose)",
            query: parameters(query), fields: parameters(fields), body: parameters(body), bodyFormat: "form")
    }

    static func token(redirectURI: String = "http://127.0.0.1:PORT/callback", fingerprint: String? = nil)
        -> TracedRequest
    {
        TracedRequest(
            purpose: "token", method: "POST", endpoint: "https://login.example/token", query: [],
            fields: [
                text("Accept", "application/json", "protocol", "RFC 6749 §5.1"),
                TracedParameter(
                    name: "Authorization",
                    value: .prefixed("Basic client-1:", kind: "client_secret", length: nil, fingerprint: nil),
                    source: "registration", reference: "RFC 6749 §2.3.1"),
            ],
            body: [
                text("grant_type", "authorization_code", "protocol", "RFC 6749 §4.1.3"),
                secret("code", fingerprint: fingerprint, reference: "RFC 6749 §4.1.3"),
                text("redirect_uri", redirectURI, "step authorize", "RFC 6749 §4.1.3"),
                secret("code_verifier", reference: "RFC 7636 §4.5"),
            ], bodyFormat: "form")
    }

    /// A sign-in that works; `isDryRun` leaves out what only a live run has.
    static func signIn(isDryRun: Bool = false) -> SampleRun {
        var run = SampleRun()
        run.start(isDryRun: isDryRun, inputs: [text("scopes", "openid email", "input")])
        run.enter("restore", line: 5)
        run.leave(
            "absent", "choice", description: "no session is stored", to: "authorize",
            others: [("ok", "userinfo"), ("expired", "refresh"), ("corrupt", "failed")])
        run.enter("authorize", line: 9)
        run.add(.request(authorization))
        if !isDryRun {
            run.add(
                .actionRequired(
                    TracedAction(
                        url: "https://login.example/authorize?response_type=code&state=hidden-state",
                        opened: "your browser", expiresAt: run.now + 600_000)))
        }
        run.leave(to: "callback", others: [("headless", "failed"), ("network", "failed")])
        run.enter("callback", line: 13)
        if !isDryRun {
            run.add(.waiting(forWhat: "the answer in the browser", until: run.now + 300_000))
            run.add(.callbackIgnored(reason: "it bore another state"), after: 3_000)
        }
        run.add(.note("answer through loopback: code, state, iss"), after: 10_000)
        run.add(check(55, "state", "RFC 6749 §10.12"))
        run.add(check(58, "iss", "RFC 9207 §2.4", .notApplicable(reason: "the provider does not send iss")))
        run.leave(
            to: "exchange",
            others: [("state_mismatch", "blocked"), ("access_denied", "denied"), ("replayed", "blocked")])
        run.enter("redeem", "exchange", line: 17)
        run.add(.request(token(fingerprint: isDryRun ? nil : "c3d1")))
        run.add(
            .response(
                TracedResponse(
                    status: 200, contentType: "application/json", bytes: 412,
                    members: [
                        secret(
                            "access_token", length: isDryRun ? nil : 218, fingerprint: isDryRun ? nil : "77ab"
                        ),
                        text("expires_in", "3600", "answer"),
                    ], duration: isDryRun ? nil : 214)), after: 214)
        run.add(check(90, "token_type", "RFC 6749 §7.1"))
        run.add(.note("Bearer access token, expires in 3600 s, refresh token, scope as asked"))
        run.add(
            .hook(
                TracedHook(
                    id: "audit", point: "tokens.received", action: "exec",
                    decision: isDryRun ? "would run" : "continue", reads: ["tokens.main.scopes"], grants: [],
                    wrote: [],
                    message: nil)))
        run.leave(to: "signed_in", isEnd: true, others: [("invalid_grant", "failed")])
        run.finish(message: "Signed in as person@example.com.", outputs: [text("subject", "4be0", "output")])
        return run
    }

    /// A sign-in whose code the provider refuses.
    static func refusal(redirectURI: String = "http://127.0.0.1:PORT/callback") -> SampleRun {
        var run = SampleRun()
        run.start()
        run.enter("authorize", line: 2)
        run.add(.request(authorization))
        run.leave(to: "callback")
        run.enter("callback", line: 3)
        run.leave(to: "exchange")
        run.enter("exchange", line: 4)
        run.add(.request(token(redirectURI: redirectURI, fingerprint: "c3d1")), after: 3_100)
        run.add(
            .response(
                TracedResponse(
                    status: 400, contentType: "application/json", bytes: 30, members: [], duration: 90)))
        run.leave(
            "invalid_grant", "grant", error: "invalid_grant", description: "Bad Request", status: 400,
            to: "failed",
            isEnd: true)
        run.finish("failed", "failure", error: "invalid_grant", exit: 6)
        return run
    }
}
