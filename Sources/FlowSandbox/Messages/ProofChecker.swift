internal import JOSE
internal import OAuthProtocol
internal import Synchronization

/// A DPoP proof whose rules have been checked, all but whether it is new (RFC 9449 §4.3).
struct CheckedProof: Sendable, Hashable {
    /// The thumbprint of its key.
    let key: String
    /// What makes it unique.
    let serial: TokenHash
    /// Whether it holds the server's nonce.
    let hasNonce: Bool

    /// How far `iat` may be from now, in seconds; also how long a `jti` is remembered for.
    static let window: Int64 = 300

    /// - Parameters:
    ///   - url: What the request was sent to, without its query.
    ///   - accessToken: That the request bears.
    ///   - nonce: The newest of the server.
    ///   - now: Seconds since 1970.
    /// - Returns: `nil` when the request has no proof.
    /// - Throws: `invalid_dpop_proof` with the rule; `use_dpop_nonce` for a nonce that is not the newest.
    static func read(
        _ request: ServerRequest, url: String, accessToken: String?, nonce: String, now: Int64
    ) throws(RequestFlaw) -> CheckedProof? {
        let fields = request.fields.filter { $0.name.equalsIgnoringASCIICase(DPoPProof.field) }
        guard let field = fields.first else { return nil }
        guard fields.count == 1 else { throw invalid("there is more than one DPoP field") }
        let (jws, key) = try verified(field.value)
        let claims: JWTClaims
        do throws(JWTClaimsError) { claims = try JWTClaims(payload: jws.payload) } catch {
            throw invalid("its payload is no claims set")
        }
        guard let jti = claims.jti, !jti.isEmpty else { throw invalid("jti is missing") }
        guard claims.raw["htm"]?.stringValue == request.method else {
            throw invalid("htm is not the method of the request")
        }
        guard claims.raw["htu"]?.stringValue.map({ DPoPProof.target(of: $0).hasBytes(of: url) }) == true
        else { throw invalid("htu is not the address of the request") }
        guard let iat = claims.iat, abs(iat - Double(now)) <= Double(window) else {
            throw invalid("iat is missing or too far from now")
        }
        try checkToken(claims, accessToken)
        if let found = claims.nonce, !ConstantTime.equal(found, nonce) {
            throw RequestFlaw(DPoPNonces.demand, "the nonce is not the newest one")
        }
        return CheckedProof(
            key: key.thumbprint, serial: TokenHash(of: "\(key.thumbprint) \(jti)"),
            hasNonce: claims.nonce != nil)
    }

    private static func verified(_ text: String) throws(RequestFlaw) -> (VerifiedJWS, JWK) {
        guard let jws = try? JWS.split(text) else { throw invalid("it is no compact JWS") }
        guard jws.header.typ?.equalsIgnoringASCIICase(DPoPProof.type) == true else {
            throw invalid("typ is not dpop+jwt")
        }
        // A private member in it is refused by the reader of the key.
        guard let key = jws.header.raw["jwk"].flatMap({ try? JWK($0) }) else {
            throw invalid("jwk is missing or no public key")
        }
        guard
            let verified = try? JWS.verify(
                jws, keys: JWKSet(keys: [key]), allowed: ClientJWT.asymmetric,
                keyReferences: .ignored)
        else { throw invalid("the signature is not that of its key") }
        return (verified, key)
    }

    private static func checkToken(_ claims: JWTClaims, _ token: String?) throws(RequestFlaw) {
        guard let token else { return }
        let hash = DPoPProof.hash(of: Secret(token, kind: .accessToken))
        guard claims.raw["ath"]?.stringValue.map({ ConstantTime.equal($0, hash) }) == true else {
            throw invalid("ath is not the hash of the access token")
        }
    }

    private static func invalid(_ reason: String) -> RequestFlaw {
        RequestFlaw("invalid_dpop_proof", "the proof is refused: \(reason)")
    }
}

extension SandboxProvider {
    /// The key that the request proves to hold; `nil` without a proof.
    ///
    /// - Parameters:
    ///   - actions: May demand a nonce, as the configuration may.
    ///   - now: Milliseconds since 1970.
    /// - Throws: `invalid_dpop_proof`, also for a proof that came before; `use_dpop_nonce`.
    func provedKey(
        _ request: ServerRequest, accessToken: String? = nil, _ actions: [Fault.Action], now: Int64
    ) throws(RequestFlaw) -> String? {
        let proof = try CheckedProof.read(
            request, url: configuration.issuer + request.path, accessToken: accessToken, nonce: dpopNonce,
            now: now / 1000)
        guard let proof else { return nil }
        guard proof.hasNonce || !demandsNonce(actions) else {
            throw RequestFlaw(DPoPNonces.demand, "the proof must hold a nonce")
        }
        let isNew = state.withLock {
            $0.ledger.use(proof.serial, until: now / 1000 + 2 * CheckedProof.window, now: now / 1000)
        }
        guard isNew else {
            throw RequestFlaw("invalid_dpop_proof", "the proof is refused: it was used before")
        }
        return proof.key
    }

    func demandsNonce(_ actions: [Fault.Action]) -> Bool {
        configuration.demandsDPoPNonce || actions.contains(.demandNonce)
    }

    var nonceField: HTTPField { HTTPField(DPoPNonces.field, dpopNonce) }
}
