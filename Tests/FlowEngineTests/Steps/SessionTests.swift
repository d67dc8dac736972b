import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("store and clear")
struct SessionTests {
    static let storeCases = [
        Case("saved", .saved(generation: 1), "ok"), Case("a newer session", .conflict, "conflict"),
        Case("a store that fails", .storeFailed(reason: "disk full"), "store_failed"),
        Case("a store that cannot be read", .sessionCorrupt(reason: "bad seal"), "store_failed"),
    ]

    @Test("store tells whether the session is kept", arguments: storeCases)
    func storing(_ given: Case) async throws {
        let end = given.outcome == "ok" ? Scripts.goodEnd : Scripts.badEnd
        let script = try Scripts.signIn().dropLast(2) + [ScriptedEffect("save session", given.event), end]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), Array(script))
        #expect(run.outcomes(of: "store") == [given.outcome])
    }

    @Test("a new sign-in replaces what is stored; a second store expects what the first wrote")
    func conditions() async throws {
        let flow = FlowTexts.signIn([
            "store": "{ next: again }", "again": "{ do: store, next: elsewhere }",
            "elsewhere": "{ do: store, with: { key: other }, next: done }",
        ])
        let signIn = Array(try Scripts.signIn().dropLast(2))
        let script =
            signIn + [ScriptedEffect("save session", .saved(generation: 4))]
            + Scripts.replace + [ScriptedEffect("save session", .saved(generation: 1)), Scripts.goodEnd]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.saveConditions == [.always, .generation(4), .always])
    }

    @Test("keeps tokens, subject and public values; nothing of the transaction but the nonce [rule 178]")
    func record() async throws {
        let flow = FlowTexts.signIn([
            "store":
                "{ with: { meta: { name: \"${steps.userinfo.profile}\", count: \"${1}\" } }, next: done }"
        ])
        let run = await Conversation.run(try Compiled.plan(flow), try Scripts.signIn())
        let record = try #require(try JSON.parse(Array(run.saved[0].utf8)).objectValue)
        let expected: Set<String> = [
            "version", "provider", "profile", "client_id", "issuer", "access_token", "token_type", "scopes",
            "obtained_at", "meta", "destinations",
            "expires_at", "lifetime",
            "refresh_token", "id_token", "iss", "subject", "nonce", "auth_time", "aud",
        ]
        #expect(Set(record.map(\.key)) == expected)
        #expect(record["subject"] == "person-1")
        #expect(record["expires_at"]?.intValue == ManualClock.start + 3_600_000)
        #expect(record["lifetime"] == 3_600_000)
        #expect(record["meta"]?["count"] == 1)
        #expect(record["meta"]?["name"]?["name"] == "Ada")
    }

    static let clearCases = [
        Case("deleted", .done, "ok"),
        Case("a store that fails", .storeFailed(reason: "disk full"), "store_failed"),
    ]

    @Test("clear tells whether the session is gone, and forgets the tokens when it is", arguments: clearCases)
    func clearing(_ given: Case) async throws {
        let flow = FlowTexts.flow(
            "  restore: { next: clear }\n  clear: { next: done }", start: "restore",
            ends: "  done: { result: success }\n  failed: { result: failure }")
        let run = await Conversation.run(
            try Compiled.plan(flow), [Scripts.load(), ScriptedEffect("delete session", given.event)])
        #expect(run.outcomes(of: "clear") == [given.outcome])
        #expect((run.outcome.tokens[0] == nil) == (given.outcome == "ok"))
    }
}
