package import JOSE
package import OAuthProtocol

/// Finds known secrets in texts, in every form, in one pass over a text however many are known.
package struct SecretIndex: Sendable {
    /// Bytes of a form, or of the beginning of one, that is found: shorter ones would destroy texts and hide nothing.
    package static let shortest = 8

    private struct Form: Sendable {
        let bytes: [UInt8]
        let placeholder: String
    }

    /// A place in a text that holds one or more forms.
    private struct Finding {
        var range: Range<Int>
        /// The longest of them, which names it.
        var form: Form
    }

    /// By their first eight bytes.
    private var forms: [UInt64: [Form]] = [:]
    /// One bit for each of the first eight bytes that occur: nearly every place of a text is passed with a look at it.
    private var beginnings = [UInt64](repeating: 0, count: 256)

    package init() {}

    package init(_ secrets: [Secret]) {
        for secret in secrets { add(secret) }
    }

    package mutating func add(_ secret: Secret) {
        guard secret.length >= Self.shortest else { return }
        for form in SecretForms.of(secret.reveal()) { add(form, as: secret.description) }
    }

    /// A text by itself, without its other forms.
    package mutating func add(_ form: String, as placeholder: String) {
        let bytes = Array(form.utf8)
        guard bytes.count >= Self.shortest else { return }
        let head = bytes.prefix(Self.shortest).reduce(0) { $0 << 8 | UInt64($1) }
        guard forms[head]?.contains(where: { $0.bytes == bytes }) != true else { return }
        forms[head, default: []].append(Form(bytes: bytes, placeholder: placeholder))
        let (word, bit) = Self.place(of: head)
        beginnings[word] |= bit
    }

    /// The text with placeholders for all that is known.
    ///
    /// A text that ends in an ellipsis was cut, and may end in the first part of a secret.
    package func replaced(in text: String) -> String {
        guard text.utf8.count >= Self.shortest, !forms.isEmpty else { return text }
        if let result = text.utf8.withContiguousStorageIfAvailable({ replaced(text, $0) }) { return result }
        return Array(text.utf8).withUnsafeBufferPointer { replaced(text, $0) }
    }

    /// The value with placeholders in its texts; names stay.
    package func replaced(in value: JSONValue) -> JSONValue {
        guard !forms.isEmpty else { return value }
        switch value {
        case .null, .bool, .int, .number: return value
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
            result += finding.form.placeholder
            rest = finding.range.upperBound
        }
        return result + String(decoding: bytes[rest...], as: UTF8.self)
    }

    private static let ellipsis = Array("…".utf8)

    /// In order, none overlapping another.
    private func findings(in bytes: UnsafeBufferPointer<UInt8>) -> [Finding] {
        let isCut = bytes.suffix(Self.ellipsis.count).elementsEqual(Self.ellipsis)
        let whole = isCut ? bytes.count - Self.ellipsis.count : bytes.count
        var findings: [Finding] = []
        var head: UInt64 = 0
        for index in 0..<whole {
            head = head << 8 | UInt64(bytes[index])
            let (word, bit) = Self.place(of: head)
            guard index >= Self.shortest - 1, beginnings[word] & bit != 0, let forms = forms[head] else {
                continue
            }
            let rest = bytes[(index - Self.shortest + 1)..<whole]
            for form in forms {
                let isWhole = rest.count >= form.bytes.count
                guard isWhole ? rest.starts(with: form.bytes) : isCut && form.bytes.starts(with: rest) else {
                    continue
                }
                let end = rest.startIndex + min(rest.count, form.bytes.count)
                Self.join(Finding(range: rest.startIndex..<end, form: form), to: &findings)
            }
        }
        return findings
    }

    /// Two secrets that overlap are one place, so that no part of either is left.
    private static func join(_ finding: Finding, to findings: inout [Finding]) {
        guard let last = findings.last, last.range.upperBound > finding.range.lowerBound else {
            return findings.append(finding)
        }
        let end = max(last.range.upperBound, finding.range.upperBound)
        let form = finding.form.bytes.count > last.form.bytes.count ? finding.form : last.form
        findings[findings.count - 1] = Finding(range: last.range.lowerBound..<end, form: form)
    }

    private static func place(of head: UInt64) -> (word: Int, bit: UInt64) {
        let hash = (head &* 0x9E37_79B9_7F4A_7C15) >> 50
        return (Int(hash >> 6), 1 << (hash & 63))
    }
}
