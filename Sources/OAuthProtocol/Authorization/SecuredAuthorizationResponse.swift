package import JOSE

/// The parameters of an authorization response that came as a signed JWT, checked (JARM §2.4).
///
/// They still are to be validated as `AuthorizationResponse`: its `state` is checked there.
package struct SecuredAuthorizationResponse: Sendable {
    /// As if they had come as parameters of the redirect URI, `iss` included.
    package let parameters: [(name: String, value: String)]

    private init(parameters: [(name: String, value: String)]) { self.parameters = parameters }

    /// The parameter that carries the JWT (JARM §2.3).
    package static let parameter = "response"

    /// How far clocks may differ, in seconds.
    private static let leeway = 60.0

    /// The response modes whose answer is a JWT (JARM §2.3).
    package static func isSecured(_ responseMode: String?) -> Bool {
        responseMode == "jwt" || responseMode?.hasSuffix(".jwt") == true
    }

    /// The JWT of a callback.
    ///
    /// An answer without it is refused, whatever else it holds: parameters beside a signature that was asked
    /// for are what an attacker would send.
    ///
    /// - Throws: `failed` when there is no `response`, or more than one.
    package static func token(
        in parameters: [(name: String, value: String)], log: inout CheckLog
    ) throws(ProtocolError) -> Secret {
        let found = parameters.filter { $0.name.isExactly(parameter) }
        try log.require(
            found.count == 1 && !found[0].value.isEmpty, Checks.securedResponse,
            expected: "one parameter response",
            actual: found.isEmpty
                ? "parameters without a signature" : "\(found.count) of them, or an empty one")
        return Secret(found[0].value, kind: .code)
    }

    /// The `state` that an unverified response names: only to find the run that waits for it.
    ///
    /// `nil` for a response that is encrypted: then it is to be opened first (`SealedResponses`).
    package static func unverifiedState(of token: Secret) -> String? {
        guard let jws = try? JWS.split(token.reveal()) else { return nil }
        return (try? JSON.parse(jws.payload))?["state"]?.stringValue
    }

    /// Checks the claims that say who sent the response, to whom, and until when.
    ///
    /// - Parameters:
    ///   - jws: What `MessageSignature.verify` made of the token with `.authorizationResponse`; an encrypted
    ///     response goes through `EncryptedToken.open` before that.
    ///   - issuers: The server's, and texts that it puts in place of it; compared exactly.
    ///   - now: Milliseconds since 1970.
    /// - Throws: `failed` with the check; `malformed` when the payload is not a claims set.
    package static func validate(
        _ jws: VerifiedJWS, issuers: [String], clientID: String, now: Int64, log: inout CheckLog
    ) throws(ProtocolError) -> SecuredAuthorizationResponse {
        let claims = try readClaims(jws, log: &log)
        try log.require(
            claims.iss.map { iss in issuers.contains { $0.isExactly(iss) } } ?? false, Checks.securedIssuer,
            expected: issuers.joined(separator: " or "),
            actual: RemoteText.sanitize(claims.iss ?? "no iss", limit: 200))
        let audiences = claims.aud ?? []
        try log.require(
            audiences.contains { $0.isExactly(clientID) }, Checks.securedAudience, expected: clientID,
            actual: audiences.isEmpty
                ? "no aud" : RemoteText.sanitize(audiences.joined(separator: " "), limit: 200))
        let seconds = Double(now) / 1000
        let isStarted = claims.nbf.map { $0 <= seconds + leeway } ?? true
        try log.require(
            isStarted && claims.exp.map { seconds < $0 + leeway } ?? false, Checks.securedExpiry,
            expected: isStarted ? "later than \(now / 1000)" : "nbf, not after \(now / 1000)",
            actual: (isStarted ? claims.exp : claims.nbf).map { "\($0)" } ?? "no exp")
        return SecuredAuthorizationResponse(parameters: parameters(of: claims.raw))
    }

    /// Every claim but those that only secure the response; a code and a state are texts.
    private static func parameters(of claims: JSONObject) -> [(name: String, value: String)] {
        claims.members.compactMap { name, value in
            guard !["aud", "exp", "iat", "nbf", "jti"].contains(name) else { return nil }
            let text = ["code", "state", "error"].contains(name) ? value.stringValue : value.scalarText
            return text.map { (name, $0) }
        }
    }

    private static func readClaims(
        _ jws: VerifiedJWS, log: inout CheckLog
    ) throws(ProtocolError) -> JWTClaims {
        do throws(JWTClaimsError) {
            return try JWTClaims(payload: jws.payload)
        } catch {
            throw log.malformed(Checks.securedFormat, "authorization response", detail: error.summary)
        }
    }
}

extension SecuredAuthorizationResponse: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    package var description: String { "‹secured authorization response, \(parameters.count) parameters›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension JWTClaimsError {
    /// The mistake in words, without text of the claims.
    var summary: String {
        switch self {
        case .notJSON(let error): "the payload is not JSON: \(error.summary)"
        case .notAnObject: "the payload is not a JSON object"
        case .wrongType(let name, let expected): "\(name) is not \(expected)"
        }
    }
}
