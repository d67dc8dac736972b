/// Texts that look like a secret, whoever wrote them: what is left when nobody said that a value is one.
package enum SecretShapes {
    package struct Finding: Sendable, Hashable {
        package let kind: String
        /// Of the UTF-8 of the text.
        package let range: Range<Int>
    }

    /// Each shape has one of these letters: of `eyJ`, `BEGIN`, `Bearer`, `Basic` and `DPoP`.
    static let letters = Array("JBD".utf8)

    /// What looks like a JWT (RFC 7519), a private key (RFC 7468) or a credential after its scheme (RFC 9110 §11.4), in
    /// order and none overlapping another.
    package static func findings(in bytes: UnsafeBufferPointer<UInt8>) -> [Finding] {
        bytes.count < shortestCredential ? [] : Shapes.all(in: bytes)
    }

    /// The text with placeholders in the place of what looks like a secret.
    package static func redacted(_ text: String) -> String {
        var text = text
        return text.withUTF8 { redacted($0) } ?? text
    }

    /// `nil` where nothing looks like a secret, as is so with nearly every text.
    private static func redacted(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let findings = findings(in: bytes)
        guard !findings.isEmpty else { return nil }
        var result = ""
        var rest = 0
        for finding in findings {
            result += String(decoding: bytes[rest..<finding.range.lowerBound], as: UTF8.self)
            result += "‹\(finding.kind)›"
            rest = finding.range.upperBound
        }
        return result + String(decoding: bytes[rest...], as: UTF8.self)
    }

    /// Shorter than any credential in use; words after "Basic" and "Bearer" in sentences are shorter.
    fileprivate static let shortestCredential = 20
    /// Header and claims of the smallest token that says anything.
    fileprivate static let shortestToken = 40
}

/// The search, by bytes: all that is looked for is ASCII.
private struct Shapes {
    private let bytes: UnsafeBufferPointer<UInt8>
    /// Where the last word ended that is no token for want of dots: no part of it is one either.
    private var dotless = 0

    private static let token = Array("eyJ".utf8)
    private static let key = Array("-----BEGIN ".utf8)
    private static let schemes = ["Bearer ", "DPoP ", "Basic "].map { Array($0.utf8) }
    /// Which bytes are the first of a shape: every text of a trace comes here, and most places are none.
    private static let firstBytes = (0...UInt8.max).map { byte in
        ([token, key] + schemes).contains { $0[0] == byte }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    static func all(in bytes: UnsafeBufferPointer<UInt8>) -> [SecretShapes.Finding] {
        firstBytes.withUnsafeBufferPointer { firstBytes in
            var search = Shapes(bytes: bytes)
            var shapes: [SecretShapes.Finding] = []
            var index = 0
            while index < bytes.count {
                if firstBytes[Int(bytes[index])], let shape = search.shape(at: index) {
                    shapes.append(shape)
                    index = shape.range.upperBound
                } else {
                    index += 1
                }
            }
            return shapes
        }
    }

    private mutating func shape(at index: Int) -> SecretShapes.Finding? {
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
        return SecretShapes.Finding(kind: "credential", range: start..<end)
    }

    private mutating func compactToken(at start: Int) -> SecretShapes.Finding? {
        guard start >= dotless, holds(Self.token, at: start) else { return nil }
        var dots = 0
        let end = end(of: start) { byte in
            if byte == UInt8(ascii: ".") { dots += 1 }
            return Self.isURLSafe(byte) || byte == UInt8(ascii: ".") && dots <= 4
        }
        if dots < 2 { dotless = end }
        guard dots >= 2, end - start >= SecretShapes.shortestToken else { return nil }
        return SecretShapes.Finding(kind: "jwt", range: start..<end)
    }

    private func privateKey(at start: Int) -> SecretShapes.Finding? {
        let labelStart = start + Self.key.count
        let labelEnd = end(of: labelStart) { $0 != UInt8(ascii: "-") }
        let label = bytes[labelStart..<labelEnd]
        guard label.reversed().starts(with: "PRIVATE KEY".utf8.reversed()) else { return nil }
        let ending = Array("-----END ".utf8) + Array(label) + Array("-----".utf8)
        // A key whose end was cut off is one all the same.
        let last = (labelEnd..<bytes.count).first { holds(ending, at: $0) }
        return SecretShapes.Finding(
            kind: "private_key", range: start..<(last.map { $0 + ending.count } ?? bytes.count))
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
