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
    package static func sanitize(_ bytes: some Collection<UInt8>, limit: Int = limit) -> String {
        sanitize(String(decoding: bytes, as: UTF8.self), limit: limit)
    }

    /// Whether the text is printable ASCII and short, as nearly every text is; others are looked at by the scalar.
    private static func isHarmless(_ text: String, _ limit: Int) -> Bool {
        let found = text.utf8.withContiguousStorageIfAvailable { bytes in
            guard bytes.count <= limit else { return false }
            for byte in bytes where byte < 0x20 || byte > 0x7E { return false }
            return true
        }
        return found ?? false
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
