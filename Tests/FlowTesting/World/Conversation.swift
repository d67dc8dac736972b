package import FlowEngine
package import FlowLanguage
internal import OAuthProtocol
package import Testing

/// A whole run against a script, with everything that holds of every run already checked.
package struct Conversation: Sendable {
    package let outcome: RunOutcome
    package let events: [TraceEvent]
    package let performed: [EffectRequest]

    /// Runs the plan; the script must fit to the letter, and no event may show a marker.
    package static func run(
        _ plan: RunPlan, _ script: [ScriptedEffect], clock: ManualClock = ManualClock(), seed: UInt64 = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> Conversation {
        let effects = ScriptedEffects(script, clock: clock, seed: seed, sourceLocation: sourceLocation)
        let recorder = EventRecorder()
        let outcome = await FlowRun(plan: plan, handler: effects, sinks: [recorder]).run()
        effects.expectUsedUp()
        expectSoundTrace(recorder.events, sourceLocation)
        expectNothingTold(outcome, effects.performed, sourceLocation)
        return Conversation(outcome: outcome, events: recorder.events, performed: effects.performed)
    }

    /// Neither the failure of the run nor what hooks are told shows a marker; the address of a prompt is for a person.
    private static func expectNothingTold(
        _ outcome: RunOutcome, _ performed: [EffectRequest], _ place: SourceLocation
    ) {
        let failure = outcome.failure(.english)
        var texts = [failure.map { "\($0) \($0.text)" } ?? "", outcome.end.message ?? ""]
        for case .hook(let call) in performed.map(\.effect) {
            let facts = call.facts.filter { $0.key != "prompt" }.map { "\($0.key): \($0.value)" }
            texts.append("\(facts) \(call.values)")
        }
        for text in texts {
            let found = Markers.found(in: text)
            if !found.isEmpty { Issue.record("\(found) in \(text)", sourceLocation: place) }
        }
    }

    /// Gapless from 1, begun and ended once, without a secret; every failed check of class security told once.
    package static func expectSoundTrace(_ events: [TraceEvent], _ place: SourceLocation) {
        #expect(events.map(\.sequence) == Array(1...max(1, events.count)), sourceLocation: place)
        let starts = events.indices.filter { if case .runStart = events[$0].body { true } else { false } }
        let ends = events.indices.filter { if case .runEnd = events[$0].body { true } else { false } }
        #expect(starts == [0], sourceLocation: place)
        #expect(ends == [events.count - 1], sourceLocation: place)
        expectSecurityEvents(events, place)
        var open: [String?] = []
        for event in events {
            if case .stepStart = event.body { open.append(event.step) }
            if case .stepEnd = event.body {
                #expect(event.step != nil && open.popLast() == event.step, sourceLocation: place)
            }
        }
        for event in events {
            // The URL to open is for the person at the terminal, and says so itself.
            if case .actionRequired = event.body { continue }
            let found = Markers.found(in: "\(event)")
            if !found.isEmpty {
                Issue.record("event \(event.sequence) shows \(found): \(event)", sourceLocation: place)
            }
        }
    }

    /// A step that ends with a security outcome has refused exactly one thing, and one that has refused something ends with
    /// no other failure.
    private static func expectSecurityEvents(_ events: [TraceEvent], _ place: SourceLocation) {
        var refused: [String] = []
        for event in events {
            switch event.body {
            case .stepStart: refused = []
            case .security(let event) where event.decision == .refused: refused.append(event.check.name)
            case .stepEnd(let end) where end.outcomeClass == "security" && end.description != "assumed":
                #expect(refused.count == 1, "\(end.outcome) comes with \(refused)", sourceLocation: place)
            case .stepEnd(let end) where !["success", "choice"].contains(end.outcomeClass):
                #expect(refused == [], "\(end.outcome) hides \(refused)", sourceLocation: place)
            default: break
            }
        }
    }

    package var path: [String] { events.path }
    package var end: String { outcome.end.name }
    package var names: [String] { performed.map(\.name) }

    package func outcomes(of step: String) -> [String] { events.outcomes(of: step) }

    package func lastEnd(of step: String) -> StepEnd? {
        events.stepEnds.last { $0.step == step }?.end
    }

    package var runEnd: RunEnd? {
        if case .runEnd(let end) = events.last?.body { end } else { nil }
    }

    /// The values that the run delivers, by name.
    package func output(_ name: String) -> Value? {
        outcome.end.outputs.first { $0.name == name }?.value
    }

    /// The bytes of each save, as the store would seal them.
    package var saved: [String] {
        performed.compactMap { request in
            if case .saveSession(_, let bytes, _) = request.effect {
                String(decoding: bytes, as: UTF8.self)
            } else {
                nil
            }
        }
    }

    package var saveConditions: [SaveCondition] {
        performed.compactMap { request in
            if case .saveSession(_, _, let condition) = request.effect { condition } else { nil }
        }
    }

    package var hookCalls: [HookCall] {
        performed.compactMap { request in
            if case .hook(let call) = request.effect { call } else { nil }
        }
    }
}
