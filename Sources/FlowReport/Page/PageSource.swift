internal import FlowEngine

/// The text of the flow with the lines of the steps lit that were executed.
struct PageSource: Sendable {
    private let flow: TracedFlow?
    private let lit: [Int: LitStep]

    private struct LitStep {
        let titles: [String]
        let tone: PageParts.Tone
        let isFirst: Bool
    }

    init(_ run: RunRecord) {
        flow = run.flow
        lit = run.flow.map { Self.lit($0, run) } ?? [:]
    }

    /// By line, from 1.
    private static func lit(_ flow: TracedFlow, _ run: RunRecord) -> [Int: LitStep] {
        var visits: [Int: (titles: [String], tone: PageParts.Tone)] = [:]
        for (index, step) in run.steps.enumerated() {
            guard let place = FailureReport.Place(step.start.place), place.file == flow.file,
                flow.lines.indices.contains(place.line - 1)
            else { continue }
            let tone: PageParts.Tone = index == run.failedStep ? .bad : .good
            let titles = (visits[place.line]?.titles ?? []) + ["\(index + 1)"]
            visits[place.line] = (titles, tone)
        }
        var lit: [Int: LitStep] = [:]
        for (first, visit) in visits {
            for line in YAMLExtent.lines(of: flow.lines, from: first) {
                lit[line] = LitStep(titles: visit.titles, tone: visit.tone, isFirst: line == first)
            }
        }
        return lit
    }

    var content: Markup {
        guard let flow, !flow.lines.isEmpty else { return .empty }
        return """
            <p><code>\(flow.file)</code>: what was executed is lit, with the number of the step.</p>
            <div class="source" role="region" aria-label="Text of the flow" tabindex="0">
            \(parts.map { part($0, flow) })</div>

            """
    }

    /// Lines from 1 that are shown, or folded because the run has nothing to do with them.
    private struct Part {
        let lines: ClosedRange<Int>
        let isFolded: Bool
    }

    /// How much of what is not lit stands around what is.
    private static let around = 3

    private var parts: [Part] {
        let count = flow?.lines.count ?? 0
        if lit.isEmpty { return [Part(lines: 1...count, isFolded: false)] }
        let shown = Set(lit.keys.flatMap { max(1, $0 - Self.around)...min(count, $0 + Self.around) })
        var parts: [Part] = []
        var first = 1
        for number in 1...count where number == count || shown.contains(number) != shown.contains(number + 1)
        {
            // A fold that hides little is not worth it.
            let isFolded = !shown.contains(number) && number - first >= 2 * Self.around
            if let last = parts.last, last.isFolded == isFolded {
                parts[parts.count - 1] = Part(lines: last.lines.lowerBound...number, isFolded: isFolded)
            } else {
                parts.append(Part(lines: first...number, isFolded: isFolded))
            }
            first = number + 1
        }
        return parts
    }

    private func part(_ part: Part, _ flow: TracedFlow) -> Markup {
        let lines = part.lines.map { line($0, flow.lines[$0 - 1]) }
        let table: Markup = """
            <table>
            <thead class="hidden"><tr><th scope="col">Line</th><th scope="col">Steps</th><th scope="col">Text</th></tr></thead>
            <tbody>
            \(lines)</tbody></table>

            """
        guard part.isFolded else { return table }
        let range = "Lines \(part.lines.lowerBound) to \(part.lines.upperBound)"
        return "<details class=\"more\"><summary>\(range)</summary>\n\(table)</details>\n"
    }

    private func line(_ number: Int, _ text: String) -> Markup {
        let step = lit[number]
        let form: Markup = step.map { " class=\"lit \($0.tone.rawValue)\"" } ?? .empty
        let marks: Markup =
            step.map { step in
                guard step.isFirst else { return .empty }
                return step.titles.map { "<a href=\"#step-\($0)\">\($0)</a>" as Markup }.joined(" ")
            } ?? .empty
        return """
            <tr id="line-\(number)"\(form)><td class="line">\(number)</td><td class="marks">\(marks)</td><td><code>\(YAMLColours.markup(text))</code></td></tr>

            """
    }
}

/// Which lines belong to an entry of a block mapping, by their indentation (YAML 1.2.2 §6.1).
enum YAMLExtent {
    /// - Parameter first: The line of the entry's key, from 1; one of the text.
    static func lines(of text: [String], from first: Int) -> ClosedRange<Int> {
        let indent = indentation(text[first - 1])
        var last = first
        for number in (first + 1)..<max(first + 1, text.count + 1) {
            let line = text[number - 1]
            let content = line.drop { $0 == " " }
            if content.isEmpty || content.hasPrefix("#") { continue }
            if indentation(line) <= indent { break }
            last = number
        }
        return first...last
    }

    private static func indentation(_ line: String) -> Int { line.prefix { $0 == " " }.count }
}

/// Keys and comments of a line of YAML, set apart.
enum YAMLColours {
    static func markup(_ line: String) -> Markup {
        let (content, comment) = split(line)
        let remark: Markup = comment.isEmpty ? .empty : "<span class=\"comment\">\(comment)</span>"
        guard let match = content.prefixMatch(of: #/( *(?:- +)*)([A-Za-z_][A-Za-z0-9_.-]*)(:)(?= |$)/#) else {
            return "\(content)\(remark)"
        }
        let rest = String(content[match.range.upperBound...])
        return "\(String(match.1))<span class=\"key\">\(String(match.2))</span>:\(rest)\(remark)"
    }

    /// A number sign begins a comment at the start of the line or behind a space, outside quotes.
    private static func split(_ line: String) -> (content: String, comment: String) {
        var quote: Character?
        var previous: Character = " "
        for index in line.indices {
            let character = line[index]
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'", previous == " " || "[{,(".contains(previous) {
                quote = character
            } else if character == "#", previous == " " {
                return (String(line[..<index]), String(line[index...]))
            }
            previous = character
        }
        return (line, "")
    }
}
