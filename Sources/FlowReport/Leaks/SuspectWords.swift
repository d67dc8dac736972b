internal import FlowEngine

/// What the words of a line give away: values after names that say that they are secret, and words that look like keys.
struct SuspectWords {
    private let line: UnsafeBufferPointer<UInt8>
    /// The line in front of it: where a document is written in lines, a value's name stands there.
    private let before: UnsafeBufferPointer<UInt8>
    private var findings: [LeakScanner.Finding] = []
    /// Where the last value ended that its name gave away.
    private var namedEnd = 0

    static func findings(
        in line: UnsafeBufferPointer<UInt8>, after before: UnsafeBufferPointer<UInt8>
    ) -> [LeakScanner.Finding] {
        var words = SuspectWords(line: line, after: before)
        words.read()
        return words.findings
    }

    private init(line: UnsafeBufferPointer<UInt8>, after before: UnsafeBufferPointer<UInt8>) {
        self.line = line
        self.before = before
    }

    private mutating func read() {
        var offset = 0
        while offset < line.count {
            if Self.isWordByte(line[offset]) {
                let end = end(of: offset, while: Self.isWordByte)
                lookAt(offset..<end)
                offset = end
            } else if let password = password(at: offset) {
                findings.append(.init(range: password, what: "a password in a URL", isSure: true))
                offset = password.upperBound
            } else {
                offset += isPercentEncoded(offset) ? 3 : 1
            }
        }
    }

    private mutating func lookAt(_ word: Range<Int>) {
        if let start = valueStart(after: word), start >= namedEnd, let name = secretName(word),
            end(of: start, while: Self.isValueByte, limit: SecretIndex.shortest) - start
                == SecretIndex.shortest,
            !Self.placeholders.contains(where: { holds($0, at: start) }),
            line[word.upperBound] != UInt8(ascii: ":") || isNoWord(from: start)
        {
            namedEnd = end(of: start, while: Self.isValueByte)
            findings.append(.init(range: start..<namedEnd, what: "a value of \(name)", isSure: true))
        }
        if isDense(word), !isDigest(word) {
            findings.append(.init(range: word, what: "a text that looks like a key", isSure: false))
        }
    }

    private func end(of start: Int, while isPart: (UInt8) -> Bool, limit: Int = .max) -> Int {
        var end = start
        while end < line.count, end - start < limit, isPart(line[end]) { end += 1 }
        return end
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }

    private func isPercentEncoded(_ place: Int) -> Bool {
        line[place] == UInt8(ascii: "%") && place + 2 < line.count
            && Self.isHexadecimal(line[place + 1]) && Self.isHexadecimal(line[place + 2])
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }

    private func holds(_ word: String, at place: Int) -> Bool {
        place + word.utf8.count <= line.count
            && line[place..<(place + word.utf8.count)].elementsEqual(word.utf8)
    }

    // MARK: By name

    /// Where the value of a member or of a parameter begins; `nil` where the word is no name of one.
    private func valueStart(after word: Range<Int>) -> Int? {
        guard word.upperBound < line.count else { return nil }
        switch line[word.upperBound] {
        case UInt8(ascii: "="): return word.upperBound + 1
        case UInt8(ascii: "%"):
            let isEqualSign = ["%3D", "%3d"].contains { holds($0, at: word.upperBound) }
            return isEqualSign ? word.upperBound + 3 : nil
        case UInt8(ascii: ":"):
            // `client_secret: …`, as YAML and header fields have it.
            return holds(": ", at: word.upperBound) ? word.upperBound + 2 : nil
        case UInt8(ascii: "\""):
            guard isQuoted(word) else { return nil }
            let opening = Self.openings.first { holds($0, at: word.upperBound) }
            return opening.map { word.upperBound + $0.utf8.count }
        default: return nil
        }
    }

    /// `"client_secret":"…"`, the pairs of a trace, `"n":"client_secret","v":"…"`, and those of an HTTP archive.
    private static let openings = [
        "\":\"", "\": \"", "\",\"v\":\"", "\",\"value\":\"", "\", \"value\": \"",
    ]

    private func isQuoted(_ word: Range<Int>) -> Bool {
        word.lowerBound > 0 && line[word.lowerBound - 1] == UInt8(ascii: "\"")
    }

    private mutating func secretName(_ word: Range<Int>) -> String? {
        guard word.count <= Self.longestName else { return nil }
        let name = String(decoding: line[word], as: UTF8.self)
        if name == "d", isQuoted(word), holdsKey { return "a private key" }
        // `"name": "client_secret",` and its value below.
        if name == "value", isQuoted(word) { return nameAbove }
        return Self.names.contains(name.lowercased()) ? name : nil
    }

    /// Whether a JSON Web Key is in the line (RFC 7517 §4.1).
    private lazy var holdsKey = String(decoding: line, as: UTF8.self).contains("\"kty\"")

    private var nameAbove: String? {
        let words = String(decoding: before.suffix(80), as: UTF8.self)
            .split(separator: "\"", omittingEmptySubsequences: false)
        guard words.count == 5, words[1] == "name", words[2].allSatisfy({ " :".contains($0) }) else {
            return nil
        }
        return Self.names.contains(words[3].lowercased()) ? String(words[3]) : nil
    }

    /// Whether the value is none of those that stand there in prose and in descriptors: it has letters and digits.
    private func isNoWord(from start: Int) -> Bool {
        let value = line[start..<end(of: start, while: Self.isValueByte)]
        return value.count >= 16 && value.contains { (0x30...0x39).contains($0) }
            && value.contains { (0x61...0x7A).contains($0 | 0x20) }
    }

    /// The password of `https://user:password@host/` that begins with the slashes there (RFC 3986 §3.2.1).
    private func password(at place: Int) -> Range<Int>? {
        guard holds("://", at: place) else { return nil }
        let isName = { (byte: UInt8) in Self.isValueByte(byte) && byte != UInt8(ascii: "/") }
        let colon = end(of: place + 3, while: isName, limit: Self.longestUser)
        guard colon > place + 3, colon < line.count, line[colon] == UInt8(ascii: ":") else { return nil }
        let sign = end(of: colon + 1, while: isName, limit: Self.longestUser)
        guard sign > colon + 1, sign < line.count, line[sign] == UInt8(ascii: "@") else { return nil }
        return (colon + 1)..<sign
    }

    private static let longestUser = 256

    private static func isValueByte(_ byte: UInt8) -> Bool {
        isWordByte(byte) || ".~+/=%".utf8.contains(byte)
    }

    /// What a report writes in the place of a secret, percent-encoded; as it is it holds no byte of a value.
    private static let placeholders = ["%E2%80%B9", "%C2%AB"]

    private static let names: Set<String> = [
        "access_token", "refresh_token", "id_token", "client_secret", "client_assertion", "assertion", "code",
        "code_verifier", "device_code", "password", "registration_access_token", "request_uri", "state",
        "nonce", "subject_token", "actor_token", "api_key", "private_key", "cookie", "set-cookie",
    ]
    private static let longestName = names.map(\.utf8.count).max() ?? 0

    // MARK: By density

    private static let shortestKey = 32

    /// Long texts without a pattern: keys look like that, and so do digests.
    private func isDense(_ word: Range<Int>) -> Bool {
        guard word.count >= Self.shortestKey else { return false }
        let text = line[word]
        let hasAll =
            text.contains { (0x41...0x5A).contains($0) } && text.contains { (0x61...0x7A).contains($0) }
            && text.contains { (0x30...0x39).contains($0) }
        // Words and paths repeat few letters often.
        return hasAll && Set(text).count * 2 >= min(word.count, 44)
    }

    /// `sha256-…`, `sha256:…` and the challenge of PKCE are made to be seen.
    private func isDigest(_ word: Range<Int>) -> Bool {
        if holds("sha256-", at: word.lowerBound) { return true }
        let words = wordsBefore(word)
        // `"name": "code_challenge",` and the value of that below, as an HTTP archive has them.
        let isBelow = words.split(separator: " ").joined() == "\"value\":\""
        let name = isBelow ? String(decoding: before.suffix(60), as: UTF8.self) : ""
        return ["sha256", "_hash", "code_challenge", "thumbprint", "jkt", "kid"].contains {
            words.contains($0) || name.contains("\"name\": \"\($0)")
        }
    }

    /// The last bytes in front of a word, without the tags that a page has between a name and its value and within both.
    private func wordsBefore(_ word: Range<Int>) -> String {
        var kept: [UInt8] = []
        var isTag = false
        var place = word.lowerBound
        let first = max(0, place - Self.longestLook)
        while place > first, kept.count < Self.longestLead {
            place -= 1
            switch line[place] {
            case UInt8(ascii: ">"): isTag = true
            case UInt8(ascii: "<"): isTag = false
            default: if !isTag { kept.append(line[place]) }
            }
        }
        return String(decoding: kept.reversed(), as: UTF8.self)
    }

    private static let longestLead = 24
    private static let longestLook = 120
}
