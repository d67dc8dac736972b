@testable import JOSE

/// What we make of a test vector, by the form of its group.
enum VectorVerdict: String, Sendable {
    case accepted, refused

    /// - Returns: `nil` for a form that has nothing to do with what this layer does.
    static func of(_ test: VectorFile.Case, in group: VectorFile.Group) -> VectorVerdict? {
        let result = isAccepted(test, group.members, group.algorithm)
        return result.map { $0 ? .accepted : .refused }
    }

    private static func isAccepted(
        _ test: VectorFile.Case, _ group: JSONValue, _ algorithm: String
    ) -> Bool? {
        switch group["type"]?.stringValue {
        case "JsonWebSignature", "JsonWebKey": signature(test, group)
        case "JsonWebEncryption": encryption(test, group)
        case "EcdsaP1363Verify": raw(test, group, by: "ES", named: "sha")
        case "RsassaPkcs1Verify": raw(test, group, by: "RS", named: "sha")
        case "RsassaPssVerify": pss(test, group)
        case "EddsaVerify": raw(test, group, by: "EdDSA", named: nil)
        case "MacTest": mac(test, group, algorithm)
        case "AeadTest": aead(test, group, algorithm)
        case "KeywrapTest": unwrap(test)
        case "RsaesOaepDecrypt": oaep(test, group)
        case "EcdhWebcryptoTest", "XdhJwkComp": agreement(test)
        default: nil
        }
    }

    // MARK: Tokens

    private static func signature(_ test: VectorFile.Case, _ group: JSONValue) -> Bool {
        let text = test.members["jws"]?.stringValue ?? ""
        guard let jws = try? JWS.split(text), let key = group["public"] ?? group["private"] else {
            return false
        }
        if let secret = key["k"]?.stringValue.flatMap({ Base64URL.decode($0) }) {
            // A shared secret comes from the client's registration, with the algorithm registered for it.
            guard let allowed = key["alg"]?.stringValue.flatMap(SignatureAlgorithm.init(name:)) else {
                return false
            }
            return (try? JWS.verify(jws, secret: SharedSecret(secret), allowed: [allowed])) != nil
        }
        let document: JSONValue = key["keys"] == nil ? ["keys": .array([key])] : key
        guard let keys = try? JWKSet.parse(document) else { return false }
        let allowed = SignatureAlgorithm.allCases.filter { !$0.isMAC }
        return (try? JWS.verify(jws, keys: keys, allowed: allowed)) != nil
    }

    private static func encryption(_ test: VectorFile.Case, _ group: JSONValue) -> Bool {
        let text = test.members["jwe"]?.stringValue ?? ""
        guard let jwk = group["private"], let key = try? PrivateKey(jwk: jwk),
            let algorithm = jwk["alg"]?.stringValue.flatMap(KeyManagementAlgorithm.init(name:)),
            let encryption = test.members["enc"]?.stringValue.flatMap(ContentEncryption.init(name:)),
            let jwe = try? JWE.split(text),
            let opened = try? JWE.decrypt(
                jwe, keys: [DecryptionKey(key, kid: jwk["kid"]?.stringValue)], algorithm: algorithm,
                encryption: encryption)
        else { return false }
        return opened.plaintext == test.hex("pt")
    }

    // MARK: Signatures

    private static func raw(
        _ test: VectorFile.Case, _ group: JSONValue, by family: String, named digest: String?
    ) -> Bool {
        let name = family + (digest.flatMap { group[$0]?.stringValue?.suffix(3) } ?? "")
        guard let algorithm = SignatureAlgorithm(name: name), let key = try? publicKey(group) else {
            return false
        }
        return key.verify(signature: test.hex("sig"), of: test.hex("msg"), algorithm: algorithm)
    }

    /// `PS*` fixes salt and mask (RFC 7518 §3.5); groups of other parameters are not about it.
    private static func pss(_ test: VectorFile.Case, _ group: JSONValue) -> Bool? {
        let lengths: [String: Int64] = ["SHA-256": 32, "SHA-384": 48, "SHA-512": 64]
        guard let sha = group["sha"]?.stringValue, group["mgfSha"]?.stringValue == sha,
            let length = lengths[sha], group["sLen"]?.intValue == length
        else { return nil }
        return raw(test, group, by: "PS", named: "sha")
    }

    private static func publicKey(_ group: JSONValue) throws -> PublicKey {
        if let jwk = group["publicKeyJwk"] { return try JWK(jwk).key }
        let numbers = group["publicKey"]
        func number(_ name: String) -> [UInt8] {
            Array(bytes(hex: numbers?[name]?.stringValue ?? "").drop { $0 == 0 })
        }
        let curves: [String: EllipticCurve] = ["secp256r1": .p256, "secp384r1": .p384, "secp521r1": .p521]
        if let curve = numbers?["curve"]?.stringValue.flatMap({ curves[$0] }) {
            func coordinate(_ name: String) -> [UInt8] {
                let number = number(name)
                return [UInt8](repeating: 0, count: curve.coordinateLength - number.count) + number
            }
            return try PublicKey(.ec(curve, x: coordinate("wx"), y: coordinate("wy")))
        }
        return try PublicKey(.rsa(n: number("modulus"), e: number("publicExponent")))
    }

    /// Groups of truncated tags are not about `HS*`, which never truncates.
    private static func mac(_ test: VectorFile.Case, _ group: JSONValue, _ algorithm: String) -> Bool? {
        let digests: [String: DigestAlgorithm] = [
            "HMACSHA256": .sha256, "HMACSHA384": .sha384, "HMACSHA512": .sha512,
        ]
        guard let digest = digests[algorithm], group["tagSize"]?.intValue == Int64(digest.byteCount * 8)
        else { return nil }
        let mac = HMAC.authenticate(test.hex("msg"), key: test.hex("key"), digest)
        return ConstantTime.equal(mac, test.hex("tag"))
    }

    // MARK: Encryption

    /// `enc` knows one length of key, vector and tag each (RFC 7518 §5); other groups are not about it.
    private static func aead(_ test: VectorFile.Case, _ group: JSONValue, _ algorithm: String) -> Bool? {
        let encryptions: [String: ContentEncryption] = [
            "AES-GCM 128 96 128": .a128GCM, "AES-GCM 256 96 128": .a256GCM,
            "A128CBC-HS256 256 128 128": .a128CBCHS256,
            "A256CBC-HS512 512 128 256": .a256CBCHS512,
        ]
        let sizes = ["keySize", "ivSize", "tagSize"].compactMap { group[$0]?.intValue.map(String.init) }
        guard let encryption = encryptions[([algorithm] + sizes).joined(separator: " ")] else { return nil }
        let sealed = SealedContent(
            vector: test.hex("iv"), ciphertext: test.hex("ct"), tag: test.hex("tag"))
        return encryption.open(sealed, key: test.hex("key"), authenticating: test.hex("aad"))
            == test.hex("msg")
    }

    private static func unwrap(_ test: VectorFile.Case) -> Bool? {
        let key = test.hex("key")
        let ciphers = [16: Cipher.aes128Wrap, 32: .aes256Wrap]
        guard let cipher = ciphers[key.count] else { return nil }
        // Only whole content keys are unwrapped: `ContentKey` looks at the length first.
        guard test.hex("ct").count >= 24 else { return false }
        return CipherContext(cipher, .decrypting, key: key)?.transform(test.hex("ct")) == test.hex("msg")
    }

    private static func oaep(_ test: VectorFile.Case, _ group: JSONValue) -> Bool? {
        let digests = ["SHA-1": "SHA1", "SHA-256": "SHA2-256"]
        guard let digest = group["sha"]?.stringValue.flatMap({ digests[$0] }),
            group["mgfSha"] == group["sha"], test.hex("label").isEmpty,
            let pem = group["privateKeyPem"]?.stringValue, let key = try? PrivateKey(pem: pem)
        else { return nil }
        return key.handle.decrypt(test.hex("ct"), digest: digest) == test.hex("msg")
    }

    private static func agreement(_ test: VectorFile.Case) -> Bool {
        guard let own = test.members["private"], let key = try? PrivateKey(jwk: own),
            let other = test.members["public"], let peer = try? JWK(other), peer.type == key.type
        else { return false }
        return key.handle.agree(with: peer.key.handle) == test.hex("shared")
    }
}
