package import JOSE
package import OAuthProtocol

/// What a program does with a stored session without a run.
extension SessionRecord {
    /// The same session without an access token: the next run that needs it asks for another.
    ///
    /// - Parameters:
    ///   - token: The access token that it is about; `nil` for all of them.
    ///   - isInDoubt: Whether the refresh token is one that is not sent again: the record says so then.
    /// - Returns: `nil` when the session has no such token, or the bytes are no record of this version.
    package static func withoutAccessToken(
        _ bytes: [UInt8], ifItIs token: String? = nil, isInDoubt: Bool = false
    ) -> [UInt8]? {
        guard summary(bytes) != nil,
            var record = (try? JSON.parse(bytes, limits: limits))?.objectValue  // it was read a line above
        else { return nil }
        func isMeant(_ record: JSONValue) -> Bool {
            token == nil || record["access_token"]?.stringValue == token
        }
        let held = record["held"]?.arrayValue ?? []
        let left = held.filter { !isMeant($0) }
        let isFirst = isMeant(.object(record))
        guard isFirst || left.count < held.count else { return nil }
        if isFirst { record["expires_at"] = .int(0) }
        if isInDoubt, record["refresh_token"] != nil { record["in_doubt"] = true }
        record["held"] = left.isEmpty ? nil : .array(left)
        return record.serializedBytes
    }
}

extension BoundProvider {
    /// The row of the session that flows keep which give it no `key` of its own.
    package func sessionKey(profile: String) -> SessionKey {
        SessionKey(issuer: sessionIssuer, clientID: registration.clientID, profile: profile, key: nil)
    }
}

extension TokenSet {
    /// The key that the access token is bound to (RFC 9449); `nil` for a bearer token.
    ///
    /// - Throws: When the stored key cannot sign.
    package func boundKey() throws(KeyError) -> DPoPKey? {
        guard let proofKey = self.proofKey else { return nil }
        return try DPoPKey(SigningKeyText.read(proofKey).key)
    }
}

/// What an ID token says of its own time.
package enum IDTokenLife {
    /// The instant from which on nobody takes it, in milliseconds since 1970.
    ///
    /// Verifies nothing: the token was verified when it was stored.
    ///
    /// - Returns: `nil` for what is no signed token with `exp`.
    package static func end(of token: Secret) -> Int64? {
        guard let payload = (try? JWS.split(token.reveal()))?.payload,  // any flaw means the same
            let seconds = (try? JSON.parse(payload))?["exp"]?.numberValue, abs(seconds) < 1e12
        else { return nil }
        return Int64(seconds * 1_000)
    }
}
