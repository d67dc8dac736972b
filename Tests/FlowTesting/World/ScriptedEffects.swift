package import FlowEngine
import Synchronization
package import Testing

/// One effect that a test expects, and what the world reports.
package struct ScriptedEffect: Sendable {
    /// As `EffectRequest.name` says it.
    package let name: String
    /// Milliseconds that it takes.
    package let duration: Int64
    package let answer: @Sendable (EffectRequest) -> InputEvent

    package init(
        _ name: String, after duration: Int64 = 0, _ answer: @escaping @Sendable (EffectRequest) -> InputEvent
    ) {
        self.name = name
        self.duration = duration
        self.answer = answer
    }

    package init(_ name: String, after duration: Int64 = 0, _ event: InputEvent = .done) {
        self.init(name, after: duration) { _ in event }
    }
}

/// A world that answers from a list: every effect must be the next of the list, and the whole list must be used.
package final class ScriptedEffects: EffectHandler {
    private struct State {
        var next = 0
        var performed: [EffectRequest] = []
        var isLost = false
    }

    private let script: [ScriptedEffect]
    private let clock: ManualClock
    private let seed: UInt64
    private let state = Mutex(State())
    private let place: SourceLocation

    package init(
        _ script: [ScriptedEffect], clock: ManualClock = ManualClock(), seed: UInt64 = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        self.script = script
        self.clock = clock
        self.seed = seed
        place = sourceLocation
    }

    package func now() -> Int64 { clock.now }

    package func begin() -> RunIdentity {
        RunIdentity(runID: "run-1", seed: seed, traceKey: Array("key of the trace".utf8))
    }

    /// The effects that were asked for, in order.
    package var performed: [EffectRequest] { state.withLock { $0.performed } }

    package func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent {
        guard let expected = next(request) else {
            // A run that left its script is brought to its end, whatever it asks for.
            switch request.effect {
            case .unlock, .conclude: return .done
            case .hook: return .hook(HookReply())
            default: return .cancelled()
            }
        }
        clock.advance(by: expected.duration)
        switch request.effect {
        case .sleep(let until), .awaitDecision(let until, _): clock.advance(to: until)
        default: break
        }
        return expected.answer(request)
    }

    private func next(_ request: EffectRequest) -> ScriptedEffect? {
        state.withLock { state in
            state.performed.append(request)
            if state.isLost { return nil }
            let expected = state.next < script.count ? script[state.next] : nil
            guard let expected, expected.name == request.name else {
                state.isLost = true
                let wanted = expected.map { "\"\($0.name)\"" } ?? "the end"
                let number = state.next + 1
                Issue.record(
                    "effect \(number): expected \(wanted), got \"\(request.name)\"", sourceLocation: place)
                return nil
            }
            state.next += 1
            return expected
        }
    }

    /// Fails the test when a part of the script was not used.
    package func expectUsedUp() {
        let (next, isLost) = state.withLock { ($0.next, $0.isLost) }
        guard !isLost, next < script.count else { return }
        let rest = script[next...].map(\.name).joined(separator: ", ")
        Issue.record("never asked for: \(rest)", sourceLocation: place)
    }
}
