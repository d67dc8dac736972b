package import FlowEngine
internal import OAuthProtocol

/// Gathers what explains a failure from the events of a run.
package struct FailureCollector: Sendable {
    private var report = FailureReport()
    private var current = FailureReport()
    private var status = StepStatus(kind: "")
    private var isStepOpen = false
    /// Steps that have failed so far.
    private var failures = 0
    /// Steps whose sub-flow is under way, the innermost last, with the failures before each.
    private var outer: [(report: FailureReport, failures: Int)] = []
    private var clues = CodeClues()
    private var attempts = 1
    /// Whether a client of the run has an assertion that somebody else issues.
    private var hasIssuedAssertion = false
    private var ignored: [String] = []
    private var clock = ClockClue()
    /// The last hook that failed or refused, which ends the run when the flow does not go on.
    private var badHook: TracedHook?
    private var lastHook: TracedHook?

    package init() {}

    /// The report once the run has ended otherwise than with success; `nil` before and else.
    package private(set) var finished: FailureReport?

    package mutating func collect(_ event: TraceEvent) {
        switch event.body {
        case .runStart(let start):
            (current.flow, current.provider) = (start.flow, start.provider)
            hasIssuedAssertion = start.registration.contains { $0.name == "client_assertion" }
        case .stepStart(let start): begin(start, event.step ?? "")
        case .request(let request):
            current.openRequest = request.purpose
            current.host = TracedWords.host(request.endpoint)
            current.origin = TracedWords.origin(request.endpoint)
            clues.sent(request, at: event.time)
            current.hook = nil
            status.note(request)
            current.status = status.value
            current.redirectURI = clues.redirectURI
            current.proof = SentProof(
                body: request.body.map(\.name), fields: request.fields.map(\.name),
                isIssued: hasIssuedAssertion, references: request.body.map(\.reference),
                isOwn: TracedWords.ownProof(request) != nil)
        case .response(let response):
            current.openRequest = nil
            status.note(response)
            clock.note(response, at: event.time)
            current.status = status.value
        case .transportFailure(let cause, let delivered, let message):
            current.openRequest = nil
            (current.error, current.description) = (cause, message)
            noteDelivery(delivered)
        case .check(let check):
            // Every attempt of a step runs its checks anew.
            if case .failed = check.verdict, !current.failedChecks.contains(check) {
                current.failedChecks.append(check)
            }
        case .security(let event)
        where event.severity == .critical && !current.failedChecks.contains { $0.name == event.check.name }:
            note("security", "security", "\(event.check.name): \(event.summary)")
        // What a hook said stands among the facts already.
        case .warning(let text, let hook):
            if lastHook?.isTold(byWarningAbout: hook) != true { note("warning", "warning", text) }
        case .actionRequired(let action):
            note("shown", "the address was shown in", action.opened ?? "the output only")
        case .callbackIgnored(let reason): ignored.append(reason)
        case .hook(let hook): collect(hook)
        case .retry: attempts += 1
        case .stepEnd(let end): close(end, event)
        case .runEnd(let end): finish(end)
        case .note, .waiting, .saved, .security, .flow, .token: break
        }
    }

    private mutating func collect(_ hook: TracedHook) {
        lastHook = hook
        if hook.isBad { badHook = hook }
        if hook.wrote.contains(where: { $0.hasPrefix("outcome.") }) { current.hook = hook }
        guard hook.decision != "continue" else { return }
        let words = [hook.decision, hook.message, hook.callText].compactMap(\.self)
        note("hook", "hook \(hook.id)", words.joined(separator: ": "))
    }

    private mutating func note(_ id: String, _ label: String, _ value: String) {
        let evidence = FailureReport.Evidence(id, label, value)
        // Several attempts of a step say the same.
        if !current.evidence.contains(evidence) { current.evidence.append(evidence) }
    }

    /// One of several attempts that may have arrived is enough.
    private mutating func noteDelivery(_ delivered: Bool) {
        let mayHave = FailureReport.Evidence("delivery", "the request may have arrived", "yes")
        guard delivered else {
            if !current.evidence.contains(mayHave) { note(mayHave.id, mayHave.label, "no") }
            return
        }
        current.evidence.removeAll { $0.id == mayHave.id }
        current.evidence.append(mayHave)
    }

    private mutating func begin(_ start: StepStart, _ name: String) {
        if isStepOpen { outer.append((current, failures)) }
        var next = FailureReport()
        (next.flow, next.provider, next.redirectURI) = (current.flow, current.provider, current.redirectURI)
        (next.step, next.kind, next.place) = (name, start.kind, FailureReport.Place(start.place))
        next.calls = outer.reversed().compactMap(\.report.place)
        current = next
        status = StepStatus(kind: start.kind)
        isStepOpen = true
        attempts = 1
        // An answer may come as soon as the page is shown, before the step that waits for it.
        if start.kind != "callback" { ignored = [] }
    }

    private mutating func close(_ end: StepEnd, _ event: TraceEvent) {
        var failuresBefore = failures
        if !isStepOpen, let step = outer.popLast() { (current, failuresBefore) = step }
        isStepOpen = false
        if current.kind == "callback" { clues.answeredAt = event.time }
        // A choice explains a failure only where it leads straight to the end.
        guard end.outcomeClass != "success", end.outcomeClass != "choice" || end.targetIsEnd else { return }
        // What failed inside of a sub-flow explains its end.
        guard failures == failuresBefore else { return }
        (current.outcome, current.outcomeClass) = (end.outcome, end.outcomeClass)
        current.error = end.error ?? current.error
        // What the connection of another request of the step said is none of the server's words.
        current.description = end.description ?? (end.status == nil ? current.description : nil)
        current.status = end.status ?? current.status
        // What is missing is said by nobody else.
        current.quotesServer = end.status != nil && end.error != "metadata_missing"
        current.rule = end.rule
        current.retryAfter = end.retryAfter
        addEvidence()
        report = current
        failures += 1
    }

    private mutating func addEvidence() {
        if !current.isHookOutcome { current.hook = nil }
        if let hook = current.hook {
            // Neither the code nor the clock: somebody on this side said so.
            note("hook", "hook \(hook.id)", "gave the outcome \(current.outcome)")
        } else if let evidence = clock.evidence(for: current) {
            current.evidence.append(evidence)
        }
        if let pause = current.retryAfter {
            note("retry_after", "the server asks to wait", SpanText.of(pause))
        }
        if attempts > 1 { note("attempts", "attempts", String(attempts)) }
        if let last = ignored.last {
            note("ignored", "callbacks ignored", "\(ignored.count), the last: \(last)")
        }
        if current.hook == nil, current.kind == "exchange",
            current.outcomeClass == "grant" || current.outcomeClass == "config"
        {
            current.evidence += clues.evidence
        }
    }

    private mutating func finish(_ end: RunEnd) {
        if end.result == "success" { return }
        // The journal fails before its request is sent.
        if end.errorCode == RunFailure.Code.journal.rawValue { current.openRequest = nil }
        let endsByEngine = isStepOpen || failures == 0
        if endsByEngine {
            if current.openRequest != nil, let host = current.host {
                note("unanswered", "no answer came from", host)
            }
            addEvidence()
            report = current
            (report.outcome, report.outcomeClass) = (end.errorCode ?? end.result, "")
        }
        if let hook = badHook, end.errorCode == "hook_failed" || end.errorCode == "hook_refused" {
            report.hook = hook
            report.place = hook.place.flatMap(FailureReport.Place.init) ?? report.place
            // The provider has no part in it.
            (report.status, report.host, report.origin) = (nil, nil, nil)
            // No step bears what happens before the first and after the last.
            if hook.point.hasPrefix("flow.") { (report.step, report.kind, report.calls) = ("", "", []) }
        }
        // It was looked at before anything was sent.
        if hasIssuedAssertion, end.errorCode == "client_key" { report.proof = .issuedAssertion }
        report.failureClass = end.failureClass ?? .configuration
        (report.end, report.message, report.exit) = (end.end, end.message, end.exit)
        // What the engine itself says is why; else the words are the flow's.
        if endsByEngine, end.errorCode != nil, report.description == nil, badHook == nil {
            (report.description, report.message) = (end.message, nil)
        }
        if !report.isHookOutcome {
            (report.providerCauses, report.providerFixes) = (end.causes, end.fixes)
        }
        finished = report
    }
}
