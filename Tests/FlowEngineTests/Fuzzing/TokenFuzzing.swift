import JOSE
import OAuthProtocol

/// What must hold for any bytes that claim to be a token or a key: nothing traps, and nothing is believed that the
/// fuzzer did not copy from the corpus.
///
/// An input that begins with `{` is a header, which is put where a header belongs, and also the claims of a token
/// that is signed for it: the fuzzer does not have to write base64url to get there. The tokens of the corpus are the examples of RFC 7515 §A.3 and RFC 8037 §A.4, and
/// some made for the same keys.
enum TokenFuzzing {
    // MARK: Signatures

    static func signature(_ bytes: [UInt8]) -> String? {
        guard let text = text(bytes, rest: ["e30", "AAAA"]) else { return nil }
        guard let jws = try? JWS.split(text) else { return nil }
        if !text.hasSuffix("." + Base64URL.encode(jws.signature)) { return "the signature reads otherwise" }
        if !text.contains("." + Base64URL.encode(jws.payload) + ".") { return "the payload reads otherwise" }
        guard let keys = try? JWKSet.parse(["keys": .array(privateKeys.map { $0.publicJWK() })]) else {
            return "no keys"
        }
        let allowed = SignatureAlgorithm.allCases
        let secret = SharedSecret([UInt8](repeating: 7, count: 64))
        if (try? JWS.verify(jws, secret: secret, allowed: allowed)) != nil { return "a MAC by nobody" }
        guard let verified = try? JWS.verify(jws, keys: keys, allowed: allowed) else { return nil }
        guard known.contains(Base64URL.encode(Digest.sha256(jws.signingInput))) else {
            return "a signature by nobody"
        }
        _ = verified.leftHalfHash(of: "code")
        _ = try? JWTClaims(payload: verified.payload)
        return jws.header.keyReferences.isEmpty ? nil : "a key of the sender's choice"
    }

    // MARK: Claims

    /// An ID token with these claims and a signature that holds.
    static func claims(_ bytes: [UInt8]) -> String? {
        guard bytes.first == UInt8(ascii: "{") else { return nil }
        let (key, code) = (privateKeys[1], Secret("code", kind: .code))
        guard let keys = try? JWKSet.parse(["keys": [key.publicJWK()]]),
            let token = try? JWS.sign(header: [:], payload: bytes, key: key, algorithm: .edDSA)
        else { return "no token" }
        let expected = IDTokenExpectations(
            issuers: ["https://op.example"], clientID: "c",
            origin: .code(nonce: Secret("n", kind: .nonce)), accessToken: Secret("at", kind: .accessToken),
            code: code, maxAge: 600, acrValues: ["1"], requiredClaims: ["email"])
        var log = CheckLog()
        guard
            let verified = try? IDTokenSignature.verify(
                Secret(token, kind: .idToken), keys: keys, allowed: [.edDSA], log: &log)
        else { return "a signature that does not hold" }
        let now = 1_767_225_600
        guard let read = try? IDToken.validate(verified, expected, now: Int64(now) * 1000, log: &log) else {
            return log.results.contains { $0.verdict.isFailure } ? nil : "refused without a reason"
        }
        let claims = read.claims
        let holds =
            claims.iss == "https://op.example" && claims.aud?.contains("c") == true && claims.nonce == "n"
            && claims.exp.map { $0 > Double(now - 300) } == true && !read.subject.isEmpty
            && claims.atHash.map { $0 == verified.leftHalfHash(of: "at") } != false
        return holds ? nil : "claims that do not fit are accepted"
    }

    // MARK: Encryption

    static func encryption(_ bytes: [UInt8]) -> String? {
        guard let text = text(bytes, rest: ["", "AAAAAAAAAAAAAAAA", "AAAA", "AAAAAAAAAAAAAAAAAAAAAA"]),
            let jwe = try? JWE.split(text),
            let algorithm = KeyManagementAlgorithm(name: jwe.header.alg),
            let encryption = ContentEncryption(name: jwe.header.enc)
        else { return nil }
        let keys = privateKeys.map { DecryptionKey($0) }
        do throws(JWEError) {
            let opened = try JWE.decrypt(jwe, keys: keys, algorithm: algorithm, encryption: encryption)
            return opened.plaintext == Array("fuzz".utf8) ? nil : "a text by nobody"
        } catch {
            switch error {
            case .undecryptable, .noMatchingKey: return nil
            case .malformed, .algorithmNotAllowed, .criticalHeader, .compressed, .keyReference:
                return "\(error) after the header was read"
            }
        }
    }

    // MARK: Keys

    static func keySet(_ bytes: [UInt8]) -> String? {
        guard let value = try? JSON.parse(bytes) else {
            _ = String(validating: bytes, as: UTF8.self).map { try? PrivateKey(pem: $0) }
            return nil
        }
        // A private key is read anew by its PEM, whatever was in the JSON.
        if let key = try? PrivateKey(jwk: value), let pem = try? key.privatePEM(),
            (try? PrivateKey(pem: pem))?.publicKey.thumbprint != key.publicKey.thumbprint
        {
            return "a private key that reads otherwise"
        }
        guard let set = try? JWKSet.parse(value) else { return nil }
        for jwk in set.keys {
            let again = try? JWK(jwk.key.jwk(kid: jwk.kid))
            if again?.thumbprint != jwk.thumbprint { return "a key that reads otherwise" }
            for algorithm in SignatureAlgorithm.allCases where jwk.mayVerify(algorithm) {
                let signature = [UInt8](repeating: 1, count: 64)
                if jwk.key.verify(signature: signature, of: [], algorithm: algorithm) {
                    return "a signature by nobody"
                }
            }
        }
        return nil
    }

    // MARK: What is known

    private static func text(_ bytes: [UInt8], rest: [String]) -> String? {
        guard bytes.first == UInt8(ascii: "{") else { return String(validating: bytes, as: UTF8.self) }
        return ([Base64URL.encode(bytes)] + rest).joined(separator: ".")
    }

    /// RFC 7515 §A.3, RFC 8037 §A.1 and §A.6 (Bob).
    private static let privateKeys: [PrivateKey] = [
        [
            "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
            "d": "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
        ],
        [
            "kty": "OKP", "crv": "Ed25519", "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
            "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        ],
        [
            "kty": "OKP", "crv": "X25519", "d": "XasIfmJKikt54X-Lg4AO5m87sSkmGLb9HC-LJ_-I4Os",
            "x": "3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08",
        ],
    ].compactMap { try? PrivateKey(jwk: $0) }

    /// Digests of what the tokens of the corpus sign.
    private static let known: Set<String> = [
        "OpvD8eAYQ1fQhM1bz9mACC7CtmB730Pj7S_YAPdgJeY",
        "MUsegXdg5ypKVtf27Q4P7vxFMDkb5YJaBrSPKJo8Ktw",
        "3DEbfUDIopXWry3fp2TIIx0wwjA6xzHKNo2o0yuAvY8",
        "m4WYBlvwXxM0_CqeRFmHssZ8q6TCyB804rN30x9iJHs",
        "IcZzaPQ2V39Ef4BRYsoTuA0Eaj_kZyR-ZepHeqdQ-i4",
        "eM44BwGQ49aCzoVz223N4wS2EIpaTnzPEi4tJ9LOx6A",
    ]
}

extension CheckVerdict {
    fileprivate var isFailure: Bool {
        if case .failed = self { true } else { false }
    }
}
