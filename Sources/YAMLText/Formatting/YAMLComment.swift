/// A comment of a file, which libyaml does not report.
struct YAMLComment: Sendable, Hashable {
    let mark: SourceMark
    /// From the number sign to the end of the line, without white space at its end.
    let text: String
    /// Whether nothing stands before it on its line.
    let ownsLine: Bool

    /// The comments of a file that has been parsed without an error, in order.
    ///
    /// A number sign begins a comment wherever it stands outside of every scalar, after white space or at the start of
    /// a line. The places of the scalars are those of libyaml's scanner, so that no other rule of YAML is needed.
    static func all(in source: SourceFile, _ root: YAMLNode) -> [YAMLComment] {
        var scan = CommentScan(lines: SourceText(source))
        scan.collect(root)
        return scan.comments()
    }
}

/// A file as lines of characters, so that a mark is an index.
struct SourceText: Sendable {
    let lines: [[Unicode.Scalar]]

    init(_ source: SourceFile) {
        // By scalars: a carriage return and its line feed are one character.
        lines = source.text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map {
            line in
            var scalars = Array(line)
            if scalars.last == "\r" { scalars.removeLast() }
            return scalars
        }
    }

    /// The line numbered from 1; empty past the end.
    func line(_ number: Int) -> [Unicode.Scalar] {
        lines.indices.contains(number - 1) ? lines[number - 1] : []
    }

    func character(at mark: SourceMark) -> Unicode.Scalar? {
        let line = line(mark.line)
        return line.indices.contains(mark.column - 1) ? line[mark.column - 1] : nil
    }

    /// The characters of a span, one piece for each of its lines.
    func pieces(of span: SourceSpan) -> [String] {
        (span.start.line...max(span.start.line, span.end.line)).map { number in
            let line = line(number)
            let first = number == span.start.line ? span.start.column - 1 : 0
            let last = number == span.end.line ? min(span.end.column - 1, line.count) : line.count
            return String(String.UnicodeScalarView(line[min(first, last)..<last]))
        }
    }
}

private struct CommentScan {
    let lines: SourceText
    private var scalars: [(span: SourceSpan, isBlock: Bool)] = []

    init(lines: SourceText) {
        self.lines = lines
    }

    mutating func collect(_ node: YAMLNode) {
        switch node.content {
        case .scalar(let scalar):
            let isBlock = scalar.style == .literal || scalar.style == .folded
            if node.span.start < node.span.end { scalars.append((node.span, isBlock)) }
        case .sequence(let items): for item in items { collect(item) }
        case .mapping(let mapping):
            for entry in mapping.entries {
                scalars.append((entry.keySpan, false))
                collect(entry.value)
            }
        }
    }

    func comments() -> [YAMLComment] {
        var comments: [YAMLComment] = []
        var rest = scalars.sorted { $0.span.start < $1.span.start }[...]
        var mark = SourceMark.start
        while mark.line <= lines.lines.count {
            if let next = rest.first, next.span.start <= mark {
                rest.removeFirst()
                if next.isBlock, let comment = headerComment(of: next.span) { comments.append(comment) }
                mark = max(mark, next.span.end)
                continue
            }
            let line = lines.line(mark.line)
            guard mark.column <= line.count else {
                mark = SourceMark(line: mark.line + 1, column: 1)
                continue
            }
            if let comment = comment(at: mark, on: line) {
                comments.append(comment)
                mark = SourceMark(line: mark.line + 1, column: 1)
            } else {
                mark = mark.advanced(by: 1)
            }
        }
        return comments
    }

    private func comment(at mark: SourceMark, on line: [Unicode.Scalar]) -> YAMLComment? {
        let index = mark.column - 1
        guard line[index] == "#", index == 0 || line[index - 1].isYAMLSpace else { return nil }
        var text = line[index...]
        while let last = text.last, last.isYAMLSpace { text.removeLast() }
        return YAMLComment(
            mark: mark, text: String(String.UnicodeScalarView(text)),
            ownsLine: line[..<index].allSatisfy(\.isYAMLSpace))
    }

    /// The comment behind the `|` or `>` of a block scalar, which is inside of the scalar's span.
    private func headerComment(of span: SourceSpan) -> YAMLComment? {
        let line = lines.line(span.start.line)
        guard let index = line.indices.first(where: { $0 >= span.start.column && line[$0] == "#" }) else {
            return nil
        }
        return comment(at: SourceMark(line: span.start.line, column: index + 1), on: line)
    }
}

extension Unicode.Scalar {
    var isYAMLSpace: Bool { self == " " || self == "\t" }
}
