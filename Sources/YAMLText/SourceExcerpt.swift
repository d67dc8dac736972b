/// One source line as a terminal shows it, with what is to be drawn under it.
struct SourceExcerpt {
    /// The line, tabs as spaces, invisible characters written out, cut where it is too long.
    private(set) var text = ""
    /// The spaces before the underline.
    let margin: String
    /// `^~~~`
    let underline: String

    /// Columns shown of a line; with the gutter the excerpt fits 110.
    private static let widest = 100
    /// Columns shown before the underline when the line has to be cut there.
    private static let lead = 30
    /// A tab's width here; where it ends on the reader's screen nobody knows.
    private static let tab = "    "
    private static let cut = "…"

    /// - Parameter span: Starts on this line; what lies on later lines is not underlined.
    init(_ line: Substring, span: SourceSpan) {
        let start = span.start.column - 1
        let end = span.isSingleLine ? span.end.column - 1 : .max
        // Only the neighbourhood is looked at: a file may be one line with thousands of mistakes.
        let first = max(0, start - Self.widest)
        let near = Array(line.unicodeScalars.dropFirst(first).prefix(3 * Self.widest))
        let cells = near.map(Self.cell)
        let isWhole = first == 0 && near.count < 3 * Self.widest
        let window = Self.window(cells.map(\.width), around: start - first, isWhole: isWhole)

        var before = 0
        var under = 0
        if first + window.lowerBound > 0 {
            text = Self.cut
            before = 1
        }
        for index in window {
            text += cells[index].text
            if first + index < start {
                before += cells[index].width
            } else if first + index < end {
                under += cells[index].width
            }
        }
        if window.upperBound < cells.count { text += Self.cut }
        margin = String(repeating: " ", count: before)
        underline = "^" + String(repeating: "~", count: max(0, under - 1))
    }

    /// The characters to show: all of them if they fit, else some before `start` and as many as fit after.
    private static func window(_ widths: [Int], around start: Int, isWhole: Bool) -> Range<Int> {
        if isWhole, widths.reduce(0, +) <= widest { return widths.indices }
        var first = min(start, widths.count)
        var width = 0
        while first > 0, width + widths[first - 1] <= lead {
            first -= 1
            width += widths[first]
        }
        var last = min(start, widths.count)
        while last < widths.count, width + widths[last] <= widest {
            width += widths[last]
            last += 1
        }
        return first..<last
    }

    private static func cell(_ scalar: Unicode.Scalar) -> (text: String, width: Int) {
        scalar == "\t" ? (tab, tab.utf8.count) : VisibleText.cell(scalar)
    }
}
