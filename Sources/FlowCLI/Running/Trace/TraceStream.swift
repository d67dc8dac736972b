internal import FlowEngine
internal import FlowReport
internal import Synchronization

/// A trace as JSON Lines on its way to a stream: complete even when the process crashes or is stopped.
final class TraceStream: TraceSink {
    private struct State {
        var trace: JSONLinesTrace
        var lastLine: EmergencyLine?
    }

    private let stream: TextStream
    private let state: Mutex<State>

    init(_ trace: JSONLinesTrace, _ stream: TextStream) {
        self.stream = stream
        stream.ownDescriptor.map(TraceClaim.take)
        let lastLine = stream.descriptor.flatMap(EmergencyLine.init)
        state = Mutex(State(trace: trace, lastLine: lastLine))
    }

    func receive(_ event: TraceEvent) { receive([event]) }

    func receive(_ events: [TraceEvent]) {
        guard let last = events.last else { return }
        // Under the lock, so that the lines stay in order.
        state.withLock { state in
            stream.write(state.trace.lines(events))
            if case .runEnd = last.body {
                state.lastLine = nil
            } else if let lastLine = state.lastLine {
                let ending = state.trace.ending(after: last)
                lastLine.prepare(ending.start, crash: ending.crash, stop: ending.stop)
            }
        }
    }
}
