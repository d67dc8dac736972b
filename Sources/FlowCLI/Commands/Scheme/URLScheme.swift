internal import OAuthProtocol

/// A private-use URI scheme by which a desktop hands the answer of a browser to a program (RFC 8252 §7.1).
struct URLScheme: Sendable, Hashable {
    let name: String

    /// Reads the scheme of RFC 3986 §3.1, or a redirect URI that begins with one; upper case is lowered.
    init(_ text: String) throws(Problem) {
        let word = String(text.prefix { $0 != ":" }).lowercased()
        guard RedirectURI.isScheme(word), word.utf8.count <= 64 else {
            throw Problem(
                .usage, "\"\(text)\" is no URI scheme",
                hints: ["a scheme is the reverse of a domain of yours, as com.example.app"])
        }
        guard !RedirectURI.foreignSchemes.contains(word) else {
            throw Problem(
                .usage, "the scheme \(word) belongs to others",
                hints: ["take the reverse of a domain of yours, as com.example.app"])
        }
        name = word
    }

    /// Whether it is built on a domain name, so that no other program should have it (RFC 8252 §7.1).
    var isOwnedByADomain: Bool {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2 && labels.allSatisfy { !$0.isEmpty }
    }

    var desktopFile: String { "flowrun-\(name).desktop" }
    var mediaType: String { "x-scheme-handler/\(name)" }
}
