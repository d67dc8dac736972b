internal import OAuthProtocol

/// An issuer as people type it: with or without its scheme, or as the address of the metadata.
struct IssuerText: Sendable, Hashable {
    let issuer: String

    private static let wellKnown = [
        "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server",
    ]

    init(_ text: String) throws(Problem) {
        var text = text.contains("://") ? text : "https://\(text)"
        for part in Self.wellKnown {
            // RFC 8414 puts it between host and path, OpenID Connect at the end: both leave the rest.
            if let range = text.firstRange(of: part) { text.removeSubrange(range) }
        }
        if let problem = EndpointURL.check(text, allowLoopbackHTTP: true) {
            throw Problem(
                .usage, "\"\(text)\" \(problem.rawValue)",
                hints: ["give the issuer, as https://accounts.example.com"])
        }
        issuer = text
    }

    /// Whether two issuers differ in nothing but a slash at the end.
    static func isSameButForSlash(_ one: String, _ other: String) -> Bool {
        one + "/" == other || one == other + "/"
    }

    /// A name for a provider: the label of its host that says most.
    ///
    /// `accounts.acme.com` is acme, and so is `acme.eu.hosted.com`.
    static func name(of issuer: String) -> String {
        // It was checked before.
        guard let url = try? EndpointURL(issuer, allowLoopbackHTTP: true), !url.host.hasPrefix("["),
            url.host.contains(where: \.isLetter)
        else { return "local" }
        var labels = url.host.split(separator: ".").map(String.init)
        if labels.count > 1 { labels.removeLast() }
        if labels.count > 1, let last = labels.last, last.count <= 3 { labels.removeLast() }
        while labels.count > 1, let first = labels.first, generic.contains(first) { labels.removeFirst() }
        return labels.first ?? "provider"
    }

    private static let generic: Set<String> = [
        "accounts", "account", "api", "auth", "connect", "iam", "id", "identity", "idp", "login", "oauth",
        "oauth2", "oidc", "openid", "secure", "sso", "token", "www",
    ]
}
