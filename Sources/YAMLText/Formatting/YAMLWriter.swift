/// Writes a layout: two spaces for each level, brackets where they fit, comments where they stood if there is room.
struct YAMLWriter {
    /// A line without its indentation to come, and the comment at its end.
    struct Line {
        var text: String
        var comment: PlacedComment?

        init(_ text: String, _ comment: PlacedComment? = nil) {
            self.text = text
            self.comment = comment
        }

        func indented(by margin: String) -> Line {
            text.isEmpty && comment == nil ? self : Line(margin + text, comment)
        }
    }

    /// A collection in brackets that would end behind this column is written in lines.
    static let width = 110
    private static let step = 2

    static func text(_ layout: YAMLLayout, header: [YAMLLead], footer: [YAMLLead]) -> String {
        var lines = Self.lines(header, isFirst: true) + Self.lines(layout, indent: 0, prefix: 0)
        lines += Self.lines(footer, isFirst: false)
        // A file of comments alone has nothing to stand between them.
        while lines.first?.text.isEmpty == true { lines.removeFirst() }
        var text = lines.map(\.written).joined(separator: "\n")
        while text.hasSuffix("\n") { text.removeLast() }
        return text.isEmpty ? "" : text + "\n"
    }

    // MARK: Nodes

    /// - Parameters:
    ///   - indent: The column in which the lines will stand.
    ///   - prefix: What stands before the first one, such as a key.
    private static func lines(_ layout: YAMLLayout, indent: Int, prefix: Int) -> [Line] {
        switch layout {
        case .word(let word): return [Line(word)]
        case .block(let first, let rest, _): return [Line(first)] + rest.map { Line($0) }
        case .mapping(let mapping): return lines(mapping, indent: indent)
        case .sequence(let sequence): return lines(sequence, indent: indent)
        case .brackets(let words, let otherwise):
            if indent + prefix + words.unicodeScalars.count <= width { return [Line(words)] }
            return lines(otherwise, indent: indent, prefix: 0)
        }
    }

    private static func lines(_ mapping: YAMLLayoutMapping, indent: Int) -> [Line] {
        var result: [Line] = []
        for (index, entry) in mapping.entries.enumerated() {
            result += lines(entry.lead, isFirst: index == 0)
            let head = entry.key + ":"
            let margin = spaces(step)
            if let own = ownLines(entry.value, indent: indent, prefix: head.unicodeScalars.count + 1) {
                result.append(Line(head, entry.comment))
                result += own.map { $0.indented(by: margin) }
            } else {
                result += joined(head, entry.value, entry.comment, indent: indent)
            }
        }
        return result + lines(mapping.foot, isFirst: false)
    }

    private static func lines(_ sequence: YAMLLayoutSequence, indent: Int) -> [Line] {
        var result: [Line] = []
        for (index, item) in sequence.items.enumerated() {
            var item = item
            let value = hoistLead(of: item.value, to: &item.lead)
            result += lines(item.lead, isFirst: index == 0)
            guard let own = ownLines(value, indent: indent, prefix: 2), let first = own.first else {
                result += joined("-", value, item.comment, indent: indent)
                continue
            }
            // Brackets that became lines may leave a comment that has no line of its own.
            let isTaken = first.comment != nil
            if isTaken, let comment = item.comment { result.append(Line(comment.text)) }
            result.append(Line("- " + first.text, first.comment ?? item.comment))
            result += own.dropFirst().map { $0.indented(by: spaces(step)) }
        }
        return result + lines(sequence.foot, isFirst: false)
    }

    /// The lines of a collection that is not written in brackets; `nil` for what stands behind its key.
    private static func ownLines(_ layout: YAMLLayout, indent: Int, prefix: Int) -> [Line]? {
        switch layout {
        case .word, .block: return nil
        case .mapping, .sequence: return lines(layout, indent: indent + step, prefix: 0)
        case .brackets(let words, let otherwise):
            if indent + prefix + words.unicodeScalars.count <= width { return nil }
            return lines(otherwise, indent: indent + step, prefix: 0)
        }
    }

    /// A value behind its key or dash.
    private static func joined(
        _ head: String, _ value: YAMLLayout, _ comment: PlacedComment?, indent: Int
    ) -> [Line] {
        var lines = lines(value, indent: indent, prefix: head.unicodeScalars.count + 1)
        lines[0].text = lines[0].text.isEmpty ? head : "\(head) \(lines[0].text)"
        var isBehindLast = false
        if case .block(_, _, let commentsLastLine) = value { isBehindLast = commentsLastLine }
        lines[isBehindLast ? lines.count - 1 : 0].comment = comment
        return lines
    }

    /// Takes the comments before the first entry of an item out of it: they go before the dash.
    private static func hoistLead(of value: YAMLLayout, to lead: inout [YAMLLead]) -> YAMLLayout {
        switch value {
        case .word, .block: return value
        case .mapping(var mapping):
            guard !mapping.entries.isEmpty else { return value }
            lead += mapping.entries[0].lead.filter { $0 != .blank }
            mapping.entries[0].lead = []
            return .mapping(mapping)
        case .sequence(var sequence):
            guard !sequence.items.isEmpty else { return value }
            lead += sequence.items[0].lead.filter { $0 != .blank }
            sequence.items[0].lead = []
            return .sequence(sequence)
        case .brackets(let words, let otherwise):
            return .brackets(words, else: hoistLead(of: otherwise, to: &lead))
        }
    }

    // MARK: Comments

    private static func lines(_ lead: [YAMLLead], isFirst: Bool) -> [Line] {
        let lead = isFirst ? Array(lead.drop { $0 == .blank }) : lead
        return lead.map { line in
            switch line {
            case .blank: Line("")
            case .comment(let text): Line(text)
            }
        }
    }

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}

extension YAMLWriter.Line {
    /// The whole line; a comment at its end stands where it stood, or two spaces further than there is room.
    fileprivate var written: String {
        guard let comment else { return text }
        let width = text.unicodeScalars.count
        let gap = max(2, comment.column - 1 - width)
        return text + String(repeating: " ", count: gap) + comment.text
    }
}
