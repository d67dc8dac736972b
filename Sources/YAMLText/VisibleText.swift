/// Text of a file, or of whoever typed it, made fit for a terminal.
package enum VisibleText {
    /// `text` with everything written out that would not be seen for what it is.
    ///
    /// Line breaks too: the result is one line.
    package static func escaped(_ text: String) -> String {
        if text.unicodeScalars.allSatisfy(\.isVisible) { return text }
        return text.unicodeScalars.reduce(into: "") { $0 += cell($1).text }
    }

    /// How one character of a source line is shown, and how many columns that takes.
    static func cell(_ scalar: Unicode.Scalar) -> (text: String, width: Int) {
        if scalar.value >= 0x20, scalar.value < 0x7F { return (String(scalar), 1) }
        guard scalar.isVisible else {
            let text = "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            return (text, text.utf8.count)
        }
        return (String(scalar), scalar.columns)
    }
}

extension Unicode.Scalar {
    /// False for controls, for formatting characters such as the bidirectional ones, and for line breaks.
    var isVisible: Bool {
        if isASCII { return value >= 0x20 && value != 0x7F }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            return false
        default:
            // Letters that are drawn as nothing, such as the Hangul fillers.
            return !properties.isDefaultIgnorableCodePoint
        }
    }

    /// Terminal columns of a visible character.
    fileprivate var columns: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: return Self.wide.contains { $0.contains(value) } ? 2 : 1
        }
    }

    /// The blocks that Unicode 16 EastAsianWidth.txt gives as wide, and pictographs; gaps are not worth more.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
