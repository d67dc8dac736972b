/// Lays out styled text for one reader: neutralises, measures, wraps, aligns, paints.
///
/// Grows `text`; whoever owns the page takes it away with `take()`.
struct Page: Sendable {
    let options: RenderOptions
    private let palette: Palette
    private(set) var text = ""

    init(_ options: RenderOptions) {
        self.options = options
        palette = Palette(isOn: options.color)
    }

    /// The text so far; the page starts anew.
    mutating func take() -> String {
        defer { text = "" }
        return text
    }

    mutating func blank() { text += "\n" }

    /// A paragraph: its first line starts at `indent`, the ones it is wrapped to at `hanging`.
    mutating func line(_ styled: Styled, indent: Int = 0, hanging: Int? = nil) {
        let hanging = hanging ?? indent
        let lines = wrapped(cells(styled), first: options.width - indent, rest: options.width - hanging)
        for (index, line) in lines.enumerated() {
            emit(line, indent: index == 0 ? indent : hanging)
        }
    }

    /// A line that is never wrapped, for what people copy.
    mutating func unwrapped(_ styled: Styled, indent: Int = 0) {
        emit(cells(styled), indent: indent)
    }

    /// `left` and `right` at the two margins, on two lines if they do not fit on one.
    mutating func line(_ left: Styled, right: Styled, indent: Int = 0, hanging: Int) {
        let leftCells = cells(left)
        let rightCells = cells(right)
        let gap = options.width - indent - Self.width(leftCells) - Self.width(rightCells)
        if gap >= 2 {
            emit(leftCells + padding(gap) + rightCells, indent: indent)
        } else {
            line(left, indent: indent, hanging: hanging)
            line(right, indent: hanging)
        }
    }

    /// Rows of cells in aligned columns; a column that is too wide is wrapped within itself.
    ///
    /// - Parameter prefix: Starts every line, before the first column.
    mutating func table(_ rows: [[Styled]], indent: Int, prefix: Styled = "") {
        let cells = rows.map { $0.map { self.cells($0) } }
        let prefix = self.cells(prefix)
        let room = options.width - indent - Self.width(prefix)
        let widths = Self.fitted(cells, into: room)
        for row in cells { tableRow(row, widths, indent: indent, prefix: prefix) }
    }

    /// Whether a table of these rows needs no wrapping.
    func fits(_ rows: [[Styled]], indent: Int) -> Bool {
        let widths = Self.columns(rows.map { $0.map { cells($0) } }, Self.width)
        return widths.reduce(0, +) + Self.gap * max(0, widths.count - 1) <= options.width - indent
    }

    private static let gap = 2

    private mutating func tableRow(_ row: [[Cell]], _ widths: [Int], indent: Int, prefix: [Cell]) {
        let columns = row.indices.map { wrapped(row[$0], first: widths[$0], rest: widths[$0]) }
        let height = columns.map(\.count).max() ?? 0
        for index in 0..<height {
            var line = prefix
            for (column, lines) in columns.enumerated() {
                let part = index < lines.count ? lines[index] : []
                line += part
                if column < columns.count - 1 {
                    line += padding(max(0, widths[column] - Self.width(part)) + Self.gap)
                }
            }
            emit(line, indent: indent)
        }
    }

    /// Widths that fit: taken from the widest column down to its longest word or half of the room, and only
    /// then from words.
    private static func fitted(_ rows: [[[Cell]]], into room: Int) -> [Int] {
        var widths = columns(rows, width)
        let words = columns(rows) { $0.split(whereSeparator: \.isSpace).map { width($0) }.max() ?? 0 }
        var excess = widths.reduce(0, +) + gap * max(0, widths.count - 1) - room
        for floors in [words.map { max(narrowest, min($0, room / 2)) }, words.map { min(narrowest, $0) }] {
            while excess > 0 {
                let open = widths.indices.filter { widths[$0] > floors[$0] }
                guard let widest = open.max(by: { widths[$0] < widths[$1] }) else { break }
                widths[widest] -= 1
                excess -= 1
            }
        }
        return widths
    }

    /// No column is made narrower than this.
    private static let narrowest = 12

    private static func columns(_ rows: [[[Cell]]], _ measure: ([Cell]) -> Int) -> [Int] {
        (0..<(rows.map(\.count).max() ?? 0)).map { column in
            rows.map { $0.indices.contains(column) ? measure($0[column]) : 0 }.max() ?? 0
        }
    }

    // MARK: Cells

    func width(of styled: Styled) -> Int { Self.width(cells(styled)) }

    /// `styled` with spaces after it up to `width` columns.
    func padded(_ styled: Styled, to width: Int) -> Styled {
        styled + Styled(String(repeating: " ", count: max(0, width - self.width(of: styled))))
    }

    /// The first `limit` columns of a text, ending in an ellipsis if that is not all.
    func cut(_ text: String, to limit: Int) -> String {
        let all = cells(Styled(text))
        if Self.width(all) <= limit { return text }
        let ellipsis = cells("…")
        var kept: [Cell] = []
        for cell in all where Self.width(kept) + cell.width + Self.width(ellipsis) <= limit {
            kept.append(cell)
        }
        return (kept + ellipsis).map(\.text).joined()
    }

    private func cells(_ styled: Styled) -> [Cell] {
        var cells: [Cell] = []
        cells.reserveCapacity(styled.spans.reduce(0) { $0 + $1.text.utf8.count })
        for span in styled.spans {
            for scalar in span.text.unicodeScalars {
                cells.append(Cell(scalar, span.style, ascii: options.ascii))
            }
        }
        return cells
    }

    private func padding(_ count: Int) -> [Cell] {
        Array(repeating: Cell(" ", .plain, ascii: false), count: count)
    }

    private static func width(_ cells: some Sequence<Cell>) -> Int {
        cells.reduce(0) { $0 + $1.width }
    }

    /// Lines of at most `first` and then `rest` columns, broken at spaces, else where the room ends.
    private func wrapped(_ cells: [Cell], first: Int, rest: Int) -> [[Cell]] {
        if Self.width(cells) <= first { return [cells] }
        var lines: [[Cell]] = []
        var line: [Cell] = []
        var used = 0
        var space: Int?
        for cell in cells {
            let room = max(1, lines.isEmpty ? first : rest)
            if used + cell.width > room, !line.isEmpty {
                if cell.isSpace { space = line.count }
                let end = space ?? line.count
                lines.append(Array(line[..<end]))
                line = Array(line[end...].drop(while: \.isSpace))
                used = Self.width(line)
                space = nil
                if cell.isSpace, line.isEmpty { continue }
            }
            if cell.isSpace { space = line.count }
            line.append(cell)
            used += cell.width
        }
        lines.append(line)
        return lines
    }

    /// Writes one line; neighbours of one style share their escape sequences, spaces at its end are left out.
    private mutating func emit(_ cells: [Cell], indent: Int) {
        let end = (cells.lastIndex { !$0.isSpace } ?? -1) + 1
        if end > 0 { text += String(repeating: " ", count: indent) }
        var rest = cells[..<end]
        while let style = rest.first?.style {
            let run = rest.prefix { $0.style == style }
            rest = rest[run.endIndex...]
            var painted = ""
            for cell in run { painted += cell.text }
            text += palette.paint(painted, style)
        }
        text += "\n"
    }
}
