/// One scalar: the text after quotes, escapes and folding are undone, and how it was written.
package struct YAMLScalar: Sendable, Hashable {
    package enum Style: Sendable, Hashable {
        case plain, singleQuoted, doubleQuoted, literal, folded
    }

    /// What a scalar means by the rules of the flow language.
    package enum Value: Sendable, Hashable {
        case null
        case bool(Bool)
        case int(Int)
        case number(Double)
        case string(String)
    }

    /// Where a line of the file begins in the text of a scalar that was folded out of several.
    struct Line: Sendable, Hashable {
        /// In Unicode scalars of the text.
        let offset: Int
        let mark: SourceMark
    }

    /// How a scalar of several lines lies in the file.
    private indirect enum Layout: Sendable, Hashable {
        case lines(blockIndentation: Int32?, [Line])
    }

    package let text: String
    package let style: Style
    /// Apart from the rest, so that a scalar of one line is small and quickly copied; `nil` for these.
    private let layout: Layout?

    package init(text: String, style: Style) {
        self.text = text
        self.style = style
        layout = nil
    }

    init(text: String, style: Style, blockIndentation: Int32?, lines: [Line]) {
        self.text = text
        self.style = style
        let isOneLine = blockIndentation == nil && lines.isEmpty
        layout = isOneLine ? nil : .lines(blockIndentation: blockIndentation, lines)
    }

    /// Spaces before the content of a literal block; `nil` for other styles and empty blocks.
    fileprivate var blockIndentation: Int32? {
        if case .lines(let indentation, _)? = layout { indentation } else { nil }
    }

    /// In order; empty for what is written on one line, for literal blocks, and where it is not certain.
    fileprivate var lines: [Line] {
        if case .lines(_, let lines)? = layout { lines } else { [] }
    }

    /// How many Unicode scalars the text has.
    fileprivate var length: Int {
        text.utf8.withContiguousStorageIfAvailable(\.scalarCount) ?? text.unicodeScalars.count
    }

    /// Whether the value is `null`.
    package var isNull: Bool { style == .plain && (text.isEmpty || text == "null") }

    /// The value by the flow language's part of the YAML 1.2 core schema.
    ///
    /// Only a plain scalar is anything but a string: `true`, `false`, `null`, nothing at all, and the
    /// numbers of JSON without an exponent. What YAML 1.1 and 1.2 tools read differently stays a string:
    /// `~`, `True`, `yes`, `+1`, `012`, `0x1F`, `1e3`, `.5`, `.inf`, `1:30`, `1_000`, dates. So does an
    /// integer that does not fit 64 bits, so that no digit of an identifier is lost.
    package var value: Value {
        guard style == .plain else { return .string(text) }
        guard let first = text.utf8.first else { return .null }
        switch first {
        case UInt8(ascii: "n"): return text == "null" ? .null : .string(text)
        case UInt8(ascii: "t"): return text == "true" ? .bool(true) : .string(text)
        case UInt8(ascii: "f"): return text == "false" ? .bool(false) : .string(text)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return Self.number(text) ?? .string(text)
        default: return .string(text)
        }
    }

    /// `-? (0 | [1-9][0-9]*) ("." [0-9]+)?`
    private static func number(_ text: String) -> Value? {
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let whole = rest.prefix(while: isDigit)
        guard let first = whole.first, first != UInt8(ascii: "0") || whole.count == 1 else { return nil }
        rest = rest[whole.endIndex...]
        if rest.isEmpty { return Int(text).map(Value.int) }
        guard rest.removeFirst() == UInt8(ascii: "."), !rest.isEmpty, rest.allSatisfy(isDigit) else {
            return nil
        }
        guard let number = Double(text), number.isFinite else { return nil }
        return .number(number)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension YAMLNode {
    /// The stretch of the file that holds these characters of the scalar's text.
    ///
    /// - Parameter range: Counted in Unicode scalars from the start of the scalar's `text`; the offset after the last
    ///   one is the place after the text.
    /// - Returns: The whole node where the place is not certain: double-quoted text with escapes, anything that is no
    ///   scalar.
    package func span(ofScalars range: Range<Int>) -> SourceSpan {
        guard let start = exactMark(atScalarOffset: range.lowerBound),
            let end = exactMark(atScalarOffset: range.upperBound)
        else { return span }
        return SourceSpan(start: start, end: end)
    }

    private func exactMark(atScalarOffset offset: Int) -> SourceMark? {
        guard let scalar, offset >= 0 else { return nil }
        let scalars = scalar.text.unicodeScalars
        if let line = scalar.lines.last(where: { $0.offset <= offset }) {
            let before = scalars.dropFirst(line.offset).prefix(offset - line.offset)
            let quotes = scalar.style == .singleQuoted ? before.count { $0 == "'" } : 0
            return line.mark.advanced(by: before.count + quotes)
        }
        let width = span.end.column - span.start.column
        switch scalar.style {
        case .plain:
            guard span.isSingleLine, width == scalar.length else { return nil }
            return span.start.advanced(by: min(offset, width))
        case .singleQuoted:
            // On one line the only change is that a quote is written twice.
            guard span.isSingleLine else { return nil }
            let before = scalars.prefix(offset)
            return span.start.advanced(by: 1 + before.count + before.count { $0 == "'" })
        case .doubleQuoted:
            // Every escape is longer than what it stands for: equal lengths mean there is none.
            guard span.isSingleLine, width - 2 == scalar.length else { return nil }
            return span.start.advanced(by: 1 + min(offset, width - 2))
        case .literal:
            guard let indentation = scalar.blockIndentation else { return nil }
            let before = scalars.prefix(offset)
            let lines = before.count { $0 == "\n" }
            let column = before.reversed().prefix { $0 != "\n" }.count
            return SourceMark(line: span.start.line + 1 + lines, column: 1 + Int(indentation) + column)
        case .folded:
            return nil
        }
    }
}
