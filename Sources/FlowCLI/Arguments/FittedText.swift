/// Text of the help in lines that a terminal does not break.
enum FittedText {
    /// Narrower than this no right column is read with ease.
    private static let narrowest = 24

    /// Paragraphs are filled anew; what is further down in a row of two columns begins where the column does.
    static func fitted(_ text: String, to width: Int) -> String {
        var lines: [String] = []
        var paragraph: [String] = []
        func end() {
            if paragraph.contains(where: { $0.count > width }) {
                lines += filled(paragraph.joined(separator: " "), from: 0, hanging: 0, width)
            } else {
                lines += paragraph
            }
            paragraph = []
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            guard line.isEmpty || line.hasPrefix(" ") else {
                paragraph.append(line)
                continue
            }
            end()
            lines += line.count > width ? row(line, width) : [line]
        }
        end()
        return lines.joined(separator: "\n")
    }

    private static func row(_ line: String, _ width: Int) -> [String] {
        let indent = line.prefix { $0 == " " }.count
        let content = String(line.dropFirst(indent))
        guard let gap = content.ranges(of: "  ").first else {
            // A long left column has its right one below.
            let start = indent > width - narrowest ? 6 : indent
            return filled(content, from: start, hanging: start, width)
        }
        let left = String(content[..<gap.lowerBound])
        let right = String(content[gap.lowerBound...].drop { $0 == " " })
        let column = line.count - right.count
        guard column <= width - narrowest else {
            return filled(left, from: indent, hanging: indent + 4, width)
                + filled(right, from: indent + 4, hanging: indent + 4, width)
        }
        var lines = filled(right, from: column, hanging: column, width)
        lines[0] = String(line.prefix(column)) + lines[0].dropFirst(column)
        return lines
    }

    /// Lines of whole words; one that is too long has a line of its own.
    private static func filled(_ text: String, from indent: Int, hanging: Int, _ width: Int) -> [String] {
        var lines: [String] = []
        var line = String(repeating: " ", count: indent)
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: hanging)
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return lines + [line]
    }
}
