import FlowReport
import JOSE
import Testing

@testable import FlowCLI
@testable import FlowEngine

/// What people read of hooks: what they were given, how long they took, and what they made of an answer.
@Suite("Hooks as people read them")
struct HookRenderTests {
    private static func hook(
        _ decision: String = "continue", at point: String = "step.after", grants: [String] = [],
        wrote: [String] = [], message: String? = nil, duration: Int64? = nil
    ) -> TraceEvent.Body {
        var hook = TracedHook(
            id: "audit", point: point, action: "exec", decision: decision, reads: [], grants: grants,
            wrote: wrote, message: message)
        hook.place = "login.flow.yaml:3:5"
        hook.duration = duration
        return .hook(hook)
    }

    private static func progress(_ run: SampleRun) -> String {
        RenderGolden.text(run, LiveProgress(RenderOptions(), isTerminal: false))
    }

    @Test("a secret that a hook has is given to it, and nothing that it may change")
    func given() {
        var run = SampleRun()
        run.start(isDryRun: true)
        run.enter("exchange")
        run.add(Self.hook("would run", grants: ["tokens.main.access_token"]))
        run.leave(to: "done", isEnd: true)
        let plan = RenderGolden.text(run, PlanRenderer(RenderOptions()))
        let text = RenderGolden.text(run, TextTrace(RenderOptions(verbosity: .debug)))
        for shown in [plan, text] {
            #expect(shown.contains(#/given +tokens.main.access_token/#), "\(shown)")
            #expect(!shown.contains("may change"))
        }
    }

    @Test("what a hook read and wrote stands there with its values; what it read where somebody wants it all")
    func values() {
        var hook = TracedHook(
            id: "audit", point: "step.after", action: "exec", decision: "continue",
            reads: ["steps.verify.subject"], grants: ["tokens.main.access_token"],
            wrote: ["vars.tenant", "outcome.rejected"], message: nil)
        func value(_ name: String, _ value: TracedValue) -> TracedParameter {
            TracedParameter(name: name, value: value, source: "hook", reference: nil)
        }
        hook.readValues = [
            value("steps.verify.subject", .text("(personal)")),
            value(
                "tokens.main.access_token", .secret(kind: "access_token", length: 24, fingerprint: "77ab")),
        ]
        hook.writtenValues = [value("vars.tenant", .text("acme"))]
        var run = SampleRun()
        run.start(isDryRun: true)
        run.enter("exchange")
        run.add(.hook(hook))
        run.leave(to: "done", isEnd: true)
        let wrote = "wrote vars.tenant = acme, outcome.rejected"
        let detailed = RenderGolden.text(run, TextTrace(RenderOptions(verbosity: .debug)))
        #expect(detailed.contains(wrote), "\(detailed)")
        #expect(detailed.contains("reads steps.verify.subject = (personal)"))
        #expect(detailed.contains("given tokens.main.access_token = ‹access_token 24 #77ab›"))
        let plain = RenderGolden.text(run, TextTrace(RenderOptions(verbosity: .verbose)))
        #expect(plain.contains(wrote) && !plain.contains("reads"), "\(plain)")
        let plan = RenderGolden.text(run, PlanRenderer(RenderOptions()))
        #expect(plan.contains(#/wrote +vars.tenant = acme, outcome.rejected/#), "\(plan)")
    }

    @Test("the time of a hook is its own, not the person's and not lost")
    func time() {
        var run = SampleRun()
        run.start()
        run.enter("callback")
        run.add(.note("answered"), after: 1_000)
        run.add(Self.hook(duration: 2_000), after: 2_000)
        run.leave(to: "done", isEnd: true)
        run.finish()
        let shown = Self.progress(run)
        #expect(shown.contains(#/callback +3 s +by you 1 s · hooks 2 s/#), "\(shown)")
        #expect(shown.contains("(3 s, you 1 s, hooks 2 s)"), "\(shown)")
        let text = RenderGolden.text(run, TextTrace(RenderOptions(verbosity: .verbose)))
        #expect(text.contains("hook audit at step.after (exec): continue  2 s"), "\(text)")
    }

    /// A code whose exchange a hook calls refused, by a clock that is far from the provider's.
    private static func judged(_ outcome: String, wrote: String) -> SampleRun {
        var run = SampleRun()
        run.start()
        run.enter("exchange")
        run.add(.request(SampleRun.token(fingerprint: "c3d1")))
        var response = TracedResponse(
            status: 200, contentType: "application/json", bytes: 2, members: [], duration: 10)
        response.fields = [SampleRun.text("Date", "Sun, 06 Nov 1994 08:49:37 GMT")]
        run.add(.response(response))
        run.add(hook(at: "step.response", wrote: ["outcome.\(wrote)"], duration: 5))
        run.leave(outcome, "grant", to: "failed", isEnd: true)
        run.add(
            .runEnd(
                RunEnd(
                    end: "failed", result: "failure", message: nil, errorCode: outcome,
                    failureClass: .session, exit: 4, transitions: 1, retries: 0, duration: 10, outputs: [],
                    causes: ["the secret was rotated"], fixes: ["take the new one"])))
        return run
    }

    @Test("an outcome that a hook gave is the hook's, not that of the code, the clock or the provider")
    func outcome() throws {
        let run = Self.judged("invalid_grant", wrote: "invalid_grant")
        let report = try RenderGolden.report(run)
        #expect(report.evidence.map(\.id) == ["hook"])
        #expect(report.evidence.map(\.value) == ["gave the outcome invalid_grant"])
        #expect(report.providerCauses == [])
        #expect(report.providerFixes == [])
        #expect(report.text.headline == "a hook gave the answer this outcome")
        #expect(Self.progress(run).contains("invalid_grant (by hook audit) → failed"))
    }

    @Test("a hook that gave another outcome than the step has explains nothing")
    func otherOutcome() throws {
        let report = try RenderGolden.report(Self.judged("invalid_grant", wrote: "rejected"))
        #expect(report.hook == nil)
        #expect(report.evidence.contains { $0.id == "clock" })
        #expect(report.providerCauses == ["the secret was rotated"])
    }

    @Test("a hook that fails before the first step is named with its place, and its words are told once")
    func failedAtStart() throws {
        var run = SampleRun()
        run.start()
        run.add(Self.hook("failed", at: "flow.start", message: "it exited with status 3", duration: 4))
        run.finish(
            "failed", "failure", message: "hook \"audit\" failed: it exited with status 3",
            error: "hook_failed", exit: 11)
        let form = FailureForm(RenderOptions()).render(try RenderGolden.report(run))
        #expect(form.hasPrefix("✗ hook audit  hook_failed\n"), "\(form)")
        #expect(form.contains("--> login.flow.yaml:3:5"))
        #expect(form.ranges(of: "it exited with status 3").count == 1, "\(form)")
        let shown = Self.progress(run)
        #expect(shown.ranges(of: "it exited with status 3").count == 1, "\(shown)")
    }

    @Test("a hook that fails where the flow goes on is told once", arguments: [false, true])
    func failedAndWentOn(goesElsewhere: Bool) throws {
        var run = SampleRun()
        run.start()
        run.enter("exchange")
        run.add(Self.hook("failed", message: "it exited with status 3", duration: 4))
        let words = goesElsewhere ? "failed" : "failed and the flow goes on"
        run.add(.warning("hook \"audit\" \(words): it exited with status 3", hook: "audit"))
        run.leave("invalid_grant", "grant", to: "failed", isEnd: true)
        run.finish("failed", "failure", error: "invalid_grant", exit: 4)
        let shown = Self.progress(run)
        #expect(shown.ranges(of: "it exited with status 3").count == 1, "\(shown)")
        #expect(shown.contains("! hook \"audit\" \(words): it exited with status 3"))
        let form = FailureForm(RenderOptions()).render(try RenderGolden.report(run))
        #expect(form.ranges(of: "it exited with status 3").count == 1, "\(form)")
    }

    @Test("a hook that fails in a step is what the failure is about, not the provider and its good answer")
    func failedInStep() throws {
        var run = SampleRun()
        run.start()
        run.enter("verify", "exchange")
        run.add(.request(SampleRun.token(fingerprint: "c3d1")))
        run.add(
            .response(
                TracedResponse(
                    status: 200, contentType: "application/json", bytes: 2, members: [], duration: 10)))
        run.add(Self.hook("failed", message: "it exited with status 3", duration: 4))
        run.finish("failed", "failure", error: "hook_failed", exit: 11)
        let report = try RenderGolden.report(run)
        let form = FailureForm(RenderOptions()).render(report)
        #expect(form.hasPrefix("✗ verify  hook_failed  (hook audit)\n"), "\(form)")
        #expect(!form.contains("login.example") && !form.contains("above"), "\(form)")
        let json = FailureJSON.object(report)
        #expect(json["http"] == nil && json["host"] == nil)
        #expect(json["hook"]?.stringValue == "audit")
    }

    @Test(
        "explain knows what ends a trace, and an outcome that no code is", arguments: ["crashed", "skipped"])
    func explained(name: String) {
        let text = ExplainCommand.text(ofFailure: name, RenderOptions())
        #expect(text.hasPrefix("\(name): "), "\(text)")
        #expect(text.contains("fix"))
    }
}
