internal import FlowReport
internal import FlowEngine

/// What a plan comes to: whom a run would contact, what it would open and write, how it would end.
struct PlanSummary: Sendable {
    private var hosts: [(host: String, purposes: [String])] = []
    private var pages: [String] = []
    private var storeSteps: [(name: String, what: String)] = []
    /// Hooks that were not called, and those that were: the engine's own, and under `--run-hooks` others.
    private var pendingHooks: [String] = []
    private var calledHooks: [String] = []
    /// Steps that ask the program around the flow.
    private var calls: [String] = []
    private var checks = 0
    private var requests = 0
    private var steps = 0

    mutating func count(_ event: TraceEvent) {
        switch event.body {
        case .stepStart(let start):
            steps += 1
            count(start.kind, event.step ?? "")
        case .request(let request): count(request)
        case .check: checks += 1
        case .hook(let hook): count(hook)
        case .runStart, .response, .transportFailure, .note, .warning, .actionRequired, .callbackIgnored,
            .waiting,
            .retry, .saved, .stepEnd, .runEnd, .security, .flow, .token:
            break
        }
    }

    private mutating func count(_ hook: TracedHook) {
        let text = "\(hook.id) (\(hook.action))"
        if [HookReply.wouldRun, HookReply.simulated].contains(hook.decision) {
            if !pendingHooks.contains(text) { pendingHooks.append(text) }
        } else if !calledHooks.contains(text) {
            calledHooks.append(text)
        }
    }

    private mutating func count(_ request: TracedRequest) {
        let isNamed = TracedWords.metadataMember(request.endpoint) == nil
        let host = isNamed ? TracedWords.host(request.endpoint) : Self.unknownHost
        if request.purpose == "authorization" {
            if !pages.contains(host) { pages.append(host) }
            return
        }
        requests += 1
        guard let index = hosts.firstIndex(where: { $0.host == host }) else {
            hosts.append((host, [request.purpose]))
            return
        }
        if !hosts[index].purposes.contains(request.purpose) { hosts[index].purposes.append(request.purpose) }
    }

    private static let unknownHost = "the address that the metadata names"

    private mutating func count(_ kind: String, _ name: String) {
        let what: String
        switch kind {
        case "restore": what = "read"
        case "store", "refresh": what = "write"
        case "clear": what = "delete"
        case "call":
            if !calls.contains(name) { calls.append(name) }
            return
        default: return
        }
        if !storeSteps.contains(where: { $0.name == name }) { storeSteps.append((name, what)) }
    }

    func write(_ end: RunEnd, _ page: inout Page) {
        page.blank()
        let style: Style = end.result == "success" ? .good : end.result == "failure" ? .bad : .warning
        page.line(
            Styled("end ", .dim) + Styled("\(end.end) (\(end.result))", style)
                + Styled(
                    "   \(count(end.transitions, "transition")), \(end.retries) \(end.retries == 1 ? "retry" : "retries"), simulated \(SpanText.of(end.duration)), exit \(end.exit)",
                    .dim),
            hanging: 4)
        if let message = end.message { page.line(Styled(message), indent: 4) }
        if let code = end.errorCode {
            page.line(Styled("error \(code)", .bad), indent: 4)
            if code == RunFailure.Code.endpointRefused.rawValue {
                page.line(
                    Styled(
                        "what answers hold is made up here: write what they really hold under example of the "
                            + "provider file (callback.capture.NAME, token, userinfo)"), indent: 4)
            }
        }
        var rows = end.outputs.map {
            [Styled("output", .dim), Styled($0.name) + " = " + TracedForm.of($0.value)]
        }
        rows += effects
        page.table(rows, indent: 4)
        page.line(
            Styled("\(count(steps, "step")), \(count(requests, "request")), \(count(checks, "check"))", .dim),
            indent: 4)
    }

    private var effects: [[Styled]] {
        var rows: [[Styled]] = []
        for (host, purposes) in hosts {
            rows.append([
                label("would contact", isFirst: host == hosts.first?.host),
                Styled("\(host) (\(purposes.joined(separator: ", ")))"),
            ])
        }
        if !pages.isEmpty {
            rows.append([label("would open"), Styled("the browser at \(pages.joined(separator: ", "))")])
        }
        if !storeSteps.isEmpty {
            let texts = storeSteps.map { "\($0.what) (\($0.name))" }
            rows.append([label("would use"), Styled("the session store: \(texts.joined(separator: ", "))")])
        }
        for (word, hooks) in [("ran", calledHooks), ("would run", pendingHooks)] where !hooks.isEmpty {
            rows.append([label(word), Styled("hooks \(hooks.joined(separator: ", "))")])
        }
        if !calls.isEmpty {
            rows.append([label("would ask"), Styled("ports (\(calls.joined(separator: ", ")))")])
        }
        return rows
    }

    private func label(_ text: String, isFirst: Bool = true) -> Styled { Styled(isFirst ? text : "", .dim) }

    private func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
