import FlowReport
@testable import FlowCLI
import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import Testing

@Suite("Failures of a client that is refused")
struct RefusedClientTests {
    @Test("who refuses an assertion that somebody else issued has no word about a key of the client's")
    func issuedAssertion() throws {
        for (isIssued, proof) in [(true, SentProof.issuedAssertion), (false, .assertion)] {
            var run = SampleRun()
            run.start(registration: isIssued ? [SampleRun.text("client_assertion", "in file token")] : [])
            run.enter("token", "client_credentials")
            run.add(.request(SampleRun.request("token", body: ["client_assertion": .text("x")])))
            run.leave("invalid_client", "config", error: "invalid_client", to: "failed", isEnd: true)
            run.finish("failed", "failure", error: "invalid_client", exit: 6)
            let report = try RenderGolden.report(run)
            #expect(report.proof == proof)
            let words = report.text.fixes.joined(separator: "\n")
            #expect(words.contains("flowrun provider test example   says by whom") == isIssued)
            #expect(words.contains("registered key") != isIssued)
        }
    }

    @Test("a secret in the body is told of in the words for it")
    func postedSecret() throws {
        var run = SampleRun()
        run.start()
        run.enter("exchange")
        let body = ["client_id": TracedValue.text("c"), "client_secret": .text("x")]
        run.add(.request(SampleRun.request("token", body: body)))
        run.leave("invalid_client", "config", error: "invalid_client", to: "failed", isEnd: true)
        run.finish("failed", "failure", error: "invalid_client", exit: 6)
        #expect(try RenderGolden.report(run).proof == .postedSecret)
    }

    @Test(
        "a refused client is told what it sent: nothing that proves it, an assertion, or a secret",
        arguments: [
            (["client_id"], "this run has sent none"),
            (["client_id", "client_assertion"], "signs the client's assertion"),
            ([], "the client secret is wrong"),
        ])
    func refusedClient(sent: [String], cause: String) throws {
        let usual = SampleRun.token(fingerprint: "c3d1")
        let request = TracedRequest(
            purpose: usual.purpose, method: "POST", endpoint: usual.endpoint, query: [],
            fields: sent.isEmpty ? usual.fields : [],
            body: usual.body + sent.map { SampleRun.text($0, "a") }, bodyFormat: "form")
        var run = SampleRun()
        run.start()
        run.enter("exchange")
        run.add(.request(request))
        run.leave("invalid_client", "config", error: "invalid_client", to: "failed", isEnd: true)
        run.finish("failed", "failure", error: "invalid_client", exit: 3)
        let causes = try RenderGolden.report(run).text.causes
        #expect(causes.contains { $0.contains(cause) }, "\(causes)")
    }

    @Test(
        "a client that may not is told what: use a grant, or revoke a token that is not its own",
        arguments: [
            ("exchange", "this client may not use this grant"),
            ("revoke", "the provider does not let this client revoke the token"),
        ])
    func unauthorizedClient(kind: String, headline: String) throws {
        var report = try RenderGolden.report(.refusal())
        report.kind = kind
        report.error = "unauthorized_client"
        (report.outcome, report.status) = ("rejected", 403)
        #expect(report.text.headline == headline)
        let isGrant = report.text.fixes.contains { $0.contains("with --grant for each grant") }
        #expect(isGrant == (kind == "exchange"), "\(report.text.fixes)")
    }

    @Test(
        "where a code says little, what servers mean by it is among the causes",
        arguments: [
            (
                "client_credentials", "rejected", "invalid_request",
                "does not know the client credentials grant"
            ),
            ("revoke", "rejected", "invalid_request", "revokes tokens of clients with a secret alone"),
            ("register", "rejected", "access_denied", "an initial access token is missing or wrong"),
            ("userinfo", "insufficient_scope", nil, "the token was revoked"),
            ("callback", "malformed", nil, "no flow takes the implicit grant"),
        ])
    func vagueCode(kind: String, outcome: String, error: String?, cause: String) throws {
        var report = try RenderGolden.report(.refusal())
        (report.kind, report.outcome, report.error) = (kind, outcome, error)
        #expect(report.text.causes.contains { $0.contains(cause) }, "\(report.text.causes)")
    }
}
