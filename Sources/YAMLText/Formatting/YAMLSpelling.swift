/// How scalars and collections in brackets are spelled.
struct YAMLSpelling {
    private let text: SourceText

    init(_ text: SourceText) {
        self.text = text
    }

    func key(_ entry: YAMLMapping.Entry) -> String {
        let pieces = text.pieces(of: entry.keySpan)
        // In brackets, and after a question mark, a key may take several lines; here it may not.
        let isBlock = pieces[0].hasPrefix(">") || pieces[0].hasPrefix("|")
        let raw = pieces.count == 1 && !isBlock ? pieces[0] : JSONText.quoted(entry.key)
        return Self.quoted(raw) ?? raw
    }

    func layout(_ scalar: YAMLScalar, _ span: SourceSpan) -> YAMLLayout {
        if scalar.isBlock { return block(scalar, span) }
        let pieces = text.pieces(of: span)
        guard pieces.count > 1 else { return .word(word(pieces[0], scalar.style)) }
        // White space at both ends of a line break means nothing, but for an escaped space before it.
        let rest = pieces.dropFirst().map { piece in
            let trimmed = piece.trimmed(end: scalar.style != .doubleQuoted)
            return trimmed.isEmpty ? "" : "  " + trimmed
        }
        let first = scalar.style == .doubleQuoted ? pieces[0] : pieces[0].trimmed(end: true)
        return .block(first: first, rest: rest, commentsLastLine: true)
    }

    /// A node in one line as it stands in brackets; `nil` when it has a scalar of several lines.
    func oneLine(_ node: YAMLNode, _ order: KeyOrder) -> String? {
        let order = order.resolved(for: node)
        switch node.content {
        case .scalar(let scalar):
            let pieces = text.pieces(of: node.span)
            return pieces.count == 1 && !scalar.isBlock ? word(pieces[0], scalar.style) : nil
        case .sequence(let items):
            let words = items.compactMap { oneLine($0, order.ofItems) }
            return words.count == items.count ? "[\(words.joined(separator: ", "))]" : nil
        case .mapping(let mapping):
            let words = order.positions(of: mapping.entries).compactMap { position -> String? in
                let entry = mapping.entries[position]
                guard let value = oneLine(entry.value, order.order(of: entry.key, entry.value)) else {
                    return nil
                }
                // Without the space a comma behind the colon would belong to the key.
                return "\(key(entry)): \(value)"
            }
            guard words.count == mapping.entries.count else { return nil }
            let inside = words.joined(separator: ", ")
            return words.isEmpty ? "{}" : "{ \(inside)\(inside.hasSuffix(" ") ? "}" : " }")"
        }
    }

    // MARK: Quotes

    private func word(_ raw: String, _ style: YAMLScalar.Style) -> String {
        switch style {
        case .singleQuoted, .doubleQuoted: Self.quoted(raw) ?? raw
        case .plain, .literal, .folded: raw
        }
    }

    /// A quoted text in double quotes, or in single quotes when it holds double quotes or backslashes.
    ///
    /// - Returns: `nil` for a plain text, and for one whose escapes are better kept as they are.
    private static func quoted(_ raw: String) -> String? {
        guard let quote = raw.first, raw.count > 1, quote == "'" || quote == "\"" else { return nil }
        let inner = raw.dropFirst().dropLast()
        var content = ""
        if quote == "'" {
            content = String(inner).replacing("''", with: "'")
        } else {
            var rest = inner[...]
            while let character = rest.popFirst() {
                guard character == "\\" else {
                    content.append(character)
                    continue
                }
                guard let escaped = rest.popFirst(), escaped == "\"" || escaped == "\\" else { return nil }
                content.append(escaped)
            }
        }
        guard content.unicodeScalars.allSatisfy(\.isVisible) else { return nil }
        let isAwkward = content.contains { $0 == "\"" || $0 == "\\" }
        return isAwkward ? "'\(content.replacing("'", with: "''"))'" : "\"\(content)\""
    }

    // MARK: Blocks

    private func block(_ scalar: YAMLScalar, _ span: SourceSpan) -> YAMLLayout {
        guard scalar.text.contains(where: { $0 != "\n" }) else {
            return .word("\"\(scalar.text.replacing("\n", with: "\\n"))\"")
        }
        let lines = content(ofBlock: span)
        // An author's own spaces at the start of the first line need an indentation that is told.
        let needsIndicator = scalar.text.first { $0 != "\n" } == " "
        let header = header(ofBlock: span)
        let chomping = header.contains("-") ? "-" : header.contains("+") ? "+" : ""
        let style = scalar.style == .literal ? "|" : ">"
        let margin = margin(of: lines, scalar)
        let rest = lines.map { line -> String in
            let dedented = String(line.dropFirst(min(margin, line.prefix { $0 == " " }.count)))
            return dedented.isEmpty ? "" : "  " + dedented
        }
        return .block(
            first: style + (needsIndicator ? "2" : "") + chomping, rest: rest, commentsLastLine: false)
    }

    /// The number of the block's last line that says something.
    func lastLine(ofBlock span: SourceSpan) -> Int {
        span.start.line + content(ofBlock: span).count
    }

    private func header(ofBlock span: SourceSpan) -> Substring {
        (text.pieces(of: span).first ?? "").prefix { !$0.isWhitespace }
    }

    /// The lines below the header, without empty ones at the end that are not part of the text.
    private func content(ofBlock span: SourceSpan) -> [String] {
        var lines = Array(text.pieces(of: span).dropFirst())
        if span.end.column == 1 { lines.removeLast() }
        if header(ofBlock: span).contains("+") { return lines }
        while let last = lines.last, last.allSatisfy(\.isWhitespace) { lines.removeLast() }
        return lines
    }

    /// How many spaces in front of the lines are not the author's.
    private func margin(of lines: [String], _ scalar: YAMLScalar) -> Int {
        guard let first = lines.first(where: { !$0.allSatisfy { $0 == " " } }) else { return 0 }
        let own = scalar.text.drop { $0 == "\n" }.prefix { $0 == " " }.count
        return first.prefix { $0 == " " }.count - own
    }
}

extension String {
    /// Without white space at its start, and at its end if asked for.
    ///
    /// By scalars: a mark that joins with the space before it does not make it another character of YAML.
    fileprivate func trimmed(end: Bool) -> String {
        var text = unicodeScalars.drop { $0 == " " || $0 == "\t" }
        while end, let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }
}
