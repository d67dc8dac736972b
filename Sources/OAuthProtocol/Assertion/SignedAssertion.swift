package import JOSE

/// A JWT in which somebody says who they are, or for whom they speak (RFC 7523 §3).
package enum SignedAssertion {
    /// How many random bytes an assertion takes: `jti`.
    package static let randomByteCount = 16
    /// Seconds; rule 80 allows five minutes.
    package static let lifetime: Int64 = 60

    /// Who signs, for whom, and to whom it goes.
    package struct Subject: Sendable, Hashable {
        /// Who issues the assertion: the client itself, or a service that the server trusts.
        package var issuer: String
        /// Whom it is about.
        package var subject: String
        /// The server's issuer identifier, one text: no address that an answer named (RFC 7523bis §3).
        package var audience: String

        package init(issuer: String, subject: String, audience: String) {
            self.issuer = issuer
            self.subject = subject
            self.audience = audience
        }

        /// A client that authenticates itself (RFC 7523 §2.2).
        package static func client(_ clientID: String, at issuer: String) -> Subject {
            Subject(issuer: clientID, subject: clientID, audience: issuer)
        }
    }

    /// - Parameters:
    ///   - randomBytes: 16 bytes that are used for nothing else: every request has an assertion of its own.
    ///   - now: Milliseconds since 1970.
    ///   - further: Claims beside those of RFC 7523 §3; none of those can be changed with them.
    /// - Throws: What `MessageSigner.sign` throws.
    package static func make(
        _ subject: Subject, signer: MessageSigner, randomBytes: [UInt8], now: Int64,
        lifetime: Int64 = lifetime, further: JSONObject = [:]
    ) throws(KeyError) -> Secret {
        precondition(randomBytes.count == randomByteCount, "an assertion is made of 16 random bytes")
        var claims: JSONObject = [
            "iss": .string(subject.issuer), "sub": .string(subject.subject),
            "aud": .string(subject.audience), "jti": .string(Base64URL.encode(randomBytes)),
            "iat": .int(now / 1000), "exp": .int(now / 1000 + lifetime),
        ]
        for (name, value) in further.members where claims[name] == nil { claims[name] = value }
        return Secret(try signer.sign(claims, type: "JWT"), kind: .assertion)
    }
}
