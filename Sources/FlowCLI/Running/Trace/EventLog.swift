internal import FlowEngine
internal import Synchronization

/// The events of a run, for reports that need all of them.
final class EventLog: TraceSink {
    private let log = Mutex<[TraceEvent]>([])

    var events: [TraceEvent] { log.withLock { $0 } }

    func receive(_ event: TraceEvent) { log.withLock { $0.append(event) } }
}
