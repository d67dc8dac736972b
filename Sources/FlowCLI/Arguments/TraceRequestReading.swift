internal import FlowReport

/// Work on traces of earlier runs.
struct TraceRequest: Sendable {
    enum Work: Sendable {
        case list
        /// `nil` is text.
        case show(ReportFormat?)
        case why(WhyQuestion)
        case export([ReportTarget])
        case diff(other: String?)
        case redact
        case verify(files: [String], secrets: [ClientOptions.SecretPlace], isStrict: Bool)
        case replay(flow: String?, provider: String?, client: ClientOptions)
    }

    let work: Work
    /// `nil` for the newest.
    var trace: String?
    var form = Command.Form.text
}

/// A report that goes to a file.
struct ReportTarget: Sendable, Hashable {
    /// `nil` is text.
    let format: ReportFormat?
    let file: String

    /// Reads `har=out.har`.
    ///
    /// - Parameter giver: The option, or the variable in its place; `nil` for an argument.
    init(_ text: String, command: String, giver: String? = nil) throws(UsageError) {
        let place = giver.map { "\($0): " } ?? ""
        let words = ["text"] + ReportFormat.allCases.map(\.rawValue)
        guard let equals = text.firstIndex(of: "="), text.index(after: equals) < text.endIndex else {
            throw UsageError(
                "\(place)\"\(text)\" is not of the form FORM=FILE, as html=run.html", command: command)
        }
        let word = String(text[..<equals])
        guard words.contains(word) else {
            throw UsageError(
                "\(place)no report \"\(word)\"; there are \(words.joined(separator: ", "))"
                    + ArgumentReader.suggestion(word, words), command: command)
        }
        format = ReportFormat(rawValue: word)
        file = String(text[text.index(after: equals)...])
        guard file != "-" else {
            throw UsageError(
                "\(place)a report goes to a file, not to standard output; write \(word)=FILE",
                command: command)
        }
    }

    /// Of two reports in one file the second would be left.
    ///
    /// - Parameters:
    ///   - trace: The file of the trace that is written beside them.
    ///   - giver: The option, or the variable in its place; `nil` for an argument.
    static func check(
        _ targets: [ReportTarget], trace: String? = nil, command: String, giver: String? = nil
    ) throws(UsageError) {
        var places = Set([trace].compactMap(\.self).map(FilePath.plain))
        for target in targets where !places.insert(FilePath.plain(target.file)).inserted {
            throw UsageError(
                (giver.map { "\($0): " } ?? "")
                    + "two reports cannot go to one file, \"\(target.file)\": give each its own",
                command: command)
        }
    }
}

extension TraceRequest {
    private static func shown(_ parsed: ParsedArguments) throws(UsageError) -> Work {
        let output = parsed.last("output") ?? "text"
        let format = ReportFormat(rawValue: output)
        guard let question = try WhyQuestion(parsed) else {
            guard output != "json" else {
                throw UsageError(
                    "--output json is a form of --why; all events as JSON are --output jsonl",
                    command: parsed.spec.name)
            }
            return .show(format)
        }
        guard format == nil else {
            throw UsageError("--why is shown as text or json, not as \(output)", command: parsed.spec.name)
        }
        return .why(question)
    }

    init(_ parsed: ParsedArguments) throws(UsageError) {
        form = parsed.form
        let name = parsed.spec.name
        switch name {
        case "trace list": work = .list
        case "trace show":
            work = try Self.shown(parsed)
            trace = parsed.arguments.first
        case "trace export":
            var targets: [ReportTarget] = []
            for text in parsed.arguments { targets.append(try ReportTarget(text, command: name)) }
            try ReportTarget.check(targets, command: name)
            work = .export(targets)
            trace = parsed.last("trace")
        case "trace diff":
            work = .diff(other: parsed.arguments.count > 1 ? parsed.arguments[1] : nil)
            trace = parsed.arguments[0]
        case "trace redact":
            work = .redact
            trace = parsed.arguments.first
        case "trace verify":
            work = .verify(
                files: parsed.arguments,
                secrets: parsed.all("secret-env").map { .environment($0) }
                    + parsed.all("secret-file").map { .file($0) },
                isStrict: parsed.has("strict"))
        case "trace replay":
            work = .replay(
                flow: parsed.last("flow"), provider: parsed.last("provider"),
                client: try ClientOptions(parsed))
            trace = parsed.arguments.first
        default: preconditionFailure("CommandTable has a trace command that nothing reads")
        }
    }
}
