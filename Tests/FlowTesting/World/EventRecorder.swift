package import FlowEngine
package import OAuthProtocol
import Synchronization

/// Keeps the events of a run.
package final class EventRecorder: TraceSink {
    private let received = Mutex<[TraceEvent]>([])

    package init() {}

    package var events: [TraceEvent] { received.withLock { $0 } }

    package func receive(_ event: TraceEvent) {
        received.withLock { $0.append(event) }
    }
}

extension Sequence<TraceEvent> {
    /// The steps in the order they were entered.
    package var path: [String] {
        compactMap { event in
            if case .stepStart = event.body { event.step } else { nil }
        }
    }

    package var stepEnds: [(step: String, end: StepEnd)] {
        compactMap { event in
            if case .stepEnd(let end) = event.body { (event.step ?? "", end) } else { nil }
        }
    }

    /// The outcomes of a step, one for each visit.
    package func outcomes(of step: String) -> [String] {
        stepEnds.filter { $0.step == step }.map(\.end.outcome)
    }

    package var hooks: [TracedHook] {
        compactMap { event in
            if case .hook(let hook) = event.body { hook } else { nil }
        }
    }

    package var requests: [TracedRequest] {
        compactMap { event in
            if case .request(let request) = event.body { request } else { nil }
        }
    }

    package var checks: [TracedCheck] {
        compactMap { event in
            if case .check(let check) = event.body { check } else { nil }
        }
    }

    package var security: [SecurityEvent] {
        compactMap { event in
            if case .security(let event) = event.body { event } else { nil }
        }
    }

    package var notes: [String] {
        compactMap { event in
            if case .note(let text) = event.body { text } else { nil }
        }
    }

    package var warnings: [String] {
        compactMap { event in
            if case .warning(let text, _) = event.body { text } else { nil }
        }
    }

    /// Delays of the retries, in milliseconds, each with its reason.
    package var retries: [(delay: Int64, reason: String)] {
        compactMap { event in
            if case .retry(_, _, let delay, let reason) = event.body { (delay, reason) } else { nil }
        }
    }
}
