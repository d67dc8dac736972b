import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("refresh: a run that stops in the middle")
struct StoppedRefreshTests {
    @Test("a run that is cancelled while the token is under way gives up the lock")
    func cancelled() async throws {
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.renew()),
            RefreshScript.untilSent + [RefreshScript.send(.cancelled()), RefreshScript.unlock])
        #expect(run.end == "cancelled")
        #expect(run.outcome.exitStatus == 130)
    }

    @Test("whether a request that nobody waited for was sent decides if its token is spent")
    func openFate() async throws {
        let request = try await sentRequest()
        #expect(request.isLeftOpen(by: .cancelled(delivery: .perhapsDelivered)))
        #expect(!request.isLeftOpen(by: .cancelled(delivery: .notDelivered)))
        let coded = InputCoding.decode(InputCoding.encode(.cancelled(delivery: .perhapsDelivered)))
        #expect(coded.map { request.isLeftOpen(by: $0) } == true)
    }

    @Test(
        "an answer that nobody can read leaves open whether the token is spent",
        arguments: [
            (Answers.text(200, "<html>"), true), (Answers.text(200, ""), true), (Answers.text(204, ""), true),
            (Answers.text(302, ""), true), (Answers.text(502, ""), true),
            (Answers.renewed(), false), (Answers.renewed(["access_token": .null]), false),
            (Answers.json(200, ["error": "invalid_grant"]), false), (Answers.text(400, "no"), false),
            (Answers.text(503, ""), false), (Answers.text(504, ""), true),
            (Answers.lost(.perhapsDelivered), true), (Answers.lost(.notDelivered), false), (.locked, false),
        ])
    func unreadable(_ answer: InputEvent, isOpen: Bool) async throws {
        #expect(try await sentRequest().isLeftOpen(by: answer) == isOpen)
    }

    @Test("a refresh token that may be used again may be sent again after a crash", arguments: [true, false])
    func reusable(isReusable: Bool) async throws {
        let rotation = isReusable ? "reusable" : "single_use"
        let provider = ProviderText.make(refresh: "{ rotation: \(rotation) }")
        #expect(try await (sentRequest(provider).singleUse == nil) == isReusable)
    }

    private func sentRequest(_ provider: String = ProviderText.make()) async throws -> EffectRequest {
        let script = RefreshScript.untilSent + [RefreshScript.send(.cancelled()), RefreshScript.unlock]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew(), provider: provider), script)
        return try #require(run.performed.first { $0.name == "http refresh" })
    }

    @Test("a run that is late while it waits gives up the lock")
    func late() async throws {
        let flow = FlowTexts.renew(extra: "limits: { deadline: 1m }")
        let script = [
            Scripts.load(.expired), ScriptedEffect("lock", after: 61_000, .locked), RefreshScript.unlock,
        ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.outcome.end.error?.code == .deadline)
    }

    @Test("a rotated token that comes late is kept all the same")
    func lateAnswer() async throws {
        let flow = FlowTexts.renew(extra: "limits: { deadline: 1m }")
        let script =
            RefreshScript.untilSent + [
                RefreshScript.send(Answers.renewed(), after: 61_000),
                ScriptedEffect("save session", .saved(generation: 8)), RefreshScript.unlock,
            ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(
            try JSON.parse(Array(run.saved[0].utf8))["refresh_token"]?.stringValue == Markers.rotatedToken)
        #expect(run.outcomes(of: "refresh") == ["ok"])
        #expect(run.outcome.end.error?.code == .deadline)
    }

    @Test("a cancelled task still writes the rotated token, tells the hooks at the end, and unlocks")
    func cancelledTask() async throws {
        let answer = Answers.renewed(["id_token": .string(try TestKey.idToken(nonce: nil))])
        let flow = FlowTexts.renew(extra: "hooks: [ { id: last, at: flow.end, native: { name: last } } ]")
        let script =
            RefreshScript.untilSent + [
                ScriptedEffect("http refresh") { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    return answer
                }, ScriptedEffect("save session", .saved(generation: 8)),
                ScriptedEffect("hook last", .hook(HookReply())), RefreshScript.unlock,
            ]
        let plan = try Compiled.plan(flow)
        let run = await Task { await Conversation.run(plan, script) }.value
        #expect(run.end == "cancelled")
        #expect(run.saved.count == 1)
    }

    @Test("a cancelled task still asks the hooks of the answer, so that the rotated token is kept")
    func cancelledBeforeHooks() async throws {
        let flow = FlowTexts.renew(
            extra: "hooks: [ { id: look, at: step.response, steps: [refresh], native: { name: look } } ]")
        let script =
            RefreshScript.untilSent + [
                ScriptedEffect("http refresh") { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    return Answers.renewed()
                }, ScriptedEffect("hook look", .hook(HookReply())),
                ScriptedEffect("save session", .saved(generation: 8)),
                ScriptedEffect("save session", .saved(generation: 9)), RefreshScript.unlock,
            ]
        let plan = try Compiled.plan(flow)
        let run = await Task { await Conversation.run(plan, script) }.value
        #expect(run.saveConditions == [.generation(7), .generation(8)])
    }

    @Test("what a cancelled run has renewed and need not verify is still stored")
    func cancelledStore() async throws {
        let script =
            RefreshScript.untilSent + [
                ScriptedEffect("http refresh") { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    return Answers.renewed()
                }, ScriptedEffect("save session", .saved(generation: 8)),
                ScriptedEffect("save session", .saved(generation: 9)), RefreshScript.unlock,
            ]
        let plan = try Compiled.plan(FlowTexts.renew())
        let run = await Task { await Conversation.run(plan, script) }.value
        #expect(run.end == "done")
        #expect(run.saveConditions == [.generation(7), .generation(8)])
    }
}
