/// Texts that look like a secret, whoever wrote them: what is left when nobody said that a value is one.
package enum SecretShapes {
    package struct Finding: Sendable, Hashable {
        package let kind: String
        package let range: Range<String.Index>
    }

    /// What looks like a JWT (RFC 7519), a private key (RFC 7468) or a credential after its scheme (RFC 9110 §11.4).
    package static func findings(in text: String) -> [Finding] {
        guard text.utf8.count >= shortestCredential else { return [] }
        let found =
            text.utf8.withContiguousStorageIfAvailable { Shapes(bytes: $0).all }
            ?? Array(text.utf8).withUnsafeBufferPointer { Shapes(bytes: $0).all }
        return found.map { shape in
            let start = text.utf8.index(text.startIndex, offsetBy: shape.range.lowerBound)
            let end = text.utf8.index(start, offsetBy: shape.range.count)
            return Finding(kind: shape.kind, range: start..<end)
        }
    }

    /// The text with placeholders in the place of what looks like a secret.
    package static func redacted(_ text: String) -> String {
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

    /// Shorter than any credential in use; words after "Basic" and "Bearer" in sentences are shorter.
    fileprivate static let shortestCredential = 20
    /// Header and claims of the smallest token that says anything.
    fileprivate static let shortestToken = 40
}

/// The search, by bytes: all that is looked for is ASCII.
private struct Shapes {
    let bytes: UnsafeBufferPointer<UInt8>

    struct Shape {
        let kind: String
        let range: Range<Int>
    }

    private static let token = Array("eyJ".utf8)
    private static let key = Array("-----BEGIN ".utf8)
    private static let schemes = ["Bearer ", "DPoP ", "Basic "].map { Array($0.utf8) }
    /// Which bytes are the first of a shape: every text of a trace comes here, and most places are none.
    private static let firstBytes = (0...UInt8.max).map { byte in
        ([token, key] + schemes).contains { $0[0] == byte }
    }

    /// In order, none overlapping another.
    var all: [Shape] {
        Self.firstBytes.withUnsafeBufferPointer { firstBytes in
            var shapes: [Shape] = []
            var index = 0
            while index < bytes.count {
                if firstBytes[Int(bytes[index])], let shape = shape(at: index) {
                    shapes.append(shape)
                    index = shape.range.upperBound
                } else {
                    index += 1
                }
            }
            return shapes
        }
    }

    private func shape(at index: Int) -> Shape? {
        if let token = compactToken(at: index) { return token }
        if holds(Self.key, at: index) { return privateKey(at: index) }
        guard let scheme = Self.schemes.first(where: { holds($0, at: index) }) else { return nil }
        let start = index + scheme.count
        if let token = compactToken(at: start) { return token }
        let end = end(of: start, while: Self.isTokenCharacter)
        // A name and a colon are what stands in front of a placeholder.
        guard end - start >= SecretShapes.shortestCredential, !holds([UInt8(ascii: ":")], at: end) else {
            return nil
        }
        return Shape(kind: "credential", range: start..<end)
    }

    private func compactToken(at start: Int) -> Shape? {
        guard holds(Self.token, at: start) else { return nil }
        var dots = 0
        let end = end(of: start) { byte in
            if byte == UInt8(ascii: ".") { dots += 1 }
            return Self.isURLSafe(byte) || byte == UInt8(ascii: ".") && dots <= 4
        }
        guard dots >= 2, end - start >= SecretShapes.shortestToken else { return nil }
        return Shape(kind: "jwt", range: start..<end)
    }

    private func privateKey(at start: Int) -> Shape? {
        let labelStart = start + Self.key.count
        let labelEnd = end(of: labelStart) { $0 != UInt8(ascii: "-") }
        let label = bytes[labelStart..<labelEnd]
        guard label.reversed().starts(with: "PRIVATE KEY".utf8.reversed()) else { return nil }
        let ending = Array("-----END ".utf8) + label + Array("-----".utf8)
        // A key whose end was cut off is one all the same.
        let last = (labelEnd..<bytes.count).first { holds(ending, at: $0) }
        return Shape(kind: "private_key", range: start..<(last.map { $0 + ending.count } ?? bytes.count))
    }

    private func holds(_ word: [UInt8], at index: Int) -> Bool {
        index + word.count <= bytes.count && bytes[index..<(index + word.count)].elementsEqual(word)
    }

    private func end(of start: Int, while isPart: (UInt8) -> Bool) -> Int {
        var end = start
        while end < bytes.count, isPart(bytes[end]) { end += 1 }
        return end
    }

    private static func isURLSafe(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// `token68` of RFC 9110 §11.2.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        isURLSafe(byte) || "+/~.=".utf8.contains(byte)
    }
}
