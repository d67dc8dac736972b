package import FlowEngine
internal import Synchronization

/// Gathers what explains a failure while the run goes on.
package final class FailureRecorder: TraceSink {
    private let collector = Mutex(FailureCollector())

    package init() {}

    /// The explanation once the run has failed; `nil` before and for a success.
    package var report: FailureReport? { collector.withLock(\.finished) }

    package func receive(_ event: TraceEvent) {
        collector.withLock { $0.collect(event) }
    }
}
