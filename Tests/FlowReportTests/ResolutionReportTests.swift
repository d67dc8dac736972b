import FlowEngine
import FlowReport
import Testing

@Suite("How a way was found, in the page")
struct ResolutionReportTests {
    private static let place = "login.flow.yaml:2:7"

    private static let whole = TracedResolution(
        lines: [
            .init(reason: "exact", selector: "refused", place: nil, verdict: .absent),
            .init(reason: "class", selector: "any.grant", place: place, verdict: .taken),
            .init(reason: "default", selector: "any", place: "other.flow.yaml:9:1", verdict: .notReached),
        ],
        alternatives: [
            .init(
                target: "refresh", place: place, condition: "vars.tries < 3 && has(inputs.pin)",
                values: [
                    .init(name: "vars.tries", value: .text("4"), source: "guard", reference: nil),
                    .init(
                        name: "inputs.pin",
                        value: .secret(kind: "secret", length: 4, fingerprint: "77ab"), source: "guard",
                        reference: nil),
                ], maximum: nil, used: 0, verdict: .notHolding),
            .init(
                target: "again", place: place, condition: nil, values: [], maximum: 2, used: 2,
                verdict: .usedUp),
            .init(
                target: "failed", place: place, condition: nil, values: [], maximum: 1, used: 0,
                verdict: .taken),
            .init(
                target: "never", place: place, condition: "true", values: [], maximum: 4, used: 0,
                verdict: .notReached),
        ],
        retry: .init(
            place: place, isDefault: true, outcomes: ["network", "server_error"], allowed: 3, attempts: 1,
            verdict: .otherOutcome))

    private static func page(_ resolution: TracedResolution?) -> String {
        var end = StepEnd(
            outcome: "refused", outcomeClass: "grant", visit: 1, error: nil, description: nil, status: nil,
            target: "failed", targetIsEnd: true, reason: "class", edge: "edge 3 of 4", otherRoutes: [])
        end.resolution = resolution
        let bodies: [(String?, TraceEvent.Body)] = [
            (
                nil,
                .runStart(
                    RunStart(
                        run: "r1", flow: "login", version: 1, digest: "d", provider: "p", isDryRun: false,
                        inputs: []))
            ),
            (
                nil,
                .flow(
                    TracedFlow(
                        file: "login.flow.yaml", lines: ["steps:", "  ask:", ""], start: "ask", steps: [],
                        ends: []))
            ),
            ("ask", .stepStart(StepStart(kind: "http", visit: 1, place: place, summary: "s"))),
            ("ask", .stepEnd(end)),
        ]
        let events = bodies.enumerated().map {
            TraceEvent(sequence: $0.offset + 1, time: 0, step: $0.element.0, body: $0.element.1)
        }
        return Report.render(events, .html)
    }

    /// The text of the part, line by line, as a reader takes it who cannot see signs.
    private static func lines(_ page: String) throws -> [String] {
        let start = try #require(page.firstRange(of: "<details class=\"more how\">"))
        let end = try #require(page[start.upperBound...].firstRange(of: "</details>"))
        let part = String(page[start.upperBound..<end.lowerBound])
            .replacing(#/<span[^>]* aria-hidden="true">[^<]*</span>/#, with: "")
        return part.replacing(#/<[^>]*>/#, with: "").split(separator: "\n").map { line in
            line.split(separator: " ").joined(separator: " ")
        }.filter { !$0.isEmpty }
    }

    @Test("each line and alternative with its words, what its if has read and how often it was taken")
    func whole() throws {
        #expect(
            try Self.lines(Self.page(Self.whole)) == [
                "How the way was found",
                "Retry1 attempt; the policy does not name refused"
                    + "of the defaults, at most 3 attempts, after network, server_error login.flow.yaml:2:7",
                "Line", "exact refused no such line", "taken: class any.grant login.flow.yaml:2:7",
                "default any not looked at other.flow.yaml:9:1", "Ways",
                "1 of 4 refresh its if does not hold login.flow.yaml:2:7",
                "if vars.tries &lt; 3 &amp;&amp; has(inputs.pin) false", "vars.tries = 4",
                "inputs.pin = ‹secret›4 bytes#77ab",
                "2 of 4 again its max is used up login.flow.yaml:2:7", "max 2, 2 used before",
                "taken: 3 of 4 failed taken login.flow.yaml:2:7", "max 1, 0 used before",
                "4 of 4 never not looked at login.flow.yaml:2:7", "if true", "max 4",
                "Led toend failed",
            ])
    }

    @Test("a place that the page shows is linked, another is only named")
    func places() {
        let page = Self.page(Self.whole)
        #expect(page.contains("<a href=\"#line-2\"><code>login.flow.yaml:2:7</code></a>"))
        #expect(page.contains("<span class=\"place\"><code>other.flow.yaml:9:1</code></span>"))
        #expect(!page.contains("#line-9"))
    }

    @Test("it is folded, and left out where the trace does not say it")
    func folded() {
        #expect(Self.page(Self.whole).contains("<details class=\"more how\"><summary>"))
        #expect(!Self.page(nil).contains("How the way was found"))
    }

    @Test("of an only way without a condition that is said")
    func only() throws {
        let plain = TracedResolution(
            lines: [.init(reason: "exact", selector: "refused", place: Self.place, verdict: .taken)],
            alternatives: [
                .init(
                    target: "failed", place: Self.place, condition: nil, values: [], maximum: nil, used: 0,
                    verdict: .taken)
            ], retry: nil)
        #expect(plain.isPlain)
        #expect(!Self.whole.isPlain)
        #expect(
            try Self.lines(Self.page(plain)).dropFirst() == [
                "Line", "taken: exact refused login.flow.yaml:2:7", "Ways",
                "taken: failed the only way login.flow.yaml:2:7", "Led toend failed",
            ])
    }
}
