package import JOSE

/// Claims that the UserInfo endpoint signed (OIDC Core §5.3.2).
package enum SignedUserInfo {
    /// How far clocks may differ, in seconds.
    private static let leeway = 60.0

    /// Checks issuer and audience, which a signed answer should have, and its lifetime where it bears one; what is missing
    /// is not a failure.
    ///
    /// - Parameter now: Milliseconds since 1970.
    package static func check(
        _ jws: VerifiedJWS, issuers: [String], clientID: String, now: Int64, log: inout CheckLog
    ) throws(ProtocolError) {
        // What is no JSON object fails when it is read.
        let claims = (try? JSON.parse(jws.payload))?.objectValue ?? [:]
        try checkLifetime(claims, Double(now) / 1000, log: &log)
        if let issuer = claims["iss"] {
            try log.require(
                issuer.stringValue.map { found in issuers.contains { $0.isExactly(found) } } ?? false,
                Checks.userInfoIssuer, expected: issuers.joined(separator: " or "),
                actual: RemoteText.sanitize(issuer.stringValue ?? "another type", limit: 200))
        } else {
            log.skip(Checks.userInfoIssuer, because: "the answer has no iss")
        }
        guard let audience = claims["aud"] else {
            return log.skip(Checks.userInfoAudience, because: "the answer has no aud")
        }
        let audiences = audience.arrayValue?.compactMap(\.stringValue) ?? [audience.stringValue ?? ""]
        try log.require(
            audiences.contains { $0.isExactly(clientID) }, Checks.userInfoAudience, expected: clientID,
            actual: RemoteText.sanitize(audiences.joined(separator: " "), limit: 200))
    }

    /// An old answer may be about what is no longer so (RFC 7519 §4.1.4 and §4.1.5).
    private static func checkLifetime(
        _ claims: JSONObject, _ now: Double, log: inout CheckLog
    ) throws(ProtocolError) {
        let bounds =
            [("exp", { $0 > now - leeway }), ("nbf", { $0 <= now + leeway })] as [(String, (Double) -> Bool)]
        guard bounds.contains(where: { claims[$0.0] != nil }) else {
            return log.skip(Checks.userInfoLifetime, because: "the answer has no exp and no nbf")
        }
        for (name, holds) in bounds {
            guard let value = claims[name] else { continue }
            try log.require(
                value.numberValue.map(holds) ?? false, Checks.userInfoLifetime,
                expected: "\(name), a time that fits \(Int64(now))",
                actual: RemoteText.sanitize(value.serialize(), limit: 40))
        }
    }
}
