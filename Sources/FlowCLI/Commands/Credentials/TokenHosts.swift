internal import FlowEngine
internal import FlowLanguage
internal import OAuthProtocol

/// The servers that `http` sends a session's token to: those that the provider names, and those that the user does.
struct TokenHosts: Sendable {
    private struct Named: Sendable {
        let host: String
        /// `nil` for any.
        let port: Int?
    }

    private let provider: BoundProvider
    private let origins: Set<String>
    private let rules: [String]
    private let named: [Named]

    /// - Parameters:
    ///   - texts: Of `--allow-host`.
    ///   - resources: Those that the token is asked for; one that is no URL names no server.
    ///   - metadata: The provider's own, where a copy is at hand.
    /// - Throws: When one of the texts names no host.
    init(
        _ texts: [String], resources: [String], of provider: BoundProvider, _ metadata: ServerMetadataFields?
    ) throws(Problem) {
        self.provider = provider
        let destinations = provider.bound.destinations().subtracting([BoundDescriptor.anywhere])
        rules = destinations.filter { !$0.contains("://") }.sorted()
        let published = metadata?.overlaid(by: provider.declared) ?? provider.declared
        origins = destinations.union(provider.origins(KnownMetadata(published))).union(
            resources.compactMap { try? EndpointURL($0, allowLoopbackHTTP: true).origin })
        var named: [Named] = []
        for text in texts {
            guard !text.contains("/"), !text.contains("?"),
                let url = try? EndpointURL("https://\(text)", allowLoopbackHTTP: true)
            else {
                throw Problem(
                    .usage, "--allow-host needs a host, with a port where only that is meant, not \"\(text)\""
                )
            }
            let hasPort = text.reversed().prefix { $0 != "]" }.contains(":")
            named.append(Named(host: url.host, port: hasPort ? url.port : nil))
        }
        self.named = named
    }

    /// - Throws: For a server that nobody has named.
    func check(_ text: String) throws(Problem) {
        // The command line was read with the same rules.
        guard let url = try? EndpointURL(text, allowLoopbackHTTP: true) else {
            throw Problem(.usage, "the URL is not https")
        }
        guard !holds(url) else { return }
        let standard = url.scheme == "https" ? 443 : 80
        let server = url.port == standard ? url.host : "\(url.host):\(url.port)"
        let id = provider.descriptor.id
        var problem = Problem(
            .security, "the token of \(id) is not sent to \(server): the provider does not name that server",
            hints: [
                "if the token is meant for it: --allow-host \(server)",
                "what the provider names: flowrun provider hosts \(id)",
                "more: flowrun explain \(FailureCode.hostNotAllowed)",
            ])
        problem.code = FailureCode.hostNotAllowed
        throw problem
    }

    /// Whether the provider itself names the server.
    func isOfProvider(_ text: String) -> Bool {
        (try? EndpointURL(text, allowLoopbackHTTP: true)).map(isOfProvider) ?? false
    }

    private func isOfProvider(_ url: EndpointURL) -> Bool {
        origins.contains(url.origin)
            || url.scheme == "https" && url.port == 443 && rules.contains { HostRule.allows(url.host, $0) }
    }

    private func holds(_ url: EndpointURL) -> Bool {
        isOfProvider(url) || named.contains { $0.host == url.host && ($0.port == nil || $0.port == url.port) }
    }
}
