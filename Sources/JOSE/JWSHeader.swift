/// The protected header of a compact signature.
package struct JWSHeader: Sendable, Hashable {
    /// The `alg` parameter as it stands.
    package let alg: String
    /// The algorithm of that name; `nil` for `none` and names we do not know.
    package let algorithm: SignatureAlgorithm?
    package let kid: String?
    package let typ: String?
    /// Which of the parameters that carry or name a key are there; none is ever used (RFC 8725 §3.10).
    package let ignoredKeyHints: [String]
    package let raw: JSONObject

    static func parse(_ bytes: [UInt8]) throws(JWSError) -> JWSHeader {
        let value: JSONValue
        do throws(JSONError) { value = try JSON.parse(bytes) } catch {
            throw .malformed(.headerNotJSON(error))
        }
        guard let members = value.objectValue else { throw .malformed(.headerNotAnObject) }
        try refuseCritical(members)
        guard let alg = try string("alg", members) else { throw .malformed(.missingAlgorithm) }
        return JWSHeader(
            alg: alg, algorithm: SignatureAlgorithm(name: alg), kid: try string("kid", members),
            typ: try string("typ", members),
            ignoredKeyHints: ["jku", "jwk", "x5u", "x5c"].filter { members[$0] != nil }, raw: members)
    }

    /// RFC 7515 §4.1.11: every name must be understood; RFC 7797 §3: `b64` changes what is signed.
    private static func refuseCritical(_ members: JSONObject) throws(JWSError) {
        if let critical = members["crit"] {
            throw .criticalHeader(critical.arrayValue?.compactMap(\.stringValue) ?? [])
        }
        if members["b64"] != nil { throw .criticalHeader(["b64"]) }
    }

    private static func string(_ name: String, _ members: JSONObject) throws(JWSError) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.stringValue else { throw .malformed(.wrongType(name)) }
        return text
    }
}
