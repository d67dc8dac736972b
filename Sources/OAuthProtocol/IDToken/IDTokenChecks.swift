internal import JOSE

/// The rules for the claims of an ID token, one function each, in the order of OIDC Core §3.1.3.7.
struct IDTokenChecks {
    let jws: VerifiedJWS
    let claims: JWTClaims
    let expected: IDTokenExpectations
    /// Seconds since 1970.
    let now: Double

    /// How old a token that was issued just now may look; a day covers every clock that is merely wrong.
    private static let oldestIssue: Double = 86_400

    private var leeway: Double {
        let bound = expected.isStored ? Int.max : IDTokenExpectations.maximumLeeway
        return Double(min(max(0, expected.leewaySeconds), bound))
    }

    func run(log: inout CheckLog) throws(ProtocolError) {
        checkEncryption(log: &log)
        try checkIssuer(log: &log)
        try checkAudience(log: &log)
        try checkAuthorizedPartyPresent(log: &log)
        try checkAuthorizedParty(log: &log)
        checkSignature(log: &log)
        checkAlgorithm(log: &log)
        checkMACKey(log: &log)
        try checkExpiry(log: &log)
        try checkIssuedAt(log: &log)
        try checkNonce(log: &log)
        try checkAuthenticationContext(log: &log)
        try checkAuthenticationTime(log: &log)

        try checkNotBefore(log: &log)
        try checkSubject(log: &log)
        try checkHash(
            .atHash, of: expected.accessToken, "access token", Checks.accessTokenHash,
            absence: "the token has no at_hash", log: &log)
        try checkCodeHash(log: &log)
        try checkHash(
            .sHash, of: expected.state, "state", Checks.stateHash, absence: "the token has no s_hash",
            log: &log)
        try checkAnswered(log: &log)
        try checkRefresh(log: &log)
        try checkExpectedSubject(log: &log)
        try checkRequiredClaims(log: &log)
    }

    // Rule 1: an encrypted token is decrypted with the key that the client registered.
    private func checkEncryption(log: inout CheckLog) {
        if expected.wasEncrypted {
            log.pass(Checks.encryption)
        } else {
            log.skip(Checks.encryption, because: "this client registers no encryption key")
        }
    }

    // Rule 2: iss is exactly the issuer.
    private func checkIssuer(log: inout CheckLog) throws(ProtocolError) {
        try log.require(
            expected.issuers.contains { claims.says(.iss, $0) }, Checks.issuer,
            expected: expected.issuers.joined(separator: " or "),
            actual: claims.iss.map { RemoteText.sanitize($0) } ?? "no iss")
    }

    // Rule 3: aud holds the client, and nobody who is not trusted.
    private func checkAudience(log: inout CheckLog) throws(ProtocolError) {
        // As it nearly always is: the client alone.
        if claims.says(.aud, expected.clientID) { return log.pass(Checks.audience) }
        let audiences = claims.aud ?? []
        let others = audiences.filter { !$0.isExactly(expected.clientID) }
        try log.require(
            others.count < audiences.count, Checks.audience, expected: expected.clientID,
            actual: audiences.isEmpty ? "no aud" : Self.words(audiences))
        let strangers = others.filter { audience in
            !expected.additionalAudiences.contains { $0.isExactly(audience) }
        }
        try log.require(
            strangers.isEmpty, Checks.otherAudiences,
            expected: Self.words([expected.clientID] + expected.additionalAudiences),
            actual: Self.words(audiences))
    }

    private static func words(_ audiences: [String]) -> String {
        RemoteText.sanitize(audiences.joined(separator: " "))
    }

    // Rule 4: with several audiences azp must be present. Errata 2 leaves this to extensions; kept strict.
    private func checkAuthorizedPartyPresent(log: inout CheckLog) throws(ProtocolError) {
        let count = claims.audienceCount
        guard count > 1 else {
            return log.skip(Checks.authorizedPartyPresent, because: "there is one audience")
        }
        try log.require(
            claims.has(.azp), Checks.authorizedPartyPresent, expected: "azp beside \(count) audiences",
            actual: "no azp")
    }

    // Rule 5: azp, when present, is the client.
    private func checkAuthorizedParty(log: inout CheckLog) throws(ProtocolError) {
        guard claims.has(.azp) else {
            return log.skip(Checks.authorizedParty, because: "the token has no azp")
        }
        try log.require(
            claims.says(.azp, expected.clientID), Checks.authorizedParty, expected: expected.clientID,
            actual: RemoteText.sanitize(claims.azp ?? ""))
    }

    // Rule 6: the signature. TLS to the token endpoint would do instead, and is not relied on.
    private func checkSignature(log: inout CheckLog) {
        log.pass(Checks.signatureVerified)
    }

    // Rule 7: alg is the registered one. `VerifiedJWS` exists only for an algorithm of the caller's list.
    private func checkAlgorithm(log: inout CheckLog) {
        log.pass(Checks.registeredAlgorithm)
    }

    // Rule 8: for a MAC the key is the client secret. A `VerifiedJWS` of HS* was made with a shared secret only.
    private func checkMACKey(log: inout CheckLog) {
        if jws.algorithm.keyType == nil {
            log.pass(Checks.macKey)
        } else {
            log.skip(Checks.macKey, because: "the signature is no MAC")
        }
    }

    // Rule 9: now is before exp.
    private func checkExpiry(log: inout CheckLog) throws(ProtocolError) {
        guard let exp = claims.exp else {
            throw log.failure(Checks.expiry, expected: "exp", actual: "no exp")
        }
        try log.require(
            now < exp + leeway, Checks.expiry, expected: "later than \(Self.seconds(now))",
            actual: Self.seconds(exp))
    }

    // Rule 10: iat is not too far from now.
    private func checkIssuedAt(log: inout CheckLog) throws(ProtocolError) {
        guard let iat = claims.iat else {
            throw log.failure(Checks.issuedAt, expected: "iat", actual: "no iat")
        }
        try log.require(
            iat <= now + leeway && iat >= now - Self.oldestIssue - leeway, Checks.issuedAt,
            expected: "about \(Self.seconds(now))", actual: Self.seconds(iat))
    }

    // Rule 11: nonce is the one that was sent. After a refresh it may be absent (§12.2).
    private func checkNonce(log: inout CheckLog) throws(ProtocolError) {
        switch expected.origin {
        case .code(let sent?): try checkNonce(against: sent, isRequired: expected.nonceRequired, log: &log)
        // What comes through the browser is bound to the request by nothing else (§3.3.2.11, §3.2.2.11).
        case .authorization(let sent): try checkNonce(against: sent, isRequired: true, log: &log)
        case .code(nil):
            // A token with a nonce belongs to another request than ours.
            try log.require(
                !claims.has(.nonce), Checks.nonce, expected: "no nonce, for none was sent", actual: "a nonce")
        case .refresh(_, _, let previous, _, _):
            guard claims.has(.nonce) else {
                return log.skip(
                    Checks.nonce, because: "a refreshed token need not have one")
            }
            guard let previous else {
                return log.skip(Checks.nonce, because: "the nonce of the first token is not known")
            }
            try log.require(
                claims.says(.nonce, previous.reveal()), Checks.nonce,
                expected: "the nonce of the first token", actual: "another nonce")
        }
    }

    private func checkNonce(
        against sent: Secret, isRequired: Bool, log: inout CheckLog
    ) throws(ProtocolError) {
        guard claims.has(.nonce) else {
            guard !isRequired else {
                throw log.failure(Checks.nonce, expected: "the nonce of this run", actual: "no nonce")
            }
            return log.relax(Checks.nonce, because: "the descriptor says that this provider echoes none")
        }
        try log.require(
            claims.says(.nonce, sent.reveal()), Checks.nonce, expected: "the nonce of this run",
            actual: "another nonce")
    }

    // Rule 12: acr is one that was asked for.
    private func checkAuthenticationContext(log: inout CheckLog) throws(ProtocolError) {
        guard !expected.acrValues.isEmpty else {
            return log.skip(Checks.authenticationContext, because: "no acr was asked for")
        }
        try log.require(
            expected.acrValues.contains { claims.says(.acr, $0) }, Checks.authenticationContext,
            expected: expected.acrValues.joined(separator: " or "),
            actual: claims.acr.map { RemoteText.sanitize($0) } ?? "no acr")
    }

    // Rule 13: the user signed in recently enough.
    private func checkAuthenticationTime(log: inout CheckLog) throws(ProtocolError) {
        guard let maxAge = expected.maxAge else {
            return log.skip(Checks.authenticationTime, because: "no max_age was asked for")
        }
        guard let authTime = claims.authTime else {
            throw log.failure(
                Checks.authenticationTime, expected: "auth_time, for max_age was asked for",
                actual: "no auth_time")
        }
        try log.require(
            authTime + Double(maxAge) + leeway >= now && authTime <= now + leeway, Checks.authenticationTime,
            expected: "within \(maxAge) s before \(Self.seconds(now))", actual: Self.seconds(authTime))
    }

    // RFC 7519 §4.1.5.
    private func checkNotBefore(log: inout CheckLog) throws(ProtocolError) {
        guard let nbf = claims.nbf else {
            return log.skip(Checks.notBefore, because: "the token has no nbf")
        }
        try log.require(
            nbf <= now + leeway, Checks.notBefore, expected: "not after \(Self.seconds(now))",
            actual: Self.seconds(nbf))
    }

    // §2: "It MUST NOT exceed 255 ASCII characters in length".
    private func checkSubject(log: inout CheckLog) throws(ProtocolError) {
        let sub = claims.sub ?? ""
        try log.require(
            !sub.isEmpty && sub.utf8.count <= 255 && sub.isASCII, Checks.subject,
            expected: "1 to 255 ASCII characters",
            actual: claims.sub == nil ? "no sub" : "\(sub.utf8.count) bytes")
    }

    // §3.3.2.11: "If the ID Token is issued from the Authorization Endpoint with a code [...] this is REQUIRED".
    private func checkCodeHash(log: inout CheckLog) throws(ProtocolError) {
        if case .authorization = expected.origin, !claims.has(.cHash) {
            throw log.failure(Checks.codeHash, expected: "the hash of the code", actual: "no c_hash")
        }
        try checkHash(
            .cHash, of: expected.code, "code", Checks.codeHash, absence: "the token has no c_hash", log: &log)
    }

    // §3.3.3.6: the ID tokens of both endpoints are of the same issuer and about the same person.
    private func checkAnswered(log: inout CheckLog) throws(ProtocolError) {
        guard let answered = expected.answered else { return }
        try log.require(
            claims.says(.iss, answered.issuer), Checks.answeredIssuer, expected: answered.issuer,
            actual: RemoteText.sanitize(claims.iss ?? "no iss"))
        try log.require(
            claims.says(.sub, answered.subject), Checks.answeredSubject,
            expected: "the subject of the authorization response", actual: "another subject")
    }

    // §3.1.3.8 and §3.3.2.10: the left half of the hash, by the algorithm of the signature.
    private func checkHash(
        _ claim: RegisteredClaim, of value: Secret?, _ name: String, _ check: Check, absence: String,
        log: inout CheckLog
    ) throws(ProtocolError) {
        guard claims.has(claim) else { return log.skip(check, because: absence) }
        guard let value else { return log.skip(check, because: "no \(name) came with the token") }
        // Without a hash for the algorithm and its key nothing is equal to it.
        let hash = jws.leftHalfHash(of: value.reveal())
        try log.require(
            hash.map { claims.says(claim, $0) } ?? false, check,
            expected: "the hash of the \(name)", actual: "another hash")
    }

    // §12.2: a refreshed token is about the same user, of the same issuer, and the same sign-in.
    private func checkRefresh(log: inout CheckLog) throws(ProtocolError) {
        guard case .refresh(let issuer, let subject, _, let authTime, let audience) = expected.origin else {
            for check in Self.refreshChecks {
                log.skip(check, because: "the token is not from a refresh")
            }
            return
        }
        try log.require(
            claims.says(.iss, issuer), Checks.refreshIssuer, expected: issuer,
            actual: RemoteText.sanitize(claims.iss ?? "no iss"))
        try log.require(
            claims.says(.sub, subject), Checks.refreshSubject,
            expected: "the subject of the first token", actual: "another subject")
        try checkRefresh(audience, log: &log)
        guard let authTime, let found = claims.authTime else {
            return log.skip(Checks.refreshAuthenticationTime, because: "one of the tokens has no auth_time")
        }
        // Many providers say when the person last signed in there, by whatever program: that is no other session.
        guard found <= authTime else {
            return log.relax(
                Checks.refreshAuthenticationTime,
                because: "it is of a sign-in at the provider since then, which counts for nothing here")
        }
        try log.require(
            found == authTime, Checks.refreshAuthenticationTime, expected: Self.seconds(authTime),
            actual: Self.seconds(found))
    }

    private static let refreshChecks = [
        Checks.refreshIssuer, Checks.refreshSubject, Checks.refreshAudience, Checks.refreshAuthorizedParty,
        Checks.refreshAuthenticationTime,
    ]

    // §12.2: "its aud Claim Value MUST include the aud Claim of the original ID Token"; azp likewise is the same.
    private func checkRefresh(
        _ previous: IDTokenExpectations.PreviousAudience?, log: inout CheckLog
    ) throws(ProtocolError) {
        guard let previous else {
            for check in [Checks.refreshAudience, Checks.refreshAuthorizedParty] {
                log.skip(check, because: "the audience of the first token is not known")
            }
            return
        }
        let audiences = claims.aud ?? []
        try log.require(
            previous.audiences.allSatisfy { one in audiences.contains { $0.isExactly(one) } },
            Checks.refreshAudience, expected: RemoteText.sanitize(previous.audiences.joined(separator: " ")),
            actual: RemoteText.sanitize(audiences.joined(separator: " ")))
        try log.require(
            claims.azp.map { Array($0.utf8) } == previous.authorizedParty.map { Array($0.utf8) },
            Checks.refreshAuthorizedParty,
            expected: previous.authorizedParty.map { RemoteText.sanitize($0) } ?? "no azp",
            actual: claims.azp.map { RemoteText.sanitize($0) } ?? "no azp")
    }

    private func checkExpectedSubject(log: inout CheckLog) throws(ProtocolError) {
        guard let subject = expected.expectedSubject else {
            return log.skip(Checks.expectedSubject, because: "any user may sign in")
        }
        try log.require(
            claims.says(.sub, subject), Checks.expectedSubject,
            expected: "the subject that was asked for", actual: "another subject")
    }

    private func checkRequiredClaims(log: inout CheckLog) throws(ProtocolError) {
        guard !expected.requiredClaims.isEmpty else {
            return log.skip(Checks.requiredClaims, because: "no further claims are required")
        }
        let present = claims.raw
        let missing = expected.requiredClaims.filter { present[$0]?.isNull ?? true }
        try log.require(
            missing.isEmpty, Checks.requiredClaims,
            expected: expected.requiredClaims.joined(separator: " "),
            actual: "no \(missing.joined(separator: ", no "))")
    }

    /// Seconds since 1970 without a fraction; a remote number may be too large for an integer.
    static func seconds(_ time: Double) -> String {
        Int64(exactly: time.rounded(.down)).map(String.init) ?? "\(time)"
    }
}
