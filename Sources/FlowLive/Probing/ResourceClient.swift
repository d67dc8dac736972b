package import FlowEngine
internal import JOSE
package import OAuthProtocol

/// Why a resource gave no answer.
package enum ResourceFailure: Error, Sendable, Hashable {
    case transport(TransportFailure)
    /// The token is of a type that nobody here can send: its name.
    case tokenType(String)
    /// The key that the token is bound to cannot sign.
    case key
}

/// Calls resources with the access token of a session, outside of any run. To be shut down after the last call.
///
/// Follows no redirect, so the token goes to the server of the URL alone.
package struct ResourceClient: Sendable {
    private let transport: CurlTransport
    private let limits: TransferLimits
    private let events: @Sendable (SecurityEvent) -> Void
    private let configuration: LiveConfiguration

    /// - Parameter maximumBytes: Of a body.
    package init(_ configuration: LiveConfiguration, maximumBytes: Int) throws(LiveSetupError) {
        do throws(CurlUnavailable) {
            transport = CurlTransport(loop: try CurlLoop(ProxyVariables.configuration(configuration)))
        } catch {
            throw LiveSetupError(error.description)
        }
        let timeout = configuration.exchangeTime(standard: 30_000)
        limits = TransferLimits(
            timeoutMilliseconds: timeout, connectTimeoutMilliseconds: max(1, timeout / 3),
            maxBodyBytes: maximumBytes)
        events = { configuration.onSecurityEvent?($0) }
        self.configuration = configuration
    }

    package func shutDown() { transport.loop.shutDown() }

    /// The answer to a request, of whatever status; a server that asks for a nonce is asked once more with it (RFC 9449
    /// §9).
    package func send(
        _ request: ResourceRequest, _ tokens: TokenSet, of provider: BoundProvider
    ) async throws(ResourceFailure) -> HTTPResponse {
        guard tokens.isPresentable else { throw .tokenType(tokens.tokenType) }
        let first = try await exchange(try Self.proved(request, tokens, nonce: nil), provider)
        guard tokens.proofKey != nil, let nonce = DPoPNonces.demanded(by: first, .resource) else {
            return first
        }
        return try await exchange(try Self.proved(request, tokens, nonce: nonce), provider)
    }

    private static func proved(
        _ request: ResourceRequest, _ tokens: TokenSet, nonce: String?
    ) throws(ResourceFailure) -> HTTPRequest {
        do {
            return try request.bearing(tokens.accessToken, boundTo: try tokens.boundKey(), nonce: nonce)
        } catch {
            throw .key
        }
    }

    /// The connection is as the provider's descriptor asks for; the address is one that the user wrote.
    private func exchange(
        _ request: HTTPRequest, _ provider: BoundProvider
    ) async throws(ResourceFailure) -> HTTPResponse {
        var limits = limits
        limits.policy = provider.policy(for: .http)
        let what = "\(request.hostWords) to answer the \(request.method.rawValue) request"
        let report = await configuration.watched(what, limits.timeoutMilliseconds) {
            await transport.exchange(request, limits)
        }
        report.events.forEach(events)
        switch report.result {
        case .success(let response): return response
        case .failure(let failure): throw .transport(failure)
        }
    }
}

extension ResourceRequest {
    /// The request with its token, and with a proof where that is bound to a key.
    ///
    /// - Throws: `KeyError` where the key cannot sign; something else where the system gives no random bytes.
    func bearing(_ token: Secret, boundTo key: DPoPKey?, nonce: String?) throws -> HTTPRequest {
        guard let key else { return bearing(token) }
        return try bearing(
            token, boundTo: key, randomBytes: try SecureRandom.bytes(DPoPProof.randomByteCount),
            now: WallClock.now(), nonce: nonce)
    }
}
