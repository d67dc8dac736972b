/// The text that libyaml is to read, and what is known of it beforehand.
struct YAMLSource {
    /// The path for diagnostics.
    let file: String
    private(set) var bytes: [UInt8]
    let tabIndentations: [Int: YAMLTextCheck.TabIndentation]
    /// Whether `tabIndentations` is worth a look.
    let hasTabs: Bool
    private let original: SourceFile
    /// The characters of the lines on which something is masked, as written.
    private var maskedLines: [Int: [Unicode.Scalar]] = [:]

    init(_ original: SourceFile, bytes: [UInt8], tabIndentations: [Int: YAMLTextCheck.TabIndentation]) {
        self.original = original
        file = original.path
        self.bytes = bytes
        self.tabIndentations = tabIndentations
        hasTabs = !tabIndentations.isEmpty
    }

    /// Hides a template from libyaml, so that the rest of the file can be read.
    mutating func mask(_ template: FlowTemplate) {
        let line = SourceOffset.mark(of: template.bytes.lowerBound, in: bytes).line
        if maskedLines[line] == nil {
            maskedLines[line] = original.line(line).map { Array($0.unicodeScalars) }
        }
        bytes = template.masked(in: bytes)
    }

    /// Whether `unmaskedText` is worth a call.
    var hasMasks: Bool { !maskedLines.isEmpty }

    /// The text of a plain scalar on a masked line as its author wrote it.
    func unmaskedText(of event: YAMLEvent) -> String? {
        guard event.style == .plain, event.span.isSingleLine,
            let line = maskedLines[event.span.start.line]
        else { return nil }
        let width = event.span.end.column - event.span.start.column
        var text = ""
        text.unicodeScalars.append(contentsOf: line.dropFirst(event.span.start.column - 1).prefix(width))
        return text
    }
}

/// Finds the starts of lines in rising order, walking the text once.
struct LineCursor {
    private let bytes: [UInt8]
    private var line = 1
    private var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// How many spaces stand before each line of a literal block.
    ///
    /// - Parameter start: The place of the block's `|`, never before that of an earlier call.
    /// - Returns: `nil` for a block of empty lines.
    mutating func indentation(ofLiteral text: String, at start: SourceMark) -> Int32? {
        let emptyLines = text.utf8.prefix { $0 == UInt8(ascii: "\n") }.count
        let content = text.utf8.dropFirst(emptyLines)
        guard !content.isEmpty else { return nil }
        move(to: start.line + 1 + emptyLines)
        // Spaces of the line that belong to the text: an explicit indicator allows them.
        let own = content.prefix { $0 == UInt8(ascii: " ") }.count
        return Int32(bytes[offset...].prefix { $0 == UInt8(ascii: " ") }.count - own)
    }

    /// Where the lines of a scalar begin that YAML has folded into one text.
    ///
    /// - Parameter span: Of the scalar with its quotes or its `>`, never before that of an earlier call.
    /// - Returns: Empty where an escape makes that uncertain.
    mutating func lines(
        ofFolded text: String, _ style: YAMLScalar.Style, _ span: SourceSpan
    ) -> [YAMLScalar.Line] {
        let scalars = Array(text.unicodeScalars)
        var lines: [YAMLScalar.Line] = []
        var place = 0
        for number in (style == .folded ? span.start.line + 1 : span.start.line)...span.end.line {
            guard let (column, line) = content(ofLine: number, style, span) else { continue }
            while place < scalars.count, Self.isSpace(scalars[place]) { place += 1 }
            guard scalars[place...].starts(with: line) else {
                // What follows a block is no part of it.
                return style == .folded && place == scalars.count ? lines : []
            }
            lines.append(YAMLScalar.Line(offset: place, mark: SourceMark(line: number, column: column)))
            place += line.count
        }
        return lines
    }

    /// What a line has of a folded scalar, without quotes and the white space around, and in which column that begins;
    /// `nil` for an empty line.
    private mutating func content(
        ofLine number: Int, _ style: YAMLScalar.Style, _ span: SourceSpan
    ) -> (column: Int, [Unicode.Scalar])? {
        move(to: number)
        let quote = style == .singleQuoted || style == .doubleQuoted ? 1 : 0
        let bytes = bytes[offset...].prefix { $0 != UInt8(ascii: "\n") }
        var line = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)[...]
        if style != .folded, number == span.end.line { line = line.prefix(span.end.column - 1 - quote) }
        if number == span.start.line { line = line.dropFirst(span.start.column - 1 + quote) }
        line = line.drop(while: Self.isSpace)
        while let last = line.last, Self.isSpace(last) { line.removeLast() }
        guard !line.isEmpty else { return nil }
        return (line.startIndex + 1, style == .singleQuoted ? Self.withSingleQuotes(line) : Array(line))
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t" || scalar == "\r" || scalar == "\n"
    }

    /// Each quote that is written twice once.
    private static func withSingleQuotes(_ line: ArraySlice<Unicode.Scalar>) -> [Unicode.Scalar] {
        var isSecond = false
        return line.filter { scalar in
            isSecond = scalar == "'" && !isSecond
            return scalar != "'" || isSecond
        }
    }

    private mutating func move(to target: Int) {
        while line < target, let end = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) {
            line += 1
            offset = end + 1
        }
    }
}
