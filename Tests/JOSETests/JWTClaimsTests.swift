import JOSE
import Testing

@Suite("token claims")
struct JWTClaimsTests {
    @Test("every registered claim is read with its type")
    func all() throws {
        let raw: JSONObject = [
            "iss": "https://op.example", "sub": "s", "aud": ["a", "b"], "exp": 1_300_819_380, "nbf": 1.5,
            "iat": 0,
            "jti": "j", "nonce": "n", "azp": "a", "auth_time": 7, "acr": "1", "amr": ["pwd"], "at_hash": "x",
            "c_hash": "y", "s_hash": "z", "sid": "q", "other": true,
        ]
        let claims = try JWTClaims(payload: Array(raw.serialize().utf8))
        #expect(claims.iss == "https://op.example")
        #expect(claims.sub == "s")
        #expect(claims.aud == ["a", "b"])
        #expect(claims.exp == 1_300_819_380)
        #expect(claims.nbf == 1.5)
        #expect(claims.iat == 0)
        #expect(claims.jti == "j")
        #expect(claims.nonce == "n")
        #expect(claims.azp == "a")
        #expect(claims.authTime == 7)
        #expect(claims.acr == "1")
        #expect(claims.amr == ["pwd"])
        #expect(claims.atHash == "x")
        #expect(claims.cHash == "y")
        #expect(claims.sHash == "z")
        #expect(claims.sid == "q")
        #expect(claims.raw == raw)
    }

    @Test("no claim is required and one audience may be a string")
    func optional() throws {
        let claims = try JWTClaims(payload: Array(#"{"aud":"a"}"#.utf8))
        #expect(claims.aud == ["a"])
        #expect(claims.iss == nil)
        #expect(claims.exp == nil)
    }

    @Test(
        "a time of any magnitude is read without a trap [rules 126, 170]",
        arguments: [1e308, 9223372036854775808.0, -1e308, 0.25])
    func magnitude(seconds: Double) throws {
        let text = JSONValue.object(["exp": .number(seconds)]).serialize()
        #expect(try JWTClaims(payload: Array(text.utf8)).exp == seconds)
    }

    @Test(
        "a claim of another type is refused by name",
        arguments: [
            ("iss", 1, "a string"), ("sub", nil, "a string"), ("sub", 7, "a string"),
            ("nonce", true, "a string"),
            ("at_hash", [], "a string"), ("exp", "1300819380", "a number of seconds"),
            ("iat", nil, "a number of seconds"), ("auth_time", true, "a number of seconds"),
            ("aud", [], "a string or a non-empty array of strings"),
            ("aud", ["a", 1], "a string or a non-empty array of strings"),
            ("aud", 1, "a string or a non-empty array of strings"),
            ("aud", ["a": "b"], "a string or a non-empty array of strings"),
            ("amr", ["a": "b"], "an array of strings"), ("amr", "pwd", "an array of strings"),
        ] as [(String, JSONValue, String)])
    func wrongType(name: String, value: JSONValue, expected: String) {
        let payload = Array(JSONValue.object([name: value]).serialize().utf8)
        #expect(
            error { () throws(JWTClaimsError) in try JWTClaims(payload: payload) }
                == .wrongType(name: name, expected: expected))
    }

    @Test("a payload that is no JSON object is refused")
    func notAnObject() {
        #expect(
            error { () throws(JWTClaimsError) in try JWTClaims(payload: Array("[]".utf8)) } == .notAnObject)
        #expect(
            error { () throws(JWTClaimsError) in try JWTClaims(payload: Array("{".utf8)) }
                == .notJSON(JSONError(kind: .unexpectedEnd, offset: 1)))
    }
}
