/// A place in a source file.
///
/// Lines and columns count from 1. Columns count Unicode scalars, as libyaml does, not bytes and not what a
/// terminal shows.
public struct SourceMark: Sendable, Hashable, Comparable {
    // 32 bits each: a tree holds two marks for every node and key, and a file is far smaller than 2 GiB. The number of
    // the file shares a word with the column, in front of it.
    private let storedLine: Int32
    private let fileAndColumn: UInt32

    private static let columnBits: UInt32 = 24

    /// From 1.
    public var line: Int { Int(storedLine) }
    /// From 1, in Unicode scalars.
    public var column: Int { Int(fileAndColumn & ((1 << Self.columnBits) - 1)) }

    /// Which of the files that one tree was made of, 0 where there is but one.
    package var fileNumber: Int { Int(fileAndColumn >> Self.columnBits) }

    /// Both from 1; what no file reaches is taken for the largest place.
    public init(line: Int, column: Int) {
        storedLine = Int32(clamping: line)
        fileAndColumn = min(UInt32(clamping: column), (1 << Self.columnBits) - 1)
    }

    /// A place that surely fits: no file that is read has as many bytes (`YAMLLimits`).
    init(inSmallFile line: Int, column: Int) {
        storedLine = Int32(truncatingIfNeeded: line)
        fileAndColumn = UInt32(truncatingIfNeeded: column)
    }

    private init(_ mark: SourceMark, fileNumber: UInt8) {
        storedLine = mark.storedLine
        fileAndColumn = UInt32(fileNumber) << Self.columnBits | UInt32(mark.column)
    }

    /// The same place of the file with that number.
    package func inFile(_ number: UInt8) -> SourceMark { SourceMark(self, fileNumber: number) }

    /// The first character of a file.
    package static let start = SourceMark(line: 1, column: 1)

    /// The place `columns` further right on the same line.
    package func advanced(by columns: Int) -> SourceMark {
        SourceMark(
            SourceMark(line: line, column: column + columns),
            fileNumber: UInt8(truncatingIfNeeded: fileNumber))

    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(UInt64(UInt32(bitPattern: storedLine)) << 32 | UInt64(fileAndColumn))
    }

    public static func < (left: SourceMark, right: SourceMark) -> Bool {
        (left.fileNumber, left.storedLine, left.column) < (right.fileNumber, right.storedLine, right.column)
    }
}

extension SourceMark: CustomStringConvertible {
    /// `line:column`, as editors parse it.
    public var description: String { "\(line):\(column)" }
}

/// A stretch of a source file; `end` is the place after its last character.
public struct SourceSpan: Sendable, Hashable {
    /// The first character.
    public let start: SourceMark
    /// The place after the last character.
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
