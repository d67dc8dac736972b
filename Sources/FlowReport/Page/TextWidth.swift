/// How wide a text is in a picture, roughly: a picture is laid out where no fonts are at hand.
enum TextWidth {
    /// In units of a picture whose texts are 12 high; rather more than it will be.
    static func of(_ text: String) -> Int {
        let tenths = text.unicodeScalars.reduce(0) { sum, scalar in
            switch scalar.value {
            // Capitals and wide letters, then what East Asian scripts write.
            case 0x41...0x5A, 0x6D, 0x77, 0x40, 0x25: sum + 88
            case 0x1100...0x115F, 0x2E80...0xFFDC, 0x1F300...0x1FAFF, 0x20000...0x3FFFD: sum + 130
            default: sum + 67
            }
        }
        return tenths / 10 + 1
    }

    /// Cuts a text that is wider, and shows it.
    static func cut(_ text: String, to width: Int) -> String {
        if of(text) <= width { return text }
        var result = ""
        for character in text {
            if of(result + String(character) + "…") > width { break }
            result.append(character)
        }
        return result + "…"
    }
}
