package import JOSE
package import OAuthProtocol

/// Finds known secrets in texts, in every form, in one pass over a text however many are known.
package struct SecretIndex: Sendable {
    /// Bytes of a form, or of the beginning of one, that is found wherever it stands.
    package static let shortest = 8
    /// Bytes of a secret that is found where it stands alone as a word: shorter ones would destroy texts and hide nothing.
    package static let shortestWord = 4

    /// A form of a secret: small and without references, since every secret has a dozen of them.
    private struct Form: Sendable {
        /// Its first eight bytes.
        let head: UInt64
        /// The place of its secret in `secrets`.
        let secret: UInt32
        /// The place behind that of the next form in the same bucket, 0 for none.
        let next: UInt32
        /// Its place in `SecretForm.all`.
        let number: Int8
    }

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
    private var forms: [Form] = []
    /// Secrets too short to be looked for inside of words: nearly never any.
    private var words: [KnownSecret] = []
    /// By the hash of the first eight bytes the place behind that of the last form with it, 0 where there is none: nearly
    /// every place of a text is passed with a look at it. Empty as long as nothing is known.
    private var buckets: [UInt32] = []
    private static let bucketBits = 11

    package init() {}

    package init(_ secrets: [Secret]) {
        for secret in secrets { add(secret) }
    }

    /// Knows only what may stand in the texts, for a few that are looked through once.
    init(_ secrets: [Secret], in texts: [String]) {
        let beginnings = TextBeginnings(texts)
        for secret in secrets where beginnings.mayHold(secret) { add(secret) }
    }

    package mutating func add(_ secret: Secret) { add(secret.reveal(), as: secret.description) }

    /// A value in all its forms.
    package mutating func add(_ value: String, as placeholder: String) {
        add(KnownSecret(value, placeholder: placeholder, isWhole: true), SecretForm.all.indices)
    }

    /// Whether the value is looked for in all its forms.
    func holds(_ value: String) -> Bool {
        guard value.utf8.count >= Self.shortest else { return words.contains { $0.text == value } }
        var next = first(beginningWith: value.utf8.prefix(Self.shortest).reduce(0) { $0 << 8 | UInt64($1) })
        while let place = next {
            let form = forms[place]
            if form.number == 0, secret(of: form).isWhole, secret(of: form).text == value { return true }
            next = following(form)
        }
        return false
    }

    /// A text by itself, without its other forms.
    mutating func add(form: String, as placeholder: String) {
        add(
            KnownSecret(form, placeholder: placeholder, isWhole: false),
            SecretForm.all.indices.prefix(2))
    }

    private mutating func add(_ secret: KnownSecret, _ numbers: Range<Int>) {
        guard secret.value.count >= Self.shortest else {
            if secret.value.count >= Self.shortestWord { words.append(secret) }
            return
        }
        if buckets.isEmpty {
            buckets = Array(repeating: 0, count: 1 << Self.bucketBits)
            // The secrets of a sign-in.
            forms.reserveCapacity(128)
        }
        secrets.append(secret)
        for number in numbers {
            let form = SecretForm.all[number]
            if case .plain = form, !secret.value.contains(where: PlainBytes.isSpecial) { continue }
            guard let head = secret.value.withUnsafeBufferPointer(form.head) else { continue }
            append(number, beginningWith: head)
        }
    }

    /// Adds the form of the last secret unless it is there.
    private mutating func append(_ number: Int, beginningWith head: UInt64) {
        let added = secrets[secrets.count - 1]
        let bucket = Self.bucket(of: head)
        var next = first(beginningWith: head)
        while let place = next {
            let known = forms[place]
            let other = secret(of: known)
            // What is known in one form only may be met in the others later.
            if known.number == number, other.value == added.value, other.isWhole || !added.isWhole { return }
            next = following(known)
        }
        forms.append(
            Form(
                head: head, secret: UInt32(secrets.count - 1), next: buckets[bucket], number: Int8(number)))
        buckets[bucket] = UInt32(forms.count)
    }

    private func secret(of form: Form) -> KnownSecret { secrets[Int(form.secret)] }

    /// The text with placeholders for all that is known.
    ///
    /// A text that ends in an ellipsis was cut, and may end in the first part of a secret.
    package func replaced(in text: String) -> String {
        guard text.utf8.count >= Self.shortestWord, !isEmpty else { return text }
        if let result = text.utf8.withContiguousStorageIfAvailable({ replaced(text, $0) }) { return result }
        return Array(text.utf8).withUnsafeBufferPointer { replaced(text, $0) }
    }

    /// The value with placeholders in its texts; names stay.
    package func replaced(in value: JSONValue) -> JSONValue {
        guard !isEmpty else { return value }
        switch value {
        case .null, .bool, .int, .bigInteger, .number: return value
        case .string(let text): return .string(replaced(in: text))
        case .array(let items): return .array(items.map { replaced(in: $0) })
        case .object(let members):
            return .object(JSONObject(members.map { ($0.key, replaced(in: $0.value)) }))
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

    private var isEmpty: Bool { forms.isEmpty && words.isEmpty }

    private static let ellipsis = Array("…".utf8)

    /// What is known, escaped or not, in order and none overlapping another.
    package func findings(in bytes: UnsafeBufferPointer<UInt8>) -> [Finding] {
        let long = long(in: bytes)
        if words.isEmpty { return long }
        return Self.joined(long + words.flatMap { Self.words($0, in: bytes) })
    }

    /// Where a short secret stands alone, as it is written.
    private static func words(_ secret: KnownSecret, in bytes: UnsafeBufferPointer<UInt8>) -> [Finding] {
        let word = secret.value
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
        guard !forms.isEmpty, mayHold(bytes) else { return [] }
        let isCut = bytes.suffix(Self.ellipsis.count).elementsEqual(Self.ellipsis)
        let whole = isCut ? bytes.count - Self.ellipsis.count : bytes.count
        let findings = written(in: bytes, whole, isCut: isCut)
        guard bytes.contains(where: PlainBytes.isSpecial) else { return findings }
        return Self.joined(findings + escaped(in: bytes, whole, isCut: isCut))
    }

    /// In order, none overlapping another.
    private static func joined(_ findings: [Finding]) -> [Finding] {
        var joined: [Finding] = []
        for finding in findings.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            join(finding, to: &joined)
        }
        return joined
    }

    /// Whether a form may begin in the text, as it is written or as a reader takes it; `false` for nearly every text, after
    /// one look at each byte.
    private func mayHold(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        buckets.withUnsafeBufferPointer { buckets in
            var written: UInt64 = 0
            var plain: UInt64 = 0
            for index in bytes.indices {
                let byte = bytes[index]
                written = written << 8 | UInt64(byte)
                // With fewer than eight bytes the head begins with zeros: at worst the text is looked at more closely.
                if buckets[Self.bucket(of: written)] != 0, first(beginningWith: written) != nil {
                    return true
                }
                if PlainBytes.isSpecial(byte) {
                    guard PlainBytes.isSpace(byte) else { return true }
                } else {
                    plain = plain << 8 | UInt64(byte)
                    if plain != written, buckets[Self.bucket(of: plain)] != 0,
                        first(beginningWith: plain) != nil
                    {
                        return true
                    }
                }
            }
            return false
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
            var next = first(beginningWith: head)
            while let place = next {
                let form = forms[place]
                next = following(form)
                let secret = secret(of: form)
                let known = secret.bytes(Int(form.number))
                let covered = max(0, (findings.last?.range.upperBound ?? 0) - start)
                guard let length = Self.length(of: known, in: text, isCut: isCut, covered) else { continue }
                Self.join(
                    Finding(secret.placeholder, known.count, start..<(start + length)), to: &findings)
            }
        }
        return findings
    }

    /// How much of a text is the beginning of a form, or as much of it as the text was cut in; `nil` for none.
    ///
    /// - Parameter covered: Bytes of the text that are replaced anyhow, which are not compared again.
    private static func length(
        of form: [UInt8], in text: UnsafeBufferPointer<UInt8>, isCut: Bool, _ covered: Int
    ) -> Int? {
        form.withUnsafeBufferPointer { form in
            let compared = min(form.count, telling, text.count)
            guard compared == min(form.count, telling) || isCut else { return nil }
            for index in 0..<compared where form[index] != text[index] { return nil }
            let limit = min(form.count, text.count)
            var length = max(compared, min(covered, limit))
            while length < limit, form[length] == text[length] { length += 1 }
            return length
        }
    }

    /// The forms that stand there once escapes are undone and lines are joined.
    private func escaped(
        in bytes: UnsafeBufferPointer<UInt8>, _ whole: Int, isCut: Bool
    ) -> [Finding] {
        guard holdsBeginning(PlainBytes(bytes, to: whole, isCut: isCut)) else { return [] }
        let plain = PlainText(PlainBytes(bytes, to: whole, isCut: isCut))
        let isCut = isCut && plain.end == whole
        let findings = plain.bytes.withUnsafeBufferPointer { written(in: $0, $0.count, isCut: isCut) }
        return findings.map { finding in
            var finding = finding
            finding.range = plain.place(of: finding.range)
            return finding
        }
    }

    private func holdsBeginning(_ text: PlainBytes) -> Bool {
        var text = text
        var head: UInt64 = 0
        var count = 0
        while let byte = text.next() {
            head = head << 8 | UInt64(byte)
            count += 1
            if count >= Self.shortest, first(beginningWith: head) != nil { return true }
        }
        return false
    }

    private func first(beginningWith head: UInt64) -> Int? {
        forms.isEmpty ? nil : place(beginningWith: head, from: buckets[Self.bucket(of: head)])
    }

    private func following(_ form: Form) -> Int? { place(beginningWith: form.head, from: form.next) }

    /// The place of the first form of a bucket, from the one before `link` on, that begins with these bytes.
    private func place(beginningWith head: UInt64, from link: UInt32) -> Int? {
        var link = link
        while link != 0 {
            let place = Int(link) - 1
            if forms[place].head == head { return place }
            link = forms[place].next
        }
        return nil
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

    private static func bucket(of head: UInt64) -> Int {
        Int((head &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - bucketBits))
    }
}

/// A text with its escapes undone.
private struct PlainText {
    private(set) var bytes: [UInt8] = []
    /// Where in the text each of them is written.
    private var starts: [Int] = []
    private var ends: [Int] = []

    init(_ text: PlainBytes) {
        var text = text
        while let byte = text.next() {
            bytes.append(byte)
            starts.append(text.range.lowerBound)
            ends.append(text.range.upperBound)
        }
        // Half an escape that the text ends in belongs to what is before it.
        if let last = ends.indices.last { ends[last] = text.range.upperBound }
    }

    /// Where the last of them ends.
    var end: Int? { ends.last }

    /// Where a range of its bytes, which is not empty, stands in the text.
    func place(of range: Range<Int>) -> Range<Int> {
        starts[range.lowerBound]..<max(ends[range.upperBound - 1], starts[range.lowerBound])
    }
}
