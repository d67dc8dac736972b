package import JOSE

/// An ID token whose signature and claims have been checked.
package struct IDToken: Sendable {
    package let issuer: String
    /// With the issuer, the identity of the user; an e-mail address is not.
    package let subject: String
    package let claims: JWTClaims
    /// All claims as they came, made anew.
    package var raw: JSONObject { claims.raw }

    private init(claims: JWTClaims, issuer: String, subject: String) {
        self.claims = claims
        self.issuer = issuer
        self.subject = subject
    }

    /// Checks every rule of OIDC Core §3.1.3.7 in order, then the rest of the document's.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Throws: `failed` with the first check that fails; `malformed` when the payload is not a claims set.
    package static func validate(
        _ jws: VerifiedJWS, _ expectations: IDTokenExpectations, now: Int64, log: inout CheckLog
    ) throws(ProtocolError) -> IDToken {
        let claims = try readClaims(jws, log: &log)
        let checks = IDTokenChecks(jws: jws, claims: claims, expected: expectations, now: Double(now) / 1000)
        try checks.run(log: &log)
        // Present, or the checks of `iss` and `sub` had failed.
        return IDToken(claims: claims, issuer: claims.iss ?? "", subject: claims.sub ?? "")
    }

    private static func readClaims(
        _ jws: VerifiedJWS, log: inout CheckLog
    ) throws(ProtocolError) -> JWTClaims {
        do throws(JWTClaimsError) {
            return try JWTClaims(payload: jws.payload)
        } catch {
            switch error {
            case .notJSON(let error):
                throw log.malformed(
                    Checks.tokenFormat, "id token", detail: "the payload is not JSON: \(error.summary)")
            case .notAnObject:
                throw log.malformed(
                    Checks.tokenFormat, "id token", detail: "the payload is not a JSON object")
            case .wrongType(let name, let expected):
                throw log.failure(
                    Checks.claim(name), expected: "\(name) is \(expected)", actual: "another type")
            }
        }
    }
}

extension Checks {
    /// The check that a claim of the wrong type fails. Those of `acr` and `auth_time` ask for a better sign-in, which would
    /// change nothing.
    fileprivate static func claim(_ name: String) -> Check {
        let checks: [String: Check] = [
            "iss": issuer, "aud": audience, "azp": authorizedParty, "exp": expiry, "iat": issuedAt,
            "nbf": notBefore, "nonce": nonce, "sub": subject, "at_hash": accessTokenHash, "c_hash": codeHash,
            "s_hash": stateHash,
        ]
        return checks[name] ?? requiredClaims
    }
}
