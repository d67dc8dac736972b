import FlowEngine
import FlowReport
import JOSE
import Testing

@Suite("Hooks in reports")
struct HookReportTests {
    private static let time: Int64 = 1_767_225_600_000

    private static func hook(
        _ id: String, at point: String, _ decision: String = "continue", url: String? = nil,
        status: Int? = nil, message: String? = nil, grants: [String] = []
    ) -> TraceEvent.Body {
        var hook = TracedHook(
            id: id, point: point, action: url == nil ? "exec" : "http", decision: decision, reads: [],
            grants: grants, wrote: [], message: message)
        hook.place = "login.flow.yaml:7:5"
        hook.readValues = grants.map {
            TracedParameter(
                name: $0, value: .secret(kind: "access_token", length: 24, fingerprint: "77ab"),
                source: "hook",
                reference: nil)
        }
        (hook.duration, hook.url, hook.status) = (30, url, status)
        return .hook(hook)
    }

    private static func events(_ bodies: [(String?, TraceEvent.Body)]) -> [TraceEvent] {
        let start = RunStart(
            run: "r1", flow: "login", version: 1, digest: "d", provider: "p", isDryRun: false, inputs: [])
        let flow = TracedFlow(
            file: "login.flow.yaml", lines: [], start: "ask",
            steps: [
                .init(
                    name: "ask", kind: "http", firstLine: 3, lastLine: 5,
                    routes: [.init(outcome: "ok", outcomeClass: "success", targets: ["done"])])
            ], ends: [.init(name: "done", result: "success")])
        let all: [(String?, TraceEvent.Body)] = [(nil, .runStart(start)), (nil, .flow(flow))] + bodies
        return all.enumerated().map { index, event in
            TraceEvent(
                sequence: index + 1, time: time + Int64(index) * 100, step: event.0, body: event.1)
        }
    }

    private static func end(_ error: String? = nil) -> (String?, TraceEvent.Body) {
        (
            nil,
            .runEnd(
                RunEnd(
                    end: error == nil ? "done" : "failed", result: error == nil ? "success" : "failure",
                    message: nil, errorCode: error, exit: error == nil ? 0 : 11, transitions: 1, retries: 0,
                    duration: 900, outputs: []))
        )
    }

    /// A step with two hooks of its own, one of which asks a server and fails, and hooks around it.
    private static let whole = events([
        (nil, hook("first", at: "flow.start")),
        ("ask", .stepStart(StepStart(kind: "http", visit: 1, place: "login.flow.yaml:3:3", summary: "s"))),
        (
            "ask",
            hook(
                "audit", at: "step.after", "failed", url: "https://hooks.example:8443/audit", status: 503,
                message: "it answered with status 503", grants: ["tokens.main.access_token"])
        ),
        (
            "ask",
            .stepEnd(
                StepEnd(
                    outcome: "ok", outcomeClass: "success", visit: 1, error: nil, description: nil,
                    status: nil, target: "done", targetIsEnd: true, reason: "exact", edge: nil,
                    otherRoutes: []))
        ), (nil, hook("last", at: "flow.end")), end(),
    ])

    private static let refusedAtStart = events([
        (nil, hook("gate", at: "flow.start", "failed", message: "it exited with status 1")),
        end("hook_failed"),
    ])

    @Test("the page has hooks around the steps, what each was given, and which failed")
    func page() {
        let page = Report.render(Self.whole, .html)
        #expect(page.contains("Hooks around the steps"))
        for name in ["first", "last"] { #expect(page.contains("<th scope=\"row\">\(name)</th>")) }
        #expect(page.contains("<th scope=\"col\">Given</th>"))
        let given = #/<td>tokens\.main\.access_<wbr>token = <span class="secret"[^>]*>‹access_token›/#
        #expect(page.contains(given))
        #expect(page.contains("<title>") && page.contains("rect class=\"hooks\""))
        #expect(page.contains("POST /audit (hook audit)"))
    }

    @Test("the page has what a hook read and wrote, with the values; strangers get the names")
    func values() {
        var hook = TracedHook(
            id: "audit", point: "step.after", action: "exec", decision: "continue", reads: ["run.id"],
            grants: [], wrote: ["vars.tenant", "outcome.rejected"], message: nil)
        func value(_ name: String, _ text: String) -> TracedParameter {
            TracedParameter(name: name, value: .text(text), source: "hook", reference: nil)
        }
        hook.readValues = [value("run.id", "r_7")]
        hook.writtenValues = [value("vars.tenant", "acme <b>")]
        let events = Self.events([(nil, .hook(hook)), Self.end()])
        let page = Report.render(events, .html)
        #expect(page.contains("<td>run.id = <code>r_7</code></td>"))
        #expect(page.contains("<td>vars.tenant = <code>acme &lt;b&gt;</code>,<br>outcome.rejected</td>"))
        var redaction = StrictRedaction()
        let strict = Report.render(events.map { redaction.redacted($0) }, .html)
        #expect(strict.contains("vars.tenant = <code>(left out)</code>") && !strict.contains("acme"))
    }

    @Test("the page says for which steps hooks took time, and gives their table the room of its words")
    func room() {
        let page = Report.render(Self.whole, .html)
        #expect(page.contains("<span class=\"quiet\">, hooks 30 ms</span>"))
        #expect(page.contains("<table class=\"many\">"))
    }

    @Test("reports of tests name the place of the hook that failed, as the text does")
    func place() {
        let inStep = Self.events([
            (
                "ask",
                .stepStart(StepStart(kind: "http", visit: 1, place: "login.flow.yaml:3:3", summary: "s"))
            ), ("ask", Self.hook("gate", at: "step.before", "failed", message: "it exited with status 1")),
            Self.end("hook_failed"),
        ])
        for events in [inStep, Self.refusedAtStart] {
            let junit = Report.render(events, .junit)
            #expect(junit.contains("file=\"login.flow.yaml\" line=\"7\""), "\(junit)")
            let tap = Report.render(events, .tap)
            #expect(tap.contains("  line: \"7\"\n"), "\(tap)")
        }
    }

    @Test(
        "a warning about a hook that has failed is not told beside the hook, one about another is",
        arguments: [("gate", 1), ("audit", 2), (nil, 2)])
    func toldOnce(about: String?, count: Int) {
        let words = "it exited with status 1"
        let events = Self.events([
            (
                "ask",
                .stepStart(StepStart(kind: "http", visit: 1, place: "login.flow.yaml:3:3", summary: "s"))
            ), ("ask", Self.hook("gate", at: "step.before", "failed", message: words)),
            ("ask", .warning("the flow goes on: \(words)", hook: about)),
            (
                "ask",
                .stepEnd(
                    StepEnd(
                        outcome: "ok", outcomeClass: "success", visit: 1, error: nil, description: nil,
                        status: nil, target: "done", targetIsEnd: true, reason: "exact", edge: nil,
                        otherRoutes: []))
            ), Self.end(),
        ])
        #expect(Report.render(events, .junit).ranges(of: words).count == count)
    }

    @Test("a failed hook stands in red")
    func failed() {
        let page = Report.render(Self.refusedAtStart, .html)
        #expect(page.contains(#/<rect class="note bad"[^\n]*\n[^\n]*hook gate: failed/#))
    }

    @Test("a failure outside of all steps is told of its hook, and no step is lit")
    func outside() {
        let page = Report.render(Self.refusedAtStart, .html)
        #expect(
            page.contains(
                "Hook <code>gate</code> at <code>flow.start</code> failed, <code>login.flow.yaml:7</code>."))
        #expect(!page.contains("<path class=\"way lit\""))
        #expect(Report.render(Self.whole, .html).contains("<path class=\"way lit\""))
    }

    @Test("a hook's request is an entry of the archive, without its texts")
    func archive() throws {
        let archive = try JSON.parse(Array(Report.render(Self.whole, .har).utf8))
        let entries = archive.objectValue?["log"]?.objectValue?["entries"]?.arrayValue ?? []
        let entry = try #require(entries.first?.objectValue)
        #expect(entries.count == 1)
        #expect(entry["request"]?.objectValue?["url"] == "https://hooks.example:8443/audit")
        #expect(entry["response"]?.objectValue?["status"] == 503)
        #expect(entry["time"] == 30)
        #expect(entry["_flowrun"]?.objectValue?["hook"] == "audit")
    }

    @Test("a hook's request is a span of a client, another hook an inner one; both are errors when they fail")
    func spans() throws {
        let text = Report.render(Self.whole, .otlp)
        let resource = try JSON.parse(Array(text.utf8)).objectValue?["resourceSpans"]?.arrayValue?.first
        let scope = resource?.objectValue?["scopeSpans"]?.arrayValue?.first
        let spans = (scope?.objectValue?["spans"]?.arrayValue ?? []).compactMap(\.objectValue)
        let client = try #require(spans.first { $0["kind"] == 3 })
        #expect(client["status"]?.objectValue?["code"] == 2)
        let names = spans.compactMap { span in span["name"]?.stringValue }
        #expect(names.contains("hook first"))
    }

    @Test("their time is that of hooks, not of the person who was waited for")
    func time() {
        var spent = TimeSpent()
        for (index, body) in [
            TraceEvent.Body.stepStart(StepStart(kind: "callback", visit: 1, place: "", summary: "")),
            Self.hook("slow", at: "step.after"),
            .runEnd(
                RunEnd(
                    end: "e", result: "success", message: nil, errorCode: nil, exit: 0, transitions: 0,
                    retries: 0, duration: 0, outputs: [])),
        ].enumerated() {
            spent.count(TraceEvent(sequence: index, time: Int64(index) * 50, step: nil, body: body))
        }
        #expect(spent.hooks == 30)
        #expect(spent.human == 70)
    }

    @Test("a request without an answer took the network's time until it was given up")
    func unanswered() {
        var spent = TimeSpent()
        let request = TracedRequest(
            purpose: "token", method: "POST", endpoint: "https://op.example/token", query: [], fields: [],
            body: [], bodyFormat: "form")
        for (time, body) in [
            (0, TraceEvent.Body.stepStart(StepStart(kind: "exchange", visit: 1, place: "", summary: ""))),
            (50, .request(request)),
            (350, .transportFailure(cause: "timeout", delivered: false, message: "")),
        ] {
            spent.count(TraceEvent(sequence: 1, time: Int64(time), step: nil, body: body))
        }
        #expect(spent.network == 300)
    }

    @Test("a command calls the provider as it was typed, and prose by its name")
    func typedProvider() {
        var report = FailureReport()
        (report.provider, report.kind, report.outcome) = ("p", "authorize", "client_key")
        #expect(report.text.fixes.joined().contains("flowrun provider add p"))
        report.typedProvider = "./p.yaml"
        #expect(report.text.fixes.joined().contains("flowrun provider add ./p.yaml"))
        (report.kind, report.outcome) = ("exchange", "unauthorized_client")
        let fixes = report.text.fixes.joined(separator: "\n")
        #expect(!fixes.contains("at ./p.yaml"), "\(fixes)")
    }

    @Test("commands in a page are code, and no backtick is left")
    func commands() {
        var context = ReportContext()
        var told = FailureReport()
        told.options = " --set tenant=acme"
        context.failure = told
        let page = Report.render(Self.refusedAtStart, .html, context)
        #expect(page.contains("<code>flowrun run login --provider p --set tenant=acme -vv</code>"))
        let failure = page.split(separator: "id=\"failure\"").last?.split(separator: "</section>").first ?? ""
        #expect(!failure.contains("`"))
        for format in [ReportFormat.tap, .junit] {
            let text = Report.render(Self.refusedAtStart, format, context)
            #expect(text.contains("--provider p --set tenant=acme"), "\(text)")
        }
    }
}
