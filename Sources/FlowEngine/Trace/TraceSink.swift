/// Receives the events of a run in order.
public protocol TraceSink: Sendable {
    func receive(_ event: TraceEvent)
}

/// Of which runs the sinks are told.
public enum TraceOccasion: Sendable, Hashable {
    /// Of all, while they go on.
    case always
    /// Of those that do not succeed, once they have ended: a run that succeeds costs next to nothing more than one
    /// without a trace, which is what a server wants that signs in all day.
    case failure
}
