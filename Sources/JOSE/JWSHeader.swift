/// The protected header of a compact signature.
package final class JWSHeader: Sendable {
    /// The `alg` parameter as it stands.
    package let alg: String
    /// The algorithm of that name; `nil` for `none` and names we do not know.
    package let algorithm: SignatureAlgorithm?
    package let kid: String?
    package let typ: String?
    /// Which of `jku`, `jwk` and `x5u` are there: verifying refuses them (RFC 8725 §3.10).
    package let keyReferences: [String]
    private let members: JSONText

    /// Every parameter, made anew.
    package var raw: JSONObject { members.object }

    /// - Parameter bytes: The object, no longer in base64url.
    init(_ bytes: [UInt8]) throws(JWSError) {
        let header: ProtectedHeader
        do throws(ProtectedHeader.Fault) { header = try ProtectedHeader(bytes) } catch {
            throw .malformed(JWSError.Malformation(error))
        }
        if let names = header.critical { throw .criticalHeader(names) }
        guard let alg = try Self.text(.alg, header) else { throw .malformed(.missingAlgorithm) }
        self.alg = alg
        algorithm = SignatureAlgorithm(name: alg)
        kid = try Self.text(.kid, header)
        typ = try Self.text(.typ, header)
        keyReferences = header.keyReferences
        members = header.members
    }

    private static func text(_ name: JSONName, _ header: ProtectedHeader) throws(JWSError) -> String? {
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
