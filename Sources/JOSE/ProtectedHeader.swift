/// The JSON object that a protected header is, before anything in it is believed.
struct ProtectedHeader: Sendable {
    /// Why bytes are no such object, or a parameter no text.
    enum Fault: Error, Hashable {
        case notJSON(JSONError)
        case notAnObject
        case wrongType(String)
    }

    let members: JSONText

    init(_ bytes: [UInt8]) throws(Fault) {
        let members: JSONText?
        do throws(JSONError) { members = try JSONText(bytes) } catch { throw .notJSON(error) }
        guard let members else { throw .notAnObject }
        self.members = members
    }

    func text(_ name: JSONName) throws(Fault) -> String? {
        guard members.has(name) else { return nil }
        guard let text = members.text(name) else { throw .wrongType(name.text) }
        return text
    }

    /// The extensions that must be understood, of which we understand none; `nil` when there are none.
    ///
    /// `crit` counts even when it is empty (RFC 7515 §4.1.11); so does `b64`, which changes what is signed
    /// (RFC 7797 §3).
    var critical: [String]? {
        if members.has(Self.crit) {
            return members.object["crit"]?.arrayValue?.compactMap(\.stringValue) ?? []
        }
        return members.has(Self.b64) ? ["b64"] : nil
    }

    /// Which parameters name or carry a key of the sender's choice (RFC 8725 §3.10).
    var keyReferences: [String] {
        guard Self.references.contains(where: members.has) else { return [] }
        return Self.references.filter(members.has).map(\.text)
    }

    private static let references: [JSONName] = ["jku", "jwk", "x5u"]
    private static let crit: JSONName = "crit"
    private static let b64: JSONName = "b64"
}

extension JSONName {
    static let alg: JSONName = "alg"
    static let enc: JSONName = "enc"
    static let kid: JSONName = "kid"
    static let typ: JSONName = "typ"
    static let cty: JSONName = "cty"
    static let zip: JSONName = "zip"
}
