internal import FlowEngine
internal import JOSE
internal import OAuthProtocol

/// A run as spans of OpenTelemetry: one for the run, below it one for each step, below that one for each request.
///
/// The text is the body of an `ExportTraceServiceRequest`. Identifiers follow from the run's own, so that the same trace
/// always gives the same spans.
///
/// - SeeAlso: <https://opentelemetry.io/docs/specs/semconv/http/http-spans/>
struct SpanReport: Sendable {
    private let run: RunRecord
    private let parent: TraceParent?
    private let version: String
    private let traceID: String
    private let runID: String

    /// - Parameter parent: The span that the run belongs to; `nil` makes a trace of its own.
    init(_ run: RunRecord, parent: TraceParent?, version: String) {
        self.run = run
        self.parent = parent
        self.version = version
        traceID = parent?.traceID ?? Self.identifier("trace", run.start.run, bytes: 16)
        runID = Self.identifier("run", run.start.run, bytes: 8)
    }

    private static func identifier(_ kind: String, _ text: String, bytes: Int) -> String {
        Hexadecimal.encode(Digest.sha256("flowrun \(kind) \(text)".utf8).prefix(bytes))
    }

    var text: String {
        let resource: [Span.Attribute] = [
            .text("service.name", "flowrun"), .text("service.version", version),
        ]
        let spans = [runSpan] + hooks(run.others, parent: runID) + run.steps.indices.flatMap(spans)
        let scope: JSONObject = ["name": "flowrun", "version": .string(version)]
        let request: JSONObject = [
            "resourceSpans": [
                [
                    "resource": ["attributes": .array(resource.map(\.json))],
                    "scopeSpans": [["scope": .object(scope), "spans": .array(spans.map(\.json))]],
                ]
            ]
        ]
        return request.serialize(pretty: true) + "\n"
    }

    // MARK: Run and steps

    private var runSpan: Span {
        var span = Span(
            traceID: traceID, id: runID, parent: parent?.spanID, name: "flowrun \(run.start.flow)",
            kind: .internal, start: run.startedAt, end: run.endedAt)
        span.attributes = [
            .text("flowrun.run", run.start.run), .text("flowrun.flow", run.start.flow),
            .number("flowrun.flow.version", Int64(run.start.version)),
            .text("flowrun.flow.digest", run.start.digest), .text("flowrun.provider", run.start.provider),
            .flag("flowrun.dry_run", run.isDryRun), .number("flowrun.human_ms", run.spent.human),
            .number("flowrun.network_ms", run.spent.network),
            .number("flowrun.hooks_ms", run.spent.hooks),
        ]
        if let end = run.end {
            span.attributes += [
                .text("flowrun.end", end.end), .text("flowrun.result", end.result),
                .number("flowrun.exit", Int64(end.exit)), .number("flowrun.retries", Int64(end.retries)),
            ]
        }
        span.events = run.others.compactMap(event)
        if let failure = run.failure {
            span.attributes.append(.text("error.type", failure.outcome))
            span.status = .error(failure.text.headline)
        } else if run.isSuccess {
            span.status = .ok
        }
        return span
    }

    private func identifier(ofStep index: Int) -> String {
        Self.identifier("step", "\(run.start.run) \(index)", bytes: 8)
    }

    private func spans(_ index: Int) -> [Span] {
        let step = run.steps[index]
        let id = identifier(ofStep: index)
        var span = Span(
            traceID: traceID, id: id, parent: step.enclosing.map(identifier) ?? runID, name: step.name,
            kind: .internal,
            start: step.startedAt, end: step.endedAt)
        span.attributes = [
            .text("flowrun.step", step.name), .text("flowrun.step.kind", step.start.kind),
            .number("flowrun.step.visit", Int64(step.start.visit)),
            .text("flowrun.step.place", step.start.place),
        ]
        if let end = step.end {
            span.attributes += [
                .text("flowrun.step.outcome", end.outcome), .text("flowrun.step.class", end.outcomeClass),
                .text("flowrun.step.next", end.target),
            ]
        }
        span.events = step.events.compactMap(event)
        if index == run.failedStep, let failure = run.failure {
            span.attributes.append(.text("error.type", failure.outcome))
            span.status = .error(failure.text.headline)
        }
        return [span] + step.exchanges.filter { !$0.isBrowser }.map { self.span($0, step: id) }
            + hooks(step.events, parent: id)
    }

    /// A hook that took its time has a span: of a request where it asked a server, else an inner one.
    private func hooks(_ events: [TraceEvent], parent: String) -> [Span] {
        events.compactMap { event in
            guard let hook = event.hook, let duration = hook.duration else { return nil }
            var span =
                event.hookExchange.map { self.span($0, step: parent) }
                ?? Span(
                    traceID: traceID,
                    id: Self.identifier("hook", "\(run.start.run) \(event.sequence)", bytes: 8),
                    parent: parent, name: "hook \(hook.id)", kind: .internal, start: event.time - duration,
                    end: event.time)
            span.attributes += Self.attributes(of: hook)
            if hook.isBad { span.status = .error(hook.message ?? hook.decision) }
            return span
        }
    }

    private static func attributes(of hook: TracedHook) -> [Span.Attribute] {
        [
            .text("flowrun.hook.id", hook.id), .text("flowrun.hook.point", hook.point),
            .text("flowrun.hook.action", hook.action), .text("flowrun.hook.decision", hook.decision),
        ]
    }

    // MARK: Requests

    private func span(_ exchange: Exchange, step: String) -> Span {
        let request = exchange.request
        var span = Span(
            traceID: traceID,
            id: Self.identifier("request", "\(run.start.run) \(exchange.sequence)", bytes: 8), parent: step,
            name: request.method, kind: .client, start: exchange.sentAt,
            end: exchange.sentAt + exchange.duration)
        span.attributes = [
            .text("http.request.method", request.method), .text("url.full", URLText.of(request)),
            .text("flowrun.purpose", request.purpose),
        ]
        span.attributes += server(request.endpoint)
        if exchange.attempt > 1 {
            span.attributes.append(.number("http.request.resend_count", Int64(exchange.attempt - 1)))
        }
        switch exchange.answer {
        case .response(let response, _):
            span.attributes.append(.number("http.response.status_code", Int64(response.status)))
            if response.bytes >= 0 {
                span.attributes.append(.number("http.response.body.size", Int64(response.bytes)))
            }
            if response.status >= 400 {
                span.attributes.append(.text("error.type", String(response.status)))
                span.status = .error("")
            }
        case .failure(let cause, _, let message, _):
            span.attributes.append(.text("error.type", cause))
            span.status = .error(message)
        case nil: break
        }
        return span
    }

    private func server(_ endpoint: String) -> [Span.Attribute] {
        guard let url = try? EndpointURL(endpoint, allowLoopbackHTTP: true) else {
            return [.text("server.address", TracedWords.host(endpoint))]
        }
        return [.text("server.address", url.hostName), .number("server.port", Int64(url.port))]
    }

    // MARK: Events

    /// What went wrong or needs a person; what went as it should is in the attributes.
    private func event(_ event: TraceEvent) -> Span.Event? {
        let attributes: [Span.Attribute]
        let name: String
        switch event.body {
        case .check(let check):
            if check.isPassed || check.isNotApplicable { return nil }
            name = "flowrun.check"
            attributes = [
                .text("flowrun.check.id", check.name), .number("flowrun.check.rule", Int64(check.number)),
                .text("flowrun.check.reference", check.reference),
                .text("flowrun.check.result", check.verdict.word),
                .text("flowrun.check.detail", check.verdict.plain),
            ]
        case .security(let event):
            name = "flowrun.security"
            attributes = [
                .text("flowrun.security.severity", event.severity.rawValue),
                .text("flowrun.security.decision", event.decision.rawValue),
                .text("flowrun.check.id", event.check.name), .text("message", event.summary),
            ]
        case .warning(let text, _): (name, attributes) = ("flowrun.warning", [.text("message", text)])
        case .callbackIgnored(let reason):
            (name, attributes) = ("flowrun.callback.ignored", [.text("message", reason)])
        case .actionRequired(let action):
            name = "flowrun.action_required"
            attributes = [.text("url.full", String(action.url.prefix { $0 != "?" && $0 != "#" }))]
        case .retry(let outcome, let attempt, let delay, let reason):
            name = "flowrun.retry"
            attributes = [
                .text("flowrun.step.outcome", outcome), .number("flowrun.attempt", Int64(attempt)),
                .number("flowrun.delay_ms", delay), .text("message", reason),
            ]
        case .hook(let hook):
            // One that took its time has a span.
            if hook.duration != nil { return nil }
            name = "flowrun.hook"
            attributes = Self.attributes(of: hook)
        case .runStart, .flow, .stepStart, .request, .response, .transportFailure, .token, .note, .waiting,
            .saved, .stepEnd, .runEnd:
            return nil
        }
        return Span.Event(name: name, time: event.time, attributes: attributes)
    }
}
