internal import JOSE

/// What a protected resource publishes of itself: whose tokens it takes (RFC 9728).
package struct ProtectedResource: Sendable, Hashable {
    /// Its identifier, an address.
    package let identifier: String
    /// The issuers of the tokens that it takes.
    package let authorizationServers: [String]
    /// What a token is to be for: what its refusal asks for, else all that it knows; `nil` where it does not say.
    package private(set) var scopes: [String]?
    /// Whether it takes no token that is not bound to a key (RFC 9449).
    package let demandsProof: Bool

    package init(
        identifier: String, authorizationServers: [String], scopes: [String]? = nil,
        demandsProof: Bool = false
    ) {
        self.identifier = identifier
        self.authorizationServers = authorizationServers
        self.scopes = scopes
        self.demandsProof = demandsProof
    }

    /// The request for the metadata of a resource, between whose host and path the well-known part goes (RFC 9728 §3.1).
    package static func plan(of resource: String) -> RequestPlan {
        Discovery.plan(
            Discovery.inserted("/.well-known/oauth-protected-resource", into: resource), "RFC 9728 §3.1")
    }

    /// The request for the metadata of the host as a whole, where the authorization of the Model Context Protocol looks
    /// after that of the resource itself; `nil` for an address that is the host's.
    package static func rootPlan(of resource: String) -> RequestPlan? {
        guard let url = try? EndpointURL(resource, allowLoopbackHTTP: true) else { return nil }
        let root = plan(of: url.origin)
        return root.endpoint == plan(of: resource).endpoint ? nil : root
    }

    /// The request for metadata whose address a refusal names (RFC 9728 §5.1); `nil` where none is named.
    package static func plan(in refusal: HTTPResponse) -> RequestPlan? {
        parameter("resource_metadata", of: refusal).map { Discovery.plan($0, "RFC 9728 §5.1") }
    }

    /// The resource with the scopes that a refusal says suffice (RFC 6750 §3), where it says so: all that it knows may be
    /// far more, and the authorization of the Model Context Protocol prefers the former.
    package func asking(asIn refusal: HTTPResponse) -> ProtectedResource {
        let words = Self.parameter("scope", of: refusal)?.split(separator: " ").map(String.init) ?? []
        let asked = words.filter(ScopeName.isWellFormed)
        guard !asked.isEmpty else { return self }
        var resource = self
        resource.scopes = asked
        return resource
    }

    private static func parameter(_ name: String, of refusal: HTTPResponse) -> String? {
        refusal.fields.lazy.filter { $0.name.equalsIgnoringASCIICase("WWW-Authenticate") }
            .flatMap { WWWAuthenticate.parse($0.value) }.compactMap { $0.parameter(name) }.first
    }

    /// Reads the answer to one of these plans.
    ///
    /// - Parameters:
    ///   - place: Where the document was.
    ///   - resource: What was asked about. The document must name exactly that, or a resource of the same host that it is
    ///     a part of and whose own document is at that place (RFC 9728 §3.3): a server may protect all of it as one.
    /// - Throws: `status` for any status but 200, `malformed` for a body that is no such document, `failed` for another
    ///   resource, or for issuers that nobody may be led to.
    package static func read(
        _ response: HTTPResponse, at place: String, of resource: String, log: inout CheckLog
    ) throws(ProtocolError) -> ProtectedResource {
        let document = try JSONDocument.object(of: response, .metadata, log: &log)
        let named = document["resource"]?.stringValue ?? ""
        try log.require(
            named.isExactly(resource) || plan(of: named).endpoint == place && covers(named, resource),
            Checks.protectedResource, expected: resource,
            actual: named.isEmpty ? "no resource" : RemoteText.sanitize(named))
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
            identifier: named, authorizationServers: servers,
            scopes: scopes?.filter(ScopeName.isWellFormed),
            demandsProof: document["dpop_bound_access_tokens_required"]?.boolValue == true)
    }

    /// Whether one address is on the host of the other and its path leads there.
    private static func covers(_ whole: String, _ part: String) -> Bool {
        guard let whole = try? EndpointURL(whole, allowLoopbackHTTP: true),
            let part = try? EndpointURL(part, allowLoopbackHTTP: true), whole.origin == part.origin,
            whole.query == nil
        else { return false }
        let path = whole.path.hasSuffix("/") ? whole.path : whole.path + "/"
        return (part.path + "/").hasPrefix(path)
    }
}
