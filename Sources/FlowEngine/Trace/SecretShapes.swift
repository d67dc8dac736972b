/// Texts that look like a secret, whoever wrote them: what is left when nobody said that a value is one.
package enum SecretShapes {
    package struct Finding: Sendable, Hashable {
        package let kind: String
        package let range: Range<String.Index>
    }

    /// What looks like a JWT (RFC 7519), a private key (RFC 7468) or a credential after its scheme (RFC 9110 §11.4).
    package static func findings(in text: String) -> [Finding] {
        var findings: [Finding] = []
        for range in text.ranges(of: "eyJ") {
            if let last = findings.last, last.range.contains(range.lowerBound) { continue }
            if let token = compactToken(in: text, from: range.lowerBound) {
                findings.append(Finding(kind: "jwt", range: token))
            }
        }
        for range in text.ranges(of: "-----BEGIN ") {
            if let key = privateKey(in: text, from: range) {
                findings.append(Finding(kind: "private_key", range: key))
            }
        }
        for scheme in ["Bearer ", "DPoP ", "Basic "] {
            for range in text.ranges(of: scheme) {
                let value = text[range.upperBound...].prefix { isTokenCharacter($0) }
                // A name and a colon are what stands in front of a placeholder.
                guard value.utf8.count >= shortestCredential, !text[value.endIndex...].hasPrefix(":"),
                    !findings.contains(where: { $0.range.overlaps(value.startIndex..<value.endIndex) })
                else { continue }
                findings.append(Finding(kind: "credential", range: value.startIndex..<value.endIndex))
            }
        }
        return findings.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// The text with placeholders in the place of what looks like a secret.
    package static func redacted(_ text: String) -> String {
        // Most texts have none of the beginnings, and every text of a trace comes here.
        guard text.utf8.count >= shortestCredential, mayHold(text) else { return text }
        let findings = findings(in: text)
        guard !findings.isEmpty else { return text }
        var result = ""
        var rest = text.startIndex
        for finding in findings {
            result += text[rest..<finding.range.lowerBound] + "‹\(finding.kind)›"
            rest = finding.range.upperBound
        }
        return result + text[rest...]
    }

    private static let beginnings = ["eyJ", "-----BEGIN ", "Bearer ", "DPoP ", "Basic "].map {
        Array($0.utf8)
    }

    /// Whether one of the beginnings is there, found without making characters of bytes.
    private static func mayHold(_ text: String) -> Bool {
        let found = text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.indices.contains { index in
                beginnings.contains { bytes[index] == $0[0] && bytes[index...].starts(with: $0) }
            }
        }
        return found ?? true
    }

    /// Shorter than any credential in use; words after "Basic" and "Bearer" in sentences are shorter.
    private static let shortestCredential = 20
    /// Header and claims of the smallest token that says anything.
    private static let shortestToken = 40

    private static func compactToken(in text: String, from start: String.Index) -> Range<String.Index>? {
        var end = start
        var dots = 0
        while end < text.endIndex, isURLSafe(text[end]) || (text[end] == "." && dots < 4) {
            if text[end] == "." { dots += 1 }
            end = text.index(after: end)
        }
        guard dots >= 2, text.utf8.distance(from: start, to: end) >= shortestToken else { return nil }
        return start..<end
    }

    private static func privateKey(
        in text: String, from begin: Range<String.Index>
    ) -> Range<String.Index>? {
        let label = text[begin.upperBound...].prefix { $0 != "-" }
        guard label.hasSuffix("PRIVATE KEY") else { return nil }
        // A key whose end was cut off is one all the same.
        let end = text[label.endIndex...].firstRange(of: "-----END \(label)-----")?.upperBound
        return begin.lowerBound..<(end ?? text.endIndex)
    }

    private static func isURLSafe(_ character: Character) -> Bool {
        guard let byte = character.asciiValue else { return false }
        return switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// `token68` of RFC 9110 §11.2.
    private static func isTokenCharacter(_ character: Character) -> Bool {
        isURLSafe(character) || ["+", "/", "~", ".", "="].contains(character)
    }
}
