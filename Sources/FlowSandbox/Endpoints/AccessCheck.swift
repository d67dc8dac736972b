internal import JOSE
internal import OAuthProtocol
internal import Synchronization

/// What a live access token allows, found by the field of a request that bore it well.
struct GrantedAccess: Sendable {
    let grant: Grant
    let record: AccessRecord
}

/// Why a request for a resource is refused (RFC 6750 §3, RFC 9449 §7.1).
struct AccessRefusal: Error, Sendable {
    /// What a sign-in of another kind, or a fresh one, would mend (RFC 9470 §3).
    static let stepUp = "insufficient_user_authentication"

    /// `nil` when the client may not have known that a token is needed (RFC 6750 §3.1).
    let code: String?
    var description: String?
    /// Further parameters of the challenge; their values are our own.
    var parameters: [(name: String, value: String)] = []
    /// Whether a proof is what is wrong or missing.
    var isAboutProof = false

    fileprivate var status: Int {
        switch code {
        case "invalid_request": 400
        case "insufficient_scope": 403
        default: 401
        }
    }
}

extension SandboxProvider {
    /// Finds what the token of a request allows, and checks its proof where the token is bound to a key.
    ///
    /// A bound token is no bearer token, and a bearer token needs no proof (RFC 9449 §7.1 and §7.2).
    func access(
        _ request: ServerRequest, _ actions: [Fault.Action], now: Int64
    ) throws(AccessRefusal) -> GrantedAccess {
        let (token, usesProof) = try presented(request)
        guard let found = state.withLock({ $0.ledger.access(TokenHash(of: token), now: now) }) else {
            throw AccessRefusal(code: "invalid_token", isAboutProof: usesProof)
        }
        guard usesProof == (found.record.key != nil) else {
            throw AccessRefusal(
                code: "invalid_token", description: "the token is for the other scheme", isAboutProof: true)
        }
        if usesProof { try checkProof(request, token, of: found.record, actions, now: now) }
        return GrantedAccess(grant: found.grant, record: found.record)
    }

    /// The token of the field, or of a form: one way at a time (RFC 6750 §2).
    private func presented(
        _ request: ServerRequest
    ) throws(AccessRefusal) -> (token: String, usesProof: Bool) {
        let posted = request.method == "POST" ? Parameters(form: request)?["access_token"] : nil
        guard let field = request.field("Authorization") else {
            guard let posted else { throw AccessRefusal(code: nil) }
            return (posted, false)
        }
        let parts = field.split(separator: " ", maxSplits: 1)
        let scheme = parts.first.map(String.init) ?? ""
        let usesProof = scheme.equalsIgnoringASCIICase(DPoPProof.scheme)
        guard posted == nil, parts.count == 2, usesProof || scheme.equalsIgnoringASCIICase("Bearer") else {
            throw AccessRefusal(code: "invalid_request")
        }
        return (trimmed(parts[1]), usesProof)
    }

    private func checkProof(
        _ request: ServerRequest, _ token: String, of record: AccessRecord, _ actions: [Fault.Action],
        now: Int64
    ) throws(AccessRefusal) {
        do throws(RequestFlaw) {
            let key = try provedKey(request, accessToken: token, actions, now: now)
            guard let key else { throw RequestFlaw("invalid_dpop_proof", "the proof is missing") }
            guard key == record.key else {
                throw RequestFlaw("invalid_token", "the token is bound to another key")
            }
        } catch {
            throw AccessRefusal(code: error.code, description: error.description, isAboutProof: true)
        }
    }

    /// The challenge that tells a refusal.
    func answer(_ refusal: AccessRefusal, _ actions: [Fault.Action] = []) -> HTTPResponse {
        var scheme = refusal.isAboutProof ? DPoPProof.scheme : "Bearer"
        if actions.contains(.challengeCase) { scheme = scheme == "Bearer" ? "bEARER" : "dPoP" }
        var items = [(name: "realm", value: "flowrun sandbox")]
        if let code = refusal.code { items.append(("error", code)) }
        if let description = refusal.description { items.append(("error_description", description)) }
        if refusal.isAboutProof {
            items.append(("algs", ClientJWT.asymmetric.map(\.rawValue).joined(separator: " ")))
        }
        let text = (items + refusal.parameters).map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ", ")
        let fields = [HTTPField("WWW-Authenticate", "\(scheme) \(text)")]
        return HTTPResponse(
            status: refusal.status,
            fields: fields + Answer.noStore + nonceFields(for: refusal.code ?? ""))
    }

    /// The endpoint's own error, told by a fault.
    func challenge(_ code: String) -> HTTPResponse {
        var refusal = AccessRefusal(
            code: code, isAboutProof: code == DPoPNonces.demand || code == "invalid_dpop_proof")
        if code == AccessRefusal.stepUp { refusal.parameters = [("acr_values", "gold"), ("max_age", "60")] }
        if code == "insufficient_scope" { refusal.parameters = [("scope", Scope.openID)] }
        return answer(refusal)
    }

    /// What a good answer says about the nonce of the next proof.
    func nonceFields(_ access: GrantedAccess, _ actions: [Fault.Action]) -> [HTTPField] {
        access.record.key != nil && demandsNonce(actions) ? [nonceField] : []
    }
}
