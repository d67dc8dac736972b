internal import FlowReport
package import FlowEngine

/// Every event as lines for people, with curl's prefixes: `*` facts, `>` sent, `<` received.
///
/// For `-v`, `-vv` and files. At `debug` also the times, the checks that did not apply, how a way was found that is not
/// plain, the other routes and the variables; a file wants `debug`.
package struct TextTrace: TraceRenderer {
    private var page: Page
    private let revealsActionURL: Bool
    private var startedAt: Int64 = 0
    private var steps = 0
    /// The step whose title was written last, while it has not ended.
    private var current: String?

    /// - Parameter revealsActionURL: Whether the URL that a person must open is shown whole: on a live terminal only,
    ///   never in a file, since it holds `state`.
    package init(_ options: RenderOptions, revealsActionURL: Bool = false) {
        page = Page(options)
        self.revealsActionURL = revealsActionURL
    }

    private var isDetailed: Bool { page.options.verbosity >= .debug }

    package mutating func render(_ event: TraceEvent) -> String {
        switch event.body {
        case .runStart(let start): begin(start, event.time)
        case .stepStart(let start): begin(start, event)
        case .request(let request): write(request)
        case .response(let response): write(response)
        case .transportFailure(let cause, let delivered, let message):
            let fate = delivered ? "the request may have arrived" : "the request did not arrive"
            fact(Styled("\(cause): \(message)", .bad) + Styled(" (\(fate))", .dim))
        case .flow: break
        case .token(let token): write(token)
        case .check(let check): write(check)
        case .security(let event): SecurityLines.write(event, sign: "*", &page)
        case .note(let text): fact(Styled(text))
        case .warning(let text, _): fact(Styled("warning: \(text)", .warning))
        case .actionRequired(let action): write(action)
        case .callbackIgnored(let reason): fact(Styled("callback ignored: \(reason)", .warning))
        case .waiting(let what, let until): fact("waiting for \(what) until \(CalendarText.utc(until))")
        case .hook(let hook): write(hook)
        case .retry(let outcome, let attempt, let delay, let reason):
            fact("attempt \(attempt) follows in \(SpanText.of(delay)): \(outcome), \(reason)")
        case .saved(let variables):
            if isDetailed { fact("set \(variables.joined(separator: ", "))") }
        case .stepEnd(let end): write(end, of: event.step)
        case .runEnd(let end): write(end)
        }
        return page.take()
    }

    private mutating func begin(_ start: RunStart, _ time: Int64) {
        startedAt = time
        let mode = start.isDryRun ? "dry run" : "run"
        fact(
            Styled(
                "\(mode) \(start.run): flow \(start.flow) v\(start.version), provider \(TracedWords.providers(start))",
                .strong))
        fact("program \(start.digest), \(CalendarText.utc(time, milliseconds: true))")
        parameters(start.inputs, prefix: "*", sign: " ")
        parameters(start.registration, prefix: "*", sign: " ")
    }

    private mutating func begin(_ start: StepStart, _ event: TraceEvent) {
        steps += 1
        current = event.step
        page.blank()
        let name = event.step ?? ""
        var title = Styled("\(steps) \(name)", .strong)
        if name != start.kind { title.add("  \(start.kind)") }
        if start.visit > 1 { title.add("  visit \(start.visit)", .warning) }
        if isDetailed { title.add("  +\(SpanText.of(event.time - startedAt))", .dim) }
        page.line(title, right: Styled(start.place, .dim), hanging: 2)
        fact(Styled(start.summary, .dim))
    }

    private mutating func write(_ request: TracedRequest) {
        var line = Styled("> ", .dim) + Styled("\(request.method) \(request.endpoint)", .strong)
        line.add(request.purpose == "authorization" ? "  (in the browser)" : "  (\(request.purpose))", .dim)
        if let source = request.endpointSource { line.add("  \(source)", .dim) }
        page.line(line, hanging: 4)
        parameters(request.query, prefix: ">", sign: "?")
        parameters(request.fields, prefix: ">", sign: ":")
        if let method = TracedWords.clientAuthentication(request) {
            page.line(Styled("> ", .dim) + Styled("client authentication: \(method)", .dim), hanging: 4)
        }
        if !request.body.isEmpty {
            page.line(Styled("> ", .dim) + Styled("body, \(request.bodyFormat)", .dim), hanging: 4)
            parameters(request.body, prefix: ">", sign: "=")
        }
    }

    private mutating func write(_ response: TracedResponse) {
        let style: Style = response.status < 400 ? .good : .bad
        var line = Styled("< ", .dim) + Styled(String(response.status), style)
        if let contentType = response.contentType { line.add("  \(contentType)") }
        line.add("  \(response.bytes) bytes")
        if let duration = response.duration { line.add("  \(SpanText.of(duration))") }
        page.line(line, hanging: 4)
        page.table(
            response.members.map { [Styled($0.name), TracedForm.of($0.value)] }, indent: 0,
            prefix: Styled("<   ", .dim))
    }

    /// `sign` stands where curl users expect it: `?` before query parameters, `:` after headers, `=` in forms.
    private mutating func parameters(_ parameters: [TracedParameter], prefix: String, sign: String) {
        PlanRequest.table(
            parameters.map { parameter in
                let name =
                    sign == ":" ? "\(parameter.name):" : sign == "?" ? "?\(parameter.name)" : parameter.name
                return (Styled(name), TracedForm.of(parameter.value), parameter)
            }, indent: 0, prefix: Styled("\(prefix)   ", .dim), &page)
    }

    private mutating func write(_ check: TracedCheck) {
        if case .notApplicable = check.verdict, !isDetailed { return }
        let line =
            TracedForm.sign(check.verdict) + " check \(check.number) \(check.name): "
            + TracedForm.words(check.verdict)
            + "  " + TracedForm.reference(check.reference)
        fact(line)
    }

    private mutating func write(_ token: TracedToken) {
        fact("\(token.kind) says:")
        let rows = (token.header + token.claims).map { [Styled($0.name), TracedForm.of($0.value)] }
        page.table(rows, indent: 0, prefix: Styled("*   ", .dim))
    }

    private mutating func write(_ action: TracedAction) {
        fact(Styled("to do by a person until \(CalendarText.utc(action.expiresAt)):", .strong))
        let base = action.url.prefix { $0 != "?" && $0 != "#" }
        page.unwrapped(Styled("*   ", .dim) + Styled(revealsActionURL ? action.url : String(base)))
        if case .enterCode(let code) = action.errand, revealsActionURL { fact("code to enter: \(code)") }
        if let opened = action.opened { fact("shown in \(opened)") }
        if let obstacle = action.ways.obstacle { fact("no browser is opened: \(obstacle)") }
        if let forwarding = action.ways.forwarding { fact("from another machine: \(forwarding)") }
        if action.ways.takesPaste { fact("the address that the browser ends at can be pasted here") }
    }

    private mutating func write(_ hook: TracedHook) {
        var line = Styled("hook \(hook.id) at \(hook.point) (\(hook.action)): \(hook.decision)")
        if let message = hook.message { line.add(": \(message)") }
        if let duration = hook.duration { line.add("  \(SpanText.of(duration))", .dim) }
        fact(line)
        if let url = hook.url, isDetailed || hook.duration != nil {
            let answer = hook.status.map { "answered \($0)" } ?? (hook.duration == nil ? nil : "no answer")
            fact("  asks \([url, answer].compactMap(\.self).joined(separator: ", "))")
        }
        for (word, values) in TracedForm.facts(hook) where isDetailed || word == "wrote" {
            fact("  \(word) " + values)
        }
    }

    private mutating func write(_ end: StepEnd, of step: String?) {
        let style: Style =
            end.outcomeClass == "success" ? .good : end.outcomeClass == "choice" ? .plain : .bad
        // After the steps of a sub-flow it is said whose end this is.
        var line =
            current == step
            ? Styled(end.outcome, style) : Styled("\(step ?? ""): ") + Styled(end.outcome, style)
        current = nil
        let details = [end.status.map(String.init), end.error, end.description].compactMap(\.self)
        if !details.isEmpty { line.add(" (\(details.joined(separator: ", ")))") }
        line.add(" \(Symbol.arrow) \(end.target)")
        line.add("  (\(TracedWords.reason(end)))", .dim)
        fact(line)
        if let rule = end.rule { fact("  by \(rule)") }
        guard isDetailed else { return }
        if let resolution = end.resolution, !resolution.isPlain {
            ResolutionLines(indent: 0, prefix: Styled("*   ", .dim)).write(resolution, end.outcome, &page)
        }
        for group in TracedWords.grouped(end.otherRoutes) {
            fact(Styled("  else \(group.target): \(group.outcomes.joined(separator: " "))", .dim))
        }
    }

    private mutating func write(_ end: RunEnd) {
        page.blank()
        let style: Style = end.result == "success" ? .good : .bad
        fact(Styled("end \(end.end) (\(end.result))", style) + Styled(end.message.map { ": \($0)" } ?? ""))
        if let code = end.errorCode { fact("error \(code)") }
        parameters(end.outputs, prefix: "*", sign: " ")
        fact(
            "\(end.transitions) transitions, \(end.retries) retries, \(SpanText.of(end.duration)), exit \(end.exit)"
        )
    }

    private mutating func fact(_ styled: Styled) {
        page.line(Styled("* ", .dim) + styled, hanging: 4)
    }
}
