/// A value that ends where a comment begins, although what looks like one was meant: `client_id: abc #1`.
///
/// People write a space behind the # of a comment, or a word; a number or a path is the rest of a value.
enum CutValue {
    /// A warning for each, in no order.
    static func warnings(in root: YAMLNode, of bytes: [UInt8], file: String) -> [Diagnostic] {
        let starts = bytes.withUnsafeBufferPointer { linesWithCut(in: $0) }
        guard !starts.isEmpty else { return [] }
        var last: [Int: YAMLNode] = [:]
        note(root, &last)
        return starts.compactMap { line, start in
            guard let node = last[line], isCut(bytes[end(of: node, from: start, in: bytes)...]) else {
                return nil
            }
            return Diagnostic(
                code: YAMLSyntaxMessage.code, severity: .warning, file: file, span: node.span,
                message: "the value ends here: \" #\" begins a comment",
                hint: "put the value in double quotes if it goes on, or a space behind the # of a comment")
        }
    }

    /// By number, where those lines begin.
    private static func linesWithCut(in bytes: UnsafeBufferPointer<UInt8>) -> [Int: Int] {
        var starts: [Int: Int] = [:]
        var rest = bytes[...]
        while let sign = rest.firstIndex(of: UInt8(ascii: "#")) {
            if sign > 0, isCut(bytes[(sign - 1)...]) {
                let before = bytes[..<sign]
                let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
                starts[1 + before.count { $0 == UInt8(ascii: "\n") }] = start
            }
            rest = bytes[(sign + 1)...]
        }
        return starts
    }

    /// The last plain value of each line: a comment is behind everything else.
    private static func note(_ node: YAMLNode, _ last: inout [Int: YAMLNode]) {
        switch node.content {
        case .scalar(let scalar):
            if scalar.style == .plain, !scalar.text.isEmpty, node.span.isSingleLine {
                last[node.span.end.line] = node
            }
        case .sequence(let nodes): for node in nodes { note(node, &last) }
        case .mapping(let mapping): for entry in mapping.entries { note(entry.value, &last) }
        }
    }

    /// The offset behind a value that ends in the line that begins at `start`.
    private static func end(of node: YAMLNode, from start: Int, in bytes: [UInt8]) -> Int {
        var (offset, column) = (start, 1)
        while offset < bytes.count, column < node.span.end.column {
            offset += 1
            // The further bytes of a character are no column.
            while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
            column += 1
        }
        return offset
    }

    /// Whether spaces, a number sign and the beginning of no word stand there.
    private static func isCut(_ bytes: some Collection<UInt8>) -> Bool {
        let rest = bytes.drop { $0 == UInt8(ascii: " ") }
        guard rest.startIndex != bytes.startIndex, rest.first == UInt8(ascii: "#"),
            let next = rest.dropFirst().first
        else { return false }
        return (0x30...0x39).contains(next) || next == UInt8(ascii: "/")
    }
}
