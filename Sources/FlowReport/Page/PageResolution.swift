internal import FlowEngine

/// How the way on from a step was found, folded: what `--why` says of it.
struct PageResolution: Sendable {
    private let end: StepEnd
    private let places: PlaceLinks

    init(_ end: StepEnd, _ places: PlaceLinks) {
        self.end = end
        self.places = places
    }

    var content: Markup {
        guard let resolution = end.resolution else { return .empty }
        var rows: [(String, Markup)] = []
        if let retry = resolution.retry { rows.append(("Retry", content(retry))) }
        let lines = resolution.lines.map(content)
        if !lines.isEmpty { rows.append(("Line", "<ul class=\"looks\">\n\(lines)</ul>")) }
        let isOnly = resolution.alternatives.count == 1
        let ways = resolution.alternatives.enumerated().map { index, way in
            content(way, isOnly ? "" : "\(index + 1) of \(resolution.alternatives.count)", isOnly)
        }
        if !ways.isEmpty { rows.append(("Ways", "<ul class=\"looks\">\n\(ways)</ul>")) }
        rows.append(("Led to", "\(ResolutionWords.target(end))"))
        return """
            <details class="more how"><summary>How the way was found</summary>
            \(PageParts.facts(rows))</details>

            """
    }

    private func content(_ retry: TracedResolution.Retry) -> Markup {
        """
        \(ResolutionWords.retry(retry, after: end.outcome))<br><span class="quiet">\(ResolutionWords.policy(retry))</span> \(places.link(retry.place))
        """
    }

    private func content(_ line: TracedResolution.Line) -> Markup {
        let words = ResolutionWords.line(line)
        let place = line.place.map(places.link) ?? .empty
        return """
            <li>\(sign(line.verdict))<span class="what"><span class="quiet reason">\(line.reason)</span> <code>\(line.selector)</code> <span class="quiet came">\(words)</span></span> <span class="place">\(place)</span></li>

            """
    }

    private func content(
        _ way: TracedResolution.Alternative, _ number: String, _ isOnly: Bool
    ) -> Markup {
        var facts: [Markup] = []
        if let condition = way.condition {
            let result: Markup =
                ResolutionWords.condition(way).map { " <strong>\($0)</strong>" } ?? .empty
            facts.append("<span class=\"quiet\">if</span> <code>\(condition)</code>\(result)")
        }
        facts += way.values.map { value -> Markup in
            "<code>\(value.name)</code> = \(PageParts.value(value.value))"
        }
        if let budget = ResolutionWords.budget(way) {
            facts.append("<span class=\"quiet\">max</span> \(budget)")
        }
        let items = facts.map { "<li>\($0)</li>\n" as Markup }
        let reasons: Markup = items.isEmpty ? .empty : "\n<ul class=\"reasons\">\n\(items)</ul>"
        let count: Markup = number.isEmpty ? .empty : "<span class=\"quiet\">\(number)</span> "
        return """
            <li>\(sign(way.verdict))<span class="what">\(count)<span aria-hidden="true">→ </span><strong>\(way.target)</strong> <span class="quiet came">\(ResolutionWords.alternative(way, isOnly: isOnly))</span></span> <span class="place">\(places.link(way.place))</span>\(reasons)</li>

            """
    }

    /// The words behind it say what it means; of a line that was taken there are none.
    private func sign(_ verdict: TracedResolution.Verdict) -> Markup {
        let tone: PageParts.Tone =
            switch ResolutionWords.standing(verdict) {
            case .taken: .good
            case .open: .plain
            case .refused: .bad
            }
        let word: Markup = verdict == .taken ? "<span class=\"hidden\">taken: </span>" : .empty
        return "<span class=\"sign \(tone.rawValue)\" aria-hidden=\"true\">\(tone.sign)</span>\(word)"
    }
}

/// Links from places to the lines where the report shows the flow.
struct PlaceLinks: Sendable {
    private let flow: TracedFlow?

    init(_ flow: TracedFlow?) { self.flow = flow }

    /// - Parameter place: As `login.flow.yaml:31:7`; one that the report does not show has no link.
    func link(_ place: String) -> Markup {
        guard let parts = FailureReport.Place(place), let flow, parts.file == flow.file,
            flow.lines.indices.contains(parts.line - 1)
        else { return "<code>\(place)</code>" }
        return "<a href=\"#line-\(parts.line)\"><code>\(place)</code></a>"
    }
}
