internal import FlowEngine
internal import OAuthProtocol

/// The servers that may have a session's token: a helper that answers for every host gives it to any of them.
struct ServedHosts: Sendable {
    /// As the command line names them; those of the provider's file where it names none.
    let names: [String]

    /// - Throws: When one of the texts names no host.
    init(_ texts: [String], of provider: BoundProvider) throws(Problem) {
        for text in texts {
            guard !text.contains("/"), Self.server(text) != nil else {
                throw Problem(.usage, "--host needs a host, with a port where it has one, not \"\(text)\"")
            }
        }
        guard texts.isEmpty else {
            names = texts
            return
        }
        names = ProviderHosts(provider, nil).rows.map { $0.port == 443 ? $0.host : "\($0.host):\($0.port)" }
    }

    /// Whether a server is one of them; one that is reached through http and is not this machine never is.
    ///
    /// - Parameter text: A URL, or a host with a port where that is not the one of https.
    func hold(_ text: String) -> Bool {
        guard let server = Self.server(text) else { return false }
        return names.contains { Self.server($0) == server }
    }

    /// Host and port in one spelling; `nil` for what names no host.
    private static func server(_ text: String) -> String? {
        let url = try? EndpointURL(text.contains("://") ? text : "https://\(text)", allowLoopbackHTTP: true)
        return url.map { "\($0.host):\($0.port)" }
    }
}
