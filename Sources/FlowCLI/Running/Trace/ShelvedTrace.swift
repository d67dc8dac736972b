internal import FlowEngine
internal import FlowReport
internal import Synchronization

/// Keeps the trace of a run on the shelf, from the first thing that is worth it: a request, a person asked, a failure.
///
/// Using a token that is good still leaves nothing behind and costs nothing.
final class ShelvedTrace: TraceSink {
    private struct State {
        /// What was not yet worth a file.
        var pending: [TraceEvent] = []
        var kept: (stream: TraceStream, file: TextStream)?
        var isGivenUp = false
        var run = ""
    }

    private let shelf: TraceShelf
    private let state = Mutex(State())

    init(_ shelf: TraceShelf) {
        self.shelf = shelf
    }

    /// The run whose trace is kept; `nil` while none is, and where it could not be written.
    var run: String? {
        state.withLock { state in
            guard let kept = state.kept, !kept.file.hasFailed else { return nil }
            return state.run
        }
    }

    func receive(_ event: TraceEvent) { receive([event]) }

    func receive(_ events: [TraceEvent]) {
        state.withLock { state in
            if state.isGivenUp { return }
            if let kept = state.kept { return kept.stream.receive(events) }
            if case .runStart(let start)? = events.first?.body { state.run = start.run }
            state.pending += events
            guard let event = events.first(where: { Self.isWorthKeeping($0.body) }) else { return }
            do throws(FileProblem) {
                let file = try TextStream(file: shelf.place(for: state.run, at: event.time))
                let stream = TraceStream(JSONLinesTrace(revealsActionURL: false), file)
                stream.receive(state.pending)
                state.kept = (stream, file)
            } catch {
                // A trace that nobody asked for must not be what a run fails of.
                state.isGivenUp = true
            }
            state.pending = []
        }
    }

    private static func isWorthKeeping(_ body: TraceEvent.Body) -> Bool {
        switch body {
        case .request, .actionRequired, .transportFailure: true
        // Of an `http` hook: something was sent.
        case .hook(let hook): hook.url != nil && hook.duration != nil
        case .runEnd(let end): end.result != "success"
        case .runStart, .flow, .stepStart, .response, .token, .check, .security, .note, .warning,
            .callbackIgnored, .waiting, .retry, .saved, .stepEnd:
            false
        }
    }
}
