package import FlowLanguage
package import OAuthProtocol

/// What the machine notes while it decides; may hold secrets by type, so it never leaves the engine.
///
/// `TraceRedactor` turns records into `TraceEvent`s. The large ones are on the heap: most are small, and all are moved.
package enum TraceRecord: Sendable {
    case stepStart(step: Int, visit: Int)
    /// A step that did nothing but lead on: its start and its end.
    case passed(step: Int, RouteTaken)
    /// Values that no text of the trace may repeat, the texts of the same decision included; no event of its own.
    case secrets([Secret])
    indirect case request(RequestPlan, purpose: String)
    indirect case response(HTTPResponse, timing: ExchangeTiming?)
    indirect case transportFailure(TransportTrouble)
    case checks([CheckResult])
    indirect case security(SecurityEvent)
    case note(String)
    /// With the hook that it is about.
    case warning(String, hook: String? = nil)
    indirect case hook(TracedHook, HookedValues)
    indirect case retry(outcome: String, attempt: Int, delay: Int64, reason: String)
    case saved([Int])
    indirect case stepEnd(step: Int, StepResult, RouteTaken)
}

extension TraceRecord {
    /// The same, told by a process that goes on with the run: without the `Date` of an answer (RFC 9110 §6.6.1), since
    /// compared with the time of its event it would say that the clocks differ by as long as the run has waited.
    var retold: TraceRecord {
        guard case .response(let response, let timing) = self else { return self }
        let fields = response.fields.filter { !$0.name.equalsIgnoringASCIICase("Date") }
        return .response(
            HTTPResponse(status: response.status, fields: fields, body: response.body), timing: timing)
    }
}

/// Which way a step's outcome took.
package struct RouteTaken: Sendable {
    /// Index of the program's edge.
    package let edge: Int
    /// How often that was taken so far, this time included.
    package let used: Int
    package let visit: Int
    /// What was looked at to find it, in order; empty where nobody listens, and in later rounds of a loop.
    let looks: [EdgeLook]
    /// How often the step was tried, and why it was not once more.
    let attempts: Int
    let retry: TracedResolution.Retry.Reason
}

/// How a step ended, before routing.
package struct StepResult: Sendable {
    package var outcome: Outcome
    /// The kind's fields in the order of its spec; empty leaves them unset.
    package var fields: [Value] = []
    private var trouble: Trouble?
    /// A token set that becomes visible once the hooks at `tokens.received` agree.
    package var tokens: PendingTokens?
    /// Whether the one-time credential that the step sent is used up, so that no retry may send it again.
    package var isSpent = false
    /// Whether trying again is known to bring the same.
    package var isLasting = false

    package init(_ outcome: Outcome, fields: [Value] = []) {
        self.outcome = outcome
        self.fields = fields
    }

    package static func failed(_ outcome: Outcome, _ error: String? = nil, _ description: String? = nil)
        -> StepResult
    {
        var result = StepResult(outcome)
        result.trouble = Trouble(Trouble.Content(error: error, description: description))
        return result
    }
}

extension StepResult {
    /// Whether it says more than its outcome.
    var isExplained: Bool { trouble != nil }

    package var error: String? {
        get { trouble?.content.error }
        set { change { $0.error = newValue } }
    }

    package var description: String? {
        get { trouble?.content.description }
        set { change { $0.description = newValue } }
    }

    package var status: Int? {
        get { trouble?.content.status }
        set { change { $0.status = newValue } }
    }

    /// The rule of the descriptor by which the answer is what it was taken for: `acme.yaml:12, error_when: ok = false`.
    package var rule: String? {
        get { trouble?.content.rule }
        set { change { $0.rule = newValue } }
    }

    /// Milliseconds.
    package var retryAfter: Int64? {
        get { trouble?.content.retryAfter }
        set { change { $0.retryAfter = newValue } }
    }

    /// What the answer demands of the next sign-in.
    package var challenge: AuthenticationChallenge? {
        get { trouble?.content.challenge }
        set { change { $0.challenge = newValue } }
    }

    /// Name of the hook that gave the outcome; `nil` where the other side did.
    package var hook: String? {
        get { trouble?.content.hook }
        set { change { $0.hook = newValue } }
    }

    private mutating func change(_ body: (inout Trouble.Content) -> Void) {
        var content = trouble?.content ?? Trouble.Content()
        body(&content)
        trouble = Trouble(content)
    }

    /// Why a step did not succeed; boxed, since most results have none and all of them are moved about.
    private final class Trouble: Sendable {
        struct Content: Sendable {
            var error: String?
            var description: String?
            var status: Int?
            var retryAfter: Int64?
            var challenge: AuthenticationChallenge?
            var hook: String?
            var rule: String?
        }

        let content: Content

        init(_ content: Content) {
            self.content = content
        }
    }
}

/// A step-up challenge of a resource (RFC 9470 §3).
package struct AuthenticationChallenge: Sendable, Hashable {
    package let levels: [String]?
    /// Milliseconds.
    package let maxAge: Int64?

    package init(levels: [String]?, maxAge: Int64?) {
        self.levels = levels
        self.maxAge = maxAge
    }
}

/// A token set on its way into the register `index`; boxed, so that results stay small to move.
package final class PendingTokens: Sendable {
    package let index: Int
    package let value: TokenSet

    package init(_ value: TokenSet, at index: Int) {
        self.index = index
        self.value = value
    }
}

/// The notes of one decision, in order; detail is left out when nobody listens.
package struct TraceNotes: Sendable {
    package var records: [TraceRecord] = []
    package let isEnabled: Bool

    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    package mutating func add(_ record: @autoclosure () -> TraceRecord) {
        guard isEnabled else { return }
        // Most steps note some ten things.
        if records.isEmpty { records.reserveCapacity(8) }
        records.append(record())
    }

    /// What bears on security is for the host, whether or not anybody reads the trace.
    mutating func add(_ event: SecurityEvent) { records.append(.security(event)) }
}
