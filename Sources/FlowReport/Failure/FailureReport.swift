package import FlowEngine
internal import FlowLanguage

/// Why a run failed, as plain values: what `FailureForm` writes for people and for programs.
package struct FailureReport: Sendable, Hashable {
    /// A place in a flow file, from 1.
    package struct Place: Sendable, Hashable {
        package let file: String
        package let line: Int
        package let column: Int

        /// Reads `login.flow.yaml:31:3`; `nil` for anything else.
        package init?(_ text: String) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count >= 3, let column = Int(parts[parts.count - 1]),
                let line = Int(parts[parts.count - 2]), line > 0, column > 0
            else { return nil }
            file = parts.dropLast(2).joined(separator: ":")
            self.line = line
            self.column = column
        }
    }

    /// A fact that bears on the failure.
    package struct Evidence: Sendable, Hashable {
        package let id: String
        /// The fact as a person reads it: `code sent before in this run`.
        package let label: String
        package let value: String
        /// Why this alone explains the failure; `nil` for a fact that does not.
        package let suspicion: String?

        package init(_ id: String, _ label: String, _ value: String, suspicion: String? = nil) {
            self.id = id
            self.label = label
            self.value = value
            self.suspicion = suspicion
        }
    }

    package var flow = ""
    /// The flow as a command has to name it, such as its path; `nil` where its name will do.
    package var typedFlow: String?
    package var provider = ""
    /// The provider as a command has to name it, such as the path of its file; `nil` where its name will do.
    package var typedProvider: String?
    /// `ALIAS=NAME` of each provider, where the flow has several.
    package var namedProviders: [String] = []
    package var step = ""
    package var kind = ""
    package var place: Place?
    /// Of a step of a sub-flow, where that flow is run as a step, the innermost first.
    package var calls: [Place] = []
    /// The step's outcome, or the engine's own code.
    package var outcome = ""
    package var outcomeClass = ""
    package var failureClass = FailureClass.configuration
    package var error: String?
    package var description: String?
    package var status: Int?
    /// What the request of the step was for that nothing came of, such as `refresh`; `nil` where there is none.
    package var openRequest: String?
    /// The rule of the descriptor by which the answer is an error, where its status says otherwise.
    package var rule: String?
    /// Milliseconds that the server asks to wait.
    package var retryAfter: Int64?
    /// Whether the description is the server's own, not ours of its answer.
    package var quotesServer = false
    /// Where the last request of the step went.
    package var host: String?
    /// The same with its scheme.
    package var origin: String?
    /// The redirect URI that the run used, for what must be registered.
    package var redirectURI: String?
    package var failedChecks: [TracedCheck] = []
    /// How the request that was refused proved who the client is.
    package var proof: SentProof?
    /// The hook that ended the run, or gave the answer its outcome.
    package var hook: TracedHook?
    package var evidence: [Evidence] = []
    package var end = ""
    package var message: String?
    package var exit = 1
    /// What the provider's descriptor says of the error: why, and what helps.
    package var providerCauses: [String] = []
    package var providerFixes: [String] = []
    /// What may help too, when nothing else was meant.
    package var otherFixes: [String] = []
    /// The command that helps where a sign-in does; `nil` for running the flow once more.
    package var again: String?
    /// The command of which the run is a part, with what it was given, such as `register acme`; `nil` for `run`.
    package var command: String?
    /// Options that a command needs to be about the same session, with a space in front; empty where it needs none.
    package var options = ""
    /// What the flow was given and anybody may read, likewise.
    package var inputs = ""
    /// Those that it needs besides to reach the same server, likewise.
    package var connection = ""
    /// The run whose trace can be shown later; `nil` where none is kept.
    package var keptTrace: String?

    package init() {}

    /// The same with the commands of another report of the run, which knows how it was started.
    func inWords(of other: FailureReport?) -> FailureReport {
        guard let other else { return self }
        var report = self
        (report.again, report.command) = (other.again, other.command)
        (report.options, report.inputs, report.connection) = (other.options, other.inputs, other.connection)
        (report.typedFlow, report.typedProvider) = (other.typedFlow, other.typedProvider)
        report.namedProviders = other.namedProviders
        return report
    }

    /// The hook that ended the run, not the answer of a server.
    package var endingHook: TracedHook? { isHookOutcome ? nil : hook }

    /// Where that hook is written.
    var hookPlace: Place? { endingHook == nil ? nil : place }

    /// What the failed checks expected and what came, without what the first line says already.
    ///
    /// A status of 300 or more is a failure whatever was expected; one of success is one only beside what was.
    package var toldChecks: [(check: TracedCheck, expected: String, actual: String)] {
        failedChecks.compactMap { check in
            guard case .failed(let expected, let actual) = check.verdict, actual != error else { return nil }
            if let status, status >= 300, actual == String(status) { return nil }
            return (check, CheckTimes.spelled(expected, of: check), CheckTimes.spelled(actual, of: check))
        }
    }

    /// Whether a hook, and not the other side, gave the step its outcome.
    package var isHookOutcome: Bool { hook?.gives(outcome) == true }

    /// What it is about, in few words: the step, else the hook.
    package var subject: String {
        if !step.isEmpty { return step }
        return hook.map { "hook \($0.id)" } ?? "the run"
    }
}

extension TracedHook {
    /// Whether it gave the answer that outcome.
    package func gives(_ outcome: String) -> Bool { wrote.contains("outcome.\(outcome)") }

    /// Whether the hook failed, and a warning says so.
    ///
    /// - Parameter hook: The one that the warning is about; `nil` for one that is about none.
    package func isTold(byWarningAbout hook: String?) -> Bool { isFailed && hook == id }
}

extension FailureReport {
    /// What the failure means and what helps, in the words of the command line.
    package var text: FailureText {
        let known = [
            "flow": typedFlow ?? flow, "provider": provider, "provider_word": typedProvider ?? provider,
            "host": host, "host_name": host.map(TracedWords.hostName), "origin": origin,
            "redirect_uri": redirectURI,
            "options": options + connection, "hook": hook?.id,
        ]
        let arguments = known.compactMapValues(\.self)
        let subject =
            isHookOutcome
            ? FailureSubject.hookOutcome(failureClass, arguments)
            : FailureSubject(
                kind: kind, code: outcome, error: error, status: status, failureClass,
                proof: proof, isTold: rule != nil, arguments: arguments)
        // As a person can type it: a flow that serves any provider needs one.
        let choices = namedProviders.isEmpty && !provider.isEmpty ? ["{provider_word}"] : namedProviders
        let words = "{flow}" + choices.map { " --provider \($0)" }.joined()
        let run = "flowrun \(command ?? "run \(words){options}\(inputs)")"
        let texts = Self.texts.with(phrases: [
            "again": again ?? run,
            "plan": command == nil ? "`flowrun plan \(words)\(options)\(inputs)`" : "`\(run) --dry-run`",
            "trace": "\(run) -vv",
        ])
        let text = texts.text(for: subject).with(why: providerCauses, fix: providerFixes)
        return text.with(otherFixes: otherFixes)
    }

    static let texts = FailureTexts.english.with(phrases: [
        "again": "flowrun run {flow}", "plan": "`flowrun plan {flow}`", "trace": "flowrun run {flow} -vv",
        "show": "run it at a terminal, or with --no-browser and open the address elsewhere",
    ])
}
