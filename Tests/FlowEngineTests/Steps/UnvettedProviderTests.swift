import FlowEngine
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// A provider's file that merely lies where the program was started must not lead stored tokens to new places.
@Suite("stored sessions and files that nobody stands for")
struct UnvettedProviderTests {
    private static let own = "https://p.example"

    private func plan(_ flow: String, _ more: String = "") throws -> RunPlan {
        let text = ProviderText.make(extra: more)
        return try Compiled.plan(flow, bound: Compiled.provider(text, isVetted: false))
    }

    private static let restore = FlowTexts.flow("  restore: { next: done }", start: "restore")

    @Test("a session is used where it goes to no place that those who signed in did not name")
    func known() async throws {
        let stored = StoredTokens().with { $0.destinations = [Self.own, "https://other.example"] }
        let run = await Conversation.run(try plan(Self.restore), [Scripts.load(stored)])
        #expect(run.outcomes(of: "restore") == ["ok"])
    }

    @Test("a session is not used where the file leads to a new place, nor where it names none")
    func new() async throws {
        for known in [nil, [], ["https://other.example"]] as [[String]?] {
            let stored = StoredTokens().with { $0.destinations = known }
            let run = await Conversation.run(try plan(Self.restore), [Scripts.load(stored)])
            #expect(run.outcomes(of: "restore") == ["absent"])
            let end = run.lastEnd(of: "restore")
            #expect(end?.error == "elsewhere")
            #expect(
                end?.description
                    == "the stored session is not used: p.yaml would send its tokens to https://p.example, which those "
                    + "who signed in never named")
        }
    }

    @Test("one new place beside the known one is enough")
    func added() async throws {
        let more = "endpoints: { report: \"https://api.example/report\" }\n"
        let stored = StoredTokens().with { $0.destinations = [Self.own] }
        let run = await Conversation.run(try plan(Self.restore, more), [Scripts.load(stored)])
        #expect(run.lastEnd(of: "restore")?.error == "elsewhere")
    }

    @Test("what another process stored meanwhile for other places is neither adopted nor sent")
    func refreshed() async throws {
        let stored = StoredTokens.expired.with { $0.destinations = [Self.own] }
        let peer = StoredTokens().with { $0.accessToken = Markers.renewedToken }
        let run = await Conversation.run(
            try plan(FlowTexts.renew()),
            [
                Scripts.load(stored), RefreshScript.lock, Scripts.load(peer, generation: 8),
                RefreshScript.unlock,
            ])
        #expect(run.outcomes(of: "refresh") == ["absent"])
        #expect(run.lastEnd(of: "refresh")?.error == "elsewhere")
    }

    @Test("a session that is renewed may still go wherever those who signed in let it")
    func renewed() async throws {
        let stored = StoredTokens.expired.with { $0.destinations = [Self.own, "https://other.example"] }
        let run = await Conversation.run(
            try plan(FlowTexts.renew()),
            [
                Scripts.load(stored), RefreshScript.lock, Scripts.load(stored),
                RefreshScript.send(Answers.renewed()), ScriptedEffect("save session", .saved(generation: 8)),
                ScriptedEffect("save session", .saved(generation: 9)), RefreshScript.unlock,
            ])
        let kept = try run.saved.map { try JSON.parse(Array($0.utf8))["destinations"] }
        #expect(kept == Array(repeating: ["https://other.example", .string(Self.own)], count: 2))
    }

    @Test("nor is it revoked there: what this run has is")
    func revoked() async throws {
        let provider = try Compiled.provider(ProviderText.complete, isVetted: false)
        let all = Array(provider.destinations)
        let stored = StoredTokens().with { $0.destinations = all }
        let answer = ScriptedEffect("http revocation", Answers.text(200, ""))
        for (places, sent) in [
            (nil, Markers.refreshToken), (all, Markers.rotatedToken),
        ] as [([String]?, String)] {
            let peer = StoredTokens().with {
                $0.refreshToken = Markers.rotatedToken
                $0.destinations = places
            }
            let run = await Conversation.run(
                try Compiled.plan(FlowTexts.stored("{ do: revoke, next: done }"), bound: provider),
                [
                    Scripts.load(stored), RefreshScript.lock, Scripts.load(peer, generation: 8), answer,
                    answer, RefreshScript.unlock,
                ])
            let request = run.performed.first { $0.name == "http revocation" }
            #expect(RefreshScript.body(request).contains("token=\(PercentEncoding.encodeForm(sent))"))
        }
    }
}
