package import FlowEngine
internal import OAuthProtocol

/// What a finished trace can be turned into. Text for people is the command line's own.
package enum ReportFormat: String, Sendable, Hashable, CaseIterable {
    /// JSON Lines, as a trace is kept.
    case jsonl
    /// HTTP Archive 1.2, for the network panels of browsers.
    case har
    /// A sequence diagram in the language of Mermaid.
    case mermaid
    /// A page of its own.
    case html
    /// XML that build servers read.
    case junit
    /// The Test Anything Protocol.
    case tap
    /// A script that sends the same requests.
    case curl
    /// Spans of OpenTelemetry, as OTLP/HTTP takes them in JSON.
    case otlp
}

/// What a report says beside the trace.
package struct ReportContext: Sendable {
    /// Of the program that writes the report.
    package var version = "0"
    /// The span that the run belongs to; `nil` makes a trace of its own.
    package var parent: TraceParent?
    /// The failure as the command line has told it; `nil` where only the trace is known.
    package var failure: FailureReport?

    package init() {}
}

/// Reports of a finished trace: pure functions of its events.
package enum Report {
    /// - Parameter events: Of one run from its start; may break off before the end.
    /// - Returns: The whole text; empty when `events` do not begin with the start of a run.
    package static func render(
        _ events: [TraceEvent], _ format: ReportFormat, _ context: ReportContext = ReportContext()
    ) -> String {
        guard let run = RunRecord(events, told: context.failure) else { return "" }
        switch format {
        case .jsonl:
            var trace = JSONLinesTrace(revealsActionURL: false)
            return events.map { trace.render($0) }.joined()
        case .har: return ArchiveReport(run, version: context.version).text
        case .mermaid: return MermaidReport(Conversation(run)).text
        case .html: return PageReport(run).text
        case .junit: return JUnitReport(run).text
        case .tap: return TAPReport(run).text
        case .curl: return ScriptReport(run).text
        case .otlp: return SpanReport(run, parent: context.parent, version: context.version).text
        }
    }
}
