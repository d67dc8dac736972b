import FlowEngine
import FlowTesting
import JOSE
import OAuthProtocol
import Synchronization
import Testing

@Suite("A trace of failures only")
struct OccasionTests {
    private func events(
        _ script: [ScriptedEffect], _ occasion: TraceOccasion,
        onSecurityEvent: (@Sendable (SecurityEvent) -> Void)? = nil
    ) async throws -> [TraceEvent] {
        let recorder = EventRecorder()
        let effects = ScriptedEffects(
            script, clock: ManualClock(), seed: 1, sourceLocation: #_sourceLocation)
        _ = await FlowRun(
            plan: try Compiled.plan(FlowTexts.signIn()), handler: effects, sinks: [recorder],
            tracing: occasion, onSecurityEvent: onSecurityEvent
        ).run()
        effects.expectUsedUp()
        return recorder.events
    }

    private var refused: [ScriptedEffect] {
        Scripts.untilCode + [
            ScriptedEffect("http token", Answers.json(400, ["error": "invalid_grant"])), Scripts.badEnd,
        ]
    }

    @Test("a run that fails tells afterwards what it would have told meanwhile")
    func failure() async throws {
        let live = try await events(refused, .always)
        #expect(live.count > 10)
        #expect(try await events(refused, .failure) == live)
    }

    @Test("a run that succeeds tells nothing")
    func success() async throws {
        #expect(try await !events(Scripts.signIn(), .always).isEmpty)
        #expect(try await events(Scripts.signIn(), .failure).isEmpty)
    }

    @Test("the host picks runs once they have ended, and then has all of their events")
    func picked() async throws {
        // Its tokens are signed anew each time.
        let script = try Scripts.signIn()
        let live = try await events(script, .always)
        let asked = Mutex<[EndedRun]>([])
        for isWanted in [true, false] {
            let found = try await events(
                script,
                .picked { run in
                    asked.withLock { $0.append(run) }
                    return isWanted
                })
            #expect(found == (isWanted ? live : []))
        }
        guard case .runEnd(let end)? = live.last?.body else {
            Issue.record("the trace has no end")
            return
        }
        let run = EndedRun(end: end.end, result: end.result, duration: end.duration)
        #expect(asked.withLock { $0 } == [run, run])
    }

    @Test("what bears on security is told at once, in either case and once")
    func security() async throws {
        let forged =
            Scripts.authorize + [
                Scripts.callback([
                    ("code", Markers.code), ("state", Markers.state), ("iss", "https://evil.example"),
                ]),
                Scripts.badEnd,
            ]
        for occasion in [TraceOccasion.always, .failure] {
            let told = Mutex<[String]>([])
            _ = try await events(forged, occasion) { event in told.withLock { $0.append(event.check.name) } }
            #expect(told.withLock { $0 }.filter { $0 == "iss" } == ["iss"])
        }
    }
}
