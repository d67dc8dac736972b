/// What other programs call the keys of a file.
struct OtherNames: Sendable {
    private let ours: [String: String]

    /// - Parameter theirs: By our key, in snake case.
    init(_ theirs: [String: [String]]) {
        ours = Dictionary(uniqueKeysWithValues: theirs.flatMap { ours, theirs in theirs.map { ($0, ours) } })
    }

    /// What a key is called here; the key in snake case where nobody is known to call it otherwise.
    func ours(_ key: String) -> String {
        let plain = Self.snakeCase(key)
        return ours[plain] ?? plain
    }

    /// What a key is called here, where it is called otherwise and is one of the keys.
    func hint(_ key: String, among keys: [String]) -> String? {
        let ours = ours(key)
        return ours != key && keys.contains(ours) ? "here it is \"\(ours)\"" : nil
    }

    /// `userInfoUrl` and `user-info-url` are `user_info_url`.
    private static func snakeCase(_ key: String) -> String {
        var text = ""
        for letter in key {
            if letter.isUppercase, let last = text.last, last != "_" { text += "_" }
            text += letter == "-" ? "_" : letter.lowercased()
        }
        return text
    }
}
