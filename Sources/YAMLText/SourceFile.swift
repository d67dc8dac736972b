/// The text of one file, and the path under which it is shown.
///
/// A leading UTF-8 byte order mark is dropped. Lines end at a line feed, with or without a carriage return
/// before it; every other thing that some tools take for a line break is refused by the parser, so that the
/// lines here are the lines of libyaml and of every editor.
public struct SourceFile: Sendable {
    /// As shown in diagnostics; nothing is opened through it.
    public let path: String
    /// Without a byte order mark.
    public let text: String
    /// Why the bytes were not text, and where; `nil` for every file that is UTF-8.
    let encodingProblem: EncodingProblem?

    /// Takes a text that somebody has read or written already.
    public init(path: String, text: String) {
        var text = text
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        text.makeContiguousUTF8()
        self.init(path: path, text: text, encodingProblem: nil)
    }

    private init(path: String, text: String, encodingProblem: EncodingProblem?) {
        self.path = path
        self.text = text
        self.encodingProblem = encodingProblem
    }

    /// Takes the bytes of a file as read.
    ///
    /// Bytes that are not UTF-8 are kept as U+FFFD so that the place can be shown; `YAMLDocument.parse`
    /// reports them.
    public init(path: String, bytes: [UInt8]) {
        if let text = String(validating: bytes, as: UTF8.self) {
            self.init(path: path, text: text)
        } else {
            let text = String(decoding: bytes, as: UTF8.self)
            self.init(path: path, text: text, encodingProblem: EncodingProblem(bytes: bytes))
        }
    }

    /// The line numbered `number` from 1, without its line break; `nil` past the end.
    ///
    /// Searches from the start of the text: for one caret. `SourceLines` serves many.
    package func line(_ number: Int) -> Substring? {
        SourceLines(self, upTo: number)[number]
    }
}

/// Why a file's bytes are not UTF-8.
struct EncodingProblem: Sendable, Hashable {
    let mark: SourceMark
    let message: String

    init(bytes: [UInt8]) {
        // UTF-16 and UTF-32 in either order start with one of these two pairs (Unicode 16 §23.8, but for
        // big-endian UTF-32, which starts with the zero bytes that the parser refuses).
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            mark = .start
            message = "the file is UTF-16; save it as UTF-8"
            return
        }
        mark = Self.firstInvalid(in: bytes)
        message = "the file is not UTF-8 from here on; save it as UTF-8"
    }

    private static func firstInvalid(in bytes: [UInt8]) -> SourceMark {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var (line, column) = (1, 1)
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            if scalar == "\n" {
                (line, column) = (line + 1, 1)
            } else if !(scalar == "\u{FEFF}" && line == 1 && column == 1) {
                column += 1
            }
        }
        return SourceMark(line: line, column: column)
    }
}

/// The lines of one file, found once.
struct SourceLines {
    private let lines: [Substring]

    /// - Parameter limit: Lines after this one are not looked for.
    init(_ file: SourceFile, upTo limit: Int = .max) {
        var lines: [Substring] = []
        var rest = file.text.utf8[...]
        while lines.count < limit, let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(Self.line(rest[..<end]))
            rest = rest[rest.index(after: end)...]
        }
        if lines.count < limit { lines.append(Self.line(rest)) }
        self.lines = lines
    }

    subscript(number: Int) -> Substring? {
        lines.indices.contains(number - 1) ? lines[number - 1] : nil
    }

    private static func line(_ bytes: Substring.UTF8View) -> Substring {
        Substring(bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes)
    }
}
