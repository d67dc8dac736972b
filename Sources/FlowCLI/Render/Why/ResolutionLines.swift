internal import FlowEngine
internal import FlowReport

/// How a way was found, as lines under labels: for `--why` and for the text of a trace.
struct ResolutionLines {
    /// Columns of a label and the space after it.
    static let margin = 8

    let indent: Int
    /// What every line begins with.
    let prefix: Styled

    /// - Parameter outcome: Of the step.
    func write(_ resolution: TracedResolution, _ outcome: String, _ page: inout Page) {
        if let retry = resolution.retry { write(retry, outcome, &page) }
        write(resolution.lines, &page)
        write(resolution.alternatives, &page)
    }

    /// A line with its label, and at the right where it is written.
    func labelled(_ label: String, _ text: Styled, place: String? = nil, _ page: inout Page) {
        let line = prefix + page.padded(Styled(label, .dim), to: Self.margin - 1) + " " + text
        let hanging = indent + page.width(of: prefix) + Self.margin + 2
        guard let place else { return page.line(line, indent: indent, hanging: hanging) }
        page.line(line, right: Styled(place, .dim), indent: indent, hanging: hanging + 1)
    }

    // MARK: Retry

    private func write(_ retry: TracedResolution.Retry, _ outcome: String, _ page: inout Page) {
        labelled("retry", Styled(ResolutionWords.retry(retry, after: outcome)), &page)
        labelled("", Styled(ResolutionWords.policy(retry), .dim), place: retry.place, &page)
    }

    // MARK: Lines

    private func write(_ lines: [TracedResolution.Line], _ page: inout Page) {
        let reasons = lines.map(\.reason.count).max() ?? 0
        let selectors = lines.map(\.selector.count).max() ?? 0
        for (index, line) in lines.enumerated() {
            let text =
                sign(line.verdict, page) + page.padded(Styled(line.reason), to: reasons + 2)
                + page.padded(Styled(line.selector, .strong), to: selectors + 2)
                + Styled(ResolutionWords.line(line), .dim)
            labelled(index == 0 ? "line" : "", text, place: line.place, &page)
        }
    }

    /// In its column: `ok` is the widest of those in ASCII.
    private func sign(_ verdict: TracedResolution.Verdict, _ page: Page) -> Styled {
        let sign =
            switch ResolutionWords.standing(verdict) {
            case .taken: Styled(Symbol.passed, .good)
            case .open: Styled(Symbol.choice, .dim)
            case .refused: Styled(Symbol.failed, .bad)
            }
        return page.padded(sign, to: page.options.ascii ? 2 : 1) + " "
    }

    // MARK: Alternatives

    private func write(_ alternatives: [TracedResolution.Alternative], _ page: inout Page) {
        let isOnly = alternatives.count == 1
        for (index, alternative) in alternatives.enumerated() {
            let line =
                sign(alternative.verdict, page)
                + Styled(isOnly ? "" : "\(index + 1) of \(alternatives.count)  ")
                + Styled("\(Symbol.arrow) \(alternative.target)", .strong)
                + Styled("  \(ResolutionWords.alternative(alternative, isOnly: isOnly))", .dim)
            labelled(index == 0 ? "ways" : "", line, place: alternative.place, &page)
            writeReasons(alternative, &page)
        }
    }

    private func writeReasons(_ alternative: TracedResolution.Alternative, _ page: inout Page) {
        if let condition = alternative.condition {
            var line = Styled(condition)
            if let result = ResolutionWords.condition(alternative) { line.add("  \(result)", .strong) }
            reason("if", line, &page)
        }
        for value in alternative.values {
            reason("", Styled("\(value.name) = ", .dim) + TracedForm.of(value.value), &page)
        }
        if let budget = ResolutionWords.budget(alternative) { reason("max", Styled(budget), &page) }
    }

    private func reason(_ label: String, _ text: Styled, _ page: inout Page) {
        let gap = Styled(String(repeating: " ", count: Self.margin + 3))
        let line = prefix + gap + page.padded(Styled(label, .dim), to: 4) + " " + text
        page.line(line, indent: indent, hanging: indent + page.width(of: prefix) + Self.margin + 10)
    }
}
