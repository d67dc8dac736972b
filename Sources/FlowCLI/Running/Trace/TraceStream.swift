internal import FlowEngine
internal import FlowReport
internal import Synchronization

/// A trace as JSON Lines on its way to a stream: complete even when the process crashes.
final class TraceStream: TraceSink {
    private struct State {
        var trace: JSONLinesTrace
        var crashLine: CrashLine?
    }

    private let stream: TextStream
    private let state: Mutex<State>

    init(_ trace: JSONLinesTrace, _ stream: TextStream) {
        self.stream = stream
        let crashLine = stream.descriptor.flatMap(CrashLine.init)
        state = Mutex(State(trace: trace, crashLine: crashLine))
    }

    /// Whether a line did not reach the stream.
    var hasFailed: Bool { stream.hasFailed }

    func receive(_ event: TraceEvent) { receive([event]) }

    func receive(_ events: [TraceEvent]) {
        guard let last = events.last else { return }
        // Under the lock, so that the lines stay in order.
        state.withLock { state in
            stream.write(state.trace.lines(events))
            if case .runEnd = last.body {
                state.crashLine = nil
            } else {
                state.crashLine?.prepare(state.trace.lastLine(after: last))
            }
        }
    }
}
