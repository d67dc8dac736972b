internal import FlowEngine
internal import JOSE

/// Looks for secrets in a text that is about to be shown to others: a trace, a report, a log.
package struct LeakScanner: Sendable {
    /// A place where a secret is.
    package struct Leak: Sendable, Hashable {
        /// From 1.
        package let line: Int
        /// In characters, from 1.
        package let column: Int
        /// `the value of CLIENT_SECRET`, `a JSON Web Token`.
        package let what: String
        /// Whether it is surely a secret, and does not only look like one.
        package let isSure: Bool
    }

    private let known: [(name: String, forms: [String])]

    /// - Parameter known: Values that must not be there, with what they are called; shorter than 8 bytes they are not
    ///   looked for, since they would be found in everything.
    package init(known: [(name: String, value: String)] = []) {
        self.known = known.filter { $0.value.utf8.count >= 8 }.map { ($0.name, SecretForms.of($0.value)) }
    }

    /// What was found, in the order of the text.
    package func leaks(in text: String) -> [Leak] {
        var leaks: [Leak] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = String(line)
            var found: [(at: String.Index, what: String, isSure: Bool)] = []
            for (name, forms) in known {
                if let form = forms.lazy.compactMap({ line.firstRange(of: $0) }).first {
                    found.append((form.lowerBound, "the value of \(name)", true))
                }
            }
            for finding in SecretShapes.findings(in: line) {
                found.append((finding.range.lowerBound, Self.words(finding.kind), true))
            }
            found += Self.named(line)
            found += Self.dense(line).filter { dense in
                !found.contains { dense.range.contains($0.at) }
            }.map { ($0.range.lowerBound, "a text that looks like a key", false) }
            var columns: Set<Int> = []
            for (place, what, isSure) in found.sorted(by: { $0.at < $1.at }) {
                let column = line.distance(from: line.startIndex, to: place) + 1
                guard columns.insert(column).inserted else { continue }
                leaks.append(Leak(line: index + 1, column: column, what: what, isSure: isSure))
            }
        }
        return leaks
    }

    private static func words(_ kind: String) -> String {
        switch kind {
        case "jwt": "a JSON Web Token with its signature"
        case "private_key": "a private key"
        default: "a credential after its scheme"
        }
    }

    // MARK: By name

    /// Values of members and parameters whose names say that they are secret.
    private static func named(_ line: String) -> [(at: String.Index, what: String, isSure: Bool)] {
        var found: [(at: String.Index, what: String, isSure: Bool)] = []
        for name in names {
            for opening in ["\"\(name)\":\"", "\"\(name)\": \"", "\(name)=", "\(name)%3D"] {
                for range in line.ranges(of: opening) {
                    if opening.hasPrefix(name), isInsideOfName(line, range.lowerBound) { continue }
                    let value = line[range.upperBound...].prefix { isValueCharacter($0) }
                    guard value.utf8.count >= 8, !isPlaceholder(value) else { continue }
                    found.append((range.upperBound, "a value of \(name)", true))
                }
            }
        }
        return found
    }

    private static func isInsideOfName(_ line: String, _ place: String.Index) -> Bool {
        guard place > line.startIndex else { return false }
        let before = line[line.index(before: place)]
        return before.isLetter || before.isNumber || before == "_" || before == "-"
    }

    private static func isValueCharacter(_ character: Character) -> Bool {
        character.isASCII
            && (character.isLetter || character.isNumber
                || ["-", "_", ".", "~", "+", "/", "=", "%"].contains(character))
    }

    /// What a report writes in the place of a secret, in whatever escaping.
    private static func isPlaceholder(_ value: Substring) -> Bool {
        value.hasPrefix("%E2%80%B9") || value.hasPrefix("%C2%AB")
    }

    private static let names = [
        "access_token", "refresh_token", "id_token", "client_secret", "client_assertion", "assertion", "code",
        "code_verifier", "device_code", "password", "registration_access_token", "request_uri", "state",
        "nonce",
        "subject_token", "actor_token", "api_key", "private_key",
    ]

    // MARK: By density

    /// Long texts without a pattern: keys look like that, and so do digests.
    private static func dense(_ line: String) -> [(range: Range<String.Index>, word: Substring)] {
        var found: [(range: Range<String.Index>, word: Substring)] = []
        var rest = line[...]
        while let start = rest.firstIndex(where: isKeyCharacter) {
            let word = rest[start...].prefix(while: isKeyCharacter)
            if isDense(word), !isDigest(line, start) { found.append((start..<word.endIndex, word)) }
            rest = rest[word.endIndex...]
        }
        return found
    }

    private static func isKeyCharacter(_ character: Character) -> Bool {
        character.isASCII
            && (character.isLetter || character.isNumber || character == "_" || character == "-")
    }

    private static let shortestKey = 32

    private static func isDense(_ text: Substring) -> Bool {
        guard text.utf8.count >= shortestKey else { return false }
        let hasAll =
            text.contains(where: \.isUppercase) && text.contains(where: \.isLowercase)
            && text.contains(where: \.isNumber)
        guard hasAll else { return false }
        // Words and paths repeat few letters often.
        return Set(text.utf8).count * 2 >= min(text.utf8.count, 44)
    }

    /// `sha256-…`, `sha256:…` and the challenge of PKCE are made to be seen.
    private static func isDigest(_ line: String, _ place: String.Index) -> Bool {
        let before = line[..<place].suffix(24)
        if line[place...].hasPrefix("sha256-") { return true }
        return before.contains("sha256") || before.contains("_hash") || before.contains("code_challenge")
            || before.contains("thumbprint") || before.contains("jkt") || before.contains("kid")
    }
}
