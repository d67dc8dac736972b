/// A conversation as a picture: a line for each participant, an arrow for each message, a band for each step.
struct SequencePicture: Sendable {
    private let conversation: Conversation
    /// Where the line of each participant is.
    private let columns: [Int]

    private static let gutter = 132
    private static let top = 52
    private static let widestText = 470
    private static let messageHeight = 36
    private static let noteHeight = 32
    private static let nameHeight = 30

    init(_ conversation: Conversation) {
        self.conversation = conversation
        columns = Self.columns(conversation)
    }

    var content: Markup {
        if conversation.items.isEmpty { return .empty }
        return """
            <div class="picture" role="region" aria-label="Sequence diagram" tabindex="0">
            \(picture)</div>
            <details class="more"><summary>The same in Mermaid</summary>
            <div class="copy"><pre tabindex="0"><code>\(MermaidReport(conversation).text)</code></pre>
            <button type="button" data-copy hidden>Copy</button></div></details>

            """
    }

    // MARK: Layout

    private static func shown(_ text: String) -> String { TextWidth.cut(PlainLine.of(text), to: widestText) }

    /// Neighbours are as far apart as the widest text between them needs.
    private static func columns(_ conversation: Conversation) -> [Int] {
        let names: [Int] = conversation.participants.map { TextWidth.of(shown($0.name)) + 28 }
        var gaps: [Int] = []
        for (one, other) in zip(names, names.dropFirst()) { gaps.append(max(150, (one + other) / 2 + 16)) }
        let flowrun = conversation.participants.firstIndex { $0.role == .flowrun } ?? 0
        for item in conversation.items {
            switch item {
            case .step: break
            case .note(let text, _):
                // A note stands across the line, and takes half of its width on each side.
                let half = TextWidth.of(shown(text)) / 2 + 24
                for gap in [flowrun - 1, flowrun] where gaps.indices.contains(gap) {
                    gaps[gap] = max(gaps[gap], half + 20)
                }
            case .message(let message):
                let (low, high) = (min(message.from, message.to), max(message.from, message.to))
                let missing = TextWidth.of(shown(message.text)) + 32 - gaps[low..<high].reduce(0, +)
                if missing > 0, high > low { gaps[high - 1] += missing }
            }
        }
        // Alone, a participant still has notes across its line.
        let widest = names.count == 1 ? widestText : names.first ?? 0
        var columns = [gutter + widest / 2 + 12]
        for gap in gaps { columns.append(columns[columns.count - 1] + gap) }
        return columns
    }

    private var width: Int {
        let last = conversation.participants.last.map { TextWidth.of(Self.shown($0.name)) } ?? 0
        let note = conversation.participants.last?.role == .flowrun ? Self.widestText : last
        return (columns.last ?? 0) + note / 2 + 40
    }

    // MARK: Drawing

    private var picture: Markup {
        var y = Self.top + 12
        var bands: [Markup] = []
        var marks: [Markup] = []
        var step: (title: String, start: Int)?
        for item in conversation.items {
            switch item {
            case .step(_, let title):
                if let step {
                    // A step in which nothing is said has room for its name all the same.
                    y = max(y, step.start + Self.nameHeight)
                    bands.append(band(step.title, step.start, y, bands.count))
                }
                step = (title, y)
            case .message(let message):
                y += Self.messageHeight
                marks.append(draw(message, y - 8))
            case .note(let text, let isBad):
                y += Self.noteHeight
                marks.append(draw(note: text, isBad, y - 26))
            }
            if case .step = item { y += 2 }
        }
        if let step {
            y = max(y, step.start + Self.nameHeight)
            bands.append(band(step.title, step.start, y + 4, bands.count))
        }
        let height = y + 16
        let names = conversation.participants.map(\.name).joined(separator: ", ")
        return """
            <svg class="sequence" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" role="img" aria-label="Messages between \(names)">
            \(bands)\(columns.indices.map { lifeline($0, height) })\(marks)</svg>

            """
    }

    private func band(_ title: String, _ start: Int, _ end: Int, _ index: Int) -> Markup {
        let form: Markup = index % 2 == 0 ? "band" : "band odd"
        let shown = TextWidth.cut(PlainLine.of(title), to: Self.gutter - 16)
        return """
            <rect class="\(form)" x="0" y="\(start)" width="\(width)" height="\(max(0, end - start))"/>
            <text class="step" x="10" y="\(start + 20)">\(shown)</text>

            """
    }

    private func lifeline(_ index: Int, _ height: Int) -> Markup {
        let participant = conversation.participants[index]
        let x = columns[index]
        let name = Self.shown(participant.name)
        let half = TextWidth.of(name) / 2 + 14
        let form: Markup =
            switch participant.role {
            case .person: "person"
            case .flowrun: "flowrun"
            case .server: "server"
            }
        return """
            <line class="life" x1="\(x)" y1="44" x2="\(x)" y2="\(height)"/>
            <rect class="box \(form)" x="\(x - half)" y="10" width="\(half * 2)" height="34" rx="\(participant.role == .person ? 17 : 6)"/>
            <text class="box \(form)" x="\(x)" y="31" text-anchor="middle">\(name)</text>

            """
    }

    private func draw(_ message: Conversation.Message, _ y: Int) -> Markup {
        let (from, to) = (columns[message.from], columns[message.to])
        let sign = to >= from ? 1 : -1
        let tip = to - sign * 1
        let form: Markup = message.form == .call ? "call" : "reply"
        let tone: Markup = message.isBad ? " bad" : .empty
        let head: Markup =
            message.form == .lost
            ? "<path class=\"cross\(tone)\" d=\"M\(tip - 5) \(y - 5)l10 10m0 -10l-10 10\"/>"
            : "<path class=\"tip\(tone)\" d=\"M\(tip) \(y)l\(-sign * 9) -4.5v9z\"/>"
        let full: Markup =
            Self.shown(message.text) == message.text ? .empty : "<title>\(message.text)</title>"
        return """
            <line class="\(form)\(tone)" x1="\(from)" y1="\(y)" x2="\(tip - sign * 8)" y2="\(y)"/>\(head)
            <text class="message\(tone)" x="\((from + to) / 2)" y="\(y - 7)" text-anchor="middle">\(full)\(Self.shown(message.text))</text>

            """
    }

    private func draw(note text: String, _ isBad: Bool, _ y: Int) -> Markup {
        let index = conversation.participants.firstIndex { $0.role == .flowrun } ?? 0
        let shown = Self.shown(text)
        let half = TextWidth.of(shown) / 2 + 12
        let x = columns[index]
        let tone: Markup = isBad ? " bad" : .empty
        let full: Markup = shown == text ? .empty : "<title>\(text)</title>"
        return """
            <rect class="note\(tone)" x="\(x - half)" y="\(y)" width="\(half * 2)" height="24" rx="12"/>
            <text class="note\(tone)" x="\(x)" y="\(y + 16)" text-anchor="middle">\(full)\(shown)</text>

            """
    }
}
