import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@testable import FlowEngine

/// A provider that puts what it was sent, or has sent, into the words of its answers. `Conversation` looks for markers in
/// all that a run tells.
@Suite("Secrets that a provider repeats")
struct RepeatedSecretTests {
    /// What an exchange sends, and what was sent before it.
    static let sent: [String] = [
        Markers.clientSecret, Markers.code, Markers.verifier, Markers.state, Markers.nonce,
        Base64.encode(
            "\(PercentEncoding.encodeForm(Markers.clientID)):\(PercentEncoding.encodeForm(Markers.clientSecret))"
                .utf8),
    ]

    private static let flow = FlowTexts.signIn(
        extra: """
            outputs: { why: string }
            hooks:
              - { id: seen, at: step.response, steps: [exchange], native: { name: seen } }
              - { id: failed, at: flow.error, native: { name: failed } }
              - { id: ended, at: flow.end, native: { name: ended } }
            """,
        ends: """
              done: { result: success, outputs: { why: none } }
              failed: { result: failure, message: "${error.message ?? 'none'}", outputs: { why: "${error.message ?? 'none'}" } }
            """)

    private static let hooks = ["seen", "failed", "ended"].map {
        ScriptedEffect("hook \($0)", .hook(HookReply()))
    }

    private func run(_ answer: InputEvent) async throws -> Conversation {
        await Conversation.run(
            try Compiled.plan(Self.flow),
            Scripts.untilCode + [ScriptedEffect("http token", answer)] + Self.hooks + [Scripts.badEnd])
    }

    @Test(
        "what the token endpoint was sent is in no failure, no hook and no output when its answer repeats it",
        arguments: sent)
    func repeated(_ secret: String) async throws {
        let run = try await run(
            Answers.json(
                400, ["error": "invalid_grant", "error_description": .string("no \(secret), sorry")]))
        let detail = try #require(run.outcome.failure(.english)?.detail)
        #expect(detail.hasPrefix("no ‹") && detail.hasSuffix("›, sorry"))
        #expect(run.output("why") == .string(detail))
        #expect(run.outcome.end.message == detail)
        let told = run.hookCalls.compactMap { $0.facts["error"]?.objectValue?["message"]?.stringValue }
        #expect(told == [detail, detail])
    }

    @Test("the same holds of the code of the error, and in a form of its own")
    func encoded() async throws {
        let run = try await run(
            Answers.json(400, ["error": .string("x-\(PercentEncoding.encodeForm(Markers.code))")]))
        #expect(run.outcome.failure(.english) != nil)
    }

    @Test("a token of an answer that is refused is not repeated with the reason")
    func refusedAnswer() async throws {
        let run = try await run(
            Answers.tokens([
                "token_type": .string(Markers.accessToken),
                "error_description": .string(Markers.refreshToken),
            ]))
        let failure = try #require(run.outcome.failure(.english))
        #expect(failure.failureClass == .security)
        #expect(failure.detail?.contains("‹access_token›") == true)
    }

    @Test("an access token that comes back in WWW-Authenticate is not repeated")
    func challenge() async throws {
        let challenge = "Bearer error=\"invalid_token\", error_description=\"\(Markers.accessToken) is dead\""
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.ask()),
            [
                Scripts.load(),
                ScriptedEffect(
                    "http userinfo", Answers.text(401, "", [HTTPField("WWW-Authenticate", challenge)])),
            ])
        #expect(run.outcome.failure(.english)?.detail == "‹access_token› is dead")
    }

    @Test("secrets in a list, and those that a step took out of an answer, are in no hook and no output")
    func met() async throws {
        let flow = FlowTexts.flow(
            """
              first: { do: http, with: { url: "https://p.example/a", out: { one: { at: /one, type: secret } } }, next: second }
              second: { do: http, with: { url: "https://p.example/b", method: POST, json: { one: "${steps.first.one}" } },
                next: third }
              third: { do: http, with: { url: "https://p.example/c" }, next: done }
            """, start: "first",
            extra: """
                inputs: { pins: list<secret> }
                outputs: { body: json }
                hooks: [ { id: seen, at: step.after, steps: [third], reads: [steps.third.body], native: { name: seen } } ]
                """,
            ends: """
                  done: { result: success, outputs: { body: "${steps.third.body}" } }
                  failed: { result: failure }
                """)
        let repeated = Answers.json(
            200, ["text": .string("\(Markers.accessToken), \(Markers.code)"), Markers.code: 1])
        let run = await Conversation.run(
            try Compiled.plan(
                flow, inputs: ["pins": .list([.secret(Secret(Markers.code, kind: .other))])]),
            [
                ScriptedEffect("http http", Answers.json(200, ["one": .string(Markers.accessToken)])),
                ScriptedEffect("http http", Answers.json(200)), ScriptedEffect("http http", repeated),
                ScriptedEffect("hook seen", .hook(HookReply())),
            ])
        let shown: JSONValue = ["text": "‹secret›, ‹secret›", "‹secret›": 1]
        #expect(run.hookCalls.first?.values["steps.third.body"] == shown)
        guard case .json(let body)? = run.output("body") else { return notFound() }
        #expect(SecretIndex(run.outcome.secrets).replaced(in: body) == shown)
    }

    @Test("methods and addresses of metadata are no secrets, whatever their names say")
    func facts() {
        let response = HTTPResponse(
            status: 200, fields: [],
            body: Array(
                """
                {"token_endpoint_auth_methods_supported":["client_secret_basic"],"id_token_encrypted_response_enc":
                "A128CBC-HS256","token_endpoint":"https://p.example/token","client_secret":"a secret of some length"}
                """.utf8))
        #expect(AnswerScreen.secrets(in: response).map { $0.reveal() } == ["a secret of some length"])
    }

    @Test("a byte order mark before an answer hides no secret of it")
    func mark() {
        let body = "\u{FEFF}{\"client_secret\":\"a secret of some length\"}"
        let response = HTTPResponse(status: 200, fields: [], body: Array(body.utf8))
        #expect(AnswerScreen.secrets(in: response).map { $0.reveal() } == ["a secret of some length"])
    }
}
