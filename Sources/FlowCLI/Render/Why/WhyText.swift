internal import FlowEngine
internal import FlowReport

/// Why a step led where it did, as text for people.
struct WhyText {
    private let account: StepAccount
    private var page: Page
    private let lines = ResolutionLines(indent: 2, prefix: "")

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
        lines.write(resolution, end.outcome, &page)
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

    // MARK: Other ends of a visit

    private mutating func writeTarget(_ end: StepEnd) {
        labelled("led to", Styled(ResolutionWords.target(end), .strong))
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

    private mutating func labelled(_ label: String, _ text: Styled, place: String? = nil) {
        lines.labelled(label, text, place: place, &page)
    }
}
