import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("restore")
struct RestoreTests {
    struct Stored: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let session: StoredTokens
        let with: String
        let outcome: String
    }

    private static let now = ManualClock.start

    static let cases = [
        Stored(testDescription: "a fresh session", session: StoredTokens(), with: "{}", outcome: "ok"),
        Stored(
            testDescription: "a session without a lifetime",
            session: StoredTokens().with { $0.expiresAt = nil },
            with: "{}", outcome: "ok"),
        Stored(
            testDescription: "31 s of life", session: StoredTokens().with { $0.expiresAt = now + 31_000 },
            with: "{}",
            outcome: "ok"),
        Stored(
            testDescription: "30 s of life, as much as the margin",
            session: StoredTokens().with { $0.expiresAt = now + 30_000 }, with: "{}", outcome: "expired"),
        Stored(
            testDescription: "less life than min_ttl",
            session: StoredTokens().with { $0.expiresAt = now + 299_000 },
            with: "{ min_ttl: 5m }", outcome: "expired"),
        Stored(
            testDescription: "a little more than five minutes of an hour",
            session: StoredTokens().with { ($0.expiresAt, $0.lifetime) = (now + 301_000, 3_600_000) },
            with: "{}", outcome: "ok"),
        Stored(
            testDescription: "five minutes of an hour",
            session: StoredTokens().with { ($0.expiresAt, $0.lifetime) = (now + 300_000, 3_600_000) },
            with: "{}", outcome: "expired"),
        Stored(
            testDescription: "more than half of five minutes",
            session: StoredTokens().with { ($0.expiresAt, $0.lifetime) = (now + 151_000, 300_000) },
            with: "{}", outcome: "ok"),
        Stored(
            testDescription: "half of five minutes",
            session: StoredTokens().with { ($0.expiresAt, $0.lifetime) = (now + 150_000, 300_000) },
            with: "{}", outcome: "expired"),
        Stored(
            testDescription: "more than half of five minutes where all of them are asked for",
            session: StoredTokens().with { ($0.expiresAt, $0.lifetime) = (now + 299_000, 300_000) },
            with: "{ min_ttl: 5m }", outcome: "expired"),
        Stored(testDescription: "an expired session", session: .expired, with: "{}", outcome: "expired"),
        Stored(
            testDescription: "an expired session without a refresh token",
            session: .expired.with { $0.refreshToken = nil }, with: "{}", outcome: "unrefreshable"),
        Stored(
            testDescription: "all scopes", session: StoredTokens(),
            with: "{ scopes: \"${['email', 'openid']}\" }",
            outcome: "ok"),
        Stored(
            testDescription: "a scope too few", session: StoredTokens(),
            with: "{ scopes: \"${['email', 'files']}\" }",
            outcome: "insufficient"),
        Stored(
            testDescription: "another resource than the token's", session: StoredTokens(),
            with: "{ resource: \"${['https://api.example/']}\" }", outcome: "expired"),
        Stored(
            testDescription: "a resource that the session has a token for",
            session: StoredTokens().with { $0.held = [.api] },
            with: "{ resource: \"${['https://api.example/']}\" }", outcome: "ok"),
        Stored(
            testDescription: "a resource whose token is past its time",
            session: StoredTokens().with { $0.held = [.api.with { $0.expiresAt = now - 1 }] },
            with: "{ resource: \"${['https://api.example/']}\" }", outcome: "expired"),
        Stored(
            testDescription: "fewer scopes for that resource than its token has",
            session: StoredTokens().with { $0.held = [.api] },
            with: "{ resource: \"${['https://api.example/']}\", scopes: \"${['email']}\", narrow: true }",
            outcome: "expired"),
        Stored(
            testDescription: "fewer scopes, where the whole will do", session: StoredTokens(),
            with: "{ scopes: \"${['email']}\", narrow: false }", outcome: "ok"),
        Stored(
            testDescription: "fewer scopes, where only they will do", session: StoredTokens(),
            with: "{ scopes: \"${['email']}\", narrow: true }", outcome: "expired"),
        Stored(
            testDescription: "the same scopes in another order",
            session: StoredTokens().with { $0.held = [.both] },
            with: "{ scopes: \"${['openid', 'email', 'openid']}\", narrow: true }", outcome: "ok"),
        Stored(
            testDescription: "fewer scopes without a refresh token",
            session: StoredTokens().with { $0.refreshToken = nil },
            with: "{ scopes: \"${['email']}\", narrow: true }", outcome: "unrefreshable"),
        Stored(
            testDescription: "a scope that nobody granted, alone", session: StoredTokens(),
            with: "{ scopes: \"${['files']}\", narrow: true }", outcome: "insufficient"),
        Stored(
            testDescription: "the whole, where a token for less is all that is left",
            session: .expired.with { $0.held = [.api] }, with: "{}", outcome: "expired"),
        Stored(
            testDescription: "one of the levels", session: StoredTokens().with { $0.acr = "high" },
            with: "{ acr: \"${['higher', 'high']}\" }", outcome: "ok"),
        Stored(
            testDescription: "another level", session: StoredTokens().with { $0.acr = "low" },
            with: "{ acr: \"${['high']}\" }", outcome: "insufficient"),
        Stored(
            testDescription: "no level where one is demanded", session: StoredTokens(),
            with: "{ acr: \"${['high']}\" }",
            outcome: "insufficient"),
        Stored(
            testDescription: "a sign-in as old as allowed",
            session: StoredTokens().with { $0.authTime = now - 3_600_000 },
            with: "{ max_auth_age: 1h }", outcome: "ok"),
        Stored(
            testDescription: "a sign-in too old",
            session: StoredTokens().with { $0.authTime = now - 3_600_001 },
            with: "{ max_auth_age: 1h }", outcome: "insufficient"),
        Stored(
            testDescription: "a sign-in before the world began",
            session: StoredTokens().with { $0.authTime = .min }, with: "{ max_auth_age: 1h }",
            outcome: "insufficient"),
        Stored(
            testDescription: "a sign-in of unknown age", session: StoredTokens(),
            with: "{ max_auth_age: 1h }",
            outcome: "insufficient"),
        Stored(
            testDescription: "an expired session that lacks a scope", session: .expired,
            with: "{ scopes: \"${['files']}\" }", outcome: "insufficient"),
        Stored(
            testDescription: "the session of another client",
            session: StoredTokens().with { $0.clientID = "other" },
            with: "{}", outcome: "corrupt"),
        Stored(
            testDescription: "the session of another issuer",
            session: StoredTokens().with { $0.issuer = "https://other.example" }, with: "{}",
            outcome: "corrupt"),
        Stored(
            testDescription: "a record of another version", session: StoredTokens().with { $0.version = 2 },
            with: "{}",
            outcome: "corrupt"),
    ]

    private static func flow(_ with: String) -> String {
        FlowTexts.flow("  restore: { with: \(with), next: done }", start: "restore")
    }

    @Test("tells how good a stored session is [rule 92]", arguments: cases)
    func stored(_ stored: Stored) async throws {
        let plan = try Compiled.plan(Self.flow(stored.with))
        let run = await Conversation.run(plan, [Scripts.load(stored.session)])
        #expect(run.outcomes(of: "restore") == [stored.outcome])
    }

    @Test("an access token that lacks what was granted does not do, and what the session lacks is said")
    func shortfall() async throws {
        var record = try #require(try JSON.parse(StoredTokens().bytes).objectValue)
        record["granted"] = ["openid", "email", "files"]
        let session = StoredSession(bytes: Array(JSONValue.object(record).serialize().utf8), generation: 7)
        for (with, description) in [
            ("{ scopes: \"${['email', 'files']}\" }", nil),
            ("{ scopes: \"${['mail', 'email', 'more']}\" }", "the session was not granted mail more"),
            ("{ acr: \"${['high']}\" }", nil),
        ] as [(String, String?)] {
            let run = await Conversation.run(
                try Compiled.plan(Self.flow(with)), [ScriptedEffect("load session", .session(session))])
            #expect(run.outcomes(of: "restore") == ["insufficient"])
            #expect(run.lastEnd(of: "restore")?.description == description)
        }
    }

    static let reports = [
        Case("nothing stored", .noSession, "absent"),
        Case("bytes that cannot be unsealed", .sessionCorrupt(reason: "the seal is broken"), "corrupt"),
        Case("bytes that are no record", .session(StoredSession(bytes: [0x7B], generation: 1)), "corrupt"),
        Case("a store that fails", .storeFailed(reason: "the disk is gone"), "store_failed"),
    ]

    @Test("tells why there is no session", arguments: reports)
    func missing(_ given: Case) async throws {
        let run = await Conversation.run(
            try Compiled.plan(Self.flow("{}")), [ScriptedEffect("load session", given.event)])
        #expect(run.outcomes(of: "restore") == [given.outcome])
        #expect(run.end == "failed")
    }

    @Test("a provider that cannot refresh makes an expired session unrefreshable")
    func unsupported() async throws {
        let provider = ProviderText.make(refresh: "{ supported: false }")
        let run = await Conversation.run(
            try Compiled.plan(Self.flow("{}"), provider: provider), [Scripts.load(.expired)])
        #expect(run.outcomes(of: "restore") == ["unrefreshable"])
    }

    @Test("parts of answers as deep as an answer may be are read back with the session")
    func deep() async throws {
        var deep = JSONValue.int(1)
        for _ in 0..<JSONLimits.default.depth { deep = .array([deep]) }
        let session = StoredTokens().with { $0.meta = ["profile": deep] }
        let flow = FlowTexts.flow("  restore: { next: done }", start: "restore")
        let run = await Conversation.run(try Compiled.plan(flow), [Scripts.load(session)])
        #expect(run.outcomes(of: "restore") == ["ok"])
    }

    @Test("gives the session's facts to the flow")
    func fields() async throws {
        let flow = FlowTexts.flow(
            "  restore: { next: done }", start: "restore",
            extra: """
                outputs: { subject: optional string, scopes: list<string>, refreshable: bool, origin: string }
                """,
            ends: """
                  done:
                    result: success
                    outputs:
                      subject: ${steps.restore.subject}
                      scopes: ${tokens.main.scopes}
                      refreshable: ${steps.restore.refreshable}
                      origin: ${tokens.main.origin}
                  failed: { result: failure }
                """)
        let run = await Conversation.run(try Compiled.plan(flow), [Scripts.load()])
        #expect(run.output("subject") == .string("person-1"))
        #expect(run.output("scopes") == .list([.string("openid"), .string("email")]))
        #expect(run.output("refreshable") == .bool(true))
        #expect(run.output("origin") == .string("store"))
    }

    @Test("asks for the row of its key, and for another one without a key [rule 150]")
    func keys() async throws {
        var found: [SessionKey] = []
        for with in ["{}", "{ key: work }", "{ key: home }"] {
            let run = await Conversation.run(
                try Compiled.plan(Self.flow(with)), [ScriptedEffect("load session", .noSession)])
            if case .loadSession(let key, _)? = run.performed.first?.effect { found.append(key) }
        }
        let expected = [nil, "work", "home"].map {
            SessionKey(issuer: "https://p.example", clientID: Markers.clientID, profile: "default", key: $0)
        }
        #expect(found == expected)
        #expect(Set(found).count == 3)
    }

    private static let lock = ScriptedEffect("lock", .locked)
    private static let unlock = ScriptedEffect("unlock")
    private static let gone = ScriptedEffect("load session", .noSession)

    static let turns: [(String, [ScriptedEffect], String)] = [
        ("what will do asks nobody", [Scripts.load()], "ok"),
        ("what cannot be read", [ScriptedEffect("load session", .storeFailed(reason: "x"))], "store_failed"),
        ("a peer was faster", [gone, lock, Scripts.load(generation: 8), unlock], "ok"),
        ("nobody else is there, and whoever comes waits", [gone, lock, gone, unlock], "absent"),
        ("still too old", [Scripts.load(.expired), lock, Scripts.load(.expired), unlock], "expired"),
        (
            "a peer does not finish", [gone, ScriptedEffect("lock", .lockTimedOut(holder: "process 7"))],
            "absent"
        ),
        ("no lock can be made", [gone, ScriptedEffect("lock", .storeFailed(reason: "x"))], "absent"),
    ]

    @Test("with lock, what will not do is looked at again when no other process is at it", arguments: turns)
    func turn(_ name: String, _ script: [ScriptedEffect], _ outcome: String) async throws {
        let run = await Conversation.run(try Compiled.plan(Self.flow("{ lock: 10s }")), script)
        #expect(run.outcomes(of: "restore") == [outcome])
    }
}
