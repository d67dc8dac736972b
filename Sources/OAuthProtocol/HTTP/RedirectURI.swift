/// Where a browser takes the answer of a provider: a page on the web, a port of this machine, or a program that has a
/// URI scheme of its own.
///
/// - SeeAlso: RFC 6749 §3.1.2; RFC 8252 §7
package enum RedirectURI {
    /// Schemes that belong to others: an answer sent there reaches whoever has them.
    package static let foreignSchemes: Set<String> = [
        "http", "https", "ftp", "ftps", "file", "mailto", "data", "javascript", "about", "blob", "ssh",
        "sftp", "ws", "wss", "tel", "sms", "urn", "view-source", "x-scheme-handler",
    ]

    /// Why nobody can be sent there, to go on after the URI's name; `nil` where nothing is wrong.
    package static func problem(with text: String) -> String? {
        let scheme = text.prefix { $0 != ":" }
        guard scheme.count < text.count, isScheme(scheme), !["http", "https"].contains(scheme.lowercased())
        else { return EndpointURL.check(text, allowLoopbackHTTP: true)?.rawValue }
        if foreignSchemes.contains(scheme.lowercased()) { return "has a scheme that belongs to others" }
        let rest = text.dropFirst(scheme.count + 1)
        let port = rest.prefix { $0 != "/" }
        if !port.isEmpty, port.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return "begins with a host and a port: write http:// or https:// before them"
        }
        if rest.contains("#") { return EndpointURLProblem.fragment.rawValue }
        let isPlain = rest.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }
        if !isPlain { return EndpointURLProblem.character.rawValue }
        return rest.isEmpty ? "ends after its scheme" : nil
    }

    /// Whether it leads to a program on the machine of whoever signs in: to a port of its own, or by a scheme of its own.
    package static func isNative(_ text: String) -> Bool {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard scheme == "http" else { return isScheme(scheme) && !foreignSchemes.contains(scheme) }
        return (try? EndpointURL(text, allowLoopbackHTTP: true))?.isLoopback == true
    }

    /// RFC 3986 §3.1.
    package static func isScheme(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, (0x61...0x7A).contains(first | 0x20) else { return false }
        return text.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
        }
    }
}
