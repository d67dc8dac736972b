internal import CQREncode

/// A QR code of a text, drawn with half blocks: two modules a character, one above the other (ISO/IEC 18004).
///
/// Drawn light on dark, as terminals mostly are; with colours it is so on every terminal.
struct QRPicture: Sendable {
    /// Lines of the same length, quiet zone included.
    let lines: [String]

    var width: Int { lines.first?.count ?? 0 }

    /// Modules around the symbol; ISO/IEC 18004 §6.3.8 asks for four, and readers do with two on a dark screen.
    private static let quiet = 2
    /// A longer text makes a symbol that fits no usual terminal.
    private static let longest = 300

    /// - Parameter isLarge: Whether a symbol may be as large as a text needs.
    /// - Returns: `nil` for a text that is empty, too long or holds a zero byte, and without libqrencode.
    init?(_ text: String, isLarge: Bool = false) {
        let level = text.utf8.count > Self.longest ? QR_ECLEVEL_L : QR_ECLEVEL_M
        guard !text.isEmpty, isLarge || text.utf8.count <= Self.longest, !text.utf8.contains(0),
            fr_qrencode_library() != nil, let code = fr_qrencode(text, level)
        else { return nil }
        defer { fr_qrencode_free(code) }
        let side = Int(code.pointee.width)
        guard let data = code.pointee.data else { return nil }
        // The lowest bit of a byte says whether its module is dark.
        let dark = (0..<(side * side)).map { data[$0] & 1 == 1 }
        let isLight = { (row: Int, column: Int) in
            let (row, column) = (row - Self.quiet, column - Self.quiet)
            guard (0..<side).contains(row), (0..<side).contains(column) else { return true }
            return !dark[row * side + column]
        }
        let whole = side + 2 * Self.quiet
        lines = stride(from: 0, to: whole, by: 2).map { row in
            String(
                (0..<whole).map { column -> Character in
                    // Below the last row nothing is drawn.
                    switch (isLight(row, column), row + 1 < whole && isLight(row + 1, column)) {
                    case (true, true): "█"
                    case (true, false): "▀"
                    case (false, true): "▄"
                    case (false, false): " "
                    }
                })
        }
    }
}
