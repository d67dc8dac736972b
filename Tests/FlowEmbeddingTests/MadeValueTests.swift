import FlowEngine
import FlowLanguage
import FlowLive
import JOSE
import OAuthProtocol
import Testing

@Suite("Values that a program makes for its own tests")
struct MadeValueTests {
    private let tokens = FlowResult.Tokens(
        accessToken: Secret("marker-token", kind: .accessToken), subject: "ada")

    @Test("the test that the guide shows passes")
    func guide() async throws {
        try await SampleProgram.testWithoutNetwork { call in
            let isStaff = call.values["steps.verify.subject"]?.stringValue == "ada"
            return isStaff ? HookReply() : HookReply(.abort(message: "not on the list"))
        }
    }

    @Test("a result holds what it was made of, and no tokens beside a failure")
    func result() {
        let made = FlowResult(
            end: "signed_in", message: "welcome", outputs: ["subject": .string("ada")], tokens: tokens,
            others: ["work": tokens])
        #expect(made.isSuccess)
        #expect(made.end == "signed_in")
        #expect(made.message == "welcome")
        #expect(made.outputs["subject"]?.text == "ada")
        #expect(made.tokens?.subject == "ada")
        #expect(made.tokenSets.keys.sorted() == ["main", "work"])
        let failed = FlowResult(end: "denied", failure: SignInFailure(code: "access_denied"), tokens: tokens)
        #expect(!failed.isSuccess)
        #expect(failed.failure?.failureClass == .denied)
        #expect(failed.tokenSets.isEmpty)
        #expect(!"\(made)".contains("marker"))
    }

    @Test("a closure is called as a run calls it")
    func calls() {
        let call = HookCall(
            "tell", at: .stepRequest, step: HookCall.Step(id: "ask", kind: .http, attempt: 2),
            values: ["vars.a": .int(1)],
            secrets: ["tokens.main.access_token": Secret("s", kind: .accessToken)],
            facts: ["request": .object([:])])
        #expect(call.hook == "tell")
        #expect(call.point == .stepRequest)
        #expect(call.step == HookCall.Step(id: "ask", kind: .http, visit: 1, attempt: 2, outcome: nil))
        #expect(call.values == ["vars.a": .int(1)])
        #expect(call.secrets.count == 1)
        #expect(call.facts["request"] != nil)
        let question = PortCall("account.find", arguments: ["subject": .string("ada")], step: "find")
        #expect(question.port == "account.find")
        #expect(question.step == "find")
        #expect(question.arguments == ["subject": .string("ada")])
    }

    @Test("a turn of a web server's sign-in can be made whole")
    func ticket() {
        let ticket = SignInTicket(text: "marker-ticket", expiresAt: 1_000)
        let turn = PortableSignIn.Turn.redirect(to: "https://a.example/authorize", ticket: ticket)
        #expect(ticket.text == "marker-ticket")
        #expect(ticket.expiresAt == 1_000)
        #expect(!"\(turn)".contains("marker"))
    }
}
