/// Receives the events of a run in order.
public protocol TraceSink: Sendable {
    /// Called in the midst of the run, one call at a time: it must not wait.
    func receive(_ event: TraceEvent)

    /// Events that came at once, such as those of one step of the machine, for a sink that writes them in one piece; of very
    /// many the next ones follow.
    func receive(_ events: [TraceEvent])
}

extension TraceSink {
    /// One after the other.
    public func receive(_ events: [TraceEvent]) {
        for event in events { receive(event) }
    }
}

/// Of which runs the sinks are told.
public enum TraceOccasion: Sendable {
    /// Of all, while they go on.
    case always
    /// Of those that the host picks once they have ended: the slow ones, one of a hundred. Costs what `failure` costs,
    /// and for each that is picked the making of its events.
    case picked(by: @Sendable (EndedRun) -> Bool)
    /// Of those that do not succeed, once they have ended: a run that succeeds costs next to nothing more than one
    /// without a trace, which is what a server wants that signs in all day. The events of one that fails are made by
    /// running its machine once more, so they come all at once.
    case failure
}

/// What is known of a run before its trace is made.
public struct EndedRun: Sendable, Hashable {
    /// Name of the end.
    public let end: String
    /// `success`, `failure`, `cancelled`.
    public let result: String
    /// Milliseconds from the first to the last event.
    public let duration: Int64

    package init(end: String, result: String, duration: Int64) {
        self.end = end
        self.result = result
        self.duration = duration
    }
}
