package import JOSE

/// What a server says of a token and vouches for with its signature (RFC 9701).
package enum SignedIntrospection {
    /// Content type of the answer, without `application/`, and `typ` of its header.
    package static let type = "token-introspection+jwt"
    package static let mediaType = "application/" + type

    /// How far clocks may differ, and how old an answer may be that was asked for just now, in seconds.
    private static let leeway = 60.0
    private static let oldestAnswer = 300.0

    /// The compact JWT of an answer.
    ///
    /// - Throws: `rejected` or `status` for a failure; `malformed` for another content type: a server that
    ///   answers plainly gave no signature.
    package static func token(
        of response: HTTPResponse, dialect: ResponseDialect, log: inout CheckLog
    ) throws(ProtocolError) -> Secret {
        try dialect.checkStatus(response, Checks.introspectionStatus, log: &log)
        guard response.mediaType == mediaType else {
            throw log.malformed(
                Checks.introspectionContentType, "introspection response",
                detail: "\(BodyDescription.shown(response.mediaType)), not \(mediaType)")
        }
        log.pass(Checks.introspectionContentType)
        return Secret(response.tokenText, kind: .other)
    }

    /// The answer that the JWT carries, as a plain one would be: for `IntrospectionResponse.read`.
    ///
    /// - Parameters:
    ///   - jws: What `MessageSignature.verify` made of the token with `.introspection`.
    ///   - audience: Who asked: the client's identifier.
    ///   - now: Milliseconds since 1970.
    /// - Throws: `failed` with the check.
    package static func validate(
        _ jws: VerifiedJWS, issuer: String, audience: String, now: Int64, log: inout CheckLog
    ) throws(ProtocolError) -> JSONObject {
        let claims: JWTClaims
        do throws(JWTClaimsError) { claims = try JWTClaims(payload: jws.payload) } catch {
            throw log.malformed(
                Checks.signedIntrospectionBody, "introspection response", detail: error.summary)
        }
        try log.require(
            claims.iss.map { $0.isExactly(issuer) } ?? false, Checks.signedIntrospectionIssuer,
            expected: issuer, actual: RemoteText.sanitize(claims.iss ?? "no iss", limit: 200))
        try log.require(
            claims.aud?.contains { $0.isExactly(audience) } ?? false, Checks.signedIntrospectionAudience,
            expected: audience,
            actual: RemoteText.sanitize(claims.aud?.joined(separator: " ") ?? "no aud", limit: 200))
        let seconds = Double(now) / 1000
        let isRecent = claims.iat.map { $0 <= seconds + leeway && $0 >= seconds - oldestAnswer } ?? false
        let isCurrent =
            claims.exp.map { $0 > seconds - leeway } ?? true
            && claims.nbf.map { $0 <= seconds + leeway } ?? true
        try log.require(
            isRecent && isCurrent, Checks.signedIntrospectionTime,
            expected: isRecent ? "exp and nbf that fit \(now / 1000)" : "iat, about \(now / 1000)",
            actual: isRecent ? "others" : claims.iat.map(IDTokenChecks.seconds) ?? "no iat")
        guard let answer = claims.raw["token_introspection"]?.objectValue else {
            throw log.failure(
                Checks.signedIntrospectionBody, expected: "token_introspection, an object", actual: "none")
        }
        log.pass(Checks.signedIntrospectionBody)
        return answer
    }
}
