package import JOSE

/// A kind of message that is a JWT: how its checks are called, and what the `typ` of its header may say.
///
/// Only signed messages are read here. One that is encrypted too is opened by `EncryptedToken.open` first.
package struct SignedMessage: Sendable, Hashable {
    let format: Check
    let type: Check
    /// Compared without case; with or without `application/` in front (RFC 7515 §4.1.9). None: any will do.
    let types: [String]
    let mayOmitType: Bool

    /// Checks 100 and 110: a token made for another purpose has a type of its own, as at+jwt and logout+jwt.
    package static let idToken = SignedMessage(
        format: Checks.tokenFormat, type: Checks.tokenTypeHeader, types: ["JWT"], mayOmitType: true)
    /// JARM names no type.
    package static let authorizationResponse = SignedMessage(
        format: Checks.securedFormat, type: Checks.tokenTypeHeader, types: ["JWT"], mayOmitType: true)
    package static let introspection = SignedMessage(
        format: Checks.signedIntrospectionFormat, type: Checks.signedIntrospectionType,
        types: [SignedIntrospection.type], mayOmitType: false)
    /// Whatever it was made for.
    static let issuedToken = SignedMessage(
        format: Checks.issuedTokenFormat, type: Checks.tokenTypeHeader, types: [], mayOmitType: true)

    fileprivate var expectedType: String {
        (mayOmitType ? "no typ, or " : "") + types.joined(separator: " or ")
    }

    fileprivate func allows(_ type: String?) -> Bool {
        guard let type else { return mayOmitType }
        return types.isEmpty
            || types.contains {
                $0.equalsIgnoringASCIICase(type) || "application/\($0)".equalsIgnoringASCIICase(type)
            }
    }
}

/// The signature of a message: rules 100 to 119, before anything that it says is read.
package enum MessageSignature {
    /// Verifies with the provider's published keys.
    ///
    /// - Parameter allowed: The algorithms that the client registered for this kind of message; `none` cannot
    ///   be one of them.
    /// - Throws: `failed` with the check; only a failure of `Checks.key` or `Checks.signature` may be cured by fetching
    ///   the key set anew, once: some providers put another key in the place of the old one, under its name or without.
    package static func verify(
        _ token: Secret, _ message: SignedMessage, keys: JWKSet, allowed: [SignatureAlgorithm],
        log: inout CheckLog
    ) throws(ProtocolError) -> VerifiedJWS {
        let jws = try split(token, message, log: &log)
        do throws(JWSError) {
            return passed(try JWS.verify(jws, keys: keys, allowed: allowed), log: &log)
        } catch {
            throw failure(error, message, keys, log: &log)
        }
    }

    /// Verifies with the client secret, for a client that registered one of `HS*`.
    package static func verify(
        _ token: Secret, _ message: SignedMessage, secret: SharedSecret, allowed: [SignatureAlgorithm],
        log: inout CheckLog
    ) throws(ProtocolError) -> VerifiedJWS {
        let jws = try split(token, message, log: &log)
        do throws(JWSError) {
            return passed(try JWS.verify(jws, secret: secret, allowed: allowed), log: &log)
        } catch {
            if case .noMatchingKey(_, let algorithm) = error, let short = secret.shortage(for: algorithm) {
                log.pass(Checks.algorithm)
                throw log.failure(
                    Checks.macKey,
                    expected: "a client secret of at least \(short.needed) bytes for \(algorithm.rawValue)",
                    actual: "one of \(short.bytes) bytes")
            }
            throw failure(error, message, log: &log)
        }
    }

    private static func split(
        _ token: Secret, _ message: SignedMessage, log: inout CheckLog
    ) throws(ProtocolError) -> UnverifiedJWS {
        let jws: UnverifiedJWS
        do throws(JWSError) {
            jws = try JWS.split(token.reveal())
        } catch {
            throw failure(error, message, log: &log)
        }
        log.pass(message.format)
        log.pass(Checks.critical)
        try log.require(
            jws.header.keyReferences.isEmpty, Checks.keyReference, expected: "no jku, jwk or x5u",
            actual: jws.header.keyReferences.joined(separator: " "))
        try log.require(
            message.allows(jws.header.typ), message.type, expected: message.expectedType,
            actual: jws.header.typ.map { RemoteText.sanitize($0, limit: 60) } ?? "no typ")
        return jws
    }

    private static func passed(_ jws: VerifiedJWS, log: inout CheckLog) -> VerifiedJWS {
        log.pass(Checks.algorithm)
        log.pass(Checks.key)
        log.pass(Checks.signature)
        return jws
    }

    /// Records which check the error is a failure of, and that those before it passed.
    private static func failure(
        _ error: JWSError, _ message: SignedMessage, _ keys: JWKSet = JWKSet(keys: []), log: inout CheckLog
    ) -> ProtocolError {
        switch error {
        case .malformed(let malformation):
            return log.failure(
                message.format, expected: "a compact JWS", actual: malformation.summary)
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
            return log.failure(
                Checks.key, expected: "a key of the key set",
                actual: RemoteText.sanitize(keys.absence(ofKid: kid, algorithm), limit: 300))
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
