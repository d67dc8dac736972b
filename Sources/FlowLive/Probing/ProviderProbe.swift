package import FlowEngine
package import JOSE
package import OAuthProtocol

/// Why a question to a provider has no good answer.
package enum ProbeFailure: Error, Sendable, Hashable {
    case transport(TransportFailure)
    /// The answer cannot be used, or fails a check.
    case answer(ProtocolError, url: String)
}

/// Asks a provider what it publishes, outside of any run: metadata, keys, whether its endpoints can be reached.
///
/// What it gets goes through the same checks as in a run. To be shut down after the last question.
package struct ProviderProbe: Sendable {
    private let loop: CurlLoop
    private let published: PublishedAddresses
    private let store: DocumentStore?
    private let limits: TransferLimits
    private let events: @Sendable (SecurityEvent) -> Void
    private let configuration: LiveConfiguration
    /// Whose policy holds; `nil` for a provider without a descriptor.
    private var provider: BoundProvider?
    private var issuerHost: String?

    package init(_ configuration: LiveConfiguration) throws(LiveSetupError) {
        do throws(CurlUnavailable) {
            loop = try CurlLoop(ProxyVariables.configuration(configuration))
        } catch {
            throw LiveSetupError(error.description)
        }
        published = PublishedAddresses(
            CurlTransport(loop: loop), allowsPrivate: configuration.allowsPrivateIssuers)
        store = configuration.cacheDirectory.map { DocumentStore(directory: $0 + "/metadata") }
        let timeout = configuration.exchangeTime(standard: 20_000)
        limits = TransferLimits(
            timeoutMilliseconds: timeout, connectTimeoutMilliseconds: max(1, timeout / 2))
        events = { configuration.onSecurityEvent?($0) }
        self.configuration = configuration
    }

    package func shutDown() { loop.shutDown() }

    /// The same probe for the provider of a descriptor: under its TLS policy, and in its network.
    package func asking(_ provider: BoundProvider) -> ProviderProbe {
        var probe = self
        probe.provider = provider
        probe.issuerHost = provider.connections.issuerHost
        return probe
    }

    /// The same probe for what an issuer publishes.
    package func asking(issuer: String) -> ProviderProbe {
        var probe = self
        // Any other text is refused before it is sent.
        let host = (try? EndpointURL(issuer, allowLoopbackHTTP: true))?.host
        probe.issuerHost = host.map { $0.hasPrefix("[") ? String($0.dropFirst().dropLast()) : $0 }
        return probe
    }

    /// The provider's metadata, fetched and checked; kept for later runs.
    ///
    /// - Parameters:
    ///   - plans: The places to ask, in this order; one at which nothing is published is passed over.
    ///   - acceptedIssuers: Further issuers that the document may name.
    ///   - amended: Members that it has no say in.
    package func metadata(
        issuer: String, plans: [RequestPlan], acceptedIssuers: [String], amended: Set<String> = []
    ) async throws(ProbeFailure) -> (metadata: DiscoveredMetadata, url: String) {
        // What somebody who knows the issuer would look for, rather than the last place tried.
        var missing: ProbeFailure?
        for plan in plans {
            let response = try await send(plan)
            if Discovery.isMissing(response.status) {
                missing = missing ?? .answer(.status(response.status), url: plan.endpoint)
                continue
            }
            var log = CheckLog()
            let metadata: DiscoveredMetadata
            do throws(ProtocolError) {
                metadata = try DiscoveredMetadata.validate(
                    response, issuer: issuer, acceptedIssuers: acceptedIssuers, amended: amended, log: &log)
            } catch {
                throw .answer(error, url: plan.endpoint)
            }
            keep(response, .metadata, plan.endpoint, issuer: issuer)
            return (metadata, plan.endpoint)
        }
        throw missing ?? .answer(.status(404), url: issuer)
    }

    /// The provider's keys; those that cannot be used are listed with the reason.
    package func keys(_ url: String) async throws(ProbeFailure) -> JWKSet {
        let response = try await send(JWKSRequest.plan(url))
        var log = CheckLog()
        do throws(ProtocolError) {
            let keys = try JWKSResponse.read(response, log: &log)
            keep(response, .keys, url, issuer: nil)
            return keys
        } catch {
            throw .answer(error, url: url)
        }
    }

    /// What a resource publishes of itself: at its well-known place, else where its refusal says that it is, else at that
    /// of its host. The refusal has the last word on scopes.
    package func protectedResource(_ resource: String) async throws(ProbeFailure) -> ProtectedResource {
        let own = ProtectedResource.plan(of: resource)
        let response = try await send(own)
        let request = RequestPlan(method: .get, endpoint: resource)
        if response.status == 200 {
            let found = try read(response, at: own, of: resource)
            let refusal = try? await send(request)
            return refusal.map(found.asking) ?? found
        }
        let refusal = try await send(request)
        if let named = ProtectedResource.plan(in: refusal) {
            return try read(try await send(named), at: named, of: resource).asking(asIn: refusal)
        }
        guard let root = ProtectedResource.rootPlan(of: resource) else {
            throw .answer(.status(response.status), url: own.endpoint)
        }
        let shared = try await send(root)
        guard shared.status == 200 else { throw .answer(.status(response.status), url: own.endpoint) }
        return try read(shared, at: root, of: resource).asking(asIn: refusal)
    }

    private func read(
        _ response: HTTPResponse, at plan: RequestPlan, of resource: String
    ) throws(ProbeFailure) -> ProtectedResource {
        var log = CheckLog()
        do throws(ProtocolError) {
            return try ProtectedResource.read(response, at: plan.endpoint, of: resource, log: &log)
        } catch {
            throw .answer(error, url: plan.endpoint)
        }
    }

    /// The status of an answer to a request without parameters and credentials, of whatever kind.
    ///
    /// - Parameter purpose: What the endpoint is for: some want to see the client's certificate.
    package func status(
        of url: String, _ method: HTTPMethod, for purpose: HTTPExchange.Purpose
    ) async throws(ProbeFailure) -> Int {
        do throws(ProbeFailure) {
            let plan = RequestPlan(
                method: method, endpoint: url, bodyFormat: method == .post ? .form : .none)
            return try await send(plan, purpose).status
        } catch {
            // A server that sends more than anybody wants to read is there.
            if case .transport(let failure) = error, case .bodyTooLarge = failure.kind { return 200 }
            throw error
        }
    }

    /// The answer to a request of a registered client, whatever its status.
    package func answer(
        _ plan: RequestPlan, _ purpose: HTTPExchange.Purpose
    ) async throws(ProbeFailure) -> HTTPResponse {
        try await send(plan, purpose)
    }

    private func send(
        _ plan: RequestPlan, _ purpose: HTTPExchange.Purpose = .discovery
    ) async throws(ProbeFailure) -> HTTPResponse {
        let request: HTTPRequest
        do throws(ProtocolError) {
            request = try plan.encoded()
        } catch {
            throw .answer(error, url: plan.endpoint)
        }
        var limits = limits
        limits.policy = provider?.policy(for: purpose)
        limits.reach = provider?.reach(ofEndpoint: plan.endpoint) ?? .published
        let what = "\(request.hostWords) to answer the \(purpose.words)"
        let report = await configuration.watched(what, limits.timeoutMilliseconds) {
            await published.exchange(request, limits, issuerHost: issuerHost)
        }
        report.events.forEach(events)
        switch report.result {
        case .success(let response): return response
        case .failure(let failure): throw .transport(failure)
        }
    }

    /// A cache that cannot be written is no failure of the provider.
    private func keep(_ response: HTTPResponse, _ kind: StoredDocument.Kind, _ url: String, issuer: String?) {
        let origin = DocumentOrigin(of: response, url: url, now: WallClock.now())
        _ = store?.keep(StoredDocument(kind: kind, origin: origin, issuer: issuer, body: response.body))
    }
}
