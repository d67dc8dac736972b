internal import JOSE
internal import OAuthProtocol
internal import Synchronization

extension SandboxProvider {
    /// What every name of a pushed request begins with (RFC 9126 §2.2).
    static let pushedPrefix = "urn:ietf:params:oauth:request_uri:"

    /// Keeps an authorization request until a browser brings its name.
    ///
    /// - SeeAlso: RFC 9126 §2
    func push(_ request: ServerRequest, now: Int64) -> SandboxReply {
        faulted(.par) { actions in
            do throws(TokenRefusal) {
                return try accept(request, actions, now: now)
            } catch {
                return error.response
            }
        }
    }

    private func accept(
        _ request: ServerRequest, _ actions: [Fault.Action], now: Int64
    ) throws(TokenRefusal) -> HTTPResponse {
        let form = try checked(Parameters(form: request), request)
        let client = try authenticate(request, form, now: now)
        guard form["request_uri"] == nil else {
            throw TokenRefusal(flaw: .invalidRequest("a pushed request names no other one"))
        }
        // RFC 9449 §10.1: a proof binds the code to its key, as dpop_jkt does.
        let key = try proof(request, actions, isRequired: false, now: now)
        var accepted = try read(form, client, now: now)
        if let key {
            guard (accepted.extensions.key ?? key) == key else {
                throw TokenRefusal(flaw: RequestFlaw("invalid_dpop_proof", "dpop_jkt is another key"))
            }
            accepted = accepted.bound(to: key)
        }
        let uri = Self.pushedPrefix + newToken()
        let lifetime = configuration.lifetimes.pushedRequest
        let record = PushedRecord(request: accepted, expiresAt: now / 1000 + lifetime)
        state.withLock { $0.ledger.push(TokenHash(of: uri), record, now: now / 1000) }
        return Answer.json(
            ["request_uri": .string(uri), "expires_in": .int(lifetime)], status: 201,
            fields: Answer.noStore + (demandsNonce(actions) && key != nil ? [nonceField] : []))
    }

    private func read(
        _ form: Parameters, _ client: SandboxClient, now: Int64
    ) throws(TokenRefusal) -> AcceptedRequest {
        let directory = state.withLock { ClientDirectory(configuration, $0.ledger) }
        let reader = RequestReader(
            configuration: configuration, directory: directory, channel: .pushed, now: now)
        do throws(AuthorizationRefusal) {
            let parameters = form.without(["client_secret", "client_assertion", "client_assertion_type"])
            let request = try reader.read(parameters)
            guard request.clientID.hasBytes(of: client.id) else {
                throw AuthorizationRefusal.page(reason: "The client_id is another client.")
            }
            return request
        } catch {
            switch error {
            case .redirect(let error):
                throw TokenRefusal(flaw: RequestFlaw(error.code, error.description))
            case .page(_, let code):
                throw TokenRefusal(
                    flaw: RequestFlaw(code, "client, redirect URI or request object cannot be accepted"))
            }
        }
    }
}
