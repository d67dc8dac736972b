import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("refresh: outcomes")
struct RefreshOutcomeTests {
    private static func error(_ status: Int, _ code: String) -> InputEvent {
        Answers.json(status, ["error": .string(code)])
    }

    static let cases = [
        Case("a dead token", error(400, "invalid_grant"), "invalid_grant"),
        Case("a refused client", error(401, "invalid_client"), "invalid_client"),
        Case("another error", error(400, "invalid_scope"), "rejected"),
        Case("429", Answers.text(429, ""), "rate_limited"),
        Case("503", Answers.text(503, ""), "server_error"),
        Case("502", Answers.text(502, ""), "unanswered"), Case("504", Answers.text(504, ""), "unanswered"),
        Case("no JSON", Answers.text(200, "?"), "unanswered", error: "unreadable"),
        Case("a member twice", Answers.text(200, #"{"a":1,"a":2}"#), "unanswered", error: "unreadable"),
        Case("nothing", Answers.text(204, ""), "unanswered", error: "unreadable"),
        Case(
            "too much", Answers.lost(.perhapsDelivered, cause: "too_large"), "unanswered", error: "unreadable"
        ),
        Case("never sent", Answers.lost(.notDelivered), "network"),
        Case("perhaps sent", Answers.lost(.perhapsDelivered), "unanswered"),
    ]

    @Test("tells what became of the refresh token, and unlocks whatever it is", arguments: cases)
    func outcomes(_ given: Case) async throws {
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.renew()),
            RefreshScript.untilSent + [RefreshScript.send(given.event), RefreshScript.unlock])
        #expect(run.outcomes(of: "refresh") == [given.outcome])
        if let error = given.error { #expect(run.lastEnd(of: "refresh")?.error == error) }
    }

    @Test(
        "where tokens are reusable a lost answer is mere trouble of the network",
        arguments: [
            Case("perhaps sent", Answers.lost(.perhapsDelivered), "network"),
            Case("502", Answers.text(502, ""), "server_error"),
            Case("no JSON", Answers.text(200, "?"), "malformed"),
            Case("too much", Answers.lost(.perhapsDelivered, cause: "too_large"), "malformed"),
        ])
    func reusable(_ given: Case) async throws {
        let provider = ProviderText.make(refresh: "{ rotation: reusable }")
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.renew(), provider: provider),
            RefreshScript.untilSent + [RefreshScript.send(given.event), RefreshScript.unlock])
        #expect(run.outcomes(of: "refresh") == [given.outcome])
    }

    @Test("a provider whose file says that it renews nothing is asked for nothing, and the file is named")
    func unsupported() async throws {
        let provider = ProviderText.make(refresh: "{ supported: false }")
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.renew(), provider: provider), [Scripts.load()])
        #expect(run.outcomes(of: "refresh") == ["absent"])
        #expect(run.lastEnd(of: "refresh")?.error == "never_renewed")
        #expect(
            run.lastEnd(of: "refresh")?.description
                == "the file of Provider P says that it renews no tokens (refresh.supported)")
    }

    @Test("without a refresh token nothing is locked, read or sent")
    func absent() async throws {
        let session = StoredTokens().with { $0.refreshToken = nil }
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), [Scripts.load(session)])
        #expect(run.outcomes(of: "refresh") == ["absent"])
    }
}
