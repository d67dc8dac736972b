import FlowReport
@testable import FlowCLI
import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import Testing

@Suite("Failures")
struct FailureTests {
    @Test("a success leaves nothing to explain")
    func success() {
        var collector = FailureCollector()
        for event in SampleRun.signIn().events { collector.collect(event) }
        #expect(collector.finished == nil)
    }

    @Test("a redirect URI that changed between the requests is the likely cause of a refused code")
    func redirectURI() throws {
        let report = try RenderGolden.report(.refusal(redirectURI: "http://localhost/callback"))
        #expect(report.evidence.filter { $0.suspicion != nil }.map(\.id) == ["redirect_uri"])
    }

    @Test("a run that ended while it waited for an answer names the server")
    func unanswered() throws {
        var run = SampleRun()
        run.start()
        run.enter("exchange")
        run.add(.request(SampleRun.token(fingerprint: "c3d1")))
        run.finish("cancelled", "cancelled", error: "deadline", exit: 10)
        let report = try RenderGolden.report(run)
        #expect(report.evidence.first { $0.id == "unanswered" }?.value == report.host)
        #expect(report.host != nil)
    }

    @Test(
        "a name that does not resolve is asked for without its port",
        arguments: [
            ("idp.example:8443", "idp.example"), ("idp.example", "idp.example"), ("[::1]:8443", "::1"),
        ])
    func unresolved(host: String, name: String) {
        var report = FailureReport()
        (report.kind, report.outcome, report.error, report.host) = ("exchange", "network", "resolve", host)
        #expect(report.text.headline == "\(host) has no address")
        #expect(report.text.fixes == ["getent hosts \(name)"])
    }

    @Test("how long the server asks to wait is told, in seconds to programs")
    func retryAfter() throws {
        var run = SampleRun.refusal()
        run.events = run.events.map { event in
            guard case .stepEnd(var end) = event.body, end.error != nil else { return event }
            end.retryAfter = 90_500
            return TraceEvent(
                sequence: event.sequence, time: event.time, step: event.step, body: .stepEnd(end))
        }
        let report = try RenderGolden.report(run)
        #expect(report.evidence.first { $0.id == "retry_after" }?.value == "1 min 30 s")
        #expect(FailureJSON.object(report)["retry_after"] == 91)
        #expect(FailureJSON.object(try RenderGolden.report(.refusal()))["retry_after"] == nil)
    }

    @Test("requests that fit each other are evidence, not suspects")
    func consistent() throws {
        let report = try RenderGolden.report(.refusal())
        #expect(
            report.evidence.map(\.id) == [
                "redirect_uri", "client_id", "code_verifier", "code_reuse", "code_age",
            ])
        #expect(report.evidence.allSatisfy { $0.suspicion == nil })
    }

    @Test(
        "a challenge that only the provider can read is no clue", arguments: ["request", "request_uri"])
    func unseenChallenge(parameter: String) throws {
        var run = SampleRun()
        run.start()
        run.enter("authorize")
        run.add(.request(SampleRun.request("authorization", query: [parameter: .text("x")])))
        run.leave(to: "exchange")
        run.enter("exchange")
        run.add(.request(SampleRun.token(fingerprint: "c3d1")))
        run.leave("invalid_client", "config", error: "invalid_client", to: "failed", isEnd: true)
        run.finish("failed", "failure", error: "invalid_client", exit: 6)
        let report = try RenderGolden.report(run)
        #expect(report.evidence.map(\.id) == ["code_reuse"])
        #expect(!report.text.causes.contains { $0.contains("verifier") })
    }

    @Test("an answer that was ignored while the page was shown is told where none came in time")
    func ignored() throws {
        var run = SampleRun()
        run.start()
        run.enter("authorize")
        run.add(.callbackIgnored(reason: "the answer came by GET"))
        run.leave(to: "callback")
        run.enter("callback")
        run.leave("timeout", "cancelled", to: "failed", isEnd: true)
        run.finish("failed", "failure", error: "timeout", exit: 10)
        let evidence = try RenderGolden.report(run).evidence
        #expect(evidence.map(\.value) == ["1, the last: the answer came by GET"])
    }

    @Test("what the engine says of the end is the reason, what the flow says belongs to the end")
    func reason() throws {
        var run = SampleRun()
        run.start()
        run.enter("token", "client_credentials")
        var own = run
        own.finish("failed", "failure", message: "it is no good", error: "client_key", exit: 3)
        let report = try RenderGolden.report(own)
        #expect(report.shownDescription == "it is no good")
        #expect(report.message == nil)
        run.leave(to: "failed", isEnd: true)
        run.finish("failed", "failure", message: "not today", exit: 1)
        let flow = try RenderGolden.report(run)
        #expect(flow.shownDescription == nil)
        #expect(flow.message == "not today")
    }

    @Test(
        "a refresh that is interrupted says that the session may be lost, where its request was under way",
        arguments: [
            (["discovery", "refresh"], "", true), (["discovery"], "", false), ([], "", false),
            (["refresh"], "refresh: { rotation: reusable }", false),
        ])
    func interruptedRefresh(requests: [String], refresh: String, isInDoubt: Bool) throws {
        var run = SampleRun()
        run.start()
        run.enter("authorize")
        run.add(.request(SampleRun.request("authorization")))
        run.leave(to: "refresh")
        run.enter("refresh")
        for purpose in requests { run.add(.request(SampleRun.request(purpose))) }
        run.finish("cancelled", "cancelled", message: "the run was cancelled", error: "cancelled", exit: 143)
        var report = try RenderGolden.report(run)
        let provider = try Compiled.provider(ProviderText.plain + refresh + "\n")
        report.provider = provider.descriptor.id
        report.doubtRefresh([provider])
        #expect(report.error == (isInDoubt ? "in_doubt" : nil))
        #expect(report.shownDescription == (isInDoubt ? "the run was cancelled" : nil))
        #expect(report.text.fixes.joined().contains("logout") == isInDoubt)
    }

    @Test("a refresh that was not sent, since the run could not be kept safe, loses no session")
    func unsentRefresh() throws {
        var run = SampleRun()
        run.start()
        run.enter("refresh")
        run.add(.request(SampleRun.request("refresh")))
        run.finish("failed", "failure", message: "no space is left", error: "journal_failed", exit: 9)
        var report = try RenderGolden.report(run)
        let provider = try Compiled.provider(ProviderText.plain)
        report.provider = provider.descriptor.id
        report.doubtRefresh([provider])
        #expect(report.error == nil)
        #expect(report.evidence.isEmpty)
        #expect(report.text.fixes.joined().contains("nothing was sent that is lost"))
    }

    @Test("a command that is given again has the inputs that it had, and a sign-in has none")
    func inputs() throws {
        var report = try RenderGolden.report(.refusal())
        report.inputs = " --input scopes=read"
        let words = "login --provider example --input scopes=read"
        #expect(report.text.fixes.joined().contains("flowrun run \(words)"))
        (report.outcome, report.error) = ("rejected", "invalid_scope")
        #expect(report.text.fixes.joined().contains("`flowrun plan \(words)`"))
        report.again = "flowrun login example"
        (report.outcome, report.error) = ("invalid_grant", "invalid_grant")
        #expect(!report.text.fixes.joined().contains("--input"))
    }

    @Test(
        "a clock that is far from the server's is the likely cause of a refused code", arguments: [412, 30])
    func clock(seconds: Int64) throws {
        let there = Int64(784_111_777_000)  // Sun, 06 Nov 1994 08:49:37 GMT
        var run = SampleRun.refusal()
        run.events = run.events.map { event in
            guard case .response(var response) = event.body else { return event }
            response.fields = [
                TracedParameter(
                    name: "Date", value: .text("Sun, 06 Nov 1994 08:49:37 GMT"), source: "", reference: nil)
            ]
            return TraceEvent(
                sequence: event.sequence, time: there + seconds * 1_000, step: event.step,
                body: .response(response))
        }
        let clock = try RenderGolden.report(run).evidence.first { $0.id == "clock" }
        #expect(clock?.value == (seconds > 60 ? "6 min 52 s ahead of the provider's" : nil))
        #expect((clock?.suspicion != nil) == (seconds > 60))
    }

    @Test("an identifier in HTTP Basic credentials is the same when it is form-encoded")
    func basicUser() throws {
        var run = SampleRun()
        run.start()
        run.enter("authorize")
        run.add(.request(SampleRun.request("authorization", query: ["client_id": .text("my id+1")])))
        run.leave(to: "exchange")
        run.enter("exchange")
        let credentials = TracedValue.prefixed(
            "Basic my+id%2B1:", kind: "client_secret", length: nil, fingerprint: nil)
        run.add(.request(SampleRun.request("token", fields: ["Authorization": credentials])))
        run.leave("invalid_grant", "grant", error: "invalid_grant", to: "failed", isEnd: true)
        run.finish("failed", "failure", error: "invalid_grant", exit: 6)
        let client = try #require(try RenderGolden.report(run).evidence.first { $0.id == "client_id" })
        #expect(client.suspicion == nil)
    }

    @Test(
        "of several attempts one that may have arrived counts, told once",
        arguments: [([false, false], "no"), ([false, true], "yes"), ([true, false], "yes")])
    func delivery(attempts: [Bool], told: String) throws {
        var run = SampleRun()
        run.start()
        run.enter("userinfo")
        for delivered in attempts {
            run.add(.request(SampleRun.request("userinfo")))
            run.add(.transportFailure(cause: "reset", delivered: delivered, message: "closed"))
        }
        run.leave("network", "transient", error: "reset", to: "failed", isEnd: true)
        run.finish("failed", "failure", error: "network", exit: 8)
        let evidence = try RenderGolden.report(run).evidence.filter { $0.id == "delivery" }
        #expect(evidence.map(\.value) == [told])
    }

    @Test("the status of an earlier answer is not that of a later request")
    func statusOfPreparation() throws {
        var run = SampleRun()
        run.start()
        run.enter("authorize")
        for status in [503, 200] {
            run.add(.request(SampleRun.request("discovery")))
            run.add(
                .response(
                    TracedResponse(status: status, contentType: nil, bytes: 0, members: [], duration: 1)))
        }
        run.leave("malformed", "data", error: "metadata_unreadable", to: "refused", isEnd: true)
        run.finish("refused", "failure", error: "malformed", exit: 6)
        let report = try RenderGolden.report(run)
        #expect(report.status == nil)
        #expect(report.text.headline == "the provider's metadata cannot be read")
    }

    @Test("a member of the metadata in another type is told as that", arguments: ["authorize", "discover"])
    func mistypedMember(step: String) throws {
        var run = SampleRun()
        run.start()
        run.enter(step)
        run.leave("malformed", "data", error: "metadata-member", to: "refused", isEnd: true)
        run.finish("refused", "failure", error: "malformed", exit: 6)
        let report = try RenderGolden.report(run)
        #expect(report.text.headline.hasPrefix("a member of the provider's metadata is not of the type"))
    }

    @Test("of a status of success that is another one, what was expected is told; of a failure it is not")
    func anotherSuccess() throws {
        for (status, isTold) in [(200, true), (204, true), (304, false), (404, false)] {
            var run = SampleRun()
            run.start()
            run.enter("authorize")
            run.add(.request(SampleRun.request("pushed_authorization")))
            run.add(
                .response(
                    TracedResponse(status: status, contentType: nil, bytes: 0, members: [], duration: 1)))
            run.add(
                SampleRun.check(
                    86, "par-status", "RFC 9126 §2.2", .failed(expected: "201", actual: "\(status)")))
            run.leave(
                "malformed", "data", error: "http_\(status)", status: status, to: "refused", isEnd: true)
            run.finish("refused", "failure", error: "malformed", exit: 6)
            let report = try RenderGolden.report(run)
            #expect(report.toldChecks.map(\.expected) == (isTold ? ["201"] : []))
            let form = FailureForm(RenderOptions(width: 120)).render(report)
            #expect(form.contains("par-status") == isTold, "\(form)")
        }
    }

    @Test("what the connection of one request said is not the server's word about another")
    func quotedConnection() throws {
        var run = SampleRun()
        run.start()
        run.enter("revoke")
        run.add(.request(SampleRun.request("revocation")))
        run.add(
            .response(TracedResponse(status: 404, contentType: nil, bytes: 0, members: [], duration: 1)))
        run.add(.request(SampleRun.request("revocation")))
        run.add(.transportFailure(cause: "reset", delivered: true, message: "the connection ended"))
        run.leave("rejected", "config", error: "http_404", status: 404, to: "refused", isEnd: true)
        run.finish("refused", "failure", error: "rejected", exit: 6)
        let report = try RenderGolden.report(run)
        #expect(report.description == nil)
        #expect(report.status == 404)
    }

    @Test("a run that the engine stops names the step it was in")
    func deadline() throws {
        var run = SampleRun()
        run.start()
        run.enter("callback", line: 7)
        run.finish("failed", "failure", message: "limits.deadline has passed", error: "deadline", exit: 10)
        let report = try RenderGolden.report(run)
        #expect(report.step == "callback")
        #expect(report.place?.line == 7)
        #expect(report.outcome == "deadline")
        #expect(report.text.headline == "the run took longer than it may")
    }

    @Test("a choice that leads to the end explains it, an earlier failure that was recovered from does not")
    func recovered() throws {
        var run = SampleRun()
        run.start()
        run.enter("refresh")
        run.leave("invalid_grant", "grant", to: "authorize")
        run.enter("authorize")
        run.leave("headless", "choice", description: "no display", to: "unattended", isEnd: true)
        run.finish("unattended", "failure", error: "headless", exit: 4)
        #expect(try RenderGolden.report(run).outcome == "headless")
    }

    @Test("attempts that fail alike are told once, with their number")
    func attempts() throws {
        var run = SampleRun()
        run.start()
        run.enter("exchange")
        for attempt in 2...3 {
            run.add(.transportFailure(cause: "connect", delivered: false, message: "refused"))
            run.add(.retry(outcome: "network", attempt: attempt, delay: 1, reason: "backoff"))
        }
        run.add(.transportFailure(cause: "connect", delivered: false, message: "refused"))
        run.leave("network", "transient", to: "unavailable", isEnd: true)
        run.finish("unavailable", "failure", error: "network", exit: 8)
        #expect(try RenderGolden.report(run).evidence.map(\.id) == ["delivery", "attempts"])
    }

    @Test("what to try next names the server with the scheme that was used")
    func origin() throws {
        var run = SampleRun()
        run.start()
        run.enter("exchange")
        run.add(
            .request(
                TracedRequest(
                    purpose: "token", method: "POST", endpoint: "http://127.0.0.1:9400/token?x=1", query: [],
                    fields: [], body: [], bodyFormat: "form")))
        run.add(.transportFailure(cause: "connect", delivered: false, message: "refused"))
        run.leave("network", "transient", to: "unavailable", isEnd: true)
        run.finish("unavailable", "failure", error: "network", exit: 8)
        let fixes = try RenderGolden.report(run).text.fixes
        #expect(fixes.contains { $0.hasPrefix("curl -v http://127.0.0.1:9400/ ") }, "\(fixes)")
    }

    @Test("a place in a flow file reads back, also with colons in its path")
    func place() {
        #expect(FailureReport.Place("a:b/login.flow.yaml:31:5")?.file == "a:b/login.flow.yaml")
        #expect(FailureReport.Place("a:b/login.flow.yaml:31:5")?.column == 5)
        #expect(FailureReport.Place("login.flow.yaml") == nil)
    }

    @Test(
        "every code has a status that the command line names, and explain tells it",
        arguments: FailureCode.all)
    func explained(code: FailureCode) throws {
        #expect(ExitStatus(rawValue: code.exitStatus) != nil)
        let text = ExplainCommand.text(ofFailure: code.name, RenderOptions())
        #expect(text.hasPrefix("\(code.name) (\(code.failureClass.rawValue), status \(code.exitStatus)): "))
        #expect(!text.contains("{"))
    }

    @Test("explain tells what a code means for each kind of step, and what stands beside a code")
    func explainedByKind() {
        let unanswered = ExplainCommand.text(ofFailure: "unanswered", RenderOptions())
        #expect(unanswered.contains("\nunanswered of exchange: nobody knows whether the code was redeemed\n"))
        #expect(unanswered.contains("\nunanswered of refresh: nobody knows whether the refresh token"))
        let doubt = ExplainCommand.text(ofFailure: "in_doubt", RenderOptions())
        #expect(
            doubt.hasPrefix("in_doubt of refresh: nobody knows whether the session can still be renewed\n"))
        #expect(doubt.contains("flowrun logout PROVIDER"))
        #expect(!doubt.contains("{"))
    }

    @Test("a time that does not hold is shown as people read it, with how far the clocks are apart")
    func time() throws {
        var run = SampleRun()
        run.start()
        run.enter("exchange")
        run.add(.request(SampleRun.token(fingerprint: "c3d1")))
        var response = TracedResponse(
            status: 200, contentType: "application/json", bytes: 2, members: [], duration: 10)
        response.fields = [SampleRun.text("Date", "Thu, 01 Jan 2026 00:00:00 GMT")]
        run.add(.response(response))
        run.leave(to: "verify")
        run.enter("verify", "verify_id_token")
        let expected = "later than 1767225600"
        run.add(
            SampleRun.check(
                123, "exp", "OIDC Core §3.1.3.7 (9)", .failed(expected: expected, actual: "1767222000")))
        run.leave(
            "claims_invalid", "security", error: "exp",
            description: "expected \(expected), got 1767222000", to: "failed", isEnd: true)
        run.finish("failed", "failure", error: "claims_invalid", exit: 7)
        let report = try RenderGolden.report(run)
        let form = FailureForm(RenderOptions(width: 120)).render(report)
        #expect(form.contains("later than 1767225600 (2026-01-01 00:00:00 UTC)"), "\(form)")
        #expect(form.contains("= got") && form.contains("1767222000 (2025-12-31 23:00:00 UTC)"))
        #expect(form.contains(#/the clock of this machine +as the provider's/#), "\(form)")
        #expect(report.text.headline == "the ID token has expired, or does not say when it does")
    }

    @Test(
        "where a pushed request is refused, the clock is a suspect; not where no page could be shown",
        arguments: [401, nil] as [Int?])
    func pushed(status: Int?) throws {
        var run = SampleRun()
        run.start()
        run.enter("authorize")
        var response = TracedResponse(
            status: 401, contentType: "application/json", bytes: 2, members: [], duration: 10)
        response.fields = [SampleRun.text("Date", "Thu, 01 Jan 2026 00:10:00 GMT")]
        run.add(.response(response))
        run.leave(
            "rejected", "config", error: "invalid_request_object", status: status, to: "failed", isEnd: true)
        run.finish("failed", "failure", error: "rejected", exit: 6)
        let report = try RenderGolden.report(run)
        let clock = try #require(report.evidence.first { $0.id == "clock" })
        #expect((clock.suspicion != nil) == (status != nil))
        #expect(report.text.headline == "the provider does not accept the signed request")
    }

    @Test("commands that ask the provider name its certificate authority, and a plan does not")
    func authority() throws {
        var report = try RenderGolden.report(.refusal())
        report.options = " --set a=b"
        report.connection = " --cacert ca.pem"
        report.kind = "refresh"
        report.error = "invalid_request"
        (report.outcome, report.status) = ("rejected", 400)
        let fixes = report.text.fixes.joined(separator: "\n")
        #expect(fixes.contains("flowrun login example --set a=b --cacert ca.pem "), "\(fixes)")
        #expect(fixes.contains("flowrun plan login --provider example --set a=b`"), "\(fixes)")
    }
}
