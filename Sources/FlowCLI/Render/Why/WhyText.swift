internal import FlowEngine

/// Why a step led where it did, as text for people.
struct WhyText {
    private let account: StepAccount
    private var page: Page

    init(_ account: StepAccount, _ options: RenderOptions) {
        self.account = account
        page = Page(options)
    }

    mutating func text() -> String {
        let visits = account.asked
        for (index, visit) in visits.enumerated() {
            if index > 0 { page.blank() }
            write(visit)
        }
        if visits.isEmpty { writeUnreached() }
        return page.take()
    }

    // MARK: A visit

    private mutating func write(_ visit: StepAccount.Visit) {
        var title = Styled(account.question.step, .strong)
        if account.question.step != visit.start.kind { title.add(" (\(visit.start.kind))", .dim) }
        if account.visits.count > 1 {
            title.add("  visit \(visit.number) of \(account.visits.count)", .warning)
        }
        page.line(title, right: Styled(visit.start.place, .dim), hanging: 2)
        guard let end = visit.end else { return writeUnended(visit) }
        writeOutcome(end)
        guard let resolution = end.resolution else { return writeOld(end) }
        write(resolution.retry, end)
        write(resolution.lines)
        write(resolution.alternatives)
        writeTarget(end)
    }

    private mutating func writeOutcome(_ end: StepEnd) {
        let isBad = end.outcomeClass != "success" && end.outcomeClass != "choice"
        labelled(
            "outcome", Styled(end.outcome, isBad ? .bad : .good) + Styled("  [\(end.outcomeClass)]", .dim))
        let details = [end.status.map { "HTTP \($0)" }, end.error, end.description].compactMap(\.self)
        if !details.isEmpty { labelled("because", Styled(details.joined(separator: ", "))) }
        if let rule = end.rule { labelled("", Styled("by \(rule)", .dim)) }
    }

    private mutating func write(_ retry: TracedResolution.Retry?, _ end: StepEnd) {
        guard let retry else { return }
        labelled("retry", Styled(Self.words(retry, end.outcome)))
        let policy =
            "\(retry.isDefault ? "of the defaults" : "of the step"), at most \(retry.allowed) attempts, after "
            + retry.outcomes.joined(separator: ", ")
        page.line(
            Styled(policy, .dim), right: Styled(retry.place, .dim), indent: Self.margin, hanging: Self.margin)
    }

    private static func words(_ retry: TracedResolution.Retry, _ outcome: String) -> String {
        let made = "\(retry.attempts) \(retry.attempts == 1 ? "attempt" : "attempts")"
        return switch retry.verdict {
        case .otherOutcome: "\(made); the policy does not name \(outcome)"
        case .lastAttempt: "\(made); no more are allowed"
        case .spent: "\(made); what was sent is used up, sending it again could only do harm"
        case .tooLong: "\(made); the server asks for a longer pause than retry_after.max"
        case .noTime: "\(made); no time was left for another"
        case .refused: "\(made); a hook refused another"
        case .notTried: "the step was not tried"
        }
    }

    private mutating func write(_ lines: [TracedResolution.Line]) {
        let reasons = lines.map(\.reason.count).max() ?? 0
        let selectors = lines.map(\.selector.count).max() ?? 0
        for (index, line) in lines.enumerated() {
            let text =
                padded(Self.sign(line.verdict)) + " " + page.padded(Styled(line.reason), to: reasons + 2)
                + page.padded(Styled(line.selector, .strong), to: selectors + 2)
                + Styled(Self.word(line), .dim)
            labelled(index == 0 ? "line" : "", text, place: line.place)
        }
    }

    /// A sign in its column: `ok` is the widest of those in ASCII.
    private func padded(_ sign: Styled) -> Styled { page.padded(sign, to: page.options.ascii ? 2 : 1) }

    private static func word(_ line: TracedResolution.Line) -> String {
        switch line.verdict {
        case .taken: ""
        case .absent: "no such line"
        case .notCovered: "never covers a choice"
        case .notReached, .notHolding, .usedUp: "not looked at"
        }
    }

    private static func sign(_ verdict: TracedResolution.Verdict) -> Styled {
        switch verdict {
        case .taken: Styled(Symbol.passed, .good)
        case .absent, .notReached: Styled(Symbol.choice, .dim)
        case .notCovered, .notHolding, .usedUp: Styled(Symbol.failed, .bad)
        }
    }

    // MARK: Alternatives

    private mutating func write(_ alternatives: [TracedResolution.Alternative]) {
        for (index, alternative) in alternatives.enumerated() {
            let number = alternatives.count == 1 ? "" : "\(index + 1) of \(alternatives.count)  "
            let line =
                padded(Self.sign(alternative.verdict)) + " " + Styled(number)
                + Styled("\(Symbol.arrow) \(alternative.target)", .strong)
                + Styled("  \(Self.words(alternative, isOnly: alternatives.count == 1))", .dim)
            labelled(index == 0 ? "ways" : "", line, place: alternative.place)
            writeReasons(alternative)
        }
    }

    private static func words(_ alternative: TracedResolution.Alternative, isOnly: Bool) -> String {
        switch alternative.verdict {
        case .taken: isOnly ? "the only way" : "taken"
        case .notHolding: "its if does not hold"
        case .usedUp: "its max is used up"
        case .notReached, .absent, .notCovered: "not looked at"
        }
    }

    private mutating func writeReasons(_ alternative: TracedResolution.Alternative) {
        let isRead = alternative.verdict == .taken || alternative.verdict == .notHolding
        if let condition = alternative.condition {
            var line = Styled(condition)
            if isRead { line.add(alternative.verdict == .taken ? "  true" : "  false", .strong) }
            reason("if", line)
        }
        for value in alternative.values {
            reason("", Styled("\(value.name) = ", .dim) + TracedForm.of(value.value))
        }
        if let maximum = alternative.maximum {
            let used = alternative.verdict == .notReached ? "" : ", \(alternative.used) used before"
            reason("max", Styled("\(maximum)\(used)"))
        }
    }

    private mutating func reason(_ label: String, _ text: Styled) {
        page.line(
            page.padded(Styled(label, .dim), to: 4) + " " + text, indent: Self.margin + 3,
            hanging: Self.margin + 10)
    }

    // MARK: Other ends of a visit

    private mutating func writeTarget(_ end: StepEnd) {
        let target = end.targetIsEnd ? "end \(end.target)" : end.target
        labelled("led to", Styled(target, .strong))
    }

    /// Of a trace that does not say what was looked at.
    private mutating func writeOld(_ end: StepEnd) {
        labelled("line", Styled(end.reason))
        if let edge = end.edge { labelled("ways", Styled(edge)) }
        writeTarget(end)
        labelled("", Styled("the trace does not say more: of an older flowrun, or past 16 visits", .dim))
    }

    private mutating func writeUnended(_ visit: StepAccount.Visit) {
        if let hook = visit.hook {
            let message = hook.message.map { ": \($0)" } ?? ""
            labelled(
                "left",
                Styled("by hook \(hook.id) at \(hook.point): \(hook.decision)", .warning) + Styled(message),
                place: hook.place)
        } else if let end = account.runEnd {
            let reason = end.message ?? end.errorCode ?? end.result
            labelled("left", Styled("the run ended in it, without an outcome of the step", .bad))
            labelled("because", Styled(reason))
        } else {
            labelled("left", Styled("the trace ends here"))
        }
    }

    // MARK: Unreached

    private mutating func writeUnreached() {
        let step = account.question.step
        if let visit = account.question.visit, !account.visits.isEmpty {
            let count = account.visits.count
            page.line(
                Styled(
                    "\(step) was entered \(count == 1 ? "once" : "\(count) times") in this run: ", .warning)
                    + "there is no visit \(visit)", hanging: 2)
        } else {
            page.line(Styled("\(step) was not reached in this run", .warning))
        }
        if account.isStart, account.visits.isEmpty {
            page.line("it is the first step: the run was stopped before it", indent: 2)
        }
        if account.ways.isEmpty {
            if !account.isStart { page.line("no outcome of another step leads there", indent: 2) }
            return
        }
        page.line(Styled("what leads there", .dim), indent: 2)
        page.table(
            account.ways.map { way in
                [
                    Styled(way.step),
                    Styled("\(way.outcome) ", .strong) + Styled("[\(way.outcomeClass)]", .dim),
                    Styled(Self.words(way), .dim),
                ]
            }, indent: 4)
        guard account.visits.isEmpty else { return }
        if let assumption = account.assumption {
            page.line(Styled("rehearse it ", .dim) + "--assume \(assumption)", indent: 2)
        } else if let way = account.ways.first(where: { $0.ended.contains($0.outcome) }) {
            page.line(Styled("why another way was taken ", .dim) + "--why \(way.step)", indent: 2)
        } else {
            page.line(
                Styled("flowrun explore FLOW shows a shortest way to each outcome", .dim), indent: 2)
        }
    }

    private static func words(_ way: StepAccount.Way) -> String {
        let ended =
            way.ended.isEmpty ? "not reached either" : "ended with \(way.ended.joined(separator: ", "))"
        return way.alternatives == 1
            ? ended : "\(ended); alternative \(way.alternative) of \(way.alternatives)"
    }

    // MARK: Layout

    private static let margin = 10

    private mutating func labelled(_ label: String, _ text: Styled, place: String? = nil) {
        let line = page.padded(Styled(label, .dim), to: 7) + " " + text
        guard let place else { return page.line(line, indent: 2, hanging: Self.margin + 2) }
        page.line(line, right: Styled(place, .dim), indent: 2, hanging: Self.margin + 3)
    }
}
