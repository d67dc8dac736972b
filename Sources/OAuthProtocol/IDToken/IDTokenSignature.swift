package import JOSE

/// The signature of an ID token: rules 100 to 119, before any claim is read.
package enum IDTokenSignature {
    /// Verifies with the provider's published keys.
    ///
    /// - Parameter allowed: What the client registered, `id_token_signed_response_alg`; RS256 when it
    ///   registered nothing.
    /// - Throws: `failed` with the check; only a failure of `Checks.key` may be cured by fetching the key set
    ///   anew, once.
    package static func verify(
        _ token: Secret, keys: JWKSet, allowed: [SignatureAlgorithm], log: inout CheckLog
    ) throws(ProtocolError) -> VerifiedJWS {
        let jws = try split(token, log: &log)
        do throws(JWSError) {
            return passed(try JWS.verify(jws, keys: keys, allowed: allowed), log: &log)
        } catch {
            throw failure(error, log: &log)
        }
    }

    /// Verifies with the client secret, for a client that registered one of `HS*`.
    package static func verify(
        _ token: Secret, secret: SharedSecret, allowed: [SignatureAlgorithm], log: inout CheckLog
    ) throws(ProtocolError) -> VerifiedJWS {
        let jws = try split(token, log: &log)
        do throws(JWSError) {
            return passed(try JWS.verify(jws, secret: secret, allowed: allowed), log: &log)
        } catch {
            throw failure(error, log: &log)
        }
    }

    private static func split(_ token: Secret, log: inout CheckLog) throws(ProtocolError) -> UnverifiedJWS {
        let jws: UnverifiedJWS
        do throws(JWSError) {
            jws = try JWS.split(token.reveal())
        } catch {
            throw failure(error, log: &log)
        }
        log.pass(Checks.tokenFormat)
        log.pass(Checks.critical)
        try log.require(
            jws.header.keyReferences.isEmpty, Checks.keyReference, expected: "no jku, jwk or x5u",
            actual: jws.header.keyReferences.joined(separator: " "))
        // A token made for another purpose has a type of its own: at+jwt, logout+jwt, dpop+jwt.
        let type = jws.header.typ ?? "JWT"
        try log.require(
            type.equalsIgnoringASCIICase("JWT"), Checks.tokenTypeHeader, expected: "no typ, or JWT",
            actual: RemoteText.sanitize(type, limit: 60))
        return jws
    }

    private static func passed(_ jws: VerifiedJWS, log: inout CheckLog) -> VerifiedJWS {
        log.pass(Checks.algorithm)
        log.pass(Checks.key)
        log.pass(Checks.signature)
        return jws
    }

    /// Records which check the error is a failure of, and that those before it passed.
    private static func failure(_ error: JWSError, log: inout CheckLog) -> ProtocolError {
        switch error {
        case .malformed(let malformation):
            return log.failure(
                Checks.tokenFormat, expected: "a compact JWS", actual: malformation.summary)
        case .criticalHeader(let names):
            let shown = RemoteText.sanitize(names.joined(separator: " "), limit: 60)
            return log.failure(Checks.critical, expected: "no crit", actual: "crit: \(shown)")
        case .keyReference(let names):
            return log.failure(
                Checks.keyReference, expected: "no jku, jwk or x5u", actual: names.joined(separator: " "))
        case .algorithmNotAllowed(let found, let allowed):
            return log.failure(
                Checks.algorithm, expected: allowed.map(\.rawValue).joined(separator: " or "),
                actual: RemoteText.sanitize(found, limit: 60))
        case .noMatchingKey(let kid, let algorithm):
            log.pass(Checks.algorithm)
            let shown = kid.map { "kid \(RemoteText.sanitize($0, limit: 60))" } ?? "no kid"
            return log.failure(
                Checks.key, expected: "a key of the key set", actual: "\(shown) for \(algorithm.rawValue)")
        case .signatureInvalid:
            log.pass(Checks.algorithm)
            log.pass(Checks.key)
            return log.failure(
                Checks.signature, expected: "a signature by a key of the issuer", actual: "another one")
        }
    }
}

extension JWSError.Malformation {
    fileprivate var summary: String {
        switch self {
        case .tooLong(let limit): "more than \(limit) bytes"
        case .partCount: "not three parts"
        case .encrypted: "an encrypted token"
        case .emptyPart(let part): "an empty \(part)"
        case .notBase64URL(let part): "\(part) is not base64url"
        case .headerNotJSON(let error): "the header is not JSON: \(error.summary)"
        case .headerNotAnObject: "the header is not a JSON object"
        case .missingAlgorithm: "the header has no alg"
        case .wrongType(let name):
            "header parameter \(RemoteText.sanitize(name, limit: 60)) has the wrong type"
        }
    }
}
