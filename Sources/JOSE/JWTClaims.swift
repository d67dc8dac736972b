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
    package let iss: String?
    package let sub: String?
    /// The audiences; a single string is an array of one. `nil` when absent, never empty.
    package let aud: [String]?
    package let exp: Double?
    package let nbf: Double?
    package let iat: Double?
    package let jti: String?
    package let nonce: String?
    package let azp: String?
    package let authTime: Double?
    package let acr: String?
    package let amr: [String]?
    package let atHash: String?
    package let cHash: String?
    package let sHash: String?
    package let sid: String?
    package let raw: JSONObject

    /// - Throws: `wrongType` for the first registered claim that has one; `null` is a wrong type too.
    package init(_ raw: JSONObject) throws(JWTClaimsError) {
        let reader = ClaimReader(raw: raw)
        iss = try reader.string("iss")
        sub = try reader.string("sub")
        aud = try reader.audience()
        exp = try reader.date("exp")
        nbf = try reader.date("nbf")
        iat = try reader.date("iat")
        jti = try reader.string("jti")
        nonce = try reader.string("nonce")
        azp = try reader.string("azp")
        authTime = try reader.date("auth_time")
        acr = try reader.string("acr")
        amr = try reader.strings("amr")
        atHash = try reader.string("at_hash")
        cHash = try reader.string("c_hash")
        sHash = try reader.string("s_hash")
        sid = try reader.string("sid")
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

private struct ClaimReader {
    let raw: JSONObject

    func string(_ name: String) throws(JWTClaimsError) -> String? {
        guard let value = raw[name] else { return nil }
        guard let text = value.stringValue else { throw .wrongType(name: name, expected: "a string") }
        return text
    }

    func strings(_ name: String) throws(JWTClaimsError) -> [String]? {
        guard let value = raw[name] else { return nil }
        guard let texts = Self.strings(value) else {
            throw .wrongType(name: name, expected: "an array of strings")
        }
        return texts
    }

    func audience() throws(JWTClaimsError) -> [String]? {
        guard let value = raw["aud"] else { return nil }
        if let one = value.stringValue { return [one] }
        guard let several = Self.strings(value), !several.isEmpty else {
            throw .wrongType(name: "aud", expected: "a string or a non-empty array of strings")
        }
        return several
    }

    func date(_ name: String) throws(JWTClaimsError) -> Double? {
        guard let value = raw[name] else { return nil }
        guard let seconds = value.numberValue, seconds.isFinite else {
            throw .wrongType(name: name, expected: "a number of seconds")
        }
        return seconds
    }

    private static func strings(_ value: JSONValue) -> [String]? {
        guard let elements = value.arrayValue else { return nil }
        let texts = elements.compactMap(\.stringValue)
        return texts.count == elements.count ? texts : nil
    }
}
