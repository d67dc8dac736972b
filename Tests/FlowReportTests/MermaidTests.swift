import FlowEngine
import FlowReport
import Testing

@Suite("Sequence diagrams in Mermaid")
struct MermaidTests {
    /// The lines that Mermaid's grammar of sequence diagrams knows and that are used here. A text may hold neither what
    /// ends it nor anything but entity codes behind a number sign.
    static func isKnown(_ line: Substring) -> Bool {
        let text = #/(?:[^#;<>&%{}"`\\]|#[0-9]+;)*/#
        if line.wholeMatch(of: #/ {2}%% .*|sequenceDiagram| {2}autonumber/#) != nil { return true }
        let heads = [
            #/ {2}(?:actor|participant) P[0-9]+ as /#, #/ {2}Note over P[0-9]+: /#,
            #/ {2}P[0-9]+(?:->>|-->>|--x)P[0-9]+: /#,
        ]
        return heads.contains { head in
            guard let start = line.prefixMatch(of: head) else { return false }
            return line[start.range.upperBound...].wholeMatch(of: text) != nil
        }
    }

    @Test("every line is one of the language", arguments: Recorded.names)
    func grammar(name: String) throws {
        let lines = try Recorded.report(name, .mermaid).split(separator: "\n")
        #expect(lines.first == "sequenceDiagram")
        for line in lines { #expect(Self.isKnown(line), "\(line)") }
    }

    @Test("a request whose answer never came is a lost message")
    func lost() {
        #expect(Report.render(RoundTripTests.events, .mermaid).contains("--x"))
    }

    @Test("hooks stand where they ran: before the page that they were asked about, after what was checked")
    func order() {
        func hook(_ id: String, _ point: String) -> TraceEvent.Body {
            .hook(
                TracedHook(
                    id: id, point: point, action: "emit", decision: "continue", reads: [], grants: [],
                    wrote: [], message: nil))
        }
        func step(_ kind: String) -> TraceEvent.Body {
            .stepStart(StepStart(kind: kind, visit: 1, place: "f:1:1", summary: "s"))
        }
        func check(_ name: String) -> TraceEvent.Body {
            .check(TracedCheck(number: 1, name: name, reference: "RFC 6749 §10.12", verdict: .passed))
        }
        let page = TracedRequest(
            purpose: "authorization", method: "GET", endpoint: "https://p.example/authorize", query: [],
            fields: [], body: [], bodyFormat: "none")
        let end = TraceEvent.Body.stepEnd(
            StepEnd(
                outcome: "ok", outcomeClass: "success", visit: 1, error: nil, description: nil, status: nil,
                target: "done", targetIsEnd: true, reason: "exact", edge: nil, otherRoutes: []))
        let bodies: [(String?, TraceEvent.Body)] = [
            (
                nil,
                .runStart(
                    RunStart(
                        run: "r", flow: "login", version: 1, digest: "d", provider: "p", isDryRun: false,
                        inputs: []))
            ),
            ("authorize", step("authorize")), ("authorize", .request(page)),
            ("authorize", hook("prompt", "user.prompt")),
            ("authorize", .actionRequired(TracedAction(url: "https://p.example", opened: nil, expiresAt: 9))),
            ("authorize", end), ("callback", step("callback")),
            ("callback", hook("before", "step.before")), ("callback", check("state")),
            ("callback", hook("received", "callback.received")), ("callback", check("iss")),
            ("callback", hook("after", "step.after")), ("callback", end),
        ]
        let events = bodies.enumerated().map { index, event in
            TraceEvent(sequence: index + 1, time: Int64(index), step: event.0, body: event.1)
        }
        let told = [
            "hook prompt", "open the sign-in page", "GET /authorize", "hook before", "GET the redirect URI",
            "state ✓", "hook received", "iss ✓", "hook after",
        ]
        let text = Report.render(events, .mermaid)
        let places = told.map { text.firstRange(of: $0)?.lowerBound }
        #expect(!places.contains(nil), "\(text)")
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted(), "\(text)")
    }

    @Test("each participant is there once, the person first")
    func participants() throws {
        let text = try Recorded.report("login", .mermaid)
        let lines = text.split(separator: "\n").filter { $0.contains(" as ") }
        #expect(lines.count == 3)
        #expect(lines.first == "  actor P1 as you")
        #expect(lines.dropFirst().first == "  participant P2 as flowrun")
    }
}
