internal import OAuthProtocol

extension BoundDescriptor {
    /// Everywhere that secrets of this provider may go, as far as its file says.
    ///
    /// Scheme, host and port of every URL; the patterns of `allowed_hosts`; for an endpoint that only an answer fills in,
    /// the line that says so, which no other file has.
    package func destinations() -> Set<String> {
        var found = Set(requests.flatMap(\.allowedHosts))
        for text in destinationTexts {
            guard let url = self.text(text) else {
                found.insert(text.source)
                continue
            }
            // What is no URL was refused when the descriptor was bound.
            if let origin = try? EndpointURL(url, allowLoopbackHTTP: true).origin { found.insert(origin) }
        }
        return found
    }

    private var destinationTexts: [DescriptorText] {
        let server = descriptor.server
        let extras = descriptor.extras
        return (server.endpointTexts + [server.issuer, server.metadataURL]).compactMap(\.self)
            + server.mtlsEndpointAliases.map(\.text) + descriptor.authorization.alternatives.map(\.endpoint)
            + requests.compactMap(\.endpoint)
            + extras.endpoints.map(\.url) + extras.resources + extras.origins
    }

    private var requests: [DialectFacts] {
        let userinfo = descriptor.userinfo
        let operations =
            [
                descriptor.token, descriptor.refresh.operation, descriptor.revocation.operation,
                descriptor.introspection, descriptor.deviceAuthorization, descriptor.grant,
                userinfo.operation,
            ] + userinfo.also.map(\.operation) + descriptor.operations.map(\.operation)
        return operations.map(\.request) + [descriptor.logout]
    }
}
