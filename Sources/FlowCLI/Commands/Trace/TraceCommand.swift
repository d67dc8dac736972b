internal import FlowEngine
internal import FlowReport
internal import JOSE

/// `trace`: what earlier runs did.
struct TraceCommand: Sendable {
    let context: CommandContext
    let request: TraceRequest

    private var surroundings: Surroundings { context.surroundings }
    private var files: TraceFiles { TraceFiles(surroundings: surroundings) }

    func run() async throws(Problem) -> Int {
        switch request.work {
        case .list: list()
        case .show(let format): try show(format)
        case .why(let question):
            let found = try files.read(request.trace)
            let status = try WhyAnswer(context: context, form: request.form).answer(question, found.events)
            tell(found)
            return status
        case .export(let targets): try export(targets)
        case .diff(let other):
            return try TraceDiffCommand(context: context, form: request.form).run(
                files.read(request.trace), files.read(other))
        case .redact: try redact()
        case .verify(let paths, let secrets, let isStrict):
            return try LeakCommand(context: context, form: request.form, isStrict: isStrict).run(
                paths, secrets)
        case .replay(let flow, let provider, let client):
            return try await ReplayCommand(context: context, form: request.form, client: client).run(
                files.read(request.trace), flow: flow, provider: provider)
        }
        return ExitStatus.ok.rawValue
    }

    // MARK: List

    private func list() {
        let entries = TraceShelf(surroundings)?.entries ?? []
        let summaries = entries.compactMap { entry in
            // One that was cut off or removed meanwhile has nothing to say here; show tells why.
            (try? files.read(entry.path)).map { TraceSummary(entry.run, $0) }
        }
        switch request.form {
        case .json:
            context.write(JSONValue.array(summaries.map(\.json)).serialize() + "\n")
        case .text:
            guard !summaries.isEmpty else { return context.write("no trace is kept\n") }
            var page = Page(RenderOptions(context.common, surroundings.output, surroundings))
            if page.fits(summaries.map(\.row), indent: 0) {
                page.table(summaries.map(\.row), indent: 0)
            } else if !surroundings.output.isTerminal {
                // A program reads a run from a line.
                for row in summaries.map(\.row) { page.unwrapped(row.joined("  ")) }
            } else {
                for row in summaries.map(\.row) {
                    // What is copied stays whole.
                    page.unwrapped(row[..<2].joined("  "))
                    let rest = row[2...].filter { cell in page.width(of: cell) > 0 }
                    page.line(rest.joined("  "), indent: 4)
                }
            }
            context.write(page.take())
        }
    }

    // MARK: Show

    private func show(_ format: ReportFormat?) throws(Problem) {
        let found = try files.read(request.trace)
        let options = RenderOptions(context.common, surroundings.output, surroundings)
        context.write(
            ReportWriting(surroundings: surroundings, options: options).text(found.events, format))
        tell(found)
    }

    /// Beside the trace, which may be for a program.
    private func tell(_ found: TraceFiles.Found) {
        if let words = found.standing.words { surroundings.complain("\(found.name): \(words)") }
        guard found.standing != .running, found.events.endInRefresh else { return }
        surroundings.complain(
            "\(found.name): the refresh token was sent, and no answer is in the trace: the session may be in doubt, "
                + "unless the provider takes a refresh token twice")
    }

    private func export(_ targets: [ReportTarget]) throws(Problem) {
        let found = try files.read(request.trace)
        do throws(FileProblem) {
            try ReportWriting(surroundings: surroundings).write(found.events, to: targets)
        } catch {
            throw Problem(error, .local)
        }
        for target in targets { context.note("wrote \(target.file)") }
        tell(found)
    }

    private func redact() throws(Problem) {
        var trace = JSONLinesTrace(revealsActionURL: false)
        var redaction = StrictRedaction()
        for event in try files.read(request.trace).events {
            context.write(trace.render(redaction.redacted(event)))
        }
    }
}

/// A run in one line.
private struct TraceSummary {
    private let run: String
    private let start: RunStart?
    private let startedAt: Int64
    private let end: RunEnd?
    private let standing: TraceStanding

    init(_ run: String, _ found: TraceFiles.Found) {
        let events = found.events
        self.run = run
        standing = found.standing
        startedAt = events.first?.time ?? 0
        if case .runStart(let start)? = events.first?.body { self.start = start } else { start = nil }
        if case .runEnd(let end)? = events.last?.body { self.end = end } else { end = nil }
    }

    /// How it ended, in a word or two.
    private var result: Styled {
        guard let end else {
            return standing == .running
                ? Styled("still going", .warning) : Styled("killed: no last line", .bad)
        }
        if end.result == "success" { return Styled(end.end, .good) }
        return Styled("\(end.end): \(end.errorCode ?? end.result)", .bad)
    }

    private var whose: String {
        (start?.provider ?? "") + (start?.profile.map { " profile \($0)" } ?? "")
    }

    var row: [Styled] {
        [
            Styled(run), Styled(CalendarText.utc(startedAt), .dim), Styled(start?.flow ?? ""),
            Styled(whose), result, Styled(end.map { SpanText.of($0.duration) } ?? "", .dim),
        ]
    }

    var json: JSONValue {
        var json: JSONObject = [
            "run": .string(run), "started_at": .string(CalendarText.utc(startedAt)),
            "flow": .string(start?.flow ?? ""), "provider": .string(start?.provider ?? ""),
            "state": .string(standing.rawValue),
        ]
        json["profile"] = (start?.profile).map { .string($0) }
        json["result"] = (end?.result).map { .string($0) }
        json["end"] = (end?.end).map { .string($0) }
        json["error"] = (end?.errorCode).map { .string($0) }
        json["exit"] = (end?.exit).map { .int(Int64($0)) }
        json["ms"] = (end?.duration).map { .int($0) }
        return .object(json)
    }
}
