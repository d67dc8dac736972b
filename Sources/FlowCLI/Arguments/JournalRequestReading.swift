/// A run to go on with.
struct ResumeRequest: Sendable {
    /// `nil` for the one that waits for the answer.
    var run: String?
    /// Where the browser ended; `-` for standard input.
    var answer: String?
    /// Whether it goes on with the files of today.
    var migrates = false
    var live = LiveOptions()
    var form = Command.Form.text
    var streamsEvents = false
    var revealsSecrets = false
    var trace: RunRequest.TraceTarget?
    var reporting = ReportingOptions()
}

/// Runs or their records to be shown.
struct JournalRequest: Sendable, Hashable {
    /// `nil` for a list of the runs.
    var run: String?
    var store = StoreChoice.automatic
    var form = Command.Form.text
}

extension ResumeRequest {
    init(_ parsed: ParsedArguments) throws(UsageError) {
        // The desktop gives the address and nothing else.
        let isCallback = parsed.spec.name == "callback"
        run = isCallback ? nil : parsed.arguments.first
        answer = isCallback ? parsed.arguments.first : parsed.last("callback-url")
        guard run != nil || answer != nil else {
            throw UsageError("resume needs RUN or --callback-url", command: parsed.spec.name)
        }
        migrates = parsed.has("migrate")
        live = try LiveOptions(parsed)
        form = parsed.form
        streamsEvents = parsed.has("json")
        revealsSecrets = parsed.has("reveal")
        trace = RunRequest.TraceTarget(parsed)
        reporting = try ReportingOptions(parsed)
    }
}

extension JournalRequest {
    init(_ parsed: ParsedArguments) {
        run = parsed.arguments.first
        store = parsed.last("store").flatMap(StoreChoice.init) ?? .automatic
        form = parsed.form
    }
}
