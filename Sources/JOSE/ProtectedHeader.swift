/// The JSON object that a protected header is, before anything in it is believed.
struct ProtectedHeader: Sendable {
    /// Why bytes are no such object, or a parameter no text.
    enum Fault: Error, Hashable {
        case notJSON(JSONError)
        case notAnObject
        case wrongType(String)
    }

    let members: JSONObject

    init(members: JSONObject) { self.members = members }

    init(_ bytes: [UInt8]) throws(Fault) {
        let value: JSONValue
        do throws(JSONError) { value = try JSON.parse(bytes) } catch { throw .notJSON(error) }
        guard let members = value.objectValue else { throw .notAnObject }
        self.members = members
    }

    func text(_ name: String) throws(Fault) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.stringValue else { throw .wrongType(name) }
        return text
    }

    /// The extensions that must be understood, of which we understand none; `nil` when there are none.
    ///
    /// `crit` counts even when it is empty (RFC 7515 §4.1.11); so does `b64`, which changes what is signed
    /// (RFC 7797 §3).
    var critical: [String]? {
        if let critical = members["crit"] { return critical.arrayValue?.compactMap(\.stringValue) ?? [] }
        return members["b64"] == nil ? nil : ["b64"]
    }

    /// Which parameters name or carry a key of the sender's choice (RFC 8725 §3.10).
    var keyReferences: [String] { present(["jku", "jwk", "x5u"]) }

    /// Which of these parameters are there.
    func present(_ names: [String]) -> [String] { names.filter { members[$0] != nil } }
}
