internal import FlowEngine
internal import JOSE

/// HTTP Archive 1.2: a page for each step, an entry for each request.
///
/// What a browser sends and receives is there as an entry with `_synthetic`, what hooks ask without its texts; nothing of
/// a dry run was sent, so its entries have no answer. Secrets are placeholders, in URLs percent-encoded.
///
/// - SeeAlso: <http://www.softwareishard.com/blog/har-12-spec/>
struct ArchiveReport: Sendable {
    private let run: RunRecord
    private let version: String

    /// - Parameter version: Of the program that writes it.
    init(_ run: RunRecord, version: String) {
        self.run = run
        self.version = version
    }

    var text: String {
        let log: JSONObject = [
            "version": "1.2",
            "creator": ["name": "flowrun", "version": .string(version)],
            "pages": .array(run.steps.indices.map { .object(page($0)) }),
            "entries": .array(
                (run.steps.indices.flatMap { entries($0) } + hooks(run.others, nil)).map { .object($0) }),
            "comment": .string(comment),
        ]
        return JSONObject([("log", .object(log))]).serialize(pretty: true) + "\n"
    }

    private var comment: String {
        let mode = run.isDryRun ? "Dry run" : "Run"
        let secrets = run.end.map { ", \($0.secrets) secrets kept out" } ?? ""
        return "\(mode) \(run.start.run) of \(run.start.flow) with \(run.start.provider)\(secrets)"
    }

    private static func pageID(_ step: Int) -> String { "step-\(step + 1)" }

    private func page(_ index: Int) -> JSONObject {
        let step = run.steps[index]
        var page: JSONObject = [
            "startedDateTime": .string(CalendarText.utc(step.startedAt, milliseconds: true)),
            "id": .string(Self.pageID(index)),
            "title": .string(step.title),
            "pageTimings": ["onContentLoad": -1, "onLoad": .int(step.duration)],
        ]
        if let end = step.end { page["comment"] = .string("\(end.outcome), then \(end.target)") }
        return page
    }

    // MARK: Entries

    private func entries(_ index: Int) -> [JSONObject] {
        let step = run.steps[index]
        var entries = step.exchanges.map { entry($0, step, index) }
        if step.hasCallback, let callback = callback(step, index) { entries.append(callback) }
        return entries + hooks(step.events, index)
    }

    /// The requests of `http` hooks.
    ///
    /// - Parameter index: Of the step; `nil` for hooks outside of all.
    private func hooks(_ events: [TraceEvent], _ index: Int?) -> [JSONObject] {
        events.compactMap { event in
            guard let hook = event.hook, let exchange = event.hookExchange else { return nil }
            let message = ArchiveMessage(exchange)
            var entry: JSONObject = [:]
            if let index { entry["pageref"] = .string(Self.pageID(index)) }
            entry["startedDateTime"] = .string(CalendarText.utc(exchange.sentAt, milliseconds: true))
            entry["time"] = .int(exchange.duration)
            entry["request"] = .object(message.request)
            entry["response"] = .object(message.response)
            entry["cache"] = .object([:])
            entry["timings"] = .object(message.timings)
            if let address = message.connection { entry["connection"] = .string(address) }
            var annotation: JSONObject = [:]
            if let index { annotation["step"] = .string(run.steps[index].name) }
            annotation["hook"] = .string(hook.id)
            annotation["point"] = .string(hook.point)
            annotation["attempt"] = .int(Int64(exchange.attempt))
            annotation["purpose"] = .string(exchange.request.purpose)
            annotation["decision"] = .string(hook.decision)
            entry["_flowrun"] = .object(annotation)
            return entry
        }
    }

    private func entry(_ exchange: Exchange, _ step: StepRecord, _ index: Int) -> JSONObject {
        let message = ArchiveMessage(exchange)
        var entry: JSONObject = [
            "pageref": .string(Self.pageID(index)),
            "startedDateTime": .string(CalendarText.utc(exchange.sentAt, milliseconds: true)),
        ]
        let isSent = !run.isDryRun && !exchange.isBrowser
        let timings = isSent ? message.timings : ArchiveMessage.noTimings
        entry["time"] = .int(isSent ? exchange.duration : 0)
        entry["request"] = .object(message.request)
        entry["response"] = .object(
            run.isDryRun
                ? ArchiveMessage.noResponse("not sent")
                : exchange.isBrowser
                    ? ArchiveMessage.noResponse("seen by the browser only") : message.response)
        entry["cache"] = .object([:])
        entry["timings"] = .object(timings)
        if let address = message.connection { entry["connection"] = .string(address) }
        if exchange.isBrowser { entry["_synthetic"] = true }
        entry["_flowrun"] = .object(annotation(step, exchange))
        return entry
    }

    /// The answer that the browser brings: where it went, not what it bore.
    private func callback(_ step: StepRecord, _ index: Int) -> JSONObject? {
        guard let authorization = run.exchanges.last(where: { $0.isBrowser && $0.sentAt <= step.endedAt }),
            let address = authorization.request.query.first(where: { $0.name == "redirect_uri" })
        else { return nil }
        let request = TracedRequest(
            purpose: "callback", method: "GET", endpoint: address.value.plain, query: [], fields: [],
            body: [], bodyFormat: "none")
        let exchange = Exchange(request: request, sequence: 0, sentAt: step.endedAt, attempt: 1)
        return [
            "pageref": .string(Self.pageID(index)),
            "startedDateTime": .string(CalendarText.utc(step.endedAt, milliseconds: true)),
            "time": 0,
            "request": .object(ArchiveMessage(exchange).request),
            "response": .object(
                ArchiveMessage.noResponse(run.isDryRun ? "not sent" : step.notes.joined(separator: "; "))),
            "cache": .object([:]),
            "timings": .object(ArchiveMessage.noTimings),
            "_synthetic": true,
            "_flowrun": .object(annotation(step, nil)),
        ]
    }

    /// What flowrun knows and the format has no member for.
    private func annotation(_ step: StepRecord, _ exchange: Exchange?) -> JSONObject {
        let checks = exchange?.checks ?? step.checks
        var annotation: JSONObject = ["step": .string(step.name), "visit": .int(Int64(step.start.visit))]
        if let exchange {
            annotation["attempt"] = .int(Int64(exchange.attempt))
            annotation["purpose"] = .string(exchange.request.purpose)
        }
        annotation["checks"] = .array(
            checks.filter { !$0.isNotApplicable }.map { check in
                var object: JSONObject = [
                    "id": .string(check.name), "rule": .int(Int64(check.number)),
                    "ref": .string(check.reference), "result": .string(check.verdict.word),
                ]
                if !check.isPassed { object["detail"] = .string(check.verdict.plain) }
                return .object(object)
            })
        annotation["redactions"] = .array((exchange?.redactions ?? []).map { .string($0) })
        return annotation
    }
}

extension Exchange {
    /// Where a placeholder stands for a secret: `body code_verifier`, `answer access_token`.
    fileprivate var redactions: [String] {
        let places = [
            ("query", request.query), ("header", request.fields), ("body", request.body),
            ("answer", response?.members ?? []),
        ]
        return places.flatMap { place, parameters in
            parameters.filter(\.value.isSecret).map { "\(place) \($0.name)" }
        }
    }
}
