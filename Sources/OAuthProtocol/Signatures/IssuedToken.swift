package import JOSE

/// A JWT that an issuer made, looked at by somebody who asked for none: an access token as an API looks at it
/// (RFC 9068 §4), or an ID token of another program.
package enum IssuedToken {
    /// How far clocks may differ, in seconds.
    private static let leeway = 60.0

    /// Checks the signature, and if it is good every claim, whichever of them fails.
    ///
    /// - Parameters:
    ///   - issuers: The issuers to accept, given what the token says.
    ///   - audience: For whom it must be; `nil` where nobody has said.
    ///   - now: Milliseconds since 1970.
    /// - Returns: The claims; `nil` where nobody vouches for any.
    package static func examine(
        _ token: Secret, keys: JWKSet, issuers: (JSONObject) -> [String], audience: String?, now: Int64,
        log: inout CheckLog
    ) -> JSONObject? {
        // A MAC proves nothing to whoever does not hold the client's secret.
        let allowed = SignatureAlgorithm.allCases.filter { $0.keyType != nil }
        do throws(ProtocolError) {
            let jws = try MessageSignature.verify(
                token, .issuedToken, keys: keys, allowed: allowed, log: &log)
            let claims = try claims(jws, log: &log)
            check(claims, issuers(claims.raw), audience, now: Double(now) / 1000, log: &log)
            return claims.raw
        } catch {
            return nil  // The log says why.
        }
    }

    private static func claims(_ jws: VerifiedJWS, log: inout CheckLog) throws(ProtocolError) -> JWTClaims {
        do throws(JWTClaimsError) {
            return try JWTClaims(payload: jws.payload)
        } catch {
            throw log.malformed(Checks.issuedTokenClaims, "a set of claims", detail: error.summary)
        }
    }

    private static func check(
        _ claims: JWTClaims, _ issuers: [String], _ audience: String?, now: Double, log: inout CheckLog
    ) {
        log.note(
            issuers.contains { claims.says(.iss, $0) }, Checks.issuedTokenIssuer,
            expected: issuers.joined(separator: " or "), actual: claims.iss ?? "no iss")
        let audiences = claims.aud ?? []
        if let audience {
            log.note(
                audiences.contains { $0.isExactly(audience) }, Checks.issuedTokenAudience,
                expected: audience, actual: audiences.isEmpty ? "no aud" : audiences.joined(separator: " "))
        } else {
            log.skip(
                Checks.issuedTokenAudience,
                because: audiences.isEmpty
                    ? "it names none, and nobody has said for whom it must be"
                    : "it is for \(RemoteText.sanitize(audiences.joined(separator: " "), limit: 200)); "
                        + "nobody has said for whom it must be")
        }
        log.note(
            claims.exp.map { now < $0 + leeway } ?? false, Checks.issuedTokenExpiry,
            expected: "later than \(IDTokenChecks.seconds(now))",
            actual: claims.exp.map(IDTokenChecks.seconds) ?? "no exp")
        for (check, time) in [(Checks.notBefore, claims.nbf), (Checks.issuedTokenTime, claims.iat)] {
            guard let time else {
                log.skip(check, because: "it has none")
                continue
            }
            log.note(
                time <= now + leeway, check, expected: "not after \(IDTokenChecks.seconds(now))",
                actual: IDTokenChecks.seconds(time))
        }
    }
}

extension CheckLog {
    /// Records the verdict; what comes after it is looked at all the same.
    fileprivate mutating func note(_ condition: Bool, _ check: Check, expected: String, actual: String) {
        if condition {
            pass(check)
        } else {
            _ = failure(check, expected: expected, actual: RemoteText.sanitize(actual, limit: 200))
        }
    }
}
