public import OAuthProtocol

/// One thing that happened in a run, already redacted: what every trace and report is made of.
///
/// Sequence numbers start at 1 and have no gaps; the last event of a run is always `runEnd`.
public struct TraceEvent: Sendable, Hashable {
    /// From 1, without gaps.
    public let sequence: Int
    /// Milliseconds since 1970; in a dry run the simulated time.
    public let time: Int64
    /// The step it belongs to; `nil` for events of the whole run.
    public let step: String?
    /// What happened.
    public let body: Body

    package init(sequence: Int, time: Int64, step: String?, body: Body) {
        self.sequence = sequence
        self.time = time
        self.step = step
        self.body = body
    }

    // Large ones are on the heap: an event is handed on several times, and the largest is ten times as large as most.
    /// The kinds of events; <doc:Traces> has the JSON form of each.
    public enum Body: Sendable, Hashable {
        /// The first event of every run.
        indirect case runStart(RunStart)
        /// The flow itself, so that a report shows where a run went without the flow's files.
        indirect case flow(TracedFlow)
        /// A step was entered; the events up to its `stepEnd` bear its name.
        case stepStart(StepStart)
        /// What is sent, or shown to a browser, before it is.
        indirect case request(TracedRequest)
        /// The answer to the last request.
        indirect case response(TracedResponse)
        /// No answer came: why, and whether the request may have arrived all the same.
        indirect case transportFailure(cause: String, delivered: Bool, message: String)
        /// What a token says; its signature is left out, so that the trace holds no usable token.
        indirect case token(TracedToken)
        /// One rule of the protocol was held against an answer.
        case check(TracedCheck)
        /// Something was refused, let through against a rule, or will soon be refused.
        indirect case security(SecurityEvent)
        /// A short fact about the step, such as `session of sub 4be0…`.
        case note(String)
        /// Something that somebody should mend, and that stops nothing; with the hook that it is about.
        case warning(String, hook: String? = nil)
        /// A person must open an address or enter a code.
        indirect case actionRequired(TracedAction)
        /// A request came to the listener, or an address was pasted, that is not the awaited answer.
        case callbackIgnored(reason: String)
        /// Until then, in milliseconds since 1970, is waited at most.
        indirect case waiting(forWhat: String, until: Int64)
        /// A hook was asked, or would be in a dry run.
        indirect case hook(TracedHook)
        /// The step is tried again after so many milliseconds; `attempt` is the one to come.
        indirect case retry(outcome: String, attempt: Int, delay: Int64, reason: String)
        /// Variables that `save` of the step has set, by path.
        case saved(variables: [String])
        /// The step has an outcome, and where that leads.
        indirect case stepEnd(StepEnd)
        /// The last event of every run.
        indirect case runEnd(RunEnd)
    }
}

/// What a run begins with.
public struct RunStart: Sendable, Hashable {
    /// The run, as `r_` and 16 characters; the same in its journal and for its hooks.
    public let run: String
    /// The name that the flow gives itself.
    public let flow: String
    /// The author's revision, the key `version` of the flow.
    public let version: Int
    /// SHA-256 of the compiled flow, as `sha256:` and hexadecimal digits.
    public let digest: String
    /// The flow's only or first one.
    public let provider: String
    /// The others, of a flow that has several.
    public let furtherProviders: [NamedProvider]
    /// Whose session it is among several at the provider; `nil` for the profile `default`.
    public let profile: String?
    /// Whether nothing of it reaches the world.
    public let isDryRun: Bool
    /// Those of the flow with their values; secret ones masked.
    public let inputs: [TracedParameter]
    /// The values of the client's registrations, each with the layer that it is from; empty where the host program gave
    /// them.
    public let registration: [TracedParameter]

    /// A provider by its alias in the flow.
    public struct NamedProvider: Sendable, Hashable {
        /// As the flow calls it under `providers`.
        public let alias: String
        /// Id of its descriptor.
        public let provider: String

        package init(alias: String, provider: String) {
            self.alias = alias
            self.provider = provider
        }
    }

    package init(
        run: String, flow: String, version: Int, digest: String, provider: String,
        furtherProviders: [NamedProvider] = [], profile: String? = nil, isDryRun: Bool,
        inputs: [TracedParameter],
        registration: [TracedParameter] = []
    ) {
        self.run = run
        self.flow = flow
        self.version = version
        self.digest = digest
        self.provider = provider
        self.furtherProviders = furtherProviders
        self.profile = profile
        self.isDryRun = isDryRun
        self.inputs = inputs
        self.registration = registration
    }
}

/// What a visit of a step begins with.
public struct StepStart: Sendable, Hashable {
    private let facts: Shared<Facts>
    /// From 1, counted for each step.
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

    /// What all visits say alike, as the first line has written it.
    package func written(_ write: () -> WrittenFacts) -> WrittenFacts { facts.written(write) }

    package init(
        kind: String, visit: Int, place: String, summary: String
    ) {
        self.init(Shared(Facts(kind: kind, place: place, summary: summary)), visit: visit)
    }

    /// Such as `exchange`; `flowrun kinds` lists them.
    public var kind: String { facts.content.kind }
    /// As `login.flow.yaml:31:3`.
    public var place: String { facts.content.place }
    /// What the kind does, in one sentence.
    public var summary: String { facts.content.summary }
}

/// A rule that an answer was held against.
public struct TracedCheck: Sendable, Hashable {
    // On the heap: most rules hold.
    /// What came of a check.
    public indirect enum Verdict: Sendable, Hashable {
        case passed
        /// What was expected and what came, without secrets.
        case failed(expected: String, actual: String)
        /// The rule asks for something that this answer, or this client, does not have.
        case notApplicable(reason: String)
        /// The rule does not hold, and the descriptor lets that pass.
        case relaxed(reason: String)
    }

    private let rule: Check
    /// Whether it holds, and why it was not asked for.
    public let verdict: Verdict

    init(_ rule: Check, _ verdict: Verdict) {
        self.rule = rule
        self.verdict = verdict
    }

    package init(
        number: Int, name: String, reference: String, verdict: Verdict
    ) {
        self.init(Check(recalled: number, name: name, reference: reference), verdict)
    }

    /// Position in the list of security rules, from 1; the same as `Check.number`.
    public var number: Int { rule.number }
    /// Stable, such as `state`.
    public var name: String { rule.name }
    /// Where the rule is written, such as `RFC 6749 §10.12`.
    public var reference: String { rule.reference }

    /// Whether both say the same; one that a trace tells may be of another version of the program.
    public static func == (left: TracedCheck, right: TracedCheck) -> Bool {
        left.number == right.number && left.name == right.name && left.reference == right.reference
            && left.verdict == right.verdict
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(number)
        hasher.combine(name)
        hasher.combine(reference)
        hasher.combine(verdict)
    }
}

/// Something that a person must do.
public struct TracedAction: Sendable, Hashable {
    /// The raw URL: for a live terminal or pipe only, never for a file.
    public let url: String
    /// How it was shown; `nil` when only this event shows it.
    public let opened: String?
    /// Milliseconds since 1970: nobody waits after that.
    public let expiresAt: Int64
    /// Why the person is to open the address.
    public var errand = Errand.signIn
    /// The same address with the code in it, for a camera; people still compare the code (RFC 8628 §3.3.1 and §5.4).
    public var complete: String?
    /// How the answer can come where the browser is on another machine.
    public var ways = AnswerWays()

    /// What a person is to do at the address.
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

    /// All of them without a word: a browser was opened here.
    package init(obstacle: String? = nil, forwarding: String? = nil, takesPaste: Bool = false) {
        self.obstacle = obstacle
        self.forwarding = forwarding
        self.takesPaste = takesPaste
    }
}

/// A hook that was asked, and what came of it.
public struct TracedHook: Sendable, Hashable {
    /// As the flow or the descriptor names it.
    public let id: String
    /// Such as `step.after`.
    public let point: String
    /// `set`, `assert`, `map`, `emit`, `exec`, `http` or `native`.
    public let action: String
    /// `continue`, `abort`, `failed`, `would run`, `simulated`.
    public let decision: String
    /// Paths of the values that it was given.
    public let reads: [String]
    /// Secrets that it was given.
    public let grants: [String]
    /// What it changed, by path, such as `vars.tenant`, `headers.x-tenant` or `outcome.rejected`.
    public let wrote: [String]
    /// Why it failed or refused, or what it emitted; without secrets.
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
    /// The values under `reads` and `grants`, and those that the expressions of an action of the engine read, as they
    /// were; masked where they are secret or say something of a person.
    public var readValues: [TracedParameter] = []
    /// The values of `wrote`, masked alike; an outcome and `presented` have none.
    public var writtenValues: [TracedParameter] = []

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
        (hook.readValues, hook.writtenValues) = (readValues, writtenValues)
        return hook
    }
}

/// How a visit of a step ended.
public struct StepEnd: Sendable, Hashable {
    private let facts: Shared<Facts>
    /// `nil` for nearly every end, and all of them are moved about.
    private var explanation: Shared<Explanation>?
    /// From 1, counted for each step.
    public let visit: Int
    /// Name of the step or end that follows.
    public let target: String
    /// Whether `target` is an end of the flow and no step.
    public let targetIsEnd: Bool
    /// Which edge of how many, with its budget, when there is more than one.
    public let edge: String?
    /// Shared by all ends that were found alike.
    var search: Shared<TracedResolution>?

    /// An outcome and where it leads.
    public struct Route: Sendable, Hashable {
        /// Name of the outcome.
        public let outcome: String
        /// Name of the step or end.
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

    /// Why a step ended as it did.
    struct Explanation: Sendable, Hashable {
        var error: String?
        var description: String?
        var status: Int?
        var rule: String?
        var retryAfter: Int64?
    }

    init(_ facts: Shared<Facts>, visit: Int, target: String, targetIsEnd: Bool, edge: String?) {
        self.facts = facts
        self.visit = visit
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
            visit: visit, target: target, targetIsEnd: targetIsEnd, edge: edge)
        explain(Explanation(error: error, description: description, status: status))
    }

    mutating func explain(_ explanation: Explanation) {
        self.explanation = explanation == Explanation() ? nil : Shared(explanation)
    }

    /// What all visits with this outcome say alike, as the first line has written it.
    package func written(_ write: () -> WrittenFacts) -> WrittenFacts { facts.written(write) }

    /// What was looked at to find the way on; `nil` from the seventeenth visit on, and in a trace of a
    /// flowrun that did not write it.
    public var resolution: TracedResolution? {
        get { search?.content }
        set { search = newValue.map(Shared.init) }
    }

    /// The same as the first line has written it; `nil` where there is none.
    package func writtenResolution(_ write: (TracedResolution) -> WrittenFacts) -> WrittenFacts? {
        search.map { search in search.written { write(search.content) } }
    }

    /// Why it ended so, when it is not ok.
    public var error: String? { explanation?.content.error }
    /// What the other side, or the engine, says of the error.
    public var description: String? { explanation?.content.description }
    /// Of the HTTP answer that ended the step; `nil` where none did.
    public var status: Int? { explanation?.content.status }
    /// The rule of the descriptor by which the answer is an error in spite of its status, as
    /// `acme.yaml:12, error_when: ok = false`; `nil` where none is.
    public var rule: String? {
        get { explanation?.content.rule }
        set { change { $0.rule = newValue } }
    }
    /// Milliseconds that the server asks to wait (Retry-After, RFC 9110 §10.2.3); `nil` where it asks for nothing.
    public var retryAfter: Int64? {
        get { explanation?.content.retryAfter }
        set { change { $0.retryAfter = newValue } }
    }

    private mutating func change(_ body: (inout Explanation) -> Void) {
        var explanation = explanation?.content ?? Explanation()
        body(&explanation)
        explain(explanation)
    }

    /// Such as `ok` or `invalid_grant`.
    public var outcome: String { facts.content.outcome }
    /// Such as `success`, `grant` or `security`.
    public var outcomeClass: String { facts.content.outcomeClass }
    /// How the route was found: `exact`, `class`, `any`, `default`...
    public var reason: String { facts.content.reason }
    /// The step's other routes: outcome and target, in the order of the kind's outcomes.
    public var otherRoutes: [Route] { facts.content.otherRoutes }
}

/// What a run ends with.
public struct RunEnd: Sendable, Hashable {
    /// Name of the end that was reached.
    public let end: String
    /// `success`, `failure`, `cancelled`.
    public let result: String
    /// Of the end, or of the engine's own failure.
    public let message: String?
    /// As `SignInFailure.code`; `nil` for a success, and for a failure that the flow chose.
    public let errorCode: String?
    /// `nil` for a success.
    public var failureClass: FailureClass?
    /// The status that the command ends with.
    public let exit: Int
    /// How many routes were taken.
    public let transitions: Int
    /// How many attempts were made again.
    public let retries: Int
    /// Milliseconds from the first to the last event.
    public let duration: Int64
    /// Those of the end; secret ones masked.
    public let outputs: [TracedParameter]
    /// How many different secrets of the run were kept out of the trace.
    public var secrets = 0
    /// What the provider's descriptor says of the error: why it comes, and what helps.
    public var causes: [String] = []
    /// What helps, the most promising first.
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
