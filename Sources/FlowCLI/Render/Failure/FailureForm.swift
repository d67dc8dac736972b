package import FlowReport
internal import FlowEngine
package import YAMLText

/// A failure for people: what happened, where in the flow, what the server said, why, and what helps.
package struct FailureForm: Sendable {
    private let options: RenderOptions

    package init(_ options: RenderOptions) {
        self.options = options
    }

    /// - Parameter sources: The flow's files, for the excerpt; without the right one the place alone is named.
    package func render(_ report: FailureReport, sources: [SourceFile] = []) -> String {
        let text = report.text
        var page = Page(options)
        headline(report, &page)
        excerpt(report, text, sources, &page)
        facts(report, &page)
        page.line("")
        let causes = report.evidence.compactMap(\.suspicion) + text.causes
        Self.list("why", causes, &page)
        Self.list("fix", text.fixes, &page)
        ending(report, &page)
        return page.take()
    }

    private func headline(_ report: FailureReport, _ page: inout Page) {
        var words = [report.status.map(String.init), report.outcome].compactMap(\.self)
        if let error = report.error, error != report.outcome, !error.hasPrefix("http_") {
            words.append(error)
        }
        var line = Styled("\(Symbol.failed) ", .bad) + Styled(report.subject, .strong) + "  "
        line.add(words.joined(separator: " "), .bad)
        if let hook = report.endingHook, !report.step.isEmpty { line.add("  (hook \(hook.id))", .dim) }
        if let host = report.host { line.add("  (\(host))", .dim) }
        page.line(line, hanging: 4)
    }

    private func excerpt(
        _ report: FailureReport, _ text: FailureText, _ sources: [SourceFile], _ page: inout Page
    ) {
        guard let place = report.place else { return page.line(Styled(text.headline), indent: 4) }
        excerpt(place, Styled(text.headline, .bad), sources, &page)
        for call in report.calls { excerpt(call, Styled("this step runs that flow", .dim), sources, &page) }
    }

    /// The line of a place with words under it, or the words alone where its file is not at hand.
    private func excerpt(
        _ place: FailureReport.Place, _ words: Styled, _ sources: [SourceFile], _ page: inout Page
    ) {
        let number = String(place.line)
        let margin = String(repeating: " ", count: number.utf8.count)
        page.line(Styled("\(margin)--> ", .dim) + "\(place.file):\(place.line):\(place.column)")
        guard let source = sources.first(where: { $0.path == place.file }), let line = source.line(place.line)
        else {
            return page.line(Styled(words.spans.map(\.text).joined()), indent: 4)
        }
        let bar = Styled("\(margin) |", .dim)
        let before = line.unicodeScalars.prefix(place.column - 1)
        let marked = line.unicodeScalars.dropFirst(place.column - 1).prefix {
            $0.properties.isIDContinue || $0 == "-"
        }
        let shown = page.cut(
            String(line).replacing("\t", with: " "), to: max(20, options.width - number.utf8.count - 4))
        let gap = String(repeating: " ", count: page.width(of: Styled(String(before))))
        let caret = String(repeating: "^", count: max(1, page.width(of: Styled(String(marked)))))
        page.line(bar)
        page.unwrapped(Styled("\(number) | ", .dim) + Styled(shown))
        page.line(
            bar + " \(gap)" + Styled("\(caret) ", words.spans.first?.style ?? .bad) + words,
            hanging: min(number.utf8.count + 3 + gap.utf8.count, options.width / 2))
        page.line(bar)
    }

    private func facts(_ report: FailureReport, _ page: inout Page) {
        var rows: [[Styled]] = []
        if let description = report.shownDescription {
            rows.append([fact(report.quotesServer ? "server said" : "reason"), Styled("\"\(description)\"")])
        }
        if let rule = report.rule { rows.append([fact("rule"), Styled(rule)]) }
        for (check, expected, actual) in report.toldChecks {
            rows.append([
                fact("check"),
                Styled(check.name) + Styled("  \(check.reference), rule \(check.number)", .dim),
            ])
            rows.append([fact("expected"), Styled(expected, .good)])
            rows.append([fact("got"), Styled(actual, .bad)])
        }
        page.table(rows, indent: 2)
        page.table(report.evidence.map(row), indent: 2)
    }

    private func fact(_ label: String) -> Styled { Styled("= \(label)", .dim) }

    private func row(_ evidence: FailureReport.Evidence) -> [Styled] {
        let isSuspect = evidence.suspicion != nil
        return [
            fact(evidence.label), Styled(evidence.value, isSuspect ? .warning : .plain),
            isSuspect ? Styled("<-- likely", .warning) : "",
        ]
    }

    static func list(_ label: String, _ texts: [String], _ page: inout Page) {
        for (index, text) in texts.enumerated() {
            page.line(Styled(index == 0 ? label : "   ", .strong) + "  \(text)", indent: 2, hanging: 7)
        }
    }

    private func ending(_ report: FailureReport, _ page: inout Page) {
        var more: [String] = []
        if FailureCode.named(report.outcome) != nil { more.append("flowrun explain \(report.outcome)") }
        if let run = report.keptTrace { more.append("flowrun trace show \(run)") }
        if !more.isEmpty {
            page.line(Styled("  more", .strong) + " \(more.joined(separator: ", "))", hanging: 7)
        }
        // What a hook said stands among the facts.
        let isTold = report.endingHook != nil
        let message = isTold ? "" : report.message.map { ": \($0)" } ?? ""
        page.line(
            Styled("  end", .strong) + "  \(report.end)\(message)",
            right: Styled("exit \(report.exit) (\(ExitName.of( report.exit)))", .dim),
            hanging: 7)
    }
}
