internal import FlowReport
package import FlowEngine
internal import OAuthProtocol

/// A live run at default verbosity: a line per finished step, what a person must do, what is being waited for.
///
/// Where the stream is a terminal, the line of a wait is the last one and is refreshed in place by `tick`.
package struct LiveProgress: TraceRenderer {
    private struct Wait: Sendable {
        let what: String
        let since: Int64
        let until: Int64
    }

    private struct Step: Sendable {
        var name = ""
        var kind = ""
        var startedAt: Int64 = 0
        var status = StepStatus(kind: "")
        var network: Int64?
        /// Since when the answer to a request is waited for.
        var askedAt: Int64?
        /// Milliseconds.
        var hooks: Int64 = 0
        /// The hook that spoke last on the outcome of an answer.
        var judge: TracedHook?
        var notes: [String] = []
        var passed: [String] = []
        var failed: [TracedCheck] = []
    }

    private var page: Page
    private let isTerminal: Bool
    private let places: AddressPlaces
    /// Whether what is waited for can be pasted, so that the line of the wait is a prompt.
    private var takesPaste = false
    /// Sub-flows that are under way, the innermost last.
    private var outer: [Step] = []
    private var isStepOpen = false
    private var step = Step()
    private var wait: Wait?
    private var isWaitShown = false
    /// Whether a line has just said when the next attempt begins.
    private var isPauseTold = false
    /// A hook that failed, which is told with what becomes of the run.
    private var failedHook: TracedHook?
    /// Why a session was not stored.
    private var unkept: String?
    private var spent = TimeSpent()

    /// Of the column with the names of the steps, which those of sub-flows make wider.
    private var nameWidth = 13
    private static let widestName = 26

    /// - Parameter isTerminal: Whether a line may be rewritten in place.
    package init(_ options: RenderOptions, isTerminal: Bool) {
        self.init(options, isTerminal: isTerminal, places: AddressPlaces())
    }

    init(_ options: RenderOptions, isTerminal: Bool, places: AddressPlaces) {
        page = Page(options)
        self.isTerminal = isTerminal
        self.places = places
    }

    private var isQuiet: Bool { page.options.verbosity < .normal }

    /// Whether somebody must do something before the run goes on.
    private var isForPerson: Bool { Self.waitsForPerson(step.kind) }

    /// - Parameter kind: Of a step.
    static func waitsForPerson(_ kind: String) -> Bool {
        ["callback", "device_poll", "logout"].contains(kind)
    }

    package mutating func render(_ event: TraceEvent) -> String {
        spent.count(event)
        let isOver = collect(event)
        var text = isOver ? endWait() : ""
        tellFailedHook(before: event)
        write(event)
        let written = page.take()
        if !written.isEmpty, !isOver { text += clearWait() }
        text += written
        if case .waiting = event.body { return text + clearWait() + showWait(event.time) }
        return isOver || written.isEmpty ? text : text + (wait == nil ? "" : showWait(event.time))
    }

    /// The waiting line anew, with the time that went by; empty when nothing is waited for or it cannot be rewritten.
    ///
    /// - Parameter now: Milliseconds since 1970, of the same clock as the events.
    package mutating func tick(now: Int64) -> String {
        guard isTerminal, wait != nil, !takesPaste else { return "" }
        return clearWait() + showWait(now)
    }

    /// Takes note of what the step's line will need; true for an event that ends a wait.
    private mutating func collect(_ event: TraceEvent) -> Bool {
        switch event.body {
        case .stepStart(let start):
            if isStepOpen { outer.append(step) }
            isStepOpen = true
            if start.kind != "callback" { takesPaste = false }
            step = Step()
            step.name = event.step ?? ""
            step.kind = start.kind
            step.status = StepStatus(kind: start.kind)
            step.startedAt = event.time
        case .request(let request):
            step.status.note(request)
            step.judge = nil
            step.askedAt = event.time
        case .response(let response):
            step.status.note(response)
            step.askedAt = nil
            if let duration = response.duration { step.network = (step.network ?? 0) + duration }
        case .check(let check):
            switch check.verdict {
            case .passed: step.passed.append(check.name)
            case .failed: step.failed.append(check)
            case .notApplicable, .relaxed: break
            }
        case .note(let text):
            step.notes.append(text)
            return false
        case .waiting(let what, let until):
            // A pipe reads each thing that is waited for once.
            if !isTerminal, wait?.what != what { isWaitShown = false }
            wait = Wait(what: what, since: step.askedAt ?? event.time, until: until)
            return false
        case .flow(let flow):
            let names = flow.steps.filter { !Self.isUnseen($0.kind) }.map { page.width(of: Styled($0.name)) }
            nameWidth = min(max(nameWidth, names.max() ?? 0), Self.widestName)
            return false
        case .warning, .actionRequired, .callbackIgnored, .security, .token:
            return false
        case .stepEnd, .runEnd: return true
        case .hook(let hook):
            step.hooks += hook.duration ?? 0
            if hook.wrote.contains(where: { $0.hasPrefix("outcome.") }) { step.judge = hook }
        case .transportFailure:
            if let since = step.askedAt { step.network = (step.network ?? 0) + max(0, event.time - since) }
            step.askedAt = nil
        case .runStart, .retry, .saved: break
        }
        // Questions whether the person has decided are part of the wait.
        return step.kind != "device_poll"
    }

    private mutating func write(_ event: TraceEvent) {
        switch event.body {
        // However quiet: whoever reads nothing else must see what was let through.
        case .security(let event):
            if event.severity > .info { SecurityLines.write(event, sign: Symbol.warning, &page) }
        case .warning(let text, _): line(Styled(Symbol.warning, .warning), Styled(text, .warning))
        case .actionRequired(let action): write(action)
        case .callbackIgnored(let reason):
            line(Styled(Symbol.warning, .warning), Styled("a callback was ignored, still waiting: \(reason)"))
        case .transportFailure(let cause, _, let message):
            if !isQuiet {
                line(Styled(Symbol.warning, .warning), Styled("\(step.name): \(cause): \(message)"))
            }
        case .hook(let hook): write(hook)
        case .retry(let outcome, let attempt, let delay, let reason):
            if !isQuiet {
                let text = "\(step.name): \(outcome), attempt \(attempt) in \(SpanText.of(delay)) (\(reason))"
                line(Styled(Symbol.choice, .dim), Styled(text))
                isPauseTold = true
            }
        case .stepEnd(let end):
            if !isStepOpen, let subflow = outer.popLast() { step = subflow }
            isStepOpen = false
            if step.kind == "store", end.outcome == "store_failed" { unkept = end.description ?? end.outcome }
            if !isQuiet { write(end, took: max(0, event.time - step.startedAt)) }
        case .runEnd(let end): write(end)
        case .runStart, .flow, .stepStart, .request, .response, .token, .check, .note, .waiting, .saved: break
        }
    }

    // MARK: What a person must do

    private mutating func write(_ action: TracedAction) {
        takesPaste = action.ways.takesPaste
        if let obstacle = action.ways.obstacle { return writeSteps(action, obstacle) }
        switch action.errand {
        case .signIn: writeAddress("Sign in: ", action)
        case .logout where action.opened?.isEmpty == false:
            // The rest holds the ID token, which proves who somebody is to whoever reads along.
            let address = String(action.url.prefix { $0 != "?" })
            page.unwrapped(Styled("Sign out: ", .strong) + Styled(address) + Styled("?…", .dim), indent: 2)
            page.line(Styled("opened in \(action.opened ?? "")", .dim), indent: 2)
            page.line(Styled("not the right browser? --no-browser shows the whole address", .dim), indent: 2)
            return
        case .logout: writeAddress("Sign out: ", action)
        case .enterCode(let code):
            page.unwrapped(Styled("Open: ", .strong) + Styled(action.url), indent: 2)
            page.unwrapped(Styled("and enter the code: ", .strong) + Styled(code), indent: 2)
            draw(action.complete ?? action.url)
            page.line(
                Styled("on any device; only enter a code that you asked for yourself", .dim), indent: 2)
            return
        }
        if let opened = action.opened, !opened.isEmpty {
            page.line(Styled("opened in \(opened)", .dim), indent: 2)
            page.line(
                Styled("not the right browser? open the address in another one on this machine", .dim),
                indent: 2)
        } else if places.isPrinted {
            page.line(Styled("open this address in a browser on this machine"), indent: 2)
        }
        if let way = Self.detour(action.ways) {
            page.line(Styled("in a browser on another machine? \(way)", .dim), indent: 2, hanging: 4)
        }
    }

    /// The address, and its picture where that is wanted.
    private mutating func writeAddress(_ title: String, _ action: TracedAction, indent: Int = 2) {
        if places.isPrinted {
            page.unwrapped(Styled(title, .strong) + Styled(action.url), indent: indent)
        }
        guard places.isDrawn else { return }
        guard !page.options.ascii, let picture = QRPicture(action.url, isLarge: true) else {
            return page.line(Styled("the address cannot be drawn as a QR code here"), indent: indent)
        }
        guard picture.width + 2 <= page.options.width else {
            let width = picture.width + 2
            return page.line(
                Styled("the QR code of the address needs a terminal of \(width) columns"), indent: indent)
        }
        for line in picture.lines { page.unwrapped(Styled(line, .picture), indent: 2) }
    }

    /// What to do where no browser is.
    private mutating func writeSteps(_ action: TracedAction, _ obstacle: String) {
        let text = "\(obstacle): not opening a browser (override: --headless off)"
        line(Styled(Symbol.warning, .warning), Styled(text, .warning))
        writeAddress("1. Open on any machine: ", action)
        guard let way = Self.detour(action.ways) else { return }
        let words = way.prefix(1).uppercased() + way.dropFirst()
        page.line(Styled("2. ", .strong) + Styled(words), indent: 2, hanging: 5)
    }

    /// How an answer comes from a browser that is on another machine.
    private static func detour(_ ways: AnswerWays) -> String? {
        let paste = "paste here the address that it ends at"
        switch (ways.takesPaste, ways.forwarding) {
        case (true, let forwarding?):
            return "\(paste), or make the port reachable first: \(TracedForm.unbroken(forwarding))"
        case (true, nil): return paste
        case (false, let forwarding?):
            return "make the port reachable first: \(TracedForm.unbroken(forwarding))"
        case (false, nil): return nil
        }
    }

    /// The address for the camera of another device; the code above is still to be compared (RFC 8628 §5.4).
    private mutating func draw(_ url: String) {
        guard isTerminal, !isQuiet, !page.options.ascii, let picture = QRPicture(url),
            picture.width + 2 <= page.options.width
        else { return }
        page.blank()
        for line in picture.lines { page.unwrapped(Styled(line, .picture), indent: 2) }
        page.line(Styled("or scan this, and compare the code", .dim), indent: 2)
    }

    private mutating func showWait(_ now: Int64) -> String {
        guard let wait, !isQuiet || isForPerson else { return "" }
        // What is left of a whole second was spent on the way here.
        let limit = SpanText.limit(wait.until - wait.since)
        if isTerminal, takesPaste {
            isWaitShown = true
            let text = "  waiting for \(wait.what), up to \(limit); or paste here: "
            return Palette(isOn: page.options.color).paint(page.cut(text, to: page.options.width - 1), .dim)
        }
        if isTerminal {
            isWaitShown = true
            let text =
                "  waiting for \(wait.what)  \(SpanText.seconds(now - wait.since)) of \(limit)"
            return Palette(isOn: page.options.color).paint(page.cut(text, to: page.options.width - 1), .dim)
        }
        if isWaitShown || isPauseTold { return "" }
        isWaitShown = true
        page.line(Styled("waiting for \(wait.what), up to \(limit)", .dim), indent: 2)
        return page.take()
    }

    /// Empties the waiting line for what comes in its place.
    private mutating func clearWait() -> String {
        isTerminal && isWaitShown && wait != nil ? "\r\u{1B}[2K" : ""
    }

    private mutating func endWait() -> String {
        defer {
            wait = nil
            isWaitShown = false
            isPauseTold = false
        }
        return clearWait()
    }

    // MARK: Steps

    private mutating func write(_ end: StepEnd, took: Int64) {
        let isChoice = Self.isNoFailure(end)
        let isGood = end.outcomeClass == "success"
        if isGood, Self.isUnseen(step.kind) { return }
        let sign =
            isGood
            ? Styled(Symbol.passed, .good)
            : isChoice ? Styled(Symbol.choice, .dim) : Styled(Symbol.failed, .bad)
        let status = (end.status ?? step.status.value).map(String.init) ?? ""
        var head = page.padded(Styled(step.name, .strong), to: nameWidth) + " "
        head += page.padded(Styled(status, isGood || isChoice ? .plain : .bad), to: 4)
        head += page.padded(Styled(took > 0 ? SpanText.of(took) : "", .dim), to: 8)
        line(sign, head + "  " + detail(end, took: took, isGood: isGood), hanging: nameWidth + 17)
    }

    /// What works without asking anybody is of interest when it fails.
    private static func isUnseen(_ kind: String) -> Bool { kind == "choose" || kind == "set" }

    /// Whether the flow goes on as it was meant to, for one, without what the provider does not have.
    private static func isNoFailure(_ end: StepEnd) -> Bool {
        end.outcomeClass == "choice" || end.outcome == "unsupported" && !end.targetIsEnd
    }

    /// Milliseconds that a person begins to notice, and that starting a program never takes.
    private static let noticed: Int64 = 200

    private func detail(_ end: StepEnd, took: Int64, isGood: Bool) -> Styled {
        var parts: [Styled] = []
        if step.kind == "callback" {
            let others = (step.network ?? 0) + step.hooks
            let own = others >= Self.noticed ? " \(SpanText.of(max(0, took - others)))" : ""
            parts.append(Styled("by you\(own)"))
        }
        // Where most of it was something else.
        if let network = step.network, network > 0, took - network >= Self.noticed {
            parts.append(Styled("network \(SpanText.of(network))"))
        }
        if step.hooks >= Self.noticed { parts.append(Styled("hooks \(SpanText.of(step.hooks))")) }
        parts += step.notes.map { Styled($0) }
        if isGood, let checks = passedChecks { parts.append(checks) }
        if !isGood {
            let error = end.error == end.outcome ? nil : end.error
            let words = [end.outcome, error, end.description].compactMap(\.self)
            var text = Styled(words.joined(separator: ": "), Self.isNoFailure(end) ? .plain : .bad)
            if end.outcomeClass == "security" {
                for check in step.failed { text.add("; \(check.name) (\(check.reference))") }
            }
            if let judge = step.judge, judge.gives(end.outcome) { text.add(" (by hook \(judge.id))") }
            text.add(" \(Symbol.arrow) \(end.target)")
            parts.append(text)
        }
        return parts.joined(Styled(" \(Symbol.dot) ", .dim))
    }

    /// The checks a reader looks for by name; the others are only counted.
    private var passedChecks: Styled? {
        let known = step.passed.compactMap { Self.famousChecks[$0] }
        if known.isEmpty { return counted(step.passed.count) }
        let rest = step.passed.count - known.count
        let more = rest > 0 ? Styled(" and \(rest) more", .dim) : ""
        return known.map { Styled($0 + "\u{A0}") + Styled(Symbol.passed, .good) }.joined(" ") + more
    }

    private func counted(_ count: Int) -> Styled? {
        if count == 0 { return nil }
        return Styled(count == 1 ? "1\u{A0}check\u{A0}" : "\(count)\u{A0}checks\u{A0}")
            + Styled(Symbol.passed, .good)
    }

    private static let famousChecks = [
        "state": "state", "iss": "iss", "signature": "signature", "id_token-iss": "iss", "aud": "aud",
        "exp": "exp",
        "nonce": "nonce", "at_hash": "at_hash", "userinfo-sub": "sub", "metadata-issuer": "issuer",
    ]

    /// The warning that the flow goes on has the words of the hook in it.
    private mutating func tellFailedHook(before event: TraceEvent) {
        guard let hook = failedHook else { return }
        failedHook = nil
        if case .warning(_, let about) = event.body, hook.isTold(byWarningAbout: about) { return }
        tell(hook)
    }

    private mutating func tell(_ hook: TracedHook) {
        let text = ["hook \(hook.id)", hook.decision, hook.message].compactMap(\.self).joined(separator: ": ")
        line(Styled(Symbol.warning, .warning), Styled(text, .warning))
    }

    private mutating func write(_ hook: TracedHook) {
        switch hook.decision {
        case "failed": failedHook = hook
        case "continue":
            if let message = hook.message, !isQuiet {
                line(Styled(Symbol.choice, .dim), Styled("hook \(hook.id): \(message)"))
            }
        // A warning says it, once.
        case "left out": break
        default: tell(hook)
        }
    }

    private mutating func write(_ end: RunEnd) {
        let isGood = end.result == "success"
        if isQuiet {
            // Every call would sign in anew, and no line of a step has told why.
            if isGood, let unkept {
                line(Styled(Symbol.warning, .warning), Styled("the session is not kept: \(unkept)", .warning))
            }
            return
        }
        // What a hook said has been told when it did.
        let isHooks = end.errorCode == "hook_failed" || end.errorCode == "hook_refused"
        let message = isHooks ? nil : end.message
        let text = message ?? (isGood ? end.end : "\(end.end): \(end.errorCode ?? end.result)")
        let times = [
            SpanText.of(end.duration), spent.human > 0 ? "you \(SpanText.of(spent.human))" : nil,
            spent.network > 0 ? "network \(SpanText.of(spent.network))" : nil,
            spent.hooks >= Self.noticed ? "hooks \(SpanText.of(spent.hooks))" : nil,
        ]
        page.line(
            Styled(text, isGood ? .good : .bad)
                + Styled("  (\(times.compactMap(\.self).joined(separator: ", ")))", .dim))
    }

    private mutating func line(_ sign: Styled, _ text: Styled, hanging: Int = 4) {
        page.line(page.padded(sign, to: page.options.ascii ? 2 : 1) + " " + text, hanging: hanging)
    }
}
