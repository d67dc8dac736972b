/// A place in a source file.
///
/// Lines and columns count from 1. Columns count Unicode scalars, as libyaml does, not bytes and not what a
/// terminal shows.
public struct SourceMark: Sendable, Hashable, Comparable {
    // 32 bits each: a tree holds two marks for every node and key, and a file is far smaller than 2 GiB.
    private let storedLine: Int32
    private let storedColumn: Int32

    public var line: Int { Int(storedLine) }
    public var column: Int { Int(storedColumn) }

    public init(line: Int, column: Int) {
        storedLine = Int32(clamping: line)
        storedColumn = Int32(clamping: column)
    }

    /// The first character of a file.
    package static let start = SourceMark(line: 1, column: 1)

    /// The place `columns` further right on the same line.
    package func advanced(by columns: Int) -> SourceMark {
        SourceMark(line: line, column: column + columns)
    }

    public static func < (left: SourceMark, right: SourceMark) -> Bool {
        (left.storedLine, left.storedColumn) < (right.storedLine, right.storedColumn)
    }
}

extension SourceMark: CustomStringConvertible {
    /// `line:column`, as editors parse it.
    public var description: String { "\(line):\(column)" }
}

/// A stretch of a source file; `end` is the place after its last character.
public struct SourceSpan: Sendable, Hashable {
    public let start: SourceMark
    public let end: SourceMark

    public init(start: SourceMark, end: SourceMark) {
        self.start = start
        self.end = end
    }

    /// The span of one character.
    package init(at mark: SourceMark) {
        self.init(start: mark, end: mark.advanced(by: 1))
    }

    /// True when the span begins and ends on one line.
    package var isSingleLine: Bool { start.line == end.line }
}
