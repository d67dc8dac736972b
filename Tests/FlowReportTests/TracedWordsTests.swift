import FlowEngine
import FlowReport
import OAuthProtocol
import Testing

@Suite("Words of a trace")
struct TracedWordsTests {
    private static func parameter(
        _ name: String, _ value: TracedValue = .text("v"), _ reference: String? = nil
    ) -> TracedParameter {
        TracedParameter(name: name, value: value, source: "acme.yaml:12", reference: reference)
    }

    private static func secret(_ kind: String) -> TracedValue {
        .secret(kind: kind, length: nil, fingerprint: nil)
    }

    @Test(
        "a token request says how its client proves itself, in the provider's own way too",
        arguments: [
            ([], [parameter("client_id")], "none (public client)"),
            ([], [parameter("code", secret("code")), parameter("client_id")], "none (public client)"),
            ([], [parameter("client_secret", secret("client_secret"))], "client_secret_post"),
            ([], [parameter("appSecret", secret("client_secret"))], "appSecret (the provider's own way)"),
            (
                [parameter("Authorization", secret("secret"))], [parameter("client_id")],
                "Authorization (the provider's own way)"
            ),
            (
                [], [parameter("client_id", .text("v"), ClientAuthentication.certificateReference)],
                "certificate (mutual TLS)"
            ),
        ])
    func proof(_ fields: [TracedParameter], _ body: [TracedParameter], _ words: String) {
        let request = TracedRequest(
            purpose: "token", method: "POST", endpoint: "https://op.example/token", query: [], fields: fields,
            body: body, bodyFormat: "form")
        #expect(TracedWords.clientAuthentication(request) == words)
    }
}
