internal import FlowEngine
internal import FlowReport

/// The process statuses, which never change their meaning.
enum ExitStatus: Int, Sendable, Hashable, CaseIterable {
    case ok = 0
    case `internal` = 1
    case usage = 2
    case config = 3
    case authRequired = 4
    case denied = 5
    case provider = 6
    case security = 7
    case network = 8
    case local = 9
    case timeout = 10
    case hook = 11
    case assertion = 12
    case notExecutable = 126
    case noProgram = 127
    case hungUp = 129
    case interrupted = 130
    case terminated = 143

    /// As `exit.name` of JSON output.
    var name: String { ExitName.of(rawValue) }

    var meaning: String {
        switch self {
        case .ok: "done; of a dry run: the plan is valid"
        case .internal: "a mistake of flowrun, or a failure without a class"
        case .usage: "the command line is wrong"
        case .config: "a file is wrong, or a registration, input or secret is missing"
        case .authRequired: "a person is needed and none is there (--no-input)"
        case .denied: "the person or the provider said no"
        case .provider: "the provider answered with an error"
        case .security: "a check of the protocol failed"
        case .network: "no connection, or no answer in time"
        case .local: "something on this machine: port, store, lock, file"
        case .timeout: "the person or the run took too long"
        case .hook: "a hook or a port failed, or a hook refused"
        case .assertion: "an assertion, a test or a comparison failed"
        case .notExecutable: "of exec: the program cannot be run"
        case .noProgram: "of exec: there is no such program"
        case .hungUp: "stopped by SIGHUP: the terminal is gone"
        case .interrupted: "stopped by SIGINT, or cancelled"
        case .terminated: "stopped by SIGTERM"
        }
    }
}

extension ExitStatus {
    /// What stopped a run from outside.
    enum Stop: Sendable, Hashable {
        case signal(Int32)
        case timeout
    }

    /// The one place that turns the end of a run into a status.
    ///
    /// A flow's own `exit` is a number that may be none of these (flow/1 §17).
    static func of(_ outcome: RunOutcome, stop: Stop?) -> Int {
        guard !outcome.isSuccess else { return outcome.exitStatus }
        switch stop {
        case .signal(let number): return 128 + Int(number)
        case .timeout: return timeout.rawValue
        case nil: return outcome.exitStatus
        }
    }

    /// The status of a rehearsal: its plan is valid wherever the flow ends, unless the engine gave up.
    static func ofRehearsal(_ outcome: RunOutcome) -> Int {
        outcome.end.error == nil ? ok.rawValue : outcome.exitStatus
    }
}
