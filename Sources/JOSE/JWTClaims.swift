/// Why a payload is no claims set.
package enum JWTClaimsError: Error, Hashable {
    case notJSON(JSONError)
    case notAnObject
    case wrongType(name: String, expected: String)
}

/// A claim whose type and meaning a specification gives.
package enum RegisteredClaim: Int, Sendable, CaseIterable {
    case iss, sub, aud, exp, nbf, iat, jti, nonce, azp
    case authTime, acr, amr, atHash, cHash, sHash, sid

    package var name: String {
        switch self {
        case .iss: "iss"
        case .sub: "sub"
        case .aud: "aud"
        case .exp: "exp"
        case .nbf: "nbf"
        case .iat: "iat"
        case .jti: "jti"
        case .nonce: "nonce"
        case .azp: "azp"
        case .authTime: "auth_time"
        case .acr: "acr"
        case .amr: "amr"
        case .atHash: "at_hash"
        case .cHash: "c_hash"
        case .sHash: "s_hash"
        case .sid: "sid"
        }
    }

    fileprivate var expected: String {
        switch self {
        case .iss, .sub, .jti, .nonce, .azp, .acr, .atHash, .cHash, .sHash, .sid: "a string"
        case .aud: "a string or a non-empty array of strings"
        case .exp, .nbf, .iat, .authTime: "a number of seconds"
        case .amr: "an array of strings"
        }
    }

    /// Whether the value at that node may be that of the claim.
    fileprivate func allows(_ place: Int, _ nodes: JSONNodes) -> Bool {
        switch self {
        case .iss, .sub, .jti, .nonce, .azp, .acr, .atHash, .cHash, .sHash, .sid:
            nodes[place].kind == .string
        case .aud: nodes[place].kind == .string || nodes.holdsTexts(place) && nodes[place].count > 0
        case .exp, .nbf, .iat, .authTime: nodes[place].kind == .int || nodes[place].kind == .number
        case .amr: nodes.holdsTexts(place)
        }
    }

    fileprivate static let marks = allCases.map { NameMark($0.name) }
    fileprivate static let bits = marks.reduce(0) { $0 | $1.bit }
}

/// The registered claims of a token, with their types checked and nothing else.
///
/// Times are seconds since 1970, finite, perhaps fractional. No claim is required or compared here. A value is made
/// when it is asked for.
///
/// - SeeAlso: RFC 7519 §4.1, OpenID Connect Core §2
package struct JWTClaims: Sendable {
    private let text: JSONText
    /// By claim the node of its value; that of the object, 0, for a claim that is absent.
    private let places: SIMD16<UInt32>

    /// Reads the payload of a token.
    ///
    /// - Throws: `wrongType` for the first registered claim that has one; `null` is a wrong type too.
    package init(payload: [UInt8]) throws(JWTClaimsError) {
        let text: JSONText?
        do throws(JSONError) { text = try JSONText(payload) } catch { throw .notJSON(error) }
        guard let text else { throw .notAnObject }
        self.text = text
        let (places, wrong) = text.read(Self.find)
        self.places = places
        if let wrong { throw .wrongType(name: wrong.name, expected: wrong.expected) }
    }

    private static func find(_ nodes: JSONNodes) -> (places: SIMD16<UInt32>, wrong: RegisteredClaim?) {
        var places = SIMD16<UInt32>()
        var wrong: RegisteredClaim?
        var index = 1
        for _ in 0..<nodes[0].count {
            let place = index + 1
            if let claim = claim(at: index, nodes) {
                places[claim.rawValue] = UInt32(truncatingIfNeeded: place)
                if !claim.allows(place, nodes), claim.rawValue < wrong?.rawValue ?? .max { wrong = claim }
            }
            index = Int(nodes[place].next)
        }
        return (places, wrong)
    }

    /// The claim of the name at that node.
    private static func claim(at index: Int, _ nodes: JSONNodes) -> RegisteredClaim? {
        let mark = nodes[index].mark
        // Most names are of no claim that is registered, and most of those share its bit with none.
        guard RegisteredClaim.bits & mark.bit != 0,
            let number = RegisteredClaim.marks.firstIndex(of: mark),
            let claim = RegisteredClaim(rawValue: number)
        else { return nil }
        return mark.isWhole || nodes.isExactly(claim.name, at: index) ? claim : nil
    }

    /// All claims, made anew.
    package var raw: JSONObject { text.object }

    package func has(_ claim: RegisteredClaim) -> Bool { places[claim.rawValue] != 0 }

    /// Whether the claim is exactly this text; takes as long wherever two texts of one length differ.
    package func says(_ claim: RegisteredClaim, _ other: String) -> Bool {
        guard let place = place(claim) else { return false }
        return text.read { $0[place].kind == .string && $0.isExactly(other, at: place) }
    }

    private func place(_ claim: RegisteredClaim) -> Int? {
        let place = places[claim.rawValue]
        return place == 0 ? nil : Int(place)
    }

    private func text(_ claim: RegisteredClaim) -> String? {
        place(claim).map { place in text.read { $0.text(at: place) } }
    }

    private func number(_ claim: RegisteredClaim) -> Double? {
        place(claim).map { place in text.read { $0.number(at: place) } }
    }

    private func texts(_ claim: RegisteredClaim) -> [String]? {
        place(claim).map { place in text.read { $0.texts(at: place) } }
    }
}

extension JWTClaims {
    package var iss: String? { text(.iss) }
    package var sub: String? { text(.sub) }
    package var exp: Double? { number(.exp) }
    package var nbf: Double? { number(.nbf) }
    package var iat: Double? { number(.iat) }
    package var jti: String? { text(.jti) }
    package var nonce: String? { text(.nonce) }
    package var azp: String? { text(.azp) }
    package var authTime: Double? { number(.authTime) }
    package var acr: String? { text(.acr) }
    package var amr: [String]? { texts(.amr) }
    package var atHash: String? { text(.atHash) }
    package var cHash: String? { text(.cHash) }
    package var sHash: String? { text(.sHash) }
    package var sid: String? { text(.sid) }

    /// The audiences; a single string is an array of one. `nil` when absent, never empty.
    package var aud: [String]? { texts(.aud) }

    /// How many audiences there are.
    package var audienceCount: Int {
        guard let place = place(.aud) else { return 0 }
        return text.read { $0[place].kind == .array ? Int($0[place].count) : 1 }
    }
}

extension JSONNodes {
    /// Whether the value is an array of strings.
    fileprivate func holdsTexts(_ place: Int) -> Bool {
        guard self[place].kind == .array else { return false }
        // Strings are one node each.
        return (0..<Int(self[place].count)).allSatisfy { self[place + 1 + $0].kind == .string }
    }

    /// The elements of an array of strings, or the one string.
    fileprivate func texts(at place: Int) -> [String] {
        guard self[place].kind == .array else { return [text(at: place)] }
        return (0..<Int(self[place].count)).map { text(at: place + 1 + $0) }
    }

    fileprivate func number(at place: Int) -> Double {
        let bits = self[place].bits
        return self[place].kind == .int ? Double(Int64(bitPattern: bits)) : Double(bitPattern: bits)
    }
}
