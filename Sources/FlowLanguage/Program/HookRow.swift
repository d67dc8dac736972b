package import JOSE
package import YAMLText

/// Where a hook fires (flow/1 §9).
public enum HookPoint: String, Sendable, Hashable, CaseIterable {
    case flowStart = "flow.start"
    case stepBefore = "step.before"
    case stepRequest = "step.request"
    case stepResponse = "step.response"
    case stepAfter = "step.after"
    case stepRetry = "step.retry"
    case stepPrompt = "step.prompt"
    case tokensReceived = "tokens.received"
    case sessionStore = "session.store"
    case flowError = "flow.error"
    case flowEnd = "flow.end"
}

/// Where an `http` hook is asked.
package struct HookEndpoint: Sendable, Hashable {
    package let url: String
    /// Literal header fields.
    package let headers: [String: String]
    /// Name of the environment variable that holds the key of the HMAC-SHA256 signature.
    package let keyVariable: String
    /// Name of the environment variable that holds a bearer token for the server; `nil` for none.
    package let tokenVariable: String?

    package init(url: String, headers: [String: String], keyVariable: String, tokenVariable: String?) {
        self.url = url
        self.headers = headers
        self.keyVariable = keyVariable
        self.tokenVariable = tokenVariable
    }
}

/// One hook of a program. Step filters are already resolved into the lists of the steps.
package struct HookRow: Sendable {
    package enum FailurePolicy: Sendable, Hashable {
        case abort
        case `continue`
        /// Index of the step that the run goes on with.
        case goto(Int)
    }

    package enum Action: Sendable {
        case set([SaveRow])
        case assert([AssertionRow])
        /// Fields of the profile of the `userinfo` step that the hook follows.
        case map([(name: String, code: CodeRange)])
        case emit(event: String, data: [Emission])
        /// Literal arguments, names of environment variables to pass on; relative programs start at the flow's folder.
        case exec(argv: [String], environment: [String])
        /// A signed POST; the key of the signature is the value of an environment variable.
        case http(HookEndpoint)
        /// A closure that the embedding program registered under that name.
        case native(name: String)
    }

    /// A value of an event that goes into the trace.
    package struct Emission: Sendable {
        package let name: String
        package let code: CodeRange
        /// The slots of which who sees the value sees something; none of those behind `mask_email` and its like.
        package let shown: [Int]
    }

    /// A value that the hook may see, by its path in the flow.
    package struct Read: Sendable, Hashable {
        package let path: String
        package let slot: Int

        package init(path: String, slot: Int) {
            self.path = path
            self.slot = slot
        }
    }

    /// Where an answer may lead, by the name that the file gives it.
    package struct Target: Sendable, Hashable {
        package let name: String
        package let target: FlowTarget
    }

    /// What a dry run takes as the hook's answer.
    package struct Simulation: Sendable {
        package let saves: [SaveRow]
        /// The other members of the answer, as the hook would write them.
        package let answer: JSONObject
    }

    /// What the answer may do, and where it may lead.
    package struct Powers: Sendable {
        package var allowed: Set<HookPower> = []
        package var targets: [Target] = []
    }

    /// Whether the run cannot do without: the hook is always asked, and its failure ends the run.
    package var endsRunOnFailure: Bool { onFailure == .abort && condition == nil }

    /// Milliseconds that a program and a closure have unless the hook says otherwise (flow/1 §9).
    static let programTimeout: Int64 = 5_000
    static let closureTimeout: Int64 = 1_000

    package let id: String
    package let point: HookPoint
    package let outcomes: Set<Outcome>?
    package let condition: CodeRange?
    package let action: Action
    package let reads: [Read]
    /// Secrets that are handed over by value, listed one by one.
    package let grants: [Read]
    /// Variables that the answer may set.
    package let writes: [Read]
    /// Milliseconds.
    package let timeout: Int64
    package let onFailure: FailurePolicy
    package let powers: Powers
    /// How often it is asked when it fails, at most.
    package let attempts: Int
    /// `nil` reports that it would run.
    package let simulation: Simulation?
    /// The frame whose flow brought the hook; `nil` for the flow that is run.
    package let frame: Int?
    /// Path of the sub-flow's file; `nil` for that of the program.
    package let file: String?
    /// The folder of that file, seen from the folder of the program: where its programs start.
    package let folder: String
    package let span: SourceSpan
    /// Where its program is named, else its own place.
    package let programSpan: SourceSpan

    package init(
        id: String, point: HookPoint, outcomes: Set<Outcome>?, condition: CodeRange?, action: Action,
        reads: [Read],
        grants: [Read], writes: [Read], timeout: Int64, onFailure: FailurePolicy, powers: Powers,
        attempts: Int = 1, simulation: Simulation?, frame: Int? = nil, file: String? = nil,
        folder: String = "", span: SourceSpan, programSpan: SourceSpan? = nil
    ) {
        self.id = id
        self.point = point
        self.outcomes = outcomes
        self.condition = condition
        self.action = action
        self.reads = reads
        self.grants = grants
        self.writes = writes
        self.timeout = timeout
        self.onFailure = onFailure
        self.powers = powers
        self.attempts = attempts
        self.simulation = simulation
        self.frame = frame
        self.file = file
        self.folder = folder
        self.span = span
        self.programSpan = programSpan ?? span
    }
}
