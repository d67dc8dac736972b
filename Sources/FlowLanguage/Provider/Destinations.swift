internal import OAuthProtocol

extension BoundDescriptor {
    /// Everywhere that secrets of this provider may go, as far as its file says.
    ///
    /// Scheme, host and port of every URL, the patterns of `allowed_hosts`, and `anywhere` for an endpoint that only an
    /// answer fills in, where no pattern bounds it and its host is not written.
    package func destinations() -> Set<String> {
        var found = Set(descriptor.requests.flatMap(\.allowedHosts))
        func add(_ text: DescriptorText, isBounded: Bool = false) {
            guard let url = self.text(text) else {
                if !isBounded { found.insert(Self.anywhere) }
                return
            }
            // What is no URL was refused when the descriptor was bound.
            if let origin = try? EndpointURL(url, allowLoopbackHTTP: true).origin { found.insert(origin) }
        }
        for text in destinationTexts { add(text) }
        for request in descriptor.requests {
            guard let endpoint = request.endpointStart ?? request.endpoint else { continue }
            add(endpoint, isBounded: !request.allowedHosts.isEmpty)
        }
        return found
    }

    /// Stands for what nobody knows before the provider has answered.
    package static let anywhere = "wherever an answer of the provider leads"

    /// Whether secrets go nowhere but to known places.
    package static func stays(_ destinations: Set<String>, within known: Set<String>) -> Bool {
        !destinations.contains(anywhere) && destinations.isSubset(of: known)
    }

    private var destinationTexts: [DescriptorText] {
        let server = descriptor.server
        let extras = descriptor.extras
        return (server.endpointTexts + [server.issuer, server.metadataURL]).compactMap(\.self)
            + server.mtlsEndpointAliases.map(\.text) + descriptor.authorization.alternatives.map(\.endpoint)
            + extras.endpoints.map(\.url) + extras.resources + extras.origins
    }

}

extension ProviderDescriptor {
    /// All but that for authorization.
    var requests: [DialectFacts] {
        let described =
            [
                token, refresh.operation, revocation.operation, introspection, deviceAuthorization, grant,
                userinfo.operation,
            ] + userinfo.also.map(\.operation) + operations.map(\.operation)
        return described.map(\.request) + [logout]
    }
}
