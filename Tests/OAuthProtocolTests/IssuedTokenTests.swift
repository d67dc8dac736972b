import JOSE
import OAuthProtocol
import Testing

@Suite("Tokens that somebody else asked for (RFC 9068 §4)")
struct IssuedTokenTests {
    private func examine(
        _ token: Secret, audience: String? = nil
    ) throws -> (claims: JSONObject?, report: [String]) {
        var log = CheckLog()
        let claims = IssuedToken.examine(
            token, keys: try Fixture.keys(), issuers: { _ in [Fixture.issuer, "https://alias.example"] },
            audience: audience, now: Fixture.now, log: &log)
        let report = log.results.compactMap { result -> String? in
            switch result.verdict {
            case .passed: nil
            case .failed(let expected, let actual): "\(result.check.name): \(expected) | \(actual)"
            case .notApplicable(let reason), .relaxed(let reason): "\(result.check.name): (\(reason))"
            }
        }
        return (claims, report)
    }

    private static let seconds = Fixture.now / 1000
    private static let good: JSONObject = [
        "iss": .string(Fixture.issuer), "aud": ["api", "https://api.example"], "exp": .int(seconds + 1),
        "nbf": .int(seconds), "iat": .int(seconds),
    ]

    private static func claims(_ changes: [(String, JSONValue?)]) -> JSONObject {
        var claims = good
        for (name, value) in changes { claims[name] = value }
        return claims
    }

    @Test(
        "one of any type that is the issuer's, for that audience and good is good",
        arguments: [nil, "JWT", "at+jwt", "logout+jwt"])
    func good(type: String?) throws {
        var header: JSONObject = ["kid": "k1"]
        header["typ"] = type.map(JSONValue.string)
        let found = try examine(try Fixture.token(Self.good, header: header), audience: "https://api.example")
        #expect(found.report == [])
        #expect(found.claims == Self.good)
    }

    @Test(
        "every claim is looked at, whichever is wrong [rules 120, 121, 123]",
        arguments: [
            ([("iss", "https://alias.example")], []),
            (
                [("iss", "https://op.example/")],
                ["jwt-iss: https://op.example or https://alias.example | https://op.example/"]
            ),
            ([("iss", nil)], ["jwt-iss: https://op.example or https://alias.example | no iss"]),
            ([("aud", "other")], ["jwt-aud: api | other"]), ([("aud", nil)], ["jwt-aud: api | no aud"]),
            ([("exp", .int(seconds - 59))], []),
            ([("exp", .int(seconds - 60))], ["jwt-exp: later than \(seconds) | \(seconds - 60)"]),
            ([("exp", nil)], ["jwt-exp: later than \(seconds) | no exp"]),
            ([("nbf", .int(seconds + 60))], []),
            ([("nbf", .int(seconds + 61))], ["nbf: not after \(seconds) | \(seconds + 61)"]),
            ([("nbf", nil), ("iat", nil)], ["nbf: (it has none)", "jwt-iat: (it has none)"]),
            (
                [("aud", "x"), ("exp", 1), ("iat", .int(seconds + 61))],
                [
                    "jwt-aud: api | x", "jwt-exp: later than \(seconds) | 1",
                    "jwt-iat: not after \(seconds) | \(seconds + 61)",
                ]
            ),
        ] as [([(String, JSONValue?)], [String])])
    func claims(changes: [(String, JSONValue?)], report: [String]) throws {
        let found = try examine(try Fixture.token(Self.claims(changes)), audience: "api")
        #expect(found.report == report)
        #expect(found.claims == Self.claims(changes))
    }

    @Test("without a word on the audience it is told, and compared with nothing")
    func audience() throws {
        let told = try examine(try Fixture.token(Self.good)).report
        #expect(told == ["jwt-aud: (it is for api https://api.example; nobody has said for whom it must be)"])
        let silent = try examine(try Fixture.token(Self.claims([("aud", nil)]))).report
        #expect(silent == ["jwt-aud: (it names none, and nobody has said for whom it must be)"])
    }

    @Test("nothing is said of a token that nobody vouches for [rules 103, 104, 107]")
    func unproven() throws {
        let token = try Fixture.token(Self.good).reveal()
        let parts = token.split(separator: ".")
        let forged =
            "\(parts[0]).\(Base64URL.encode(Self.claims([("aud", "mine")]).serializedBytes)).\(parts[2])"
        let secret = SharedSecret(Fixture.bytes(32))
        let mac = try JWS.sign(
            header: [:], payload: Self.good.serializedBytes, secret: secret, algorithm: .hs256)
        let unsigned = "\(Base64URL.encode(#"{"alg":"none"}"#.utf8)).\(parts[1])."
        for (text, start) in [
            (forged, "signature: "), (mac, "alg: "), (unsigned, "alg: "),
            ("a.b.c", "jwt-format: a compact JWS | "),
            (try Fixture.token(Self.good, header: ["kid": "k9"]).reveal(), "kid: "),
            (try Fixture.token(["exp": "soon"]).reveal(), "jwt-claims: "),
        ] {
            let found = try examine(Secret(text, kind: .accessToken))
            #expect(found.claims == nil)
            #expect(found.report.count == 1 && found.report[0].hasPrefix(start), "\(found.report)")
        }
    }
}
