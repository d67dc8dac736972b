package import JOSE
package import OAuthProtocol

/// Finds known secrets in texts, in every form, in one pass over a text however many are known.
package struct SecretIndex: Sendable {
    /// Bytes of a form, or of the beginning of one, that is found wherever it stands.
    package static let shortest = 8
    /// Bytes of a secret that is found where it stands alone as a word: shorter ones would destroy texts and hide nothing.
    package static let shortestWord = 4

    /// A place in a text that holds one or more secrets.
    package struct Finding: Sendable {
        /// Of its UTF-8.
        package fileprivate(set) var range: Range<Int>
        /// Of the longest form there.
        package fileprivate(set) var placeholder: String
        fileprivate var length: Int

        fileprivate init(_ placeholder: String, _ length: Int, _ range: Range<Int>) {
            self.range = range
            self.placeholder = placeholder
            self.length = length
        }
    }

    private var secrets: [KnownSecret] = []
    private var beginnings = FormBeginnings()
    /// Secrets too short to be looked for inside of words: nearly never any.
    private var words: [KnownSecret] = []

    package init() {}

    package init(_ secrets: [Secret]) {
        for secret in secrets { add(secret) }
    }

    /// Knows only what may stand in the texts, for a few that are looked through once.
    init(_ secrets: [Secret], in texts: [String]) {
        let beginnings = TextBeginnings(texts)
        for secret in secrets where beginnings.mayHold(secret) { add(secret) }
    }

    package mutating func add(_ secret: Secret) { insert(secret) }

    /// Adds a secret in all its forms; `false` where it is known.
    @discardableResult
    mutating func insert(_ secret: Secret) -> Bool {
        insert(secret.reveal(), .kind(secret.kind), isWhole: true)
    }

    /// A value in all its forms.
    package mutating func add(_ value: String, as placeholder: String) {
        insert(value, .placeholder(placeholder), isWhole: true)
    }

    /// A text by itself, without its other forms.
    mutating func add(form: String, as secret: Secret) { insert(form, .kind(secret.kind), isWhole: false) }

    @discardableResult
    private mutating func insert(_ text: String, _ name: KnownSecret.Name, isWhole: Bool) -> Bool {
        guard text.utf8.count >= Self.shortest else {
            // Looked for as it is, whatever its forms.
            if text.utf8.count < Self.shortestWord || words.contains(where: { $0.text == text }) {
                return false
            }
            words.append(KnownSecret(text, name, isWhole: isWhole))
            return true
        }
        var bytes = text
        return bytes.withUTF8 { value in
            if knows(text, value, isWhole: isWhole) { return false }
            secrets.append(KnownSecret(text, name, isWhole: isWhole))
            let place = UInt32(secrets.count - 1)
            let sought: UInt16 = isWhole ? .max : 0b11
            SecretForm.beginnings(of: value) { head, forms in
                if forms & sought != 0 { beginnings.append(head, of: place, forms & sought) }
            }
            return true
        }
    }

    /// Whether the text is looked for, in all forms if that is asked.
    private func knows(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>, isWhole: Bool) -> Bool {
        let head = UInt64(bigEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(as: UInt64.self))
        var next = beginnings.first(head)
        while let beginning = next {
            let known = secret(of: beginning)
            let isSought = beginning.forms & 1 != 0 && (known.isWhole || !isWhole)
            if isSought, known.text.hasSameBytes(as: text) { return true }
            next = beginnings.following(beginning)
        }
        return false
    }

    private func secret(of beginning: FormBeginnings.Beginning) -> KnownSecret {
        secrets[Int(beginning.secret)]
    }

    /// The text with placeholders for all that is known.
    ///
    /// What stands before an ellipsis was cut, and may end in the first part of a secret.
    package func replaced(in text: String) -> String {
        guard text.utf8.count >= Self.shortestWord, !isEmpty else { return text }
        if let result = text.utf8.withContiguousStorageIfAvailable({ replaced(text, $0) }) { return result }
        return Array(text.utf8).withUnsafeBufferPointer { replaced(text, $0) }
    }

    /// The value with placeholders in its texts and in its names, and for a number that is written as a secret is.
    package func replaced(in value: JSONValue) -> JSONValue {
        guard !isEmpty else { return value }
        switch value {
        case .null, .bool: return value
        case .int, .bigInteger, .number:
            let text = value.serialize()
            let shown = replaced(in: text)
            return shown == text ? value : .string(shown)
        case .string(let text): return .string(replaced(in: text))
        case .array(let items): return .array(items.map { replaced(in: $0) })
        case .object(let members):
            return .object(JSONObject(members.map { (replaced(in: $0.key), replaced(in: $0.value)) }))
        }
    }

    private func replaced(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) -> String {
        let findings = findings(in: bytes)
        guard !findings.isEmpty else { return text }
        var result = ""
        var rest = 0
        for finding in findings {
            result += String(decoding: bytes[rest..<finding.range.lowerBound], as: UTF8.self)
            result += finding.placeholder
            rest = finding.range.upperBound
        }
        return result + String(decoding: bytes[rest...], as: UTF8.self)
    }

    private var isEmpty: Bool { beginnings.isEmpty && words.isEmpty }

    private static let ellipsis = Array("…".utf8)

    /// What is known, escaped or not, in order and none overlapping another.
    package func findings(in bytes: UnsafeBufferPointer<UInt8>) -> [Finding] {
        let long = long(in: bytes)
        if words.isEmpty { return long }
        return Self.joined(long + words.flatMap { Self.words($0, in: bytes) })
    }

    /// Where a short secret stands alone, as it is written.
    private static func words(_ secret: KnownSecret, in bytes: UnsafeBufferPointer<UInt8>) -> [Finding] {
        let word = secret.bytes(0)
        guard bytes.count >= word.count else { return [] }
        return (0...(bytes.count - word.count)).compactMap { start in
            let end = start + word.count
            guard bytes[start] == word[0], bytes[start..<end].elementsEqual(word),
                start == 0 || !isLetter(bytes[start - 1]), end == bytes.count || !isLetter(bytes[end])
            else { return nil }
            return Finding(secret.placeholder, word.count, start..<end)
        }
    }

    /// A letter, a digit, or a part of a character outside of ASCII.
    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
        default: false
        }
    }

    private func long(in bytes: UnsafeBufferPointer<UInt8>) -> [Finding] {
        let isWritten = beginnings.mayBegin(in: bytes)
        let isEscaped = holdsBeginning(bytes, readAs: TextTraits(of: bytes))
        guard isWritten || isEscaped else { return [] }
        let (whole, isCut) = Self.whole(of: bytes)
        let findings = isWritten ? written(in: bytes, whole, isCut: isCut) : []
        return isEscaped ? Self.joined(findings + escaped(in: bytes, whole, isCut: isCut)) : findings
    }

    /// Without the ellipsis that it ends in.
    private static func whole(of bytes: UnsafeBufferPointer<UInt8>) -> (count: Int, isCut: Bool) {
        let isCut = bytes.suffix(ellipsis.count).elementsEqual(ellipsis)
        return (isCut ? bytes.count - ellipsis.count : bytes.count, isCut)
    }

    /// In order, none overlapping another.
    private static func joined(_ findings: [Finding]) -> [Finding] {
        var joined: [Finding] = []
        for finding in findings.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            join(finding, to: &joined)
        }
        return joined
    }

    /// Whether something that is known may stand in the text; `false` for nearly every text.
    func mayHold(_ bytes: UnsafeBufferPointer<UInt8>, _ traits: TextTraits) -> Bool {
        !words.isEmpty || beginnings.mayBegin(in: bytes) || holdsBeginning(bytes, readAs: traits)
    }

    /// Whether a form begins in the text as a reader takes it who undoes escapes and leaves out spaces.
    private func holdsBeginning(_ bytes: UnsafeBufferPointer<UInt8>, readAs traits: TextTraits) -> Bool {
        if beginnings.isEmpty || traits.isDisjoint(with: [.space, .escape]) { return false }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { plain in
            var count = 0
            if traits.contains(.escape) {
                let (whole, isCut) = Self.whole(of: bytes)
                var text = PlainBytes(bytes, to: whole, isCut: isCut)
                while let byte = text.next() {
                    // No escape is shorter than what it stands for.
                    guard count < plain.count else { return true }
                    plain[count] = byte
                    count += 1
                }
            } else {
                for byte in bytes {
                    plain[count] = byte
                    count &+= PlainBytes.isSpace(byte) ? 0 : 1
                }
            }
            return beginnings.mayBegin(in: UnsafeBufferPointer(rebasing: plain[..<count]))
        }
    }

    /// Bytes of a form that say that it stands there. What follows is taken along as far as it goes: in a text that
    /// repeats itself as a secret does, every place would have to be compared with all of the secret.
    private static let telling = 256

    /// The forms that stand there byte by byte.
    private func written(
        in bytes: UnsafeBufferPointer<UInt8>, _ whole: Int, isCut: Bool
    ) -> [Finding] {
        var findings: [Finding] = []
        var head: UInt64 = 0
        for index in 0..<whole {
            head = head << 8 | UInt64(bytes[index])
            guard index >= Self.shortest - 1 else { continue }
            let start = index - Self.shortest + 1
            let text = UnsafeBufferPointer(rebasing: bytes[start..<whole])
            var next = beginnings.first(head)
            while let beginning = next {
                next = beginnings.following(beginning)
                let secret = secret(of: beginning)
                for form in SecretForm.all.indices where beginning.forms & 1 << form != 0 {
                    let known = secret.bytes(form)
                    let covered = max(0, (findings.last?.range.upperBound ?? 0) - start)
                    guard let length = Self.length(of: known, in: text, isCut: isCut, covered) else {
                        continue
                    }
                    Self.join(
                        Finding(secret.placeholder, known.count, start..<(start + length)), to: &findings)
                }
            }
        }
        return findings
    }

    /// How much of a text is the beginning of a form, or as much of it as was left of it; `nil` for none.
    ///
    /// - Parameter covered: Bytes of the text that are replaced anyhow, which are not compared again.
    private static func length(
        of form: [UInt8], in text: UnsafeBufferPointer<UInt8>, isCut: Bool, _ covered: Int
    ) -> Int? {
        form.withUnsafeBufferPointer { form in
            let needed = min(form.count, telling)
            let limit = min(form.count, text.count)
            var length = 0
            while length < min(needed, limit), form[length] == text[length] { length += 1 }
            guard length == needed else {
                return isCut && length == text.count || isQuoted(text, at: length) ? length : nil
            }
            length = max(length, min(covered, limit))
            while length < limit, form[length] == text[length] { length += 1 }
            return length
        }
    }

    /// Whether a text was cut there, and something goes on after it, as in `unknown member "eyJhbGc…"`.
    private static func isQuoted(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        index >= shortest && text[index...].starts(with: ellipsis)
    }

    /// The forms that stand there once escapes are undone and lines are joined.
    private func escaped(
        in bytes: UnsafeBufferPointer<UInt8>, _ whole: Int, isCut: Bool
    ) -> [Finding] {
        let plain = UnescapedText(PlainBytes(bytes, to: whole, isCut: isCut))
        let isCut = isCut && plain.end == whole
        let findings = plain.bytes.withUnsafeBufferPointer { written(in: $0, $0.count, isCut: isCut) }
        return findings.map { finding in
            var finding = finding
            finding.range = plain.place(of: finding.range)
            return finding
        }
    }

    /// Two secrets that overlap are one place, so that no part of either is left.
    private static func join(_ finding: Finding, to findings: inout [Finding]) {
        guard var last = findings.last, last.range.upperBound > finding.range.lowerBound else {
            return findings.append(finding)
        }
        last.range = last.range.lowerBound..<max(last.range.upperBound, finding.range.upperBound)
        if finding.length > last.length {
            (last.placeholder, last.length) = (finding.placeholder, finding.length)
        }
        findings[findings.count - 1] = last
    }
}
