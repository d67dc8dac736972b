package import JOSE

/// Claims that the UserInfo endpoint signed (OIDC Core §5.3.2).
package enum SignedUserInfo {
    /// Checks issuer and audience, which a signed answer should have; one that is missing is not a failure.
    package static func check(
        _ jws: VerifiedJWS, issuers: [String], clientID: String, log: inout CheckLog
    ) throws(ProtocolError) {
        // What is no JSON object fails when it is read.
        let claims = (try? JSON.parse(jws.payload))?.objectValue ?? [:]
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
}
