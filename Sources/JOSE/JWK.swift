/// A public key and what its owner says about its use.
///
/// Its existence proves that the key was checked and carries no private part. `kid` is only ever a lookup
/// key.
///
/// - SeeAlso: RFC 7517 §4, RFC 7518 §6, RFC 8037 §2
package final class JWK: Sendable {
    package let key: PublicKey
    package let kid: String?
    package let use: String?
    package let keyOperations: [String]?
    /// The `alg` member as it stands.
    package let algorithmName: String?
    /// The signature algorithm of that name.
    private let algorithm: SignatureAlgorithm?

    package var type: KeyType { key.type }
    package var thumbprint: String { key.thumbprint }

    /// - Throws: The first reason why the key is not usable.
    package init(_ value: JSONValue) throws(KeyError) {
        guard let members = value.objectValue else { throw .notAnObject }
        let material = try KeyMaterial(members)
        if let name = Self.privateMember(of: members) { throw .privateKeyMaterial(member: name) }
        key = try PublicKey(material)
        kid = try members.optionalString("kid")
        use = try members.optionalString("use")
        keyOperations = try members.keyOperations()
        algorithmName = try members.optionalString("alg")
        algorithm = algorithmName.flatMap(SignatureAlgorithm.init(name:))
    }

    /// The first member that nobody but the key's owner may see; `nil` for a public key.
    ///
    /// - SeeAlso: RFC 7518 §6.2.2, §6.3.2 and RFC 8037 §2; `k` belongs to `oct`
    package static func privateMember(of members: JSONObject) -> String? {
        ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].first { members.value(of: $0) != nil }
    }

    /// Whether the key may verify signatures of that algorithm: type and curve fit and no member forbids it.
    package func mayVerify(_ algorithm: SignatureAlgorithm) -> Bool {
        guard algorithm.fits(type), isMeant(for: "sig", operations: ["verify"]) else { return false }
        guard algorithmName != nil else { return true }
        return self.algorithm?.narrowed(to: algorithm)?.fits(type) == true
    }

    /// Whether the key may have made a signature whose header has that `kid`; without one any key may.
    func isCandidate(kid: String?, algorithm: SignatureAlgorithm) -> Bool {
        guard let kid else { return mayVerify(algorithm) }
        return self.kid?.hasSameBytes(as: kid) == true && mayVerify(algorithm)
    }

    /// Whether the key may be encrypted to by that algorithm.
    package func mayEncrypt(_ algorithm: KeyManagementAlgorithm) -> Bool {
        let operations =
            algorithm.paddingDigest == nil ? ["deriveKey", "deriveBits"] : ["wrapKey", "encrypt"]
        guard algorithm.fits(type), isMeant(for: "enc", operations: operations) else { return false }
        return algorithmName?.hasSameBytes(as: algorithm.rawValue) ?? true
    }

    /// Whether `use` and `key_ops`, where the key has them, allow one of the operations.
    private func isMeant(for use: String, operations: @autoclosure () -> [String]) -> Bool {
        guard self.use == nil || self.use == use else { return false }
        guard let keyOperations else { return true }
        return operations().contains(where: keyOperations.contains)
    }
}

extension KeyMaterial {
    /// Reads `kty` and the public members.
    init(_ members: JSONObject) throws(KeyError) {
        switch try members.string("kty") {
        case "RSA":
            // Leading zeros are not minimal (RFC 7518 §2) but harmless, and some providers write one.
            self = .rsa(
                n: Array(try members.bytes("n").drop { $0 == 0 }),
                e: Array(try members.bytes("e").drop { $0 == 0 }))
        case "EC":
            let name = try members.string("crv")
            guard let curve = EllipticCurve(rawValue: name) else { throw .unsupportedCurve(name) }
            self = .ec(curve, x: try members.bytes("x"), y: try members.bytes("y"))
        case "OKP":
            let name = try members.string("crv")
            guard let curve = OctetCurve(rawValue: name) else { throw .unsupportedCurve(name) }
            self = .octets(curve, x: try members.bytes("x"))
        case let other:
            throw .unsupportedKeyType(other)
        }
    }
}

extension JSONObject {
    func string(_ name: String) throws(KeyError) -> String {
        guard let value = try optionalString(name) else { throw .missingMember(name) }
        return value
    }

    /// The value of a member; a null, which some servers write for every member that a key does not have, is none.
    fileprivate func value(of name: String) -> JSONValue? {
        guard let value = self[name], !value.isNull else { return .none }
        return value
    }

    func optionalString(_ name: String) throws(KeyError) -> String? {
        guard let value = value(of: name) else { return nil }
        guard let text = value.stringValue else { throw .invalidMember(name) }
        return text
    }

    func bytes(_ name: String) throws(KeyError) -> [UInt8] {
        guard let bytes = Base64URL.decode(try string(name)) else { throw .invalidMember(name) }
        return bytes
    }

    fileprivate func keyOperations() throws(KeyError) -> [String]? {
        guard let value = value(of: "key_ops") else { return nil }
        guard let elements = value.arrayValue else { throw .invalidMember("key_ops") }
        let names = elements.compactMap(\.stringValue)
        guard names.count == elements.count else { throw .invalidMember("key_ops") }
        return names
    }
}
