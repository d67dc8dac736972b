public import OAuthProtocol

/// One thing that happened in a run, already redacted: what every trace and report is made of.
///
/// Sequence numbers start at 1 and have no gaps; the last event of a run is always `runEnd`.
public struct TraceEvent: Sendable, Hashable {
    public let sequence: Int
    /// Milliseconds since 1970; in a dry run the simulated time.
    public let time: Int64
    /// The step it belongs to; `nil` for events of the whole run.
    public let step: String?
    public let body: Body

    package init(sequence: Int, time: Int64, step: String?, body: Body) {
        self.sequence = sequence
        self.time = time
        self.step = step
        self.body = body
    }

    // On the heap: an event is handed on several times, and the largest bodies are ten times as large as most.
    public indirect enum Body: Sendable, Hashable {
        case runStart(RunStart)
        /// The flow itself, so that a report shows where a run went without the flow's files.
        case flow(TracedFlow)
        case stepStart(StepStart)
        case request(TracedRequest)
        case response(TracedResponse)
        case transportFailure(cause: String, delivered: Bool, message: String)
        /// What a token says; its signature is left out, so that the trace holds no usable token.
        case token(TracedToken)
        case check(TracedCheck)
        /// Something was refused, let through against a rule, or will soon be refused.
        case security(SecurityEvent)
        /// A short fact about the step, such as `session of sub 4be0…`.
        case note(String)
        case warning(String)
        case actionRequired(TracedAction)
        case callbackIgnored(reason: String)
        case waiting(forWhat: String, until: Int64)
        case hook(TracedHook)
        case retry(outcome: String, attempt: Int, delay: Int64, reason: String)
        case saved(variables: [String])
        case stepEnd(StepEnd)
        case runEnd(RunEnd)
    }
}

public struct RunStart: Sendable, Hashable {
    public let run: String
    public let flow: String
    public let version: Int
    public let digest: String
    /// The flow's only or first one.
    public let provider: String
    /// The others, of a flow that has several.
    public let furtherProviders: [NamedProvider]
    public let isDryRun: Bool
    public let inputs: [TracedParameter]
    /// The values of the client's registrations, each with the layer that it is from; empty where the host program gave
    /// them.
    public let registration: [TracedParameter]

    /// A provider by its alias in the flow.
    public struct NamedProvider: Sendable, Hashable {
        public let alias: String
        public let provider: String

        package init(alias: String, provider: String) {
            self.alias = alias
            self.provider = provider
        }
    }

    package init(
        run: String, flow: String, version: Int, digest: String, provider: String,
        furtherProviders: [NamedProvider] = [], isDryRun: Bool, inputs: [TracedParameter],
        registration: [TracedParameter] = []
    ) {
        self.run = run
        self.flow = flow
        self.version = version
        self.digest = digest
        self.provider = provider
        self.furtherProviders = furtherProviders
        self.isDryRun = isDryRun
        self.inputs = inputs
        self.registration = registration
    }
}

public struct StepStart: Sendable, Hashable {
    private let facts: Shared<Facts>
    public let visit: Int

    /// What all visits of a step say alike.
    struct Facts: Sendable, Hashable {
        let kind: String
        let place: String
        let summary: String
    }

    init(_ facts: Shared<Facts>, visit: Int) {
        self.facts = facts
        self.visit = visit
    }

    package init(
        kind: String, visit: Int, place: String, summary: String
    ) {
        self.init(Shared(Facts(kind: kind, place: place, summary: summary)), visit: visit)
    }

    public var kind: String { facts.content.kind }
    /// As `login.flow.yaml:31:3`.
    public var place: String { facts.content.place }
    public var summary: String { facts.content.summary }
}

/// A value in a trace: text, or what stands for a secret.
public enum TracedValue: Sendable, Hashable {
    case text(String)
    /// Wire name, length in bytes, and a fingerprint that is comparable within one run only; without length and
    /// fingerprint in a dry run.
    case secret(kind: String, length: Int?, fingerprint: String?)
    /// An authorization scheme or similar public word before a secret.
    case prefixed(String, kind: String, length: Int?, fingerprint: String?)
}

public struct TracedParameter: Sendable, Hashable {
    public let name: String
    public let value: TracedValue
    /// Where it comes from, as a person reads it: `acme.yaml:12`, `step authorize`, `registration`.
    public let source: String
    /// The rule that asks for it; `nil` where none does.
    public let reference: String?

    package init(
        name: String, value: TracedValue, source: String, reference: String?
    ) {
        self.name = name
        self.value = value
        self.source = source
        self.reference = reference
    }
}

public struct TracedRequest: Sendable, Hashable {
    /// `authorization`, `token`, `refresh`, `userinfo`, `discovery`, `jwks`.
    public let purpose: String
    public let method: String
    public var endpoint: String
    public let query: [TracedParameter]
    public let fields: [TracedParameter]
    public let body: [TracedParameter]
    public let bodyFormat: String
    /// What says where the request goes, as a parameter's `source`; `nil` where the flow does.
    public var endpointSource: String?

    package init(
        purpose: String, method: String, endpoint: String, query: [TracedParameter],
        fields: [TracedParameter], body: [TracedParameter], bodyFormat: String, endpointSource: String? = nil
    ) {
        self.purpose = purpose
        self.method = method
        self.endpoint = endpoint
        self.query = query
        self.fields = fields
        self.body = body
        self.bodyFormat = bodyFormat
        self.endpointSource = endpointSource
    }
}

public struct TracedResponse: Sendable, Hashable {
    public let status: Int
    public let contentType: String?
    public let bytes: Int
    /// Top-level members of a JSON answer; secrets and personal data masked.
    public let members: [TracedParameter]
    /// Milliseconds; `nil` in a dry run.
    public let duration: Int64?
    /// The header fields that hold nothing secret.
    public var fields: [TracedParameter] = []
    /// Where the duration went; `nil` in a dry run.
    public var phases: ExchangePhases?

    package init(
        status: Int, contentType: String?, bytes: Int, members: [TracedParameter], duration: Int64?,
        fields: [TracedParameter] = [], phases: ExchangePhases? = nil
    ) {
        self.status = status
        self.contentType = contentType
        self.bytes = bytes
        self.members = members
        self.duration = duration
        self.fields = fields
        self.phases = phases
    }
}

/// Milliseconds from the beginning of an exchange to the end of each of its phases.
///
/// A phase that did not take place, as on a connection that was open already, ends with the one before it.
public struct ExchangePhases: Sendable, Hashable {
    public let resolved: Int64
    public let connected: Int64
    public let secured: Int64
    /// The first byte of the answer was there.
    public let answered: Int64

    public init(resolved: Int64, connected: Int64, secured: Int64, answered: Int64) {
        self.resolved = resolved
        self.connected = connected
        self.secured = secured
        self.answered = answered
    }
}

public struct TracedCheck: Sendable, Hashable {
    public enum Verdict: Sendable, Hashable {
        case passed
        case failed(expected: String, actual: String)
        case notApplicable(reason: String)
        case relaxed(reason: String)
    }

    public let number: Int
    public let name: String
    public let reference: String
    public let verdict: Verdict

    package init(
        number: Int, name: String, reference: String, verdict: Verdict
    ) {
        self.number = number
        self.name = name
        self.reference = reference
        self.verdict = verdict
    }
}

/// Something that a person must do.
public struct TracedAction: Sendable, Hashable {
    /// The raw URL: for a live terminal or pipe only, never for a file.
    public let url: String
    /// How it was shown; `nil` when only this event shows it.
    public let opened: String?
    public let expiresAt: Int64
    public var errand = Errand.signIn
    /// The same address with the code in it, for a camera; people still compare the code (RFC 8628 §3.3.1 and §5.4).
    public var complete: String?
    public var ways = AnswerWays()

    public enum Errand: Sendable, Hashable {
        case signIn, logout
        /// To enter this code there, on whatever device.
        case enterCode(String)
    }

    package init(
        url: String, opened: String?, expiresAt: Int64, errand: Errand = Errand.signIn,
        complete: String? = nil, ways: AnswerWays = AnswerWays()
    ) {
        self.url = url
        self.opened = opened
        self.expiresAt = expiresAt
        self.errand = errand
        self.complete = complete
        self.ways = ways
    }
}

/// How the answer of a browser can come that is not on this machine.
public struct AnswerWays: Sendable, Hashable {
    /// Why no browser was opened here; `nil` where one was, and where nobody wanted one.
    public var obstacle: String?
    /// A command that makes the browser's machine reach the redirect here.
    public var forwarding: String?
    /// Whether the address that the browser ends at can be pasted here.
    public var takesPaste: Bool

    public init(obstacle: String? = nil, forwarding: String? = nil, takesPaste: Bool = false) {
        self.obstacle = obstacle
        self.forwarding = forwarding
        self.takesPaste = takesPaste
    }
}

public struct TracedHook: Sendable, Hashable {
    public let id: String
    public let point: String
    public let action: String
    /// `continue`, `abort`, `failed`, `would run`, `simulated`.
    public let decision: String
    public let reads: [String]
    /// Secrets that it was given.
    public let grants: [String]
    public let wrote: [String]
    public let message: String?
    /// Where the file has the hook: `login.flow.yaml:31:5`.
    public var place: String?
    /// Names of the environment variables that it needs.
    public var variables: [String] = []
    /// Milliseconds for which it was waited; `nil` for one that nobody was asked about.
    public var duration: Int64?
    /// Which try of the call it was, from 1.
    public var attempt = 1
    /// Where an `http` hook was asked, without query.
    public var url: String?
    /// What the server of an `http` hook answered; `nil` where none did.
    public var status: Int?

    package init(
        id: String, point: String, action: String, decision: String, reads: [String], grants: [String],
        wrote: [String], message: String?
    ) {
        self.id = id
        self.point = point
        self.action = action
        self.decision = decision
        self.reads = reads
        self.grants = grants
        self.wrote = wrote
        self.message = message
    }

    /// The same with another message.
    package func with(message: String?) -> TracedHook {
        var hook = TracedHook(
            id: id, point: point, action: action, decision: decision, reads: reads, grants: grants,
            wrote: wrote, message: message)
        (hook.place, hook.duration, hook.attempt) = (place, duration, attempt)
        (hook.url, hook.status, hook.variables) = (url, status, variables)
        return hook
    }
}

public struct StepEnd: Sendable, Hashable {
    private let facts: Shared<Facts>
    public let visit: Int
    /// Why it ended so, when it is not ok.
    public let error: String?
    public let description: String?
    public let status: Int?
    /// Name of the step or end that follows.
    public let target: String
    public let targetIsEnd: Bool
    /// Which edge of how many, with its budget, when there is more than one.
    public let edge: String?

    public struct Route: Sendable, Hashable {
        public let outcome: String
        public let target: String

        package init(
            outcome: String, target: String
        ) {
            self.outcome = outcome
            self.target = target
        }
    }

    /// What all visits of a step with the same outcome say alike.
    struct Facts: Sendable, Hashable {
        let outcome: String
        let outcomeClass: String
        let reason: String
        let otherRoutes: [Route]
    }

    init(
        _ facts: Shared<Facts>, visit: Int, error: String?, description: String?, status: Int?,
        target: String, targetIsEnd: Bool, edge: String?
    ) {
        self.facts = facts
        self.visit = visit
        self.error = error
        self.description = description
        self.status = status
        self.target = target
        self.targetIsEnd = targetIsEnd
        self.edge = edge
    }

    package init(
        outcome: String, outcomeClass: String, visit: Int, error: String?, description: String?, status: Int?,
        target: String, targetIsEnd: Bool, reason: String, edge: String?, otherRoutes: [Route]
    ) {
        self.init(
            Shared(
                Facts(
                    outcome: outcome, outcomeClass: outcomeClass, reason: reason, otherRoutes: otherRoutes)),
            visit: visit, error: error, description: description, status: status, target: target,
            targetIsEnd: targetIsEnd, edge: edge)
    }

    public var outcome: String { facts.content.outcome }
    public var outcomeClass: String { facts.content.outcomeClass }
    /// How the route was found: `exact`, `class`, `any`, `default`...
    public var reason: String { facts.content.reason }
    /// The step's other routes: outcome and target, in the order of the kind's outcomes.
    public var otherRoutes: [Route] { facts.content.otherRoutes }
}

public struct RunEnd: Sendable, Hashable {
    public let end: String
    /// `success`, `failure`, `cancelled`.
    public let result: String
    public let message: String?
    public let errorCode: String?
    /// `nil` for a success.
    public var failureClass: FailureClass?
    public let exit: Int
    public let transitions: Int
    public let retries: Int
    /// Milliseconds from the first to the last event.
    public let duration: Int64
    public let outputs: [TracedParameter]
    /// How many different secrets of the run were kept out of the trace.
    public var secrets = 0
    /// What the provider's descriptor says of the error: why it comes, and what helps.
    public var causes: [String] = []
    public var fixes: [String] = []

    package init(
        end: String, result: String, message: String?, errorCode: String?, failureClass: FailureClass? = nil,
        exit: Int, transitions: Int, retries: Int, duration: Int64, outputs: [TracedParameter],
        secrets: Int = 0, causes: [String] = [], fixes: [String] = []
    ) {
        self.end = end
        self.result = result
        self.message = message
        self.errorCode = errorCode
        self.failureClass = failureClass
        self.exit = exit
        self.transitions = transitions
        self.retries = retries
        self.duration = duration
        self.outputs = outputs
        self.secrets = secrets
        self.causes = causes
        self.fixes = fixes
    }
}
