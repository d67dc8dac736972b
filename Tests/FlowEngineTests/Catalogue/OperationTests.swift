import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Requests of a provider's own, which a flow calls by their names.
@Suite("Operations of the catalogue")
struct OperationTests {
    /// A sign-in whose token is traded for one that lives longer.
    private static let flow = FlowTexts.signIn([
        "verify": "{ do: verify_id_token, next: { ok: longer, absent: longer } }",
        "longer": """
        { do: http, with: { operation: long_lived, out: { expires_in: { at: /expires_in, type: int } } }, \
        next: store }
        """,
        "userinfo": "",
    ])

    @Test(
        "a token of an hour is traded for one of sixty days",
        arguments: [
            ("instagram", "https://graph.instagram.com/access_token", "ig_exchange_token"),
            ("threads", "https://graph.threads.net/access_token", "th_exchange_token"),
        ])
    func longLived(_ provider: String, _ endpoint: String, _ grant: String) async throws {
        var answers = CatalogueWorld.Answers.plain(token: ["expires_in": .null, "token_type": .null])
        answers.others = [
            (
                endpoint,
                CatalogueWorld.json(["access_token": "AT-2", "token_type": "bearer", "expires_in": 5_183_944])
            )
        ]
        let run = try await CatalogueRun.signIn(provider, flow: Self.flow, answers: answers)
        #expect(run.outcome.isSuccess)
        let request = try run.sent(.http)
        #expect(request.method == "GET")
        #expect(request.endpoint == endpoint)
        #expect(
            request.query.map(\.description) == [
                "access_token=AT-1", "client_secret=CLIENT-SECRET-1", "grant_type=\(grant)",
            ])
        try run.expectSaved(["access_token": "AT-1", "expires_at": .int(ManualClock.start + 3_600_000)])
    }
}
