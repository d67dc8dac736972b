internal import FlowEngine
internal import FlowReport

/// Reports of one trace as texts, in every form that there is.
struct ReportWriting: Sendable {
    let surroundings: Surroundings
    /// How the text form is written.
    var options = RenderOptions(verbosity: .debug)
    /// What was told of the failure of the run that has just ended.
    var failure: FailureReport?

    /// - Parameter format: `nil` is text.
    func text(_ events: [TraceEvent], _ format: ReportFormat?) -> String {
        guard let format else {
            var trace = TextTrace(options)
            return events.map { trace.render($0) }.joined()
        }
        var context = ReportContext()
        context.version = VersionCommand.version
        context.failure = failure
        // W3C Trace Context: a run may be a part of somebody's larger trace.
        context.parent = surroundings.variable("TRACEPARENT").flatMap(TraceParent.init)
        return Report.render(events, format, context)
    }

    func write(_ events: [TraceEvent], to targets: [ReportTarget]) throws(FileProblem) {
        for target in targets {
            let path = FilePath.join(surroundings.directory, target.file)
            try FileReplacement.replaceOrMake(path, with: text(events, target.format))
        }
    }
}
