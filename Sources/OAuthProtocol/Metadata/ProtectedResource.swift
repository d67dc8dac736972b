package import JOSE

/// What a protected resource publishes of itself: whose tokens it takes (RFC 9728).
package struct ProtectedResource: Sendable, Hashable {
    /// Its identifier, an address.
    package let identifier: String
    /// The issuers of the tokens that it takes.
    package let authorizationServers: [String]
    /// What it knows to ask of tokens; `nil` where it does not say.
    package let scopes: [String]?

    package init(identifier: String, authorizationServers: [String], scopes: [String]? = nil) {
        self.identifier = identifier
        self.authorizationServers = authorizationServers
        self.scopes = scopes
    }

    /// The request for the metadata of a resource, between whose host and path the well-known part goes (RFC 9728 §3.1).
    package static func plan(of resource: String) -> RequestPlan {
        Discovery.plan(
            Discovery.inserted("/.well-known/oauth-protected-resource", into: resource), "RFC 9728 §3.1")
    }

    /// The request for metadata whose address a refusal names (RFC 9728 §5.1); `nil` where none is named.
    package static func plan(in refusal: HTTPResponse) -> RequestPlan? {
        let challenges = refusal.fields.filter { $0.name.equalsIgnoringASCIICase("WWW-Authenticate") }
            .flatMap { WWWAuthenticate.parse($0.value) }
        let address = challenges.compactMap { $0.parameter("resource_metadata") }.first
        return address.map { Discovery.plan($0, "RFC 9728 §5.1") }
    }

    /// Reads the answer to one of these plans.
    ///
    /// - Parameter resource: What was asked about; the document must name exactly that (RFC 9728 §3.3).
    /// - Throws: `status` for any status but 200, `malformed` for a body that is no such document, `failed` for another
    ///   resource, or for issuers that nobody may be led to.
    package static func read(
        _ response: HTTPResponse, of resource: String, log: inout CheckLog
    ) throws(ProtocolError) -> ProtectedResource {
        let document = try JSONDocument.object(of: response, .metadata, log: &log)
        let named = document["resource"]?.stringValue
        try log.require(
            named.map { $0.isExactly(resource) } ?? false, Checks.protectedResource, expected: resource,
            actual: named.map { RemoteText.sanitize($0) } ?? "no resource")
        let servers = (document["authorization_servers"]?.arrayValue ?? []).compactMap(\.stringValue)
        for server in servers {
            if let problem = EndpointURL.check(server, allowLoopbackHTTP: true) {
                throw log.failure(
                    Checks.metadataEndpointSecure, expected: "authorization_servers, https addresses",
                    actual: "\(RemoteText.sanitize(server)) \(problem.rawValue)")
            }
        }
        let scopes = document["scopes_supported"]?.arrayValue?.compactMap(\.stringValue)
        return ProtectedResource(
            identifier: resource, authorizationServers: servers,
            scopes: scopes?.filter(ScopeName.isWellFormed))
    }
}
