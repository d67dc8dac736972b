import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Providers whose token request has no use for the code, and methods and keys that interfaces want.
@Suite("Codes, methods and keys of other requests")
struct CodeOperationTests {
    /// An interface that gives the application a token, and says who signed in for that and the code.
    private static let identified = ProviderText.plain
        .replacing(
            "token:\n",
            with: """
                operations:
                  member: { method: PUT, endpoint: "https://q.example/member", params: { x: "${code}" },
                            rename: { x: code }, headers: { X-Key: "${vars.key}" } }
                variables: { key: { secret: true } }
                token:
                  omit: [code, code_verifier, redirect_uri, grant_type]

                """
        )
        .replacing(
            "  also:\n",
            with: "  query: { code: \"${code}\" }\n  headers: { Client-ID: \"${client.id}\" }\n  also:\n")

    private static let tokens = Answers.tokens(["refresh_token": .null, "scope": .null])

    private func plan(_ flow: String) throws -> RunPlan {
        try Compiled.plan(
            flow, bound: Compiled.provider(Self.identified, variables: ["key": "marker-api-key"]))
    }

    private func sent(_ run: Conversation, _ name: String) throws -> HTTPRequest {
        let found = run.performed.lazy.compactMap { request -> HTTPExchange? in
            if case .http(let exchange) = request.effect, request.name == name { exchange } else { nil }
        }.first
        return try #require(found).request
    }

    @Test("the code goes to the UserInfo endpoint where the request for tokens leaves it out")
    func userinfo() async throws {
        let flow = FlowTexts.signIn()
        let script =
            Scripts.authorize + [
                Scripts.callback([("iss", "https://q.example")]), try Scripts.exchange(Self.tokens),
                ScriptedEffect("http userinfo", Answers.json(200, ["id": 7, "email": "a@q.example"])),
                Scripts.save, Scripts.goodEnd,
            ]
        let run = await Conversation.run(try plan(flow), script)
        #expect(run.end == "done")
        let token = try sent(run, "http token")
        let body = String(decoding: token.body ?? [], as: UTF8.self)
        #expect(!body.contains(PercentEncoding.encodeForm(Markers.code)))
        let userinfo = try sent(run, "http userinfo")
        #expect(
            userinfo.url
                == "https://q.example/user?code=\(PercentEncoding.encodeQuery(Markers.code))")
        #expect(userinfo.fields.first { $0.name == "Client-ID" }?.value == Markers.clientID)
        // Nobody sends it again after a crash.
        #expect(run.performed.first { $0.name == "http userinfo" }?.singleUse == .once)
    }

    @Test("an operation may send it by PUT, with a key of the application, and nothing sends it again")
    func once() async throws {
        let flow = FlowTexts.signIn([
            "verify": "{ do: verify_id_token, next: { ok: member, absent: member } }",
            "member": "{ do: http, with: { operation: member }, next: userinfo }",
            "userinfo": "{ next: { ok: store, unauthorized: failed } }",
        ])
        let script =
            Scripts.authorize + [
                Scripts.callback([("iss", "https://q.example")]), try Scripts.exchange(Self.tokens),
                ScriptedEffect("http http", Answers.json(200, ["id": 7])), Scripts.badEnd,
            ]
        let run = await Conversation.run(try plan(flow), script)
        let member = try sent(run, "http http")
        #expect(member.method == .put)
        #expect(run.performed.first { $0.name == "http http" }?.singleUse == .once)
        #expect(
            String(decoding: member.body ?? [], as: UTF8.self)
                == "code=\(PercentEncoding.encodeForm(Markers.code))")
        #expect(member.fields.contains { $0.name == "Content-Type" && $0.value == FormBody.contentType })
        #expect(member.fields.first { $0.name == "X-Key" }?.value == "marker-api-key")
        #expect(run.outcomes(of: "userinfo") == ["unauthorized"])
        #expect(run.lastEnd(of: "userinfo")?.error == "code_used")
    }
}
