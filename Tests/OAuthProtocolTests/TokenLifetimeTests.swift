import JOSE
import OAuthProtocol
import Testing

@Suite("Lifetimes of tokens")
struct TokenLifetimeTests {
    @Test("a lifetime may be an integer, a fraction or a text, and of any size [rule 91]")
    func expiresIn() throws {
        let limit = 100 * 366 * 86_400
        for (value, seconds) in [
            (3600, 3600), (3599.9, 3599), ("3600", 3600), ("3600.5", 3600), (0, 0), (-5, 0), ("-5", 0),
            (.int(.max), limit), (.int(.min), 0), (1e308, limit), (-1e308, 0),
            ("99999999999999999999", limit), (nil, nil), (.null, nil), ("", nil),
            (.string(String(repeating: "0", count: 29) + "5"), 5),
        ] as [(JSONValue?, Int?)] {
            #expect(
                try TokenAnswer.read(Fixture.response(TokenAnswer.body([("expires_in", value)]))).expiresIn
                    == seconds)
        }
    }

    @Test("anything else as a lifetime is refused [rule 91]")
    func expiresInType() {
        for value in [
            true, [], [:], "soon", "1e999", "nan", "inf", "0x10", " 5",
            .string(String(repeating: "0", count: 30) + "5"),
        ] as [JSONValue] {
            #expect(
                TokenAnswer.refused(Fixture.response(TokenAnswer.body([("expires_in", value)])))
                    == .failed(
                        Checks.expiresIn, expected: "expires_in is a number (seconds)", actual: "another type"
                    ))
        }
    }

    @Test("a number that no double holds makes the body unreadable")
    func numberOutOfRange() {
        let body = #"{"access_token":"at","token_type":"Bearer","expires_in":1e999}"#
        #expect(
            TokenAnswer.refused(Fixture.response(body))
                == .malformed(
                    "token response", detail: "application/json, not JSON: a number out of range at byte 56"))
    }

    @Test("the descriptor gives a lifetime another unit, or a point in time")
    func lifetimeTypes() throws {
        typealias Row = (ResponseDialect.MemberType, JSONValue, Int?, Int64?)
        for (type, value, seconds, end) in [
            (.minutes, 90, 5400, nil), (.milliseconds, 1500, 1, nil),
            (.epoch, 1_767_225_600, nil, Fixture.now),
            (.epochMilliseconds, "1767225600000", nil, Fixture.now), (.epoch, 1e300, nil, 3_162_240_000_000),
            (.iso8601, "2026-01-01T00:00:00Z", nil, Fixture.now),
            (.iso8601, "2026-01-01T01:30:00.25+01:30", nil, Fixture.now),
            (.iso8601, "2025-12-31T23:00:00-01:00", nil, Fixture.now),
            (.iso8601, "2026-01-01T00:00:00+0000", nil, Fixture.now),
            (.iso8601, "2026-01-01T01:30:00.5+0130", nil, Fixture.now),
            (.iso8601, "2026-01-01T00:00:00+00", nil, Fixture.now),
            (.iso8601, "2025-12-31T23:00:00-01", nil, Fixture.now),
            (.iso8601, "2026-01-01 00:00:00", nil, Fixture.now), (.iso8601, "0937-01-01T00:00:00Z", nil, 0),
            (.iso8601, "9999-12-31T00:00:00Z", nil, 3_162_240_000_000),
        ] as [Row] {
            let response = try TokenAnswer.read(
                Fixture.response(TokenAnswer.body([("expires_in", value)])),
                dialect: ResponseDialect(types: ["expires_in": type]))
            #expect(response.expiresIn == seconds)
            #expect(response.expiresAt == end)
        }
    }

    @Test("a token that is a JWT says when it ends, where the answer does not")
    func endOfToken() throws {
        func end(_ token: JSONValue, _ changes: [(String, JSONValue?)] = []) throws -> TokenResponse {
            let body = [("access_token", token), ("expires_in", nil)] + changes
            return try TokenAnswer.read(
                Fixture.response(TokenAnswer.body(body)),
                dialect: ResponseDialect(types: ["expires_in": .jwt], defaults: ["expires_in": 60]))
        }
        let token = JSONValue.string(TokenClaims.sample(id: "a", end: 1_767_225_600))
        #expect(try end(token).expiresAt == Fixture.now)
        #expect(try end(token).expiresIn == nil)
        #expect(try end(token, [("expires_in", 3600)]).expiresAt == nil)
        #expect(try end(token, [("expires_in", 3600)]).expiresIn == 3600)
        #expect(try end(.string(TokenClaims.sample(id: "a", end: .min))).expiresAt == 0)
        #expect(try end(.string(TokenClaims.sample(id: "a", end: .max))).expiresAt == 3_162_240_000_000)
    }

    @Test(
        "a token that does not say when it ends lives as long as the default says",
        arguments: [
            "opaque", "a.b.c", "a.b.c.d.e", Self.token(#"{"sub":"x"}"#), Self.token(#"{"exp":"1767225600"}"#),
            Self.token("[1]"), Self.token(#"{"exp":1e999}"#),
        ])
    func opaqueToken(text: String) throws {
        for (defaults, seconds) in [(["expires_in": 60], 60), ([:], nil)] as [([String: JSONValue], Int?)] {
            let response = try TokenAnswer.read(
                Fixture.response(TokenAnswer.body([("access_token", .string(text)), ("expires_in", nil)])),
                dialect: ResponseDialect(types: ["expires_in": .jwt], defaults: defaults))
            #expect(response.expiresIn == seconds)
            #expect(response.expiresAt == nil)
        }
    }

    /// A JWT with that payload and a signature of nobody.
    private static func token(_ payload: String) -> String {
        [#"{"alg":"HS256"}"#, payload, "signature"].map { Base64URL.encode(Array($0.utf8)) }
            .joined(separator: ".")
    }

    @Test("a default is in the words of the RFC, whatever the answer's would be")
    func typedDefaults() throws {
        let dialect = ResponseDialect(
            types: ["expires_in": .milliseconds, "scope": .comma],
            defaults: ["expires_in": 3600, "scope": "a b"])
        let plain = try TokenAnswer.read(
            Fixture.response(TokenAnswer.body([("scope", nil), ("expires_in", nil)])), dialect: dialect)
        #expect(plain.expiresIn == 3600)
        #expect(plain.scopes == ["a", "b"])
        let own = try TokenAnswer.read(
            Fixture.response(TokenAnswer.body([("scope", "a,b"), ("expires_in", 5000)])), dialect: dialect)
        #expect(own.expiresIn == 5)
        #expect(own.scopes == ["a", "b"])
    }

    @Test("a lifetime by which the provider means none is none, and a default then counts")
    func absentLifetime() throws {
        var dialect = ResponseDialect()
        dialect.absent = ["expires_in": [0, -1], "scope": ["none"]]
        for value in [0, -1, 0.0, "0", "-1"] as [JSONValue] {
            let response = try TokenAnswer.read(
                Fixture.response(TokenAnswer.body([("expires_in", value), ("scope", "none")])),
                dialect: dialect)
            #expect(response.expiresIn == nil)
            #expect(response.expiresAt == nil)
            #expect(response.scopes == nil)
        }
        #expect(
            try TokenAnswer.read(Fixture.response(TokenAnswer.body([("expires_in", 1)])), dialect: dialect)
                .expiresIn == 1)
        dialect.defaults = ["expires_in": 60]
        #expect(
            try TokenAnswer.read(Fixture.response(TokenAnswer.body([("expires_in", 0)])), dialect: dialect)
                .expiresIn == 60)
    }

    @Test("none is looked for under the member's standard name, before its type is")
    func absentTyped() throws {
        var dialect = ResponseDialect(
            map: ["expires_at": [try TokenAnswer.path("ends")]],
            types: ["expires_at": .iso8601, "expires_in": .duration])
        dialect.absent = ["expires_at": ["never"], "expires_in": [0]]
        let response = try TokenAnswer.read(
            Fixture.response(TokenAnswer.body([("ends", "never"), ("expires_in", 0)])), dialect: dialect)
        #expect(response.expiresIn == nil)
        #expect(response.expiresAt == nil)
        #expect(
            TokenAnswer.refused(
                Fixture.response(TokenAnswer.body([("ends", "soon"), ("expires_in", 0)])), dialect: dialect)
                != nil)
    }

    @Test("the refresh token's lifetime has two names, the descriptor others and other units; 0 is no end")
    func refreshToken() throws {
        typealias Row = ([(String, JSONValue?)], ResponseDialect.MemberType?, Int?, Int64?)
        for (changes, type, seconds, end) in [
            ([("refresh_token_expires_in", 60)], nil, 60, nil),
            ([("refresh_expires_in", "60")], nil, 60, nil),
            ([("refresh_token_expires_in", 0), ("refresh_expires_in", 5)], nil, 5, nil),
            ([("refresh_token_expires_in", 0)], nil, nil, nil),
            ([("refresh_expires_in", -1)], nil, nil, nil),
            ([("refresh_token_expires_in", "soon")], nil, nil, nil),
            ([("refresh_token_expires_in", .null)], nil, nil, nil), ([], nil, nil, nil),
            ([("refresh_token_expires_in", 5000)], .milliseconds, 5, nil),
            ([("refresh_token_expires_in", 1_767_225_600)], .epoch, nil, Fixture.now),
            ([("x_refresh", 7)], nil, 7, nil),
        ] as [Row] {
            var dialect = ResponseDialect()
            dialect.types["refresh_token_expires_in"] = type
            if changes.first?.0 == "x_refresh" {
                dialect.map = ["refresh_token_expires_in": [try TokenAnswer.path("x_refresh")]]
            }
            let response = try TokenAnswer.read(
                Fixture.response(TokenAnswer.body(changes)), dialect: dialect)
            #expect(response.refreshExpiresIn == seconds, "\(changes)")
            #expect(response.refreshExpiresAt == end, "\(changes)")
            if type == .milliseconds { #expect(response.members["refresh_token_expires_in"] == 5) }
        }
    }

    @Test("without a word of the descriptor a lifetime of nothing is over")
    func zeroLifetime() throws {
        #expect(try TokenAnswer.read(Fixture.response(TokenAnswer.body([("expires_in", 0)]))).expiresIn == 0)
        #expect(try TokenAnswer.read(Fixture.response(TokenAnswer.body([("expires_in", -1)]))).expiresIn == 0)
    }

    @Test("a text that is no date is refused where a date is expected")
    func badDate() {
        for text in [
            "", "2026", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00+1", "2026-01-01T00:00:00.Z", "x",
            "2026-01-01T00:00:00+000", "2026-01-01T00:00:00+00:", "2026-01-01T00:00:00+00000",
            "2026-01-01T00:00:00+:00", "2026-01-01T00:00:00+0060", "2026-01-01T00:00:00+24",
            "2026-01-01T00:00:00+",
        ] {
            let dialect = ResponseDialect(types: ["expires_at": .iso8601])
            let error = TokenAnswer.refused(
                Fixture.response(TokenAnswer.body([("expires_at", .string(text))])), dialect: dialect)
            #expect(
                error
                    == (text.isEmpty
                        ? nil
                        : .failed(
                            Checks.expiresIn, expected: "expires_at is a date and time (iso8601)",
                            actual: "a text that is not written as 2031-01-02T03:04:05Z")))
        }
    }
}
