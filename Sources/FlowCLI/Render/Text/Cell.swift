/// One character as a terminal shows it.
///
/// The only way from text to output: whatever is a control, a formatting character or a line break is written out as
/// `\u{…}`, so that no text can move the cursor, change colours or reorder a line.
struct Cell: Sendable, Hashable {
    let text: String
    /// Terminal columns.
    let width: Int
    let style: Style

    /// Whether a line may be broken here; a no-break space looks the same.
    let isSpace: Bool

    init(_ scalar: Unicode.Scalar, _ style: Style, ascii: Bool) {
        self.style = style
        isSpace = scalar == " "
        if scalar.value >= 0x20, scalar.value < 0x7F {
            (text, width) = (String(scalar), 1)
        } else if scalar == "\u{A0}" {
            (text, width) = (" ", 1)
        } else if ascii, let letters = Symbol.ascii(scalar) {
            (text, width) = (letters, letters.utf8.count)
        } else if ascii || !Self.isVisible(scalar) {
            text = "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            width = text.utf8.count
        } else {
            (text, width) = (String(scalar), Self.columns(scalar))
        }
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            false
        default:
            // Letters that are drawn as nothing, such as the Hangul fillers.
            !scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    private static func columns(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: 0
        default: wide.contains { $0.contains(scalar.value) } ? 2 : 1
        }
    }

    /// The blocks that Unicode 16 EastAsianWidth.txt gives as wide, and pictographs; gaps are not worth more.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
