package import OAuthProtocol

/// A client that is registered with the sandbox.
package struct SandboxClient: Sendable, Hashable {
    package let id: String
    /// What the page calls it.
    package let name: String
    /// `nil` for a public client.
    package let secret: Secret?
    /// Compared byte by byte; where one has a loopback address for its host, any port matches.
    package let redirectURIs: [String]

    package init(id: String, name: String, secret: Secret? = nil, redirectURIs: [String]) {
        self.id = id
        self.name = name
        self.secret = secret
        self.redirectURIs = redirectURIs
    }

    /// The two clients that every sandbox has unless it is told otherwise.
    package static let standard = [
        SandboxClient(id: "flowrun-sandbox", name: "flowrun", redirectURIs: loopback),
        SandboxClient(
            id: "flowrun-sandbox-confidential", name: "flowrun (confidential)",
            secret: standardSecret, redirectURIs: loopback),
    ]

    /// Everybody knows it, so pages may show it.
    static let standardSecretText = "sandbox-secret"
    static let standardSecret = Secret(standardSecretText, kind: .clientSecret)

    private static let loopback = ["http://127.0.0.1/callback", "http://[::1]/callback"]

    /// Whether the client registered this redirect URI.
    ///
    /// - SeeAlso: RFC 6749 §3.1.2.3, RFC 8252 §7.3, RFC 9700 §2.1
    func accepts(redirectURI: String) -> Bool {
        redirectURIs.contains { registered in
            if registered.hasBytes(of: redirectURI) { return true }
            guard let left = LoopbackURL(registered), let right = LoopbackURL(redirectURI) else {
                return false
            }
            return left == right
        }
    }
}

/// A URL on a loopback address, without its port.
///
/// `localhost` is not one: a resolver may point it elsewhere (RFC 8252 §8.3).
private struct LoopbackURL: Equatable {
    let host: String
    let path: String

    init?(_ url: String) {
        guard
            let host = ["http://127.0.0.1", "http://[::1]"].first(where: { url.utf8.starts(with: $0.utf8) })
        else { return nil }
        self.host = host
        var rest = url.utf8.dropFirst(host.utf8.count)
        if rest.first == UInt8(ascii: ":") {
            let port = rest.dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard port.first != UInt8(ascii: "0"), UInt16(String(Substring(port))) != nil else { return nil }
            rest = rest.dropFirst(1 + port.count)
        }
        guard rest.first == UInt8(ascii: "/") else { return nil }
        path = String(Substring(rest))
    }

    static func == (left: LoopbackURL, right: LoopbackURL) -> Bool {
        left.host.hasBytes(of: right.host) && left.path.hasBytes(of: right.path)
    }
}
