internal import FlowReport
internal import FlowEngine
internal import YAMLText

/// The sinks of one run: progress or trace on standard error, and the trace file.
struct RunReport: Sendable {
    let sinks: [any TraceSink]
    /// Refreshes the line of a wait, with the time in milliseconds since 1970; `nil` where nothing is refreshed.
    let tick: (@Sendable (Int64) -> Void)?
    private let file: TextStream?
    private let failure = FailureRecorder()

    /// What explains the failure of the run; `nil` for a success.
    var failureReport: FailureReport? { failure.report }

    /// - Throws: When the trace file cannot be opened.
    init(_ request: RunRequest, _ common: CommonOptions, _ surroundings: Surroundings) throws(FileProblem) {
        let error = surroundings.error
        let write: @Sendable (String) -> Void = { error.write($0) }
        let options = RenderOptions(common, error, surroundings)
        let places = request.live.addressPlaces
        var sinks: [any TraceSink] = [failure]
        if places.isCopied || places.file != nil {
            sinks.append(
                AddressSink(places: places, surroundings: surroundings, isSilent: request.streamsEvents))
        }
        var tick: (@Sendable (Int64) -> Void)?
        if request.streamsEvents {
            sinks.append(RenderSink(JSONLinesTrace(revealsActionURL: !error.isFile), output: write))
        } else if options.verbosity > .normal {
            sinks.append(RenderSink(TextTrace(options, revealsActionURL: !error.isFile), output: write))
        } else {
            let refreshes = error.isTerminal && options.verbosity == .normal
            let progress = RenderSink(
                LiveProgress(options, isTerminal: refreshes, places: places), output: write)
            if refreshes { tick = { now in progress.write { $0.tick(now: now) } } }
            sinks.append(progress)
        }
        file = try Self.traceStream(request.trace, surroundings)
        if let trace = request.trace, let file { sinks.append(Self.sink(trace, file)) }
        self.sinks = sinks
        self.tick = tick
    }

    /// Whether all of the trace reached its file.
    var isComplete: Bool { !(file?.hasFailed ?? false) }

    static func traceStream(
        _ target: RunRequest.TraceTarget?, _ surroundings: Surroundings
    ) throws(FileProblem) -> TextStream? {
        guard let target else { return nil }
        if target.file == "-" { return surroundings.error }
        return try TextStream(file: FilePath.join(surroundings.directory, target.file))
    }

    /// A trace for later: without the address that holds `state`.
    static func sink(_ target: RunRequest.TraceTarget, _ stream: TextStream) -> any TraceSink {
        let write: @Sendable (String) -> Void = { stream.write($0) }
        switch target.format {
        case .jsonl: return RenderSink(JSONLinesTrace(revealsActionURL: false), output: write)
        case .text: return RenderSink(TextTrace(RenderOptions(verbosity: .debug)), output: write)
        }
    }
}
