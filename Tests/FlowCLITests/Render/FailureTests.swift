import FlowReport
@testable import FlowCLI
import FlowEngine
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

    @Test("requests that fit each other are evidence, not suspects")
    func consistent() throws {
        let report = try RenderGolden.report(.refusal())
        #expect(
            report.evidence.map(\.id) == [
                "redirect_uri", "client_id", "code_verifier", "code_reuse", "code_age",
            ])
        #expect(report.evidence.allSatisfy { $0.suspicion == nil })
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
}
