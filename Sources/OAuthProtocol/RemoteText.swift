internal import JOSE

/// Text from the network, made harmless for terminals, logs and pages.
package enum RemoteText {
    /// Longest text that is shown, in Unicode scalars: enough for every error description seen in practice.
    package static let limit = 500

    /// Removes control characters and bounds the length; a line break or tab becomes a space.
    ///
    /// Removed are C0, DEL, C1, the line and paragraph separators, and what reorders or hides text:
    /// bidirectional controls, zero-width characters and tags. A cut text ends in an ellipsis, which counts.
    ///
    /// - SeeAlso: Unicode Technical Report 36 §2.4; CWE-150
    package static func sanitize(_ text: String, limit: Int = limit) -> String {
        if isHarmless(text, limit) { return text }
        var result = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            guard let kept = replacement(scalar) else { continue }
            guard count < limit else {
                result.removeLast(min(1, count))
                result.append("…")
                break
            }
            result.append(kept)
            count += 1
        }
        return String(result)
    }

    /// The same for bytes; what is not UTF-8 becomes U+FFFD.
    package static func sanitize(_ bytes: some Collection<UInt8>, limit: Int) -> String {
        sanitize(String(decoding: bytes, as: UTF8.self), limit: limit)
    }

    /// Whether the text is short and stays as it is, as nearly every text does; others are looked at by the scalar.
    private static func isHarmless(_ text: String, _ limit: Int) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count <= limit else { return false }
            for index in bytes.indices {
                let byte = bytes[index]
                if byte < 0x20 || byte == 0x7F { return false }
                if byte >= 0xC2, !isHarmless(bytes, at: index) { return false }
            }
            return true
        }
    }

    /// Whether the character that begins at `index`, which is not ASCII, is surely kept.
    private static func isHarmless(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        let second = bytes[index + 1]
        return switch bytes[index] {
        case 0xC2: second >= 0xA0 && second != 0xAD
        case 0xD8: second != 0x9C
        case 0xE2:
            // Dashes, quotes and the ellipsis lie among what is not kept.
            second > 0x81 || second == 0x80 && (0x90..<0xA8).contains(bytes[index + 2])
        case 0xEF: second != 0xBB && second != 0xBF
        case 0xF3: second != 0xA0
        default: true
        }
    }

    private static func replacement(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: " "
        case 0x00...0x1F, 0x7F...0x9F: nil
        // Soft hyphen, Arabic letter mark, zero width and directional marks.
        case 0xAD, 0x61C, 0x200B...0x200F: nil
        // Line and paragraph separators, embeddings and overrides; word joiner, isolates.
        case 0x2028...0x202E, 0x2060...0x206F: nil
        // Byte order mark, interlinear annotation, tags.
        case 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F: nil
        default: scalar
        }
    }
}

extension String {
    /// Whether both are the same code points; `==` also accepts canonically equivalent texts.
    package func isExactly(_ other: String) -> Bool { hasSameBytes(as: other) }
}
