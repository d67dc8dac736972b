/// Places the comments of a file at the nodes to which they belong, and spells the scalars.
///
/// A comment with a line of its own belongs to what follows it; behind the last entry of a collection to that
/// collection, as deep as it is indented. A comment behind something belongs to that line.
struct YAMLLayoutBuilder {
    /// Where the next thing begins that is not part of the node: what is indented no deeper is not about the node.
    struct Next {
        let mark: SourceMark
        let column: Int

        static let endOfFile = Next(mark: SourceMark(line: Int(Int32.max), column: 1), column: 0)
    }

    private let text: SourceText
    private var comments: ArraySlice<YAMLComment>
    /// The line of what was placed last.
    private var line = 0

    init(_ text: SourceText, _ comments: [YAMLComment]) {
        self.text = text
        self.comments = comments[...]
    }

    /// What stands before the first key of the file: its own comment rather than that of the key.
    mutating func header(before root: YAMLNode) -> [YAMLLead] { lead(before: root.span.start) }

    /// Comments that no collection took: those of a file that is a single scalar, or nothing.
    mutating func footer() -> [YAMLLead] { comments(before: Next.endOfFile.mark) }

    // MARK: Nodes

    mutating func layout(_ node: YAMLNode, _ order: KeyOrder, before next: Next, inBrackets: Bool = false)
        -> YAMLLayout
    {
        let order = order.resolved(for: node)
        let isBracketed = inBrackets || ["{", "["].contains(text.character(at: node.span.start))
        switch node.content {
        case .scalar(let scalar):
            line = max(line, lastLine(of: node))
            return YAMLSpelling(text).layout(scalar, node.span)
        case .sequence(let items):
            return isBracketed
                ? brackets(node, order) { $0.bracketed(items, node, order.ofItems) }
                : .sequence(sequence(items, node, order.ofItems, before: next))
        case .mapping(let mapping):
            return isBracketed
                ? brackets(node, order) { $0.bracketed(mapping, node, order) }
                : .mapping(self.mapping(mapping, node, order, before: next))
        }
    }

    private mutating func mapping(
        _ mapping: YAMLMapping, _ node: YAMLNode, _ order: KeyOrder, before next: Next
    ) -> YAMLLayoutMapping {
        let column = node.span.start.column
        var entries: [YAMLLayoutMapping.Entry] = []
        for (index, entry) in mapping.entries.enumerated() {
            let isLast = index == mapping.entries.count - 1
            let after = isLast ? next : Next(mark: mapping.entries[index + 1].keySpan.start, column: column)
            entries.append(self.entry(entry, order, before: after))
        }
        let ordered = order.positions(of: mapping.entries).map { entries[$0] }
        return YAMLLayoutMapping(entries: ordered, foot: foot(column: column, before: next))
    }

    private mutating func entry(
        _ entry: YAMLMapping.Entry, _ order: KeyOrder, before next: Next
    ) -> YAMLLayoutMapping.Entry {
        var lead = lead(before: entry.keySpan.start)
        line = entry.keySpan.end.line
        let key = YAMLSpelling(text).key(entry)
        var comment = commentOnLine(entry.keySpan.end.line, before: entry.value.span.start)
        // Between a key and its scalar: nothing can stand there in the canonical form.
        if !entry.value.isBlockCollection(text) { lead += comments(before: entry.value.span.start) }
        let value = layout(entry.value, order.order(of: entry.key, entry.value), before: next)
        comment = place(comment, behind: entry.value, limit: next.mark, &lead)
        return YAMLLayoutMapping.Entry(lead: lead, key: key, value: value, comment: comment)
    }

    private mutating func sequence(
        _ items: [YAMLNode], _ node: YAMLNode, _ order: KeyOrder, before next: Next
    ) -> YAMLLayoutSequence {
        let column = node.span.start.column
        var result: [YAMLLayoutSequence.Item] = []
        for (index, item) in items.enumerated() {
            let isLast = index == items.count - 1
            let after = isLast ? next : Next(mark: items[index + 1].span.start, column: column)
            var lead = lead(before: item.span.start)
            let value = layout(item, order, before: after)
            let comment = place(nil, behind: item, limit: after.mark, &lead)
            result.append(YAMLLayoutSequence.Item(lead: lead, value: value, comment: comment))
        }
        return YAMLLayoutSequence(items: result, foot: foot(column: column, before: next))
    }

    // MARK: Brackets

    /// A collection in brackets: in one line unless a comment or a scalar of several lines is inside.
    private mutating func brackets(
        _ node: YAMLNode, _ order: KeyOrder, _ build: (inout YAMLLayoutBuilder) -> YAMLLayout
    ) -> YAMLLayout {
        let hasComment = comments.first.map { $0.mark < node.span.end } ?? false
        let words = hasComment ? nil : YAMLSpelling(text).oneLine(node, order)
        let layout = build(&self)
        line = max(line, node.span.end.line)
        guard let words else { return layout }
        return node.isEmptyCollection ? .word(words) : .brackets(words, else: layout)
    }

    private mutating func bracketed(_ items: [YAMLNode], _ node: YAMLNode, _ order: KeyOrder) -> YAMLLayout {
        var result: [YAMLLayoutSequence.Item] = []
        for (index, item) in items.enumerated() {
            let limit = index == items.count - 1 ? node.span.end : items[index + 1].span.start
            var lead = lead(before: item.span.start)
            let value = layout(item, order, before: Next(mark: limit, column: 0), inBrackets: true)
            let comment = place(nil, behind: item, limit: limit, &lead)
            result.append(YAMLLayoutSequence.Item(lead: lead, value: value, comment: comment))
        }
        return .sequence(YAMLLayoutSequence(items: result, foot: comments(before: node.span.end)))
    }

    private mutating func bracketed(_ mapping: YAMLMapping, _ node: YAMLNode, _ order: KeyOrder) -> YAMLLayout
    {
        var entries: [YAMLLayoutMapping.Entry] = []
        for (index, entry) in mapping.entries.enumerated() {
            let isLast = index == mapping.entries.count - 1
            let limit = isLast ? node.span.end : mapping.entries[index + 1].keySpan.start
            var lead = lead(before: entry.keySpan.start)
            line = max(line, entry.keySpan.end.line)
            lead += comments(before: entry.value.span.start)
            let value = layout(
                entry.value, order.order(of: entry.key, entry.value), before: Next(mark: limit, column: 0),
                inBrackets: true)
            let comment = place(nil, behind: entry.value, limit: limit, &lead)
            let key = YAMLSpelling(text).key(entry)
            entries.append(YAMLLayoutMapping.Entry(lead: lead, key: key, value: value, comment: comment))
        }
        let ordered = order.positions(of: mapping.entries).map { entries[$0] }
        return .mapping(YAMLLayoutMapping(entries: ordered, foot: comments(before: node.span.end)))
    }

    // MARK: Comments

    /// Blank lines, at most one at a time, and comments before a place.
    private mutating func lead(before mark: SourceMark) -> [YAMLLead] {
        var lead = comments(before: mark)
        if mark.line > line + 1 { lead.append(.blank) }
        return lead
    }

    private mutating func comments(before mark: SourceMark) -> [YAMLLead] {
        var lead: [YAMLLead] = []
        while let comment = comments.first, comment.mark < mark { lead += take(comment) }
        return lead
    }

    private mutating func take(_ comment: YAMLComment) -> [YAMLLead] {
        comments.removeFirst()
        let isApart = comment.mark.line > line + 1
        line = comment.mark.line
        return isApart ? [.blank, .comment(comment.text)] : [.comment(comment.text)]
    }

    /// The comments behind the last entry that are indented like the collection or deeper.
    private mutating func foot(column: Int, before next: Next) -> [YAMLLead] {
        var foot: [YAMLLead] = []
        while let comment = comments.first, comment.ownsLine, comment.mark < next.mark,
            comment.mark.column >= column, comment.mark.column > next.column
        {
            foot += take(comment)
        }
        return foot
    }

    /// The comment on a line, unless something else comes before it there.
    private mutating func commentOnLine(_ number: Int, before limit: SourceMark) -> PlacedComment? {
        guard let comment = comments.first, comment.mark.line == number, comment.mark < limit else {
            return nil
        }
        comments.removeFirst()
        // The comment of a block scalar stands above its text, which has been placed already.
        line = max(line, number)
        return PlacedComment(text: comment.text, column: comment.mark.column)
    }

    /// The comment behind a value; one that finds its place taken goes before the entry.
    private mutating func place(
        _ earlier: PlacedComment?, behind value: YAMLNode, limit: SourceMark, _ lead: inout [YAMLLead]
    ) -> PlacedComment? {
        guard !value.isBlockCollection(text) else { return earlier }
        let number =
            value.scalar?.isBlock == true ? value.span.start.line : value.span.end.line
        guard let later = commentOnLine(number, before: limit) else { return earlier }
        if let earlier { lead.append(.comment(earlier.text)) }
        return later
    }

    // MARK: Places

    private func lastLine(of node: YAMLNode) -> Int {
        guard node.scalar?.isBlock == true else { return node.span.end.line }
        return YAMLSpelling(text).lastLine(ofBlock: node.span)
    }
}

extension YAMLScalar {
    /// Whether it is written below a `|` or `>`.
    var isBlock: Bool { style == .literal || style == .folded }
}

extension YAMLNode {
    var isEmptyCollection: Bool { sequence?.isEmpty ?? mapping?.entries.isEmpty ?? false }

    /// Whether it is a collection without brackets.
    func isBlockCollection(_ text: SourceText) -> Bool {
        scalar == nil && !["{", "["].contains(text.character(at: span.start))
    }
}
