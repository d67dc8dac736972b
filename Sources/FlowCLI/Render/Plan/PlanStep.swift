internal import FlowReport
internal import FlowEngine

/// One step of a plan: its events in order, written when its outcome is known.
struct PlanStep: Sendable {
    private let number: Int
    private let name: String
    private let start: StepStart
    private var events: [TraceEvent.Body] = []

    /// Columns of a step's number and the space after it.
    private static let margin = 4

    init(number: Int, name: String, start: StepStart) {
        self.number = number
        self.name = name
        self.start = start
    }

    mutating func add(_ event: TraceEvent.Body) { events.append(event) }

    /// A sub-flow: its steps follow.
    func open(_ page: inout Page) {
        page.blank()
        title(nil, &page)
        page.line(Styled("\(start.summary):", .dim), indent: Self.margin)
        for event in events { Self.write(event, &page) }
    }

    /// A sub-flow whose steps have been written.
    func close(_ end: StepEnd, _ page: inout Page) {
        page.blank()
        title(end, &page)
        page.line(Styled("the sub-flow is over", .dim), indent: Self.margin)
        write(end, &page)
    }

    func write(_ end: StepEnd?, _ page: inout Page) {
        page.blank()
        title(end, &page)
        page.line(Styled(start.summary, .dim), indent: Self.margin)
        var rest = events[...]
        while let event = rest.first {
            let checks = rest.prefix(while: \.isCheck).compactMap(\.check)
            if checks.isEmpty {
                Self.write(event, &page)
                rest = rest.dropFirst()
            } else {
                Self.write(checks, &page)
                rest = rest.dropFirst(checks.count)
            }
        }
        if let end { write(end, &page) }
    }

    private func title(_ end: StepEnd?, _ page: inout Page) {
        let digits = String(number)
        var line = Styled(
            String(repeating: " ", count: max(0, Self.margin - 2 - digits.utf8.count)) + digits + "  ")
        line.add(name, .strong)
        if name != start.kind { line.add(" (\(start.kind))", .dim) }
        if start.visit > 1 { line.add(" again, visit \(start.visit)", .warning) }
        if let end {
            let isBad = end.outcomeClass != "success" && end.outcomeClass != "choice"
            line += "  " + Styled(end.outcome, isBad ? .bad : .good)
        }
        page.line(line, right: Styled(start.place, .dim), hanging: Self.margin)
    }

    // MARK: Events

    static func write(_ event: TraceEvent.Body, _ page: inout Page) {
        switch event {
        case .request(let request): PlanRequest.write(request, &page)
        case .response(let response): write(response, &page)
        case .transportFailure(let cause, _, let message):
            labelled("failure", Styled("\(cause): \(message)", .bad), &page)
        case .check(let check): write([check], &page)
        case .security(let event): SecurityLines.write(event, sign: Symbol.warning, &page)
        case .note(let text): labelled("note", Styled(text), &page)
        case .warning(let text, _): labelled("warning", Styled(text, .warning), &page)
        case .actionRequired: labelled("person", "would be asked to open the address above", &page)
        case .callbackIgnored(let reason): labelled("ignored", Styled(reason), &page)
        case .waiting(let what, _): labelled("wait", "for \(what)", &page)
        case .hook(let hook): write(hook, &page)
        case .retry(let outcome, let attempt, let delay, let reason):
            labelled("retry", "attempt \(attempt) after \(SpanText.of(delay)): \(outcome), \(reason)", &page)
        case .saved(let variables): labelled("sets", Styled(variables.joined(separator: ", ")), &page)
        case .runStart, .flow, .token, .stepStart, .stepEnd, .runEnd: break
        }
    }

    private static func write(_ response: TracedResponse, _ page: inout Page) {
        var text = Styled("\(response.status)", response.status < 400 ? .good : .bad)
        if page.options.verbosity < .verbose {
            let names = response.members.map(\.name)
            if !names.isEmpty { text.add("  \(names.joined(separator: ", "))") }
            return labelled("answer", text + Styled("  (rehearsed)", .dim), &page)
        }
        if let contentType = response.contentType { text.add("  \(contentType)") }
        labelled("answer", text + Styled("  (rehearsed)", .dim), &page)
        page.table(response.members.map { [Styled($0.name), TracedForm.of($0.value)] }, indent: margin + 4)
    }

    private static func write(_ checks: [TracedCheck], _ page: inout Page) {
        labelled("checks", Styled("on the rehearsed answer", .dim), &page)
        page.table(
            checks.map { check in
                [
                    TracedForm.sign(check.verdict), Styled(check.name), TracedForm.reference(check.reference),
                    verdict(check),
                ]
            }, indent: margin + 4)
    }

    private static func verdict(_ check: TracedCheck) -> Styled {
        switch check.verdict {
        case .passed: ""
        case .failed: TracedForm.words(check.verdict)
        case .notApplicable(let reason): Styled("n/a: \(reason)", .dim)
        case .relaxed: TracedForm.words(check.verdict)
        }
    }

    private static func write(_ hook: TracedHook, _ page: inout Page) {
        var text =
            Styled(hook.id, .strong) + " at \(hook.point) (\(hook.action)): "
            + Styled(hook.decision, .warning)
        if let message = hook.message { text.add(", \(message)") }
        labelled("hook", text, &page)
        let facts = [("asks", [hook.url].compactMap(\.self)), ("env", hook.variables)]
        let rows = facts.filter { !$0.1.isEmpty }.map { ($0.0, Styled($0.1.joined(separator: ", "))) }
        page.table(
            (rows + TracedForm.facts(hook)).map { [Styled($0.0, .dim), $0.1] }, indent: margin + 9)
    }

    // MARK: Routes

    private func write(_ end: StepEnd, _ page: inout Page) {
        let details = [end.status.map { "HTTP \($0)" }, end.error, end.description].compactMap(\.self)
        if !details.isEmpty { Self.labelled("because", Styled(details.joined(separator: ", ")), &page) }
        let target = ResolutionWords.target(end)
        Self.labelled(
            "then",
            Styled("\(Symbol.arrow) \(target)", .strong) + Styled("  (\(TracedWords.reason(end)))", .dim),
            &page)
        let groups = TracedWords.grouped(end.otherRoutes)
        for (index, group) in groups.enumerated() {
            Self.labelled(
                index == 0 ? "else" : "",
                Styled(group.target) + Styled(": \(group.outcomes.joined(separator: " "))", .dim), &page)
        }
    }

    static func labelled(_ label: String, _ text: Styled, _ page: inout Page) {
        page.line(page.padded(Styled(label, .dim), to: 8) + " " + text, indent: margin, hanging: margin + 11)
    }
}

extension TraceEvent.Body {
    fileprivate var check: TracedCheck? {
        if case .check(let check) = self { check } else { nil }
    }

    fileprivate var isCheck: Bool { check != nil }
}
