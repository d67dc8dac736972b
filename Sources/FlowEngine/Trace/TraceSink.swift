/// Receives the events of a run in order.
public protocol TraceSink: Sendable {
    func receive(_ event: TraceEvent)
}
