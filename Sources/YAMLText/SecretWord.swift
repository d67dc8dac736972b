/// Words of a file that look like a secret, which somebody may have pasted where a name stands.
///
/// A message says what is wrong with a word by repeating it; one of these it does not repeat.
enum SecretWord {
    /// The message with a placeholder for each quoted text that looks like a secret; `nil` where there is none.
    static func concealed(in message: String) -> String? {
        guard message.utf8.count >= shortest, message.utf8.contains(UInt8(ascii: "\"")) else { return nil }
        var parts = message.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
        var isChanged = false
        // Every second part stands between two quotes; behind the last quote nothing does.
        for index in stride(from: 1, to: parts.count - 1, by: 2) where holdsSecret(parts[index]) {
            parts[index] = placeholder
            isChanged = true
        }
        return isChanged ? parts.joined(separator: "\"") : nil
    }

    /// The line of a file with stars for each word that looks like a secret.
    static func starred(_ line: Substring) -> String {
        var result = ""
        var rest = line
        while let start = rest.firstIndex(where: { !isBetweenWords($0) }) {
            let end = rest[start...].firstIndex(where: isBetweenWords) ?? rest.endIndex
            let word = rest[start..<end]
            result += rest[..<start]
            result +=
                isSecret(word.utf8) ? String(repeating: "*", count: word.unicodeScalars.count) : String(word)
            rest = rest[end...]
        }
        return result + rest
    }

    private static func isBetweenWords(_ character: Character) -> Bool {
        character.isWhitespace || "\"'[]{},:".contains(character)
    }

    private static let placeholder = "‹secret›"

    private static func holdsSecret(_ text: String) -> Bool {
        text.hasPrefix("-----BEGIN ")
            || text.split(whereSeparator: \.isWhitespace).contains { isSecret($0.utf8) }
    }

    /// Shorter than any secret that was made by a machine; what a person makes looks like a name.
    private static let shortest = 12
    /// The header of the smallest signed token (RFC 7515 §3.3).
    private static let shortestToken = 20
    private static let shortestDense = 32
    /// How often a letter stands beside a digit: names do it for a version or a size, as `sha256_rsa2048`.
    private static let mostChanges = 3

    private static func isSecret(_ word: Substring.UTF8View) -> Bool {
        guard word.count >= shortest else { return false }
        if word.count >= shortestToken, word.starts(with: "eyJ".utf8) { return true }
        guard word.allSatisfy(isKeyByte), !word.starts(with: "sha256".utf8) else { return false }
        return zip(word, word.dropFirst()).count { isDigit($0) ? isLetter($1) : isLetter($0) && isDigit($1) }
            > mostChanges || isDense(word)
    }

    /// Long texts without a pattern; words repeat few letters often.
    private static func isDense(_ word: Substring.UTF8View) -> Bool {
        word.count >= shortestDense && word.contains(where: isDigit) && word.contains(where: isUpperCase)
            && word.contains { isLetter($0) && !isUpperCase($0) }
            && Set(word).count * 2 >= min(word.count, 44)
    }

    /// Of base64 in both alphabets, and of what is written around it; a point or a colon belongs to names and addresses.
    private static func isKeyByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "_-+/=".utf8.contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isUpperCase(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
