internal import FlowEngine
internal import Synchronization

/// Gathers what explains a failure while the run goes on.
final class FailureRecorder: TraceSink {
    private let collector = Mutex(FailureCollector())

    /// The explanation once the run has failed; `nil` before and for a success.
    var report: FailureReport? { collector.withLock(\.finished) }

    func receive(_ event: TraceEvent) {
        collector.withLock { $0.collect(event) }
    }
}
