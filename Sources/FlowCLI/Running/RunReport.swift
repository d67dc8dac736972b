internal import FlowEngine
internal import FlowLive
internal import FlowReport
internal import Synchronization
internal import YAMLText

/// The sinks of one run: progress or trace on standard error, the trace file, the trace that is kept, the reports.
struct RunReport: Sendable {
    let sinks: [any TraceSink]
    /// Refreshes the line of a wait, with the time in milliseconds since 1970; `nil` where nothing is refreshed.
    let tick: (@Sendable (Int64) -> Void)?
    private let files: TraceOutput
    private let failure = FailureRecorder()
    private let actions = ActionRecorder()

    /// What a person was asked to do; `nil` where nobody was asked for anything.
    var action: TracedAction? { actions.action }

    /// What explains the failure of the run; `nil` for a success.
    var failureReport: FailureReport? {
        var report = failure.report
        report?.keptTrace = files.keptRun
        return report
    }

    /// - Throws: When the trace file cannot be opened.
    init(_ request: RunRequest, _ common: CommonOptions, _ surroundings: Surroundings) throws(FileProblem) {
        let error = surroundings.error
        let write: @Sendable (String) -> Void = { error.write($0) }
        let options = RenderOptions(common, error, surroundings)
        let places = request.live.addressPlaces
        var sinks: [any TraceSink] = [failure, actions]
        if places.isCopied || places.file != nil {
            sinks.append(
                AddressSink(places: places, surroundings: surroundings, isSilent: request.streamsEvents))
        }
        var tick: (@Sendable (Int64) -> Void)?
        if request.streamsEvents {
            sinks.append(TraceStream(JSONLinesTrace(revealsActionURL: !error.isFile), error))
        } else if options.verbosity > .normal {
            sinks.append(RenderSink(TextTrace(options, revealsActionURL: !error.isFile), output: write))
        } else {
            let refreshes = surroundings.rewritesErrorLines && options.verbosity == .normal
            let progress = RenderSink(
                LiveProgress(options, isTerminal: refreshes, places: places), output: write)
            if refreshes { tick = { now in progress.write { $0.tick(now: now) } } }
            sinks.append(progress)
        }
        // A program that reads events is told by those.
        if request.tellsWaits, !request.streamsEvents, let line = WaitLine(CommonOptions(), surroundings) {
            sinks.append(WaitSink(line))
        }
        files = try TraceOutput(request.trace, request.reporting, surroundings)
        self.sinks = sinks + files.sinks
        self.tick = tick
    }

    /// Writes the reports, once the run has ended.
    ///
    /// - Parameter failure: What was told of it, in the words of the command that was given.
    /// - Returns: Whether all of the trace and of the reports is where it was asked for.
    func complete(_ failure: FailureReport?) async -> Bool { await files.complete(failure) }
}

/// Tells what a run waits for, and nothing else of it.
private final class WaitSink: TraceSink {
    private let line: WaitLine
    /// Whether a person is waited for, which is told however little else is.
    private let isForPerson = Mutex(false)

    init(_ line: WaitLine) {
        self.line = line
    }

    func receive(_ event: TraceEvent) {
        switch event.body {
        case .waiting(let what, let until):
            if !isForPerson.withLock(\.self) { line.show(SlowWait(what: what, until: until)) }
        case .stepStart(let start):
            isForPerson.withLock { $0 = LiveProgress.waitsForPerson(start.kind) }
            line.show(nil)
        case .request, .response, .transportFailure, .stepEnd, .runEnd: line.show(nil)
        case .runStart, .flow, .token, .check, .security, .note, .warning, .actionRequired,
            .callbackIgnored, .hook, .retry, .saved:
            break
        }
    }
}

/// What of a run goes to files: its trace where somebody asked for it, the one that is kept, and reports.
struct TraceOutput: Sendable {
    private let file: TextStream?
    private let kept: ShelvedTrace?
    private let log: EventLog?
    private let options: ReportingOptions
    private let collector: SpanCollector?
    private let surroundings: Surroundings
    let sinks: [any TraceSink]

    /// - Parameter isKept: Whether the trace may be kept with those of other runs.
    init(
        _ target: RunRequest.TraceTarget?, _ options: ReportingOptions, _ surroundings: Surroundings,
        isKept: Bool = true
    ) throws(FileProblem) {
        self.options = options
        self.surroundings = surroundings
        // Before anybody is asked for anything: a report that cannot be written would be missed at the end.
        for report in options.reports {
            let path = FilePath.join(surroundings.directory, report.file)
            guard !surroundings.output.isFile(at: path) else {
                throw FileProblem(report.file, "standard output goes there, and the result would be lost")
            }
            try FileReplacement.check(path)
        }
        file = try Self.stream(target, surroundings)
        kept = isKept && options.isKept ? TraceShelf(surroundings).map(ShelvedTrace.init) : nil
        collector = isKept ? SpanCollector(environment: surroundings.environment) : nil
        log = options.reports.isEmpty && collector == nil ? nil : EventLog()
        var sinks: [any TraceSink] = []
        if let target, let file { sinks.append(Self.sink(target, file)) }
        if let kept { sinks.append(kept) }
        if let log { sinks.append(log) }
        self.sinks = options.isStrict ? sinks.map(StrictSink.init) : sinks
    }

    /// The run whose trace is kept; `nil` while none is.
    var keptRun: String? { kept?.run }

    func complete(_ failure: FailureReport? = nil) async -> Bool {
        var isComplete = !(file?.hasFailed ?? false)
        guard let log else { return isComplete }
        var writing = ReportWriting(surroundings: surroundings)
        // The words of a command hold what a person gave.
        if !options.isStrict { writing.failure = failure }
        if let collector {
            do throws(SpanCollector.Failure) {
                try await collector.send(writing.text(log.events, .otlp))
            } catch {
                // Whoever watches the spans misses these; the run is as good without.
                surroundings.complain(
                    "no spans at the collector of OTEL_EXPORTER_OTLP_ENDPOINT: \(error.message)")
            }
        }
        do throws(FileProblem) {
            try writing.write(log.events, to: options.reports)
        } catch {
            surroundings.complain(error.description)
            isComplete = false
        }
        return isComplete
    }

    private static func stream(
        _ target: RunRequest.TraceTarget?, _ surroundings: Surroundings
    ) throws(FileProblem) -> TextStream? {
        guard let target else { return nil }
        if target.file == "-" { return surroundings.error }
        return try TextStream(file: FilePath.join(surroundings.directory, target.file))
    }

    /// A trace for later: without the address that holds `state`.
    private static func sink(_ target: RunRequest.TraceTarget, _ stream: TextStream) -> any TraceSink {
        let write: @Sendable (String) -> Void = { stream.write($0) }
        switch target.format {
        case .jsonl: return TraceStream(JSONLinesTrace(revealsActionURL: false), stream)
        case .text: return RenderSink(TextTrace(RenderOptions(verbosity: .debug)), output: write)
        }
    }
}

/// Takes out what strangers should not read before it hands events on.
private final class StrictSink: TraceSink {
    private let sink: any TraceSink
    private let redaction = Mutex(StrictRedaction())

    init(_ sink: any TraceSink) {
        self.sink = sink
    }

    func receive(_ event: TraceEvent) { receive([event]) }

    func receive(_ events: [TraceEvent]) {
        // Under the lock, so that the order stays.
        redaction.withLock { redaction in sink.receive(events.map { redaction.redacted($0) }) }
    }
}
