internal import FlowLanguage

/// A token of a file or of standard input; never of an argument, where others see it.
struct GivenToken: Sendable {
    private static let largest = 1 << 20

    let text: String
    /// Three for a signed JWT, five for an encrypted one.
    var parts: [Substring] { text.split(separator: ".", omittingEmptySubsequences: false) }

    /// - Parameters:
    ///   - file: `-` is standard input.
    ///   - command: That wants it, for the hint.
    init(in file: String, for command: String, _ context: CommandContext) throws(Problem) {
        guard !file.hasPrefix("eyJ") else {
            throw Problem(
                .usage, "a token does not belong into an argument, where others see it",
                hints: ["pipe it in, as in   flowrun token | flowrun \(command)"])
        }
        let bytes = try context.bytes(of: file, limit: Self.largest, asking: "paste the token")
        let words = String(decoding: bytes, as: UTF8.self).split { $0.isWhitespace }
        // As it stands in a header field, scheme and all.
        guard let token = words.last else {
            throw Problem(.config, "there is no token in \(file == "-" ? "standard input" : file)")
        }
        text = String(token)
        let count = parts.count
        guard count == 3 || count == 5 else {
            let found = count == 1 ? "1 part" : "\(count) parts"
            throw Problem(
                .config, "this is no JWT: it has \(found), and a token that is signed has 3",
                hints: ["an opaque token says nothing to anybody but its issuer: flowrun introspect"])
        }
    }
}
