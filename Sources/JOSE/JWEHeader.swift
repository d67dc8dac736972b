/// The protected header of a compact encryption.
package struct JWEHeader: Sendable, Hashable {
    /// The `alg` and `enc` parameters as they stand.
    package let alg: String
    package let enc: String
    package let kid: String?
    package let typ: String?
    package let cty: String?
    package let raw: JSONObject

    static func parse(_ bytes: [UInt8]) throws(JWEError) -> JWEHeader {
        let header: ProtectedHeader
        do throws(ProtectedHeader.Fault) { header = try ProtectedHeader(bytes) } catch {
            throw .malformed(JWEError.Malformation(error))
        }
        if let names = header.critical { throw .criticalHeader(names) }
        guard !header.members.has(.zip) else { throw .compressed }
        guard header.keyReferences.isEmpty else { throw .keyReference(header.keyReferences) }
        guard let alg = try text(.alg, header) else { throw .malformed(.missingParameter("alg")) }
        guard let enc = try text(.enc, header) else { throw .malformed(.missingParameter("enc")) }
        return JWEHeader(
            alg: alg, enc: enc, kid: try text(.kid, header), typ: try text(.typ, header),
            cty: try text(.cty, header), raw: header.members.object)
    }

    private static func text(_ name: JSONName, _ header: ProtectedHeader) throws(JWEError) -> String? {
        do throws(ProtectedHeader.Fault) { return try header.text(name) } catch {
            throw .malformed(JWEError.Malformation(error))
        }
    }

    /// A parameter in base64url, empty when absent (`apu`, `apv`: RFC 7518 §4.6.1); `nil` when it is no such text.
    func bytes(_ name: String) -> [UInt8]? {
        guard let value = raw[name] else { return [] }
        return value.stringValue.flatMap { Base64URL.decode($0) }
    }
}

extension JWEError.Malformation {
    fileprivate init(_ fault: ProtectedHeader.Fault) {
        switch fault {
        case .notJSON(let error): self = .headerNotJSON(error)
        case .notAnObject: self = .headerNotAnObject
        case .wrongType(let name): self = .wrongType(name)
        }
    }
}
