/// The protected header of a compact signature.
package struct JWSHeader: Sendable, Hashable {
    /// The `alg` parameter as it stands.
    package let alg: String
    /// The algorithm of that name; `nil` for `none` and names we do not know.
    package let algorithm: SignatureAlgorithm?
    package let kid: String?
    package let typ: String?
    package let raw: JSONObject

    /// Which of `jku`, `jwk` and `x5u` are there: verifying refuses them (RFC 8725 §3.10).
    package var keyReferences: [String] { ProtectedHeader(members: raw).keyReferences }
    /// Whether certificates are there: `x5c` is never read.
    package var ignoredKeyHints: [String] { ProtectedHeader(members: raw).present(["x5c"]) }

    static func parse(_ bytes: [UInt8]) throws(JWSError) -> JWSHeader {
        let header: ProtectedHeader
        do throws(ProtectedHeader.Fault) { header = try ProtectedHeader(bytes) } catch {
            throw .malformed(JWSError.Malformation(error))
        }
        if let names = header.critical { throw .criticalHeader(names) }
        guard let alg = try text("alg", header) else { throw .malformed(.missingAlgorithm) }
        return JWSHeader(
            alg: alg, algorithm: SignatureAlgorithm(name: alg), kid: try text("kid", header),
            typ: try text("typ", header), raw: header.members)
    }

    private static func text(_ name: String, _ header: ProtectedHeader) throws(JWSError) -> String? {
        do throws(ProtectedHeader.Fault) { return try header.text(name) } catch {
            throw .malformed(JWSError.Malformation(error))
        }
    }
}

extension JWSError.Malformation {
    init(_ fault: ProtectedHeader.Fault) {
        switch fault {
        case .notJSON(let error): self = .headerNotJSON(error)
        case .notAnObject: self = .headerNotAnObject
        case .wrongType(let name): self = .wrongType(name)
        }
    }
}
