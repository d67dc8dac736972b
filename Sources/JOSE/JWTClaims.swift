/// Why a payload is no claims set.
package enum JWTClaimsError: Error, Hashable {
    case notJSON(JSONError)
    case notAnObject
    case wrongType(name: String, expected: String)
}

/// The registered claims of a token, with their types checked and nothing else.
///
/// Times are seconds since 1970, finite, perhaps fractional. No claim is required or compared here.
///
/// - SeeAlso: RFC 7519 §4.1, OpenID Connect Core §2
package struct JWTClaims: Sendable, Hashable {
    package let raw: JSONObject

    /// - Throws: `wrongType` for the first registered claim that has one; `null` is a wrong type too.
    package init(_ raw: JSONObject) throws(JWTClaimsError) {
        for claim in Self.registered {
            guard let value = raw.value(of: claim.name, claim.mark), !claim.type.allows(value) else {
                continue
            }
            throw .wrongType(name: claim.name, expected: claim.type.expected)
        }
        self.raw = raw
    }

    /// Reads the payload of a token.
    package init(payload: [UInt8]) throws(JWTClaimsError) {
        let value: JSONValue
        do throws(JSONError) { value = try JSON.parse(payload) } catch { throw .notJSON(error) }
        guard let raw = value.objectValue else { throw .notAnObject }
        try self.init(raw)
    }
}

extension JWTClaims {
    package var iss: String? { raw["iss"]?.stringValue }
    package var sub: String? { raw["sub"]?.stringValue }
    package var exp: Double? { raw["exp"]?.numberValue }
    package var nbf: Double? { raw["nbf"]?.numberValue }
    package var iat: Double? { raw["iat"]?.numberValue }
    package var jti: String? { raw["jti"]?.stringValue }
    package var nonce: String? { raw["nonce"]?.stringValue }
    package var azp: String? { raw["azp"]?.stringValue }
    package var authTime: Double? { raw["auth_time"]?.numberValue }
    package var acr: String? { raw["acr"]?.stringValue }
    package var amr: [String]? { raw["amr"].flatMap(texts) }
    package var atHash: String? { raw["at_hash"]?.stringValue }
    package var cHash: String? { raw["c_hash"]?.stringValue }
    package var sHash: String? { raw["s_hash"]?.stringValue }
    package var sid: String? { raw["sid"]?.stringValue }

    /// The audiences; a single string is an array of one. `nil` when absent, never empty.
    package var aud: [String]? {
        guard let value = raw["aud"] else { return nil }
        return value.stringValue.map { [$0] } ?? texts(value)
    }

    private static let registered = [
        ("iss", ClaimType.text), ("sub", .text), ("aud", .audience), ("exp", .time), ("nbf", .time),
        ("iat", .time),
        ("jti", .text), ("nonce", .text), ("azp", .text), ("auth_time", .time), ("acr", .text),
        ("amr", .texts), ("at_hash", .text), ("c_hash", .text), ("s_hash", .text), ("sid", .text),
    ].map { (name, type) in RegisteredClaim(name: name, mark: NameMark(name), type: type) }
}

private struct RegisteredClaim {
    let name: String
    let mark: NameMark
    let type: ClaimType
}

/// What the value of a registered claim may be.
private enum ClaimType {
    case text, texts, audience, time

    func allows(_ value: JSONValue) -> Bool {
        switch self {
        case .text: value.stringValue != nil
        case .texts: JOSE.texts(value) != nil
        case .audience: value.stringValue != nil || JOSE.texts(value)?.isEmpty == false
        case .time: value.numberValue?.isFinite == true
        }
    }

    var expected: String {
        switch self {
        case .text: "a string"
        case .texts: "an array of strings"
        case .audience: "a string or a non-empty array of strings"
        case .time: "a number of seconds"
        }
    }
}

/// The elements of an array of strings.
private func texts(_ value: JSONValue) -> [String]? {
    guard let elements = value.arrayValue else { return nil }
    let texts = elements.compactMap(\.stringValue)
    return texts.count == elements.count ? texts : nil
}
