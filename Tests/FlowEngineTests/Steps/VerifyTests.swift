import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("verify_id_token")
struct VerifyTests {
    private func verify(
        _ answer: InputEvent, _ rest: [ScriptedEffect], with: String = "{}",
        retry: String = "{ outcomes: [], attempts: 1 }",
        provider: String = ProviderText.standard,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Conversation {
        let flow = FlowTexts.signIn([
            "verify": """
            { do: verify_id_token, with: \(with), retry: \(retry), next: { ok: done, absent: done } }
            """,
            "userinfo": "", "store": "",
        ])
        return await Conversation.run(
            try Compiled.plan(flow, provider: provider), try Scripts.untilTokens(answer) + rest,
            sourceLocation: sourceLocation)
    }

    // MARK: Claims

    struct Claims: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let changes: JSONObject
        let with: String
        let outcome: String

        init(_ description: String, _ changes: JSONObject, with: String = "{}", _ outcome: String) {
            testDescription = "\(description): \(outcome)"
            self.changes = changes
            self.with = with
            self.outcome = outcome
        }
    }

    private static let now = ManualClock.start / 1000

    static let claimCases = [
        Claims("everything as it should be", [:], "ok"),
        Claims("another issuer", ["iss": "https://evil.example"], "issuer_mismatch"),
        Claims("no issuer", ["iss": .null], "issuer_mismatch"),
        Claims("another audience", ["aud": "client-2"], "audience_mismatch"),
        Claims("an audience too many", ["aud": ["client-1", "client-2"]], "audience_mismatch"),
        Claims("issued to another party", ["azp": "client-2"], "audience_mismatch"),
        Claims("another nonce", ["nonce": "replayed"], "nonce_mismatch"),
        Claims("no nonce", ["nonce": .null], "nonce_mismatch"),
        Claims("expired a minute ago", ["exp": .int(now - 60)], "claims_invalid"),
        Claims("expired less than a minute ago", ["exp": .int(now - 59)], "ok"),
        Claims(
            "expired within a leeway of ten seconds", ["exp": .int(now - 30)], with: "{ leeway: 10s }",
            "claims_invalid"),
        Claims("no expiry", ["exp": .null], "claims_invalid"),
        Claims("not valid yet", ["nbf": .int(now + 120)], "claims_invalid"),
        Claims("no subject", ["sub": .null], "claims_invalid"),
        Claims("the wrong access token", ["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"], "claims_invalid"),
        Claims("the wrong code", ["c_hash": "AAAAAAAAAAAAAAAAAAAAAA"], "claims_invalid"),
        Claims("the person expected", [:], with: "{ expect_sub: person-1 }", "ok"),
        Claims("somebody else", [:], with: "{ expect_sub: person-2 }", "subject_mismatch"),
        Claims("a claim that is required", [:], with: "{ require: \"${['auth_time']}\" }", "ok"),
        Claims("a required claim missing", [:], with: "{ require: \"${['email']}\" }", "claims_invalid"),
        Claims(
            "an old sign-in", ["auth_time": .int(now - 7_200)], with: "{ max_age: 1h }", "insufficient_auth"),
        Claims("a fresh sign-in", [:], with: "{ max_age: 1h }", "ok"),
        Claims(
            "a sign-in of unknown age", ["auth_time": .null], with: "{ max_age: 1h }", "insufficient_auth"),
        Claims("a time that is a text", ["auth_time": "1"], with: "{ max_age: 1h }", "claims_invalid"),
        // No time that a token can say stops the process (rules 126 and 182).
        Claims("a sign-in that no clock has seen", ["auth_time": .number(1e308)], "ok"),
        Claims("one before all clocks", ["auth_time": .number(-1e308)], "ok"),
        Claims("one that overflows in milliseconds", ["auth_time": .int(.max)], "ok"),
        Claims("one that just does not", ["auth_time": .int(9_300_000_000_000_000)], "ok"),
        Claims("the level asked for", ["acr": "high"], with: "{ acr: \"${['high']}\" }", "ok"),
        Claims("a lower level", ["acr": "low"], with: "{ acr: \"${['high']}\" }", "insufficient_auth"),
        Claims("no level", [:], with: "{ acr: \"${['high']}\" }", "insufficient_auth"),
    ]

    @Test("tells what is wrong with the claims", arguments: claimCases)
    func claims(_ given: Claims) async throws {
        let end = given.outcome == "ok" ? Scripts.goodEnd : Scripts.badEnd
        let run = try await verify(
            try Answers.signedIn(given.changes), [try Scripts.keys(), end], with: given.with)
        #expect(run.outcomes(of: "verify") == [given.outcome])
    }

    @Test(
        "audiences that the registration names are trusted beside the client, never in its place [rule 121]",
        arguments: [
            (["client-1", "project-1"], "ok"), (["client-1", "client-3", "client-4", "fixed"], "ok"),
            (["client-1", "client-2"], "audience_mismatch"), (["project-1"], "audience_mismatch"),
            (["client-1", "client-3 client-4"], "audience_mismatch"),
        ] as [([JSONValue], String)])
    func namedAudiences(_ audiences: [JSONValue], _ outcome: String) async throws {
        let rules = """
            variables: { project: { default: project-1 }, clients: { default: client-3 client-4 }, none: { required: false } }
            id_token: { audience: [fixed, "${vars.project}", "${vars.clients}", "${vars.none}"] }

            """
        let end = outcome == "ok" ? Scripts.goodEnd : Scripts.badEnd
        let run = try await verify(
            try Answers.signedIn(["aud": .array(audiences), "azp": "client-1"]), [try Scripts.keys(), end],
            provider: ProviderText.make(extra: rules))
        #expect(run.outcomes(of: "verify") == [outcome])
    }

    @Test("a token that names the client beside others is told from one for others alone")
    func otherAudiences() async throws {
        for (audiences, isNamed) in [(["client-1", "client-2"], true), (["client-2"], false)] {
            let run = try await verify(
                try Answers.signedIn(["aud": .array(audiences.map { .string($0) }), "azp": "client-1"]),
                [try Scripts.keys(), Scripts.badEnd])
            let failure = try #require(run.outcome.failure(.english))
            #expect(failure.code == "audience_mismatch")
            #expect(failure.text.fixes.contains { $0.contains("id_token.audience") } == isNamed)
        }
    }

    @Test("the age that authorize demanded is checked without being said again [rule 43]")
    func demandedAge() async throws {
        let flow = FlowTexts.signIn(["authorize": "{ with: { max_age: 1h }, next: callback }"])
        let answer = try Answers.signedIn(["auth_time": .int(Self.now - 7_200)])
        let run = await Conversation.run(
            try Compiled.plan(flow), try Scripts.untilTokens(answer) + [Scripts.keys(), Scripts.badEnd])
        #expect(run.outcomes(of: "verify") == ["insufficient_auth"])
    }

    // MARK: Keys

    private static func fetch(_ answer: InputEvent) -> ScriptedEffect { ScriptedEffect("http jwks", answer) }

    private static func published(kid: String = TestKey.kid) throws -> InputEvent {
        guard let set = try TestKey.set(kid: kid).objectValue else { return .done }
        return Answers.json(200, set)
    }

    private static let nothingKept = ScriptedEffect("recall keys", .nothingKept)
    private static let keep = ScriptedEffect("keep keys")

    @Test("keys that are not kept are fetched and kept")
    func fetched() async throws {
        let run = try await verify(
            try Answers.signedIn(),
            [Self.nothingKept, Self.fetch(try Self.published()), Self.keep, Scripts.goodEnd])
        #expect(run.outcomes(of: "verify") == ["ok"])
    }

    private static let keysURL = "https://p.example/jwks"

    private static func kept(_ origin: DocumentOrigin) throws -> ScriptedEffect {
        ScriptedEffect("recall keys", .keys(try TestKey.keys(), origin))
    }

    /// Where the keys that the run keeps are from, and the fields of the request for them.
    private func keptKeys(_ run: Conversation) throws -> (
        origin: DocumentOrigin, body: [UInt8]?, fields: [String]
    ) {
        var fields: [String] = []
        for request in run.performed {
            if case .http(let exchange) = request.effect, exchange.purpose == .jwks {
                fields = exchange.plan.fields.map(\.name)
            }
            if case .keepKeys(_, let origin, let body) = request.effect { return (origin, body, fields) }
        }
        throw FixtureError(description: "no keys were kept")
    }

    @Test(
        "keys kept for a day, or for as long as the server said, are fetched again",
        arguments: [(24 * 3_600_000, .max), (1, ManualClock.start)] as [(Int64, Int64)])
    func old(age: Int64, freshUntil: Int64) async throws {
        let origin = DocumentOrigin(
            url: Self.keysURL, fetchedAt: ManualClock.start - age, freshUntil: freshUntil)
        let run = try await verify(
            try Answers.signedIn(),
            [try Self.kept(origin), Self.fetch(try Self.published()), Self.keep, Scripts.goodEnd])
        #expect(run.outcomes(of: "verify") == ["ok"])
        #expect(try keptKeys(run).origin.fetchedAt == ManualClock.start)
    }

    private static let unchanged = InputEvent.answered(
        HTTPResponse(status: 304, fields: [HTTPField("Cache-Control", "max-age=600")]), nil)

    @Test("the server is asked whether kept keys still hold, and they are renewed by its no")
    func revalidated() async throws {
        let origin = DocumentOrigin(
            url: Self.keysURL, fetchedAt: ManualClock.start - 1, freshUntil: 0, entityTag: "\"a\"")
        let run = try await verify(
            try Answers.signedIn(),
            [try Self.kept(origin), Self.fetch(Self.unchanged), Self.keep, Scripts.goodEnd])
        #expect(run.outcomes(of: "verify") == ["ok"])
        let kept = try keptKeys(run)
        #expect(kept.fields.last == "If-None-Match")
        #expect(kept.body == nil)
        #expect(
            kept.origin
                == DocumentOrigin(
                    url: Self.keysURL, fetchedAt: ManualClock.start,
                    freshUntil: ManualClock.start + 600_000, entityTag: "\"a\""))
    }

    @Test(
        "304 without a condition brings no keys, and keys from elsewhere make no condition",
        arguments: [(keysURL, nil), ("https://p.example/other", "\"a\"")] as [(String, String?)])
    func unasked(url: String, tag: String?) async throws {
        let origin = DocumentOrigin(
            url: url, fetchedAt: ManualClock.start - 1, freshUntil: 0, entityTag: tag)
        let run = try await verify(
            try Answers.signedIn(), [try Self.kept(origin), Self.fetch(Self.unchanged), Scripts.badEnd])
        #expect(run.outcomes(of: "verify") == ["keys_unavailable"])
        let fields = run.performed.compactMap { request in
            if case .http(let exchange) = request.effect, exchange.purpose == .jwks {
                exchange.plan
            } else {
                nil
            }
        }.flatMap(\.fields)
        #expect(!fields.contains { $0.name == "If-None-Match" })
    }

    @Test("a key that is not among the kept ones is asked for once [rule 112]")
    func rolledOver() async throws {
        let run = try await verify(
            try Answers.signedIn(kid: "key-2"),
            [
                try Scripts.keys(age: 30_000, isForced: true), Self.fetch(try Self.published(kid: "key-2")),
                Self.keep, Scripts.goodEnd,
            ])
        #expect(run.outcomes(of: "verify") == ["ok"])
        #expect(try keptKeys(run).origin.isForced)
    }

    @Test("keys that hold as the server says are asked for because one was unknown all the same [rule 112]")
    func unknownUnchanged() async throws {
        let origin = DocumentOrigin(url: Self.keysURL, fetchedAt: ManualClock.start - 1, entityTag: "\"a\"")
        let run = try await verify(
            try Answers.signedIn(kid: "key-2"),
            [try Self.kept(origin), Self.fetch(Self.unchanged), Self.keep, Scripts.badEnd])
        #expect(run.outcomes(of: "verify") == ["signature_invalid"])
        #expect(try keptKeys(run).origin.isForced)
    }

    @Test("a key that nobody knows is not asked for twice [rule 112]")
    func unknown() async throws {
        let run = try await verify(
            try Answers.signedIn(kid: "key-3"),
            [
                try Scripts.keys(), Self.fetch(try Self.published(kid: "key-2")), Self.keep,
                Scripts.badEnd,
            ])
        #expect(run.outcomes(of: "verify") == ["signature_invalid"])
        #expect(run.lastEnd(of: "verify")?.error == "kid")
    }

    @Test("keys that were just asked for because one was unknown are not asked for again [rule 112]")
    func justFetched() async throws {
        let run = try await verify(
            try Answers.signedIn(kid: "key-2"),
            [try Scripts.keys(age: 29_999, isForced: true), Scripts.badEnd])
        #expect(run.outcomes(of: "verify") == ["signature_invalid"])
        #expect(run.lastEnd(of: "verify")?.error == "kid")
    }

    @Test("a key that is missing from what was just fetched is not asked for again")
    func unknownFresh() async throws {
        let run = try await verify(
            try Answers.signedIn(kid: "key-3"),
            [Self.nothingKept, Self.fetch(try Self.published()), Self.keep, Scripts.badEnd])
        #expect(run.outcomes(of: "verify") == ["signature_invalid"])
    }

    static let unavailableCases = [
        Case("never sent", Answers.lost(.notDelivered), "keys_unavailable"),
        Case("perhaps sent", Answers.lost(.perhapsDelivered), "keys_unavailable"),
        Case("500", Answers.text(500, ""), "keys_unavailable"),
        Case("404", Answers.text(404, ""), "keys_unavailable"),
        Case(
            "a redirect", Answers.json(302, [:], [HTTPField("Location", "https://p.example/")]),
            "metadata_untrusted"),
        Case("no JSON", Answers.text(200, "<html>"), "malformed", error: "key_set"),
        Case("no keys", Answers.json(200), "malformed", error: "key_set"),
        Case(
            "too large", Answers.lost(.perhapsDelivered, cause: "too_large"), "malformed", error: "too_large"),
    ]

    @Test("without keys nothing is believed", arguments: unavailableCases)
    func unavailable(_ given: Case) async throws {
        let run = try await verify(
            try Answers.signedIn(), [Self.nothingKept, Self.fetch(given.event), Scripts.badEnd])
        #expect(run.outcomes(of: "verify") == [given.outcome])
        if given.outcome == "malformed" { #expect(run.lastEnd(of: "verify")?.error == given.error) }
    }

    @Test("keys that are not where they should be are asked for once, those of a server in trouble again")
    func lasting() async throws {
        let retry = "{ outcomes: [any.transient], attempts: 2 }"
        func verify(_ answers: [ScriptedEffect]) async throws -> Conversation {
            try await self.verify(try Answers.signedIn(), answers, retry: retry)
        }
        let gone = [Self.nothingKept, Self.fetch(Answers.text(404, "")), Scripts.badEnd]
        let ill = [Self.nothingKept, Self.fetch(Answers.text(500, ""))]
        #expect(try await verify(gone).outcomes(of: "verify") == ["keys_unavailable"])
        let again = try await verify(ill + [ScriptedEffect("sleep", .woke)] + ill + [Scripts.badEnd])
        #expect(again.outcomes(of: "verify") == ["keys_unavailable"])
    }

    @Test("a provider without jwks_uri has no keys")
    func noKeys() async throws {
        let run = try await verify(
            try Answers.signedIn(), [Scripts.badEnd], provider: ProviderText.make(omit: ["jwks_uri"]))
        #expect(run.outcomes(of: "verify") == ["malformed"])
        #expect(run.lastEnd(of: "verify")?.error == "jwks_uri")
    }

    // MARK: Signature and presence

    @Test("a token that somebody changed is no longer signed")
    func forged() async throws {
        let token = try TestKey.idToken()
        let parts = token.split(separator: ".")
        let payload = Array(#"{"iss":"https://p.example","sub":"somebody else"}"#.utf8)
        let forged = "\(parts[0]).\(Base64URL.encode(payload)).\(parts[2])"
        let run = try await verify(
            Answers.tokens(["id_token": .string(forged)]),
            [try Scripts.keys(), Self.fetch(try Self.published()), Self.keep, Scripts.badEnd])
        #expect(run.outcomes(of: "verify") == ["signature_invalid"])
        #expect(run.lastEnd(of: "verify")?.error == "signature")
    }

    @Test("a key that took the place of a kept one under its name is asked for once [rule 112]")
    func replaced() async throws {
        let other = try PrivateKey.generate(.ec(.p256)).publicJWK(kid: TestKey.kid, alg: .es256)
        let origin = DocumentOrigin(url: Self.keysURL, fetchedAt: ManualClock.start - 1)
        let kept = ScriptedEffect("recall keys", .keys(try JWKSet.parse(["keys": [other]]), origin))
        let run = try await verify(
            try Answers.signedIn(), [kept, Self.fetch(try Self.published()), Self.keep, Scripts.goodEnd])
        #expect(run.outcomes(of: "verify") == ["ok"])
        #expect(try keptKeys(run).origin.isForced)
    }

    @Test(
        "a token without a signature, or signed otherwise than registered, is refused",
        arguments: ["none", "HS256", "RS256"])
    func algorithm(name: String) async throws {
        let header = Base64URL.encode(Array(#"{"alg":"\#(name)","kid":"key-1"}"#.utf8))
        let parts = try TestKey.idToken().split(separator: ".")
        let token = "\(header).\(parts[1]).\(parts[2])"
        let run = try await verify(
            Answers.tokens(["id_token": .string(token)]), [try Scripts.keys(), Scripts.badEnd])
        #expect(run.outcomes(of: "verify") == ["signature_invalid"])
    }

    @Test("a text that is no token is malformed")
    func malformed() async throws {
        let run = try await verify(
            Answers.tokens(["id_token": "three.parts"]), [try Scripts.keys(), Scripts.badEnd])
        #expect(run.outcomes(of: "verify") == ["malformed"])
        let failure = try #require(run.outcome.failure(.english))
        #expect(failure.text.causes.contains { $0.contains("without a signature") }, "\(failure.text)")
    }

    @Test("a sign-in that must bring an ID token and brings none is a failed check [rule 94]")
    func missing() async throws {
        let run = try await verify(Answers.tokens(), [Scripts.badEnd])
        #expect(run.outcomes(of: "verify") == ["claims_invalid"])
        #expect(run.lastEnd(of: "verify")?.error == "id_token-present")
    }

    @Test("a flow that expects no ID token goes on without one, and has none that comes all the same")
    func unexpected() async throws {
        let flow = FlowTexts.signIn(extra: "providers: { main: { oidc: false } }")
        for answer in [Answers.tokens(), try Answers.signedIn(["sub": "somebody-else"])] {
            let run = await Conversation.run(
                try Compiled.plan(flow),
                try Scripts.untilTokens(answer) + [Scripts.userinfo, Scripts.save, Scripts.goodEnd])
            #expect(run.outcomes(of: "verify") == ["absent"])
            #expect(try JSON.parse(Array(run.saved[0].utf8))["id_token"] == nil)
        }
    }

    // MARK: After a refresh (OpenID Connect Core §12.2)

    private func refreshed(_ claims: JSONObject, nonce: String? = nil, _ rest: [ScriptedEffect]) async throws
        -> Conversation
    {
        let answer = Answers.renewed([
            "id_token": .string(try TestKey.idToken(claims, nonce: nonce)), "refresh_token": .null,
        ])
        var stored = StoredTokens.expired
        stored.authTime = ManualClock.start
        let script = [
            Scripts.load(stored), ScriptedEffect("lock", .locked), Scripts.load(stored),
            ScriptedEffect("http refresh", answer), try Scripts.keys(),
        ]
        return await Conversation.run(
            try Compiled.plan(FlowTexts.renew()), script + rest + [ScriptedEffect("unlock")])
    }

    @Test("the same person is verified without a nonce")
    func samePerson() async throws {
        let run = try await refreshed([:], [Scripts.save])
        #expect(run.outcomes(of: "verify") == ["ok"])
    }

    @Test("a later sign-in at the provider ends no session and makes none fresher, an earlier one is another")
    func otherSignIn() async throws {
        let second = ManualClock.start / 1000
        let later = try await refreshed(["auth_time": .int(second + 1)], [Scripts.save])
        #expect(later.outcomes(of: "verify") == ["ok"])
        let stored = try JSON.parse(Array(try #require(later.saved.first).utf8))
        #expect(stored["auth_time"]?.intValue == ManualClock.start)
        let earlier = try await refreshed(["auth_time": .int(second - 1)], [])
        #expect(earlier.lastEnd(of: "verify")?.error == "refresh-auth_time")
    }

    @Test("another person is a mismatch")
    func otherPerson() async throws {
        let run = try await refreshed(["sub": "person-2"], [])
        #expect(run.outcomes(of: "verify") == ["subject_mismatch"])
        #expect(run.lastEnd(of: "verify")?.error == "refresh-sub")
    }

    @Test(
        "the audiences of the first token and the party it was for are kept for the next one, as its level is",
        arguments: [
            (["client-1", "project-1"], nil), (["client-1"], Checks.refreshAudience),
            (["client-1", "project-1", "project-2"], nil),
        ] as [([JSONValue], Check?)])
    func sameAudience(audiences: [JSONValue], failed: Check?) async throws {
        let provider = ProviderText.make(extra: "id_token: { audience: [project-1, project-2] }\n")
        let first = try Answers.signedIn([
            "aud": ["client-1", "project-1"], "azp": "client-1", "acr": "high",
        ])
        let signIn = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: provider),
            try Scripts.untilTokens(first) + [
                Scripts.keys(), Scripts.userinfo, Scripts.save, Scripts.goodEnd,
            ])
        let saved = Array(try #require(signIn.saved.first).utf8)
        #expect(try JSON.parse(saved)["acr"] == "high")
        #expect(try JSON.parse(saved)["azp"] == "client-1")
        let load = ScriptedEffect("load session", .session(StoredSession(bytes: saved, generation: 1)))
        let answer = Answers.renewed([
            "id_token": .string(
                try TestKey.idToken(["aud": .array(audiences), "azp": "client-1"], nonce: nil)),
            "refresh_token": .null,
        ])
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.renew(), provider: provider),
            [
                load, ScriptedEffect("lock", .locked), load, ScriptedEffect("http refresh", answer),
                try Scripts.keys(),
            ] + (failed == nil ? [Scripts.save] : []) + [ScriptedEffect("unlock")])
        #expect(run.outcomes(of: "verify") == [failed == nil ? "ok" : "audience_mismatch"])
        #expect(run.lastEnd(of: "verify")?.error == failed?.name)
    }

    @Test("another issuer is a mismatch")
    func otherIssuer() async throws {
        let run = try await refreshed(["iss": "https://evil.example"], [])
        #expect(run.outcomes(of: "verify") == ["issuer_mismatch"])
    }

    @Test("a refresh need not bring an ID token [rule 146]")
    func absent() async throws {
        let script = [
            Scripts.load(.expired), ScriptedEffect("lock", .locked), Scripts.load(.expired),
            ScriptedEffect("http refresh", Answers.renewed(["refresh_token": .null])),
            Scripts.save, ScriptedEffect("unlock"),
        ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), script)
        #expect(run.outcomes(of: "verify") == ["absent"])
    }
}
