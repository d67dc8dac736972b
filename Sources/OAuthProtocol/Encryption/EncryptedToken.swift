package import JOSE

/// A signed token inside an encrypted one (RFC 7519 §5.2, OIDC Core §10.2).
///
/// Opening proves nothing about the sender, who needs our public key only: the signature inside must be verified
/// all the same, which is why the token inside is handed on as it came, and refused when it is not signed.
package enum EncryptedToken {
    private static func dots(in text: String) -> Int {
        func count(_ bytes: some Sequence<UInt8>) -> Int { bytes.count { $0 == UInt8(ascii: ".") } }
        // Ten times as fast over the bytes themselves.
        return text.utf8.withContiguousStorageIfAvailable(count) ?? count(text.utf8)
    }

    /// Takes off the encryption that the client registered.
    ///
    /// - Parameters:
    ///   - registered: `nil` for a client that registered none; then an encrypted token is refused and any other
    ///     handed back unread. With a registration a token that is not encrypted is refused.
    ///   - keys: Our private keys.
    /// - Returns: The signed token inside, not verified.
    /// - Throws: `failed` with `Checks.encryption` when the token is encrypted and should not be, or the other way
    ///   round; with `Checks.decryption` for every reason why it cannot be decrypted; with the check otherwise.
    package static func open(
        _ token: Secret, registered: RegisteredEncryption?, keys: [DecryptionKey], log: inout CheckLog
    ) throws(ProtocolError) -> Secret {
        let text = token.reveal()
        let isEncrypted = dots(in: text) == 4
        guard let registered else {
            guard !isEncrypted else {
                throw log.failure(
                    Checks.encryption, expected: "a token in the clear, for no encryption is registered",
                    actual: "an encrypted token")
            }
            return token
        }
        guard isEncrypted else {
            throw log.failure(
                Checks.encryption, expected: "a token encrypted with \(registered.words)",
                actual: "a token that is not encrypted")
        }
        let opened: DecryptedJWE
        do throws(JWEError) {
            let jwe = try JWE.split(text)
            opened = try JWE.decrypt(
                jwe, keys: keys, algorithm: registered.algorithm, encryption: registered.encryption)
        } catch {
            throw failure(error, registered, log: &log)
        }
        passHeader(&log)
        log.pass(Checks.encryptionAlgorithm)
        log.pass(Checks.decryption)
        return Secret(try signed(opened, log: &log), kind: token.kind)
    }

    /// The text inside, when it is a compact signature by an algorithm we know: never claims alone, nor `none`.
    private static func signed(
        _ opened: DecryptedJWE, log: inout CheckLog
    ) throws(ProtocolError) -> String {
        let type = opened.header.cty ?? "JWT"
        try log.require(
            type.equalsIgnoringASCIICase("JWT"), Checks.contentType, expected: "no cty, or JWT",
            actual: RemoteText.sanitize(type, limit: 60))
        let text = String(decoding: opened.plaintext, as: UTF8.self)
        let jws: UnverifiedJWS
        do throws(JWSError) {
            jws = try JWS.split(text)
        } catch {
            throw log.failure(
                Checks.nestedSignature, expected: "a signed token inside", actual: "something else")
        }
        try log.require(
            jws.header.algorithm != nil && !jws.signature.isEmpty, Checks.nestedSignature,
            expected: "a signed token inside",
            actual: "alg \(RemoteText.sanitize(jws.header.alg, limit: 60))")
        return text
    }

    private static func passHeader(_ log: inout CheckLog) {
        for check in [
            Checks.encryptedFormat, Checks.encryptedCritical, Checks.compression,
            Checks.encryptedKeyReference,
        ] {
            log.pass(check)
        }
    }

    /// Records which check the error is a failure of, and that those before it passed.
    private static func failure(
        _ error: JWEError, _ registered: RegisteredEncryption, log: inout CheckLog
    ) -> ProtocolError {
        switch error {
        case .malformed(let malformation):
            return log.failure(
                Checks.encryptedFormat, expected: "a compact JWE", actual: malformation.summary)
        case .criticalHeader(let names):
            let shown = RemoteText.sanitize(names.joined(separator: " "), limit: 60)
            return log.failure(Checks.encryptedCritical, expected: "no crit", actual: "crit: \(shown)")
        case .compressed:
            return log.failure(Checks.compression, expected: "no zip", actual: "zip")
        case .keyReference(let names):
            return log.failure(
                Checks.encryptedKeyReference, expected: "no jku, jwk or x5u",
                actual: names.joined(separator: " "))
        case .algorithmNotAllowed(let alg, let enc):
            passHeader(&log)
            return log.failure(
                Checks.encryptionAlgorithm, expected: registered.words,
                actual: RemoteText.sanitize("\(alg) with \(enc)", limit: 120))
        case .noMatchingKey(let kid):
            passHeader(&log)
            log.pass(Checks.encryptionAlgorithm)
            let shown = kid.map { "kid \(RemoteText.sanitize($0, limit: 60))" } ?? "no kid"
            return log.failure(
                Checks.decryption, expected: "a token for a key of this client",
                actual: "\(shown), for which there is no \(registered.algorithm.rawValue) key")
        case .undecryptable:
            passHeader(&log)
            log.pass(Checks.encryptionAlgorithm)
            return log.failure(
                Checks.decryption, expected: "a token for a key of this client", actual: "another one")
        }
    }
}

extension JWEError.Malformation {
    fileprivate var summary: String {
        switch self {
        case .tooLong(let limit): "more than \(limit) bytes"
        case .partCount, .signed: "not five parts"
        case .emptyHeader: "an empty header"
        case .notBase64URL(let part): "\(part) is not base64url"
        case .headerNotJSON(let error): "the header is not JSON: \(error.summary)"
        case .headerNotAnObject: "the header is not a JSON object"
        case .missingParameter(let name): "the header has no \(name)"
        case .wrongType(let name):
            "header parameter \(RemoteText.sanitize(name, limit: 60)) has the wrong type"
        }
    }
}
