internal import FlowLanguage
package import OAuthProtocol

/// What sets the provider's connections apart from others.
package struct ProviderConnections: Sendable {
    /// For what anybody may ask; `nil` when it asks for nothing beyond what every connection has.
    let open: ConnectionPolicy?
    /// With the client's certificate.
    let proven: ConnectionPolicy?
    /// SHA-256 of the client's certificate; `nil` without one.
    let thumbprint: String?
    /// Without brackets; `nil` where there is no issuer.
    package let issuerHost: String?
    /// Where the addresses that the provider publishes may lead.
    let reach: AddressReach

    init(_ tls: TLSPolicy?, _ registration: ClientRegistration, issuer: String?, isRehearsal: Bool) {
        // A rehearsal reads no certificate, and connects to nobody.
        let certificate = isRehearsal ? nil : registration.clientCertificate
        open = ConnectionPolicy.make(tls, nil)
        proven = ConnectionPolicy.make(tls, certificate)
        thumbprint = certificate?.thumbprint
        // What is no URL was refused when the descriptor was bound.
        let url = issuer.flatMap { try? EndpointURL($0, allowLoopbackHTTP: true) }
        issuerHost = url?.hostName
        reach = url?.isLoopback == true ? .publishedNear(.loopback) : .published
    }
}

extension BoundProvider {
    /// What a connection for an exchange must satisfy.
    ///
    /// The client's certificate goes to the endpoints that ask who the client is, and to those that take its tokens only
    /// when these are bound to it (RFC 8705 §2 and §3); metadata and keys are anybody's.
    package func policy(for purpose: HTTPExchange.Purpose) -> ConnectionPolicy? {
        switch purpose {
        case .discovery, .jwks: connections.open
        case .token, .refresh, .revocation, .introspection, .deviceAuthorization, .deviceToken,
            .clientCredentials, .tokenExchange, .jwtBearer, .registration, .pushedAuthorization:
            connections.proven
        case .userinfo, .http:
            descriptor.client.bindsTokensToCertificate ? connections.proven : connections.open
        }
    }

    /// Which addresses a request may reach: those that a file names may be anywhere, those that the network names may
    /// not (rule 28).
    package func reach(of exchange: HTTPExchange) -> AddressReach {
        switch exchange.purpose {
        case .discovery, .jwks: connections.reach
        case .http: isDeclared(exchange.plan) ? .declared : connections.reach
        case .token, .refresh, .revocation, .introspection, .deviceAuthorization, .deviceToken,
            .clientCredentials, .tokenExchange, .jwtBearer, .registration, .pushedAuthorization, .userinfo:
            exchange.plan.endpointSource == .metadata ? connections.reach : .declared
        }
    }

    /// The same for a URL that is asked outside of a run.
    package func reach(ofEndpoint url: String) -> AddressReach {
        source(ofEndpoint: url) == .metadata ? connections.reach : .declared
    }

    /// Whether the descriptor itself names the server of a flow's own request.
    private func isDeclared(_ plan: RequestPlan) -> Bool {
        if case .descriptor? = plan.endpointSource { return true }
        guard mayDiscover else { return true }
        // What is no URL is not sent.
        let origin = (try? EndpointURL(plan.endpoint, allowLoopbackHTTP: true))?.origin
        return origin.map { origins(nil).contains($0) } ?? false
    }

    /// Metadata as this client uses it: with a certificate the endpoints for such clients, and over it all what the
    /// descriptor says.
    package func known(_ published: ServerMetadataFields) -> KnownMetadata {
        KnownMetadata(
            overlay.over(registration.certificate == nil ? published : published.forMutualTLS()))
    }
}
