import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("Profiles")
struct ProfileTests {
    private static let signIn = FlowTexts.signIn(
        ["userinfo": "{ next: done }", "store": ""],
        extra: "outputs: { profile: json, subject: optional string }",
        ends: """
              done: { result: success, outputs: { profile: "${steps.userinfo.profile}", subject: "${tokens.main.subject}" } }
              failed: { result: failure }
            """)

    @Test("without a UserInfo endpoint the verified ID token says who it is")
    func idTokenAlone() async throws {
        let claims: JSONObject = ["name": "Ada", "email": "ada@example.com", "own": "x"]
        let script =
            try Scripts.untilTokens(try Answers.signedIn(claims)) + [try Scripts.keys(), Scripts.goodEnd]
        let run = await Conversation.run(
            try Compiled.plan(Self.signIn, provider: ProviderText.make(omit: ["userinfo_endpoint"])), script)
        #expect(run.outcomes(of: "userinfo") == ["ok"])
        #expect(
            run.output("profile") == .json(["sub": "person-1", "name": "Ada", "email": "ada@example.com"]))
        #expect(run.output("subject") == .string("person-1"))
    }

    @Test("a claim that its type cannot be made of is warned about")
    func unread() async throws {
        let provider = ProviderText.plain.replacing(
            "  source: userinfo\n",
            with: "  source: userinfo\n  email_verified: { path: userinfo.checked, type: boolean }\n")
        let answer = Answers.json(200, ["id": 42, "email": "a@example.com", "checked": "yes"])
        let flow = FlowTexts.flow(
            "  restore: { next: userinfo }\n  userinfo: { next: done }", start: "restore",
            extra: "outputs: { profile: json }",
            ends: """
                  done: { result: success, outputs: { profile: "${steps.userinfo.profile}" } }
                  failed: { result: failure }
                """)
        let session = StoredTokens().with { $0.issuer = "https://q.example" }
        let run = await Conversation.run(
            try Compiled.plan(flow, provider: provider),
            [Scripts.load(session), ScriptedEffect("http userinfo", answer)])
        #expect(run.output("profile") == .json(["sub": "42", "email": "a@example.com"]))
        #expect(
            run.events.warnings == [
                "claim \"email_verified\" is left out: the answer has another text, and boolean is made of true or false, "
                    + "1 or 0, also as text"
            ])
    }
}
