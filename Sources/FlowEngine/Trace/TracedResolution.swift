/// How the way on from a step was found, in the order of the language: the line of the flow that routes the outcome,
/// then the alternatives of that line, and before both whether the step was to be tried again.
public struct TracedResolution: Sendable, Hashable {
    /// Where a line for the outcome was looked for: the step's before those of the defaults.
    public let lines: [Line]
    /// The alternatives of the line that was found, in their order.
    public let alternatives: [Alternative]
    /// `nil` for a step without a retry policy.
    public let retry: Retry?

    package init(lines: [Line], alternatives: [Alternative], retry: Retry?) {
        self.lines = lines
        self.alternatives = alternatives
        self.retry = retry
    }

    /// What was found of something that was looked at.
    public enum Verdict: String, Sendable, Hashable, CaseIterable {
        case taken
        /// There is no such line.
        case absent
        /// There is one, but `any` never covers a choice.
        case notCovered = "not_covered"
        /// The condition of the alternative does not hold.
        case notHolding = "not_holding"
        /// The alternative was taken as often as its `max` allows.
        case usedUp = "used_up"
        /// Something before it was taken.
        case notReached = "not_reached"
    }

    /// A place where a line for the outcome may stand.
    public struct Line: Sendable, Hashable {
        /// As `StepEnd.reason`: `exact`, `class`, `any`, `default`...
        public let reason: String
        /// What a line there says, such as `unauthorized`, `any.grant` or `any`.
        public let selector: String
        /// As `login.flow.yaml:31:7`; `nil` where there is no line.
        public let place: String?
        /// `taken`, `absent`, `notCovered` or `notReached`.
        public let verdict: Verdict

        package init(reason: String, selector: String, place: String?, verdict: Verdict) {
            self.reason = reason
            self.selector = selector
            self.place = place
            self.verdict = verdict
        }
    }

    /// One of the ways that a line offers.
    public struct Alternative: Sendable, Hashable {
        /// Name of the step or end that it leads to.
        public let target: String
        /// As `login.flow.yaml:31:20`.
        public let place: String
        /// Its `if`, as the flow has it.
        public let condition: String?
        /// The values that the condition read; masked where they are secret or say something of a person.
        public let values: [TracedParameter]
        /// Its `max`: how often it may be taken in one run.
        public let maximum: Int?
        /// How often it had been taken before.
        public let used: Int
        /// `taken`, `notHolding`, `usedUp` or `notReached`.
        public let verdict: Verdict

        package init(
            target: String, place: String, condition: String?, values: [TracedParameter], maximum: Int?,
            used: Int, verdict: Verdict
        ) {
            self.target = target
            self.place = place
            self.condition = condition
            self.values = values
            self.maximum = maximum
            self.used = used
            self.verdict = verdict
        }
    }

    /// A retry policy, and why the step was not tried once more by it.
    public struct Retry: Sendable, Hashable {
        /// As `login.flow.yaml:12:5`.
        public let place: String
        /// Whether it is the one of the defaults.
        public let isDefault: Bool
        /// After which the step is tried again.
        public let outcomes: [String]
        /// How many attempts there may be in all.
        public let allowed: Int
        /// How many there were.
        public let attempts: Int
        /// Why the outcome stood.
        public let verdict: Reason

        /// Why a step is not tried again.
        public enum Reason: String, Sendable, Hashable, CaseIterable {
            /// The outcome is none of those after which it is tried again.
            case otherOutcome = "other_outcome"
            /// All attempts were made.
            case lastAttempt = "last_attempt"
            /// What was sent is used up: sending it again could only do harm.
            case spent
            /// Trying again is known to bring the same, as with a certificate that nobody trusts.
            case lasting
            /// The server asks for a longer pause than `retry_after.max`.
            case tooLong = "too_long"
            /// The step's or the run's deadline would pass in the pause.
            case noTime = "no_time"
            /// A hook refused another attempt.
            case refused
            /// The step was left before it was tried.
            case notTried = "not_tried"
        }

        package init(
            place: String, isDefault: Bool, outcomes: [String], allowed: Int, attempts: Int, verdict: Reason
        ) {
            self.place = place
            self.isDefault = isDefault
            self.outcomes = outcomes
            self.allowed = allowed
            self.attempts = attempts
            self.verdict = verdict
        }
    }
}
