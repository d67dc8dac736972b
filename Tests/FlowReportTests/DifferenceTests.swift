import FlowEngine
import FlowReport
import Testing

@Suite("Comparing two traces")
struct DifferenceTests {
    /// A run with two steps.
    private static func run(
        client: String = "me", port: Int = 40_000, challenge: String = "c1", status: Int = 200,
        outcome: String = "ok", extra: Bool = false
    ) -> [TraceEvent] {
        var events: [TraceEvent] = []
        func add(_ step: String?, _ body: TraceEvent.Body) {
            events.append(
                TraceEvent(
                    sequence: events.count + 1, time: Int64(events.count) * 10, step: step, body: body))
        }
        func parameter(_ name: String, _ value: String) -> TracedParameter {
            TracedParameter(name: name, value: .text(value), source: "flow", reference: nil)
        }
        func end(_ outcome: String, _ target: String, _ isEnd: Bool) -> TraceEvent.Body {
            .stepEnd(
                StepEnd(
                    outcome: outcome, outcomeClass: outcome == "ok" ? "success" : "grant", visit: 1,
                    error: outcome == "ok" ? nil : outcome, description: nil, status: nil, target: target,
                    targetIsEnd: isEnd, reason: "exact", edge: nil, otherRoutes: []))
        }
        add(
            nil,
            .runStart(
                RunStart(
                    run: "r\(port)", flow: "login", version: 1, digest: "d", provider: "p", isDryRun: false,
                    inputs: [])))
        add("authorize", .stepStart(StepStart(kind: "authorize", visit: 1, place: "f:1:1", summary: "s")))
        add(
            "authorize",
            .request(
                TracedRequest(
                    purpose: "authorization", method: "GET", endpoint: "https://p.example/authorize",
                    query: [
                        parameter("client_id", client),
                        parameter("redirect_uri", "http://127.0.0.1:\(port)/callback"),
                        parameter("code_challenge", challenge),
                        TracedParameter(
                            name: "state",
                            value: .secret(kind: "state", length: port % 50 + 1, fingerprint: "a\(port)"),
                            source: "step", reference: nil),
                    ], fields: [], body: [], bodyFormat: "none")))
        add("authorize", end("ok", "exchange", false))
        if extra {
            add("wait", .stepStart(StepStart(kind: "wait", visit: 1, place: "f:2:1", summary: "s")))
            add("wait", end("ok", "exchange", false))
        }
        add("exchange", .stepStart(StepStart(kind: "exchange", visit: 1, place: "f:3:1", summary: "s")))
        add(
            "exchange",
            .response(
                TracedResponse(
                    status: status, contentType: "application/json", bytes: 1,
                    members: [parameter(status == 200 ? "token_type" : "error", "x")], duration: Int64(port)))
        )
        add("exchange", end(outcome, outcome == "ok" ? "done" : "failed", true))
        add(
            nil,
            .runEnd(
                RunEnd(
                    end: outcome == "ok" ? "done" : "failed", result: outcome == "ok" ? "success" : "failure",
                    message: nil, errorCode: outcome == "ok" ? nil : outcome, exit: outcome == "ok" ? 0 : 6,
                    transitions: 2, retries: 0, duration: 1, outputs: [])))
        return events
    }

    /// The first difference that matters of two answers that have one member each.
    private static func first(_ left: TracedValue, _ right: TracedValue, named name: String) -> String? {
        let runs = [left, right].map { value in
            run().map { event in
                guard case .response = event.body else { return event }
                let member = TracedParameter(name: name, value: value, source: "answer", reference: nil)
                let response = TracedResponse(
                    status: 200, contentType: nil, bytes: 1, members: [member], duration: 1)
                return TraceEvent(
                    sequence: event.sequence, time: event.time, step: event.step, body: .response(response))
            }
        }
        return TraceDifference(runs[0], runs[1]).first?.name
    }

    @Test("a member that changes by itself matters when it becomes something else")
    func kinds() {
        #expect(Self.first(.text("3600"), .text("3599"), named: "expires_in") == nil)
        #expect(Self.first(.text("3600"), .text("soon"), named: "expires_in") == "answer: expires_in")
        #expect(Self.first(.text("key-1"), .text("key-2"), named: "kid") == nil)
        let full = TracedValue.secret(kind: "refresh_token", length: 43, fingerprint: "aa")
        let empty = TracedValue.secret(kind: "refresh_token", length: 0, fingerprint: "bb")
        #expect(Self.first(full, empty, named: "refresh_token") == "answer: refresh_token")
    }

    @Test("ports, challenges, fingerprints and times do not matter")
    func random() {
        let difference = TraceDifference(Self.run(), Self.run(port: 50_001, challenge: "c2"))
        #expect(difference.first == nil)
        #expect(difference.facts.map(\.name) == ["request authorization: code_challenge"])
        #expect(difference.common == ["authorize", "exchange"])
    }

    @Test("the cause comes first, what follows from it later")
    func cause() throws {
        let difference = TraceDifference(
            Self.run(), Self.run(client: "you", status: 400, outcome: "invalid_client"))
        let first = try #require(difference.first)
        #expect(first.step == "authorize")
        #expect(first.name == "request authorization: client_id")
        #expect(first.left == "me")
        #expect(first.right == "you")
        #expect(difference.common.isEmpty)
        let mattering = difference.facts.filter(\.matters).map(\.name)
        #expect(
            mattering == [
                "request authorization: client_id", "answer: status", "outcome", "error", "goes to", "end",
                "error", "exit",
            ])
    }

    @Test("a step that only one run has is a difference of its own")
    func extraStep() throws {
        let difference = TraceDifference(Self.run(), Self.run(extra: true))
        let first = try #require(difference.first)
        #expect(first.step == "wait")
        #expect(first.left == nil)
        #expect(first.right == "ok")
        #expect(difference.common == ["authorize"])
    }

    @Test("a trace that was cut off says so")
    func cutOff() {
        let difference = TraceDifference(Self.run(), Array(Self.run().dropLast(2)))
        #expect(difference.facts.contains { $0.name == "end" && $0.right == "the trace was cut off" })
    }

    @Test("what a hook wrote differs too, where its decision does not")
    func hooks() {
        func run(_ wrote: [String]) -> [TraceEvent] {
            let hook = TracedHook(
                id: "judge", point: "step.response", action: "exec", decision: "continue", reads: [],
                grants: [], wrote: wrote, message: nil)
            return [
                TraceEvent.Body.stepStart(StepStart(kind: "http", visit: 1, place: "f:1:1", summary: "s")),
                .hook(hook),
            ].enumerated().map { TraceEvent(sequence: $0 + 1, time: 0, step: "ask", body: $1) }
        }
        let facts = TraceDifference(run(["outcome.rejected"]), run([])).facts
        #expect(facts.map(\.name) == ["hook judge at step.response: wrote"])
        #expect(facts.map(\.left) == ["outcome.rejected"])
        #expect(facts.map(\.right) == ["nothing"])
    }

    @Test("so does the value that it wrote")
    func writtenValues() {
        func run(_ value: String) -> [TraceEvent] {
            var hook = TracedHook(
                id: "judge", point: "step.after", action: "exec", decision: "continue", reads: [],
                grants: [], wrote: ["vars.tenant"], message: nil)
            hook.writtenValues = [
                TracedParameter(name: "vars.tenant", value: .text(value), source: "hook", reference: nil)
            ]
            return [
                TraceEvent.Body.stepStart(StepStart(kind: "http", visit: 1, place: "f:1:1", summary: "s")),
                .hook(hook),
            ].enumerated().map { TraceEvent(sequence: $0 + 1, time: 0, step: "ask", body: $1) }
        }
        let facts = TraceDifference(run("acme"), run("other")).facts
        #expect(facts.map(\.name) == ["hook judge at step.after: vars.tenant"])
        #expect(facts.map(\.left) == ["acme"])
        #expect(facts.map(\.right) == ["other"])
    }
}
