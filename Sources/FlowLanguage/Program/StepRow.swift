package import YAMLText

/// One step of a program.
package final class StepRow: Sendable {
    package let name: String
    package let kind: StepKind
    /// Index into `providers`.
    package let provider: Int
    package let condition: CodeRange?
    package let arguments: [ArgumentRow]
    package let assertions: [AssertionRow]
    package let saves: [SaveRow]
    package let retry: RetryPolicy?
    /// Where `retry` is written.
    package let retryPlace: RetryPlace?
    /// Bound of one attempt or one wait, in milliseconds.
    package let timeout: Int64
    /// Bound of the step with its retries, in milliseconds.
    package let deadline: Int64?
    /// Entries allowed. When `isVisitsExplicit`, the entry after the last yields `exhausted`.
    package let visits: Int
    package let isVisitsExplicit: Bool
    /// First slot of the step's fields: those of the kind and its own in order, then the kind's `errorFields`.
    package let fieldBase: Int
    /// How many fields of its own the kind has.
    package let fieldCount: Int
    /// How many error fields follow them.
    package let errorFieldCount: Int
    /// Names of the outcomes that the step declares, from `Outcome.firstDeclared` on.
    package let declaredOutcomes: [String]
    /// Route index for each outcome's raw value; `RouteRow.none` where the kind cannot have the outcome.
    package let routes: [UInt16]
    /// Hooks at `step.before`, `step.after` and `tokens.received` that may fire here, in order of execution.
    package let beforeHooks: [Int]
    package let afterHooks: [Int]
    package let tokenHooks: [Int]
    /// Those that may fire in the midst of the step.
    package let attemptHooks: AttemptHooks
    /// Whether there are any of those.
    package let hasAttemptHooks: Bool
    /// The file of a sub-flow's step; `nil` for that of the program.
    package let file: String?
    package let span: SourceSpan

    package init(
        name: String, kind: StepKind, provider: Int, condition: CodeRange?, arguments: [ArgumentRow],
        assertions: [AssertionRow], saves: [SaveRow], retry: RetryPolicy?, retryPlace: RetryPlace?,
        timeout: Int64, deadline: Int64?, visits: Int, isVisitsExplicit: Bool, fieldBase: Int,
        fieldCount: Int, errorFieldCount: Int,
        declaredOutcomes: [String], routes: [UInt16], beforeHooks: [Int],
        afterHooks: [Int], tokenHooks: [Int], attemptHooks: AttemptHooks,
        file: String? = nil, span: SourceSpan
    ) {
        self.name = name
        self.kind = kind
        self.provider = provider
        self.condition = condition
        self.arguments = arguments
        self.assertions = assertions
        self.saves = saves
        self.retry = retry
        self.retryPlace = retryPlace
        self.timeout = timeout
        self.deadline = deadline
        self.visits = visits
        self.isVisitsExplicit = isVisitsExplicit
        self.fieldBase = fieldBase
        self.fieldCount = fieldCount
        self.errorFieldCount = errorFieldCount
        self.declaredOutcomes = declaredOutcomes
        self.routes = routes
        self.beforeHooks = beforeHooks
        self.afterHooks = afterHooks
        self.tokenHooks = tokenHooks
        self.attemptHooks = attemptHooks
        hasAttemptHooks = attemptHooks.all.contains { !$0.isEmpty }
        self.file = file
        self.span = span
    }

    /// The same step with further hooks around its own.
    func with(before: [Int], after: [Int]) -> StepRow {
        StepRow(
            name: name, kind: kind, provider: provider, condition: condition, arguments: arguments,
            assertions: assertions, saves: saves, retry: retry, retryPlace: retryPlace, timeout: timeout,
            deadline: deadline, visits: visits, isVisitsExplicit: isVisitsExplicit, fieldBase: fieldBase,
            fieldCount: fieldCount,
            errorFieldCount: errorFieldCount, declaredOutcomes: declaredOutcomes, routes: routes,
            beforeHooks: before + beforeHooks, afterHooks: afterHooks + after, tokenHooks: tokenHooks,
            attemptHooks: attemptHooks, file: file, span: span)
    }

    /// Every hook that may fire here, in order of execution.
    package var firingHooks: [Int] {
        beforeHooks + attemptHooks.all.flatMap(\.self) + tokenHooks + afterHooks
    }

    /// The frame of a `subflow` step.
    package var frame: Int? {
        if case .frame(let index)? = argument("flow") { index } else { nil }
    }

    package func argument(_ name: String) -> ArgumentValue? {
        arguments.first { $0.name == name }?.value
    }
}

/// An argument of a step as the machine evaluates it.
package struct ArgumentRow: Sendable {
    package let name: String
    package let value: ArgumentValue
    package let span: SourceSpan

    package init(name: String, value: ArgumentValue, span: SourceSpan) {
        self.name = name
        self.value = value
        self.span = span
    }
}

package enum ArgumentValue: Sendable {
    /// A template: evaluated when the step is entered.
    case code(CodeRange)
    /// A literal: words, durations (milliseconds), booleans.
    case constant(Value)
    /// Index into `tokenSets`.
    case tokenSet(Int)
    /// Index into `steps`.
    case step(Int)
    case templates([(name: String, code: CodeRange)])
    /// Statuses of HTTP, each with an outcome.
    case statuses([Int: Outcome])
    /// Conditions over the step's fields, in order.
    case classification([(condition: CodeRange, outcome: Outcome)])
    /// What to take out of an answer for the fields from the third on.
    case extraction([ExtractionRow])
    /// Index into `ports`.
    case port(Int)
    /// Index into `frames`.
    case frame(Int)
}

/// A field that an `http` step takes out of the answer.
package struct ExtractionRow: Sendable, Hashable {
    package let name: String
    /// RFC 6901.
    package let pointer: String
    package let type: FlowType

    package init(name: String, pointer: String, type: FlowType) {
        self.name = name
        self.pointer = pointer
        self.type = type
    }
}

package struct AssertionRow: Sendable {
    package let condition: CodeRange
    package let message: String?
    package let span: SourceSpan

    package init(condition: CodeRange, message: String?, span: SourceSpan) {
        self.condition = condition
        self.message = message
        self.span = span
    }
}

/// An assignment: the value of `code` goes into `slot`.
package struct SaveRow: Sendable, Hashable {
    package let slot: Int
    package let code: CodeRange

    package init(slot: Int, code: CodeRange) {
        self.slot = slot
        self.code = code
    }
}

/// When and how often a step is tried again (flow/1 §7); times in milliseconds.
package struct RetryPolicy: Sendable, Hashable {
    package enum Jitter: String, Sendable, Hashable, CaseIterable {
        case none, full, equal
    }

    /// Outcomes that are tried again, classes already expanded to the replay-safe ones of the kind.
    package var outcomes: Set<Outcome> = []
    /// Tries in all, 1 to 10.
    package var attempts = 1
    package var initial: Int64 = 300
    package var factor: Double = 2
    package var maximum: Int64 = 5_000
    package var jitter = Jitter.full
    package var honorsRetryAfter = true
    package var retryAfterMaximum: Int64 = 30_000

    package init() {}
}

/// Where the file has the retry policy of a step.
package struct RetryPlace: Sendable, Hashable {
    package let span: SourceSpan
    /// Whether it is that of the defaults.
    package let isDefault: Bool

    package init(span: SourceSpan, isDefault: Bool) {
        self.span = span
        self.isDefault = isDefault
    }
}

/// Where an outcome leads, and by which line of the file.
package struct RouteRow: Sendable {
    /// Marks an outcome that the step cannot have.
    package static let none = UInt16.max

    /// How the route was found (flow/1 §6, resolution order).
    package enum Reason: String, Sendable, Hashable {
        case exact, byClass = "class", any
        case defaultExact = "default", defaultClass = "default class", defaultAny = "default any"
    }

    package let outcomeClass: OutcomeClass
    package let reason: Reason
    /// Edges in the order they are tried; the last one is plain.
    package let edges: Range<Int>
    /// Where the line was looked for, in the order of the language.
    package let looks: [RouteLook]

    package init(outcomeClass: OutcomeClass, reason: Reason, edges: Range<Int>, looks: [RouteLook]) {
        self.outcomeClass = outcomeClass
        self.reason = reason
        self.edges = edges
        self.looks = looks
    }
}

package enum FlowTarget: Sendable, Hashable {
    case step(Int)
    case end(Int)
}

package struct EdgeRow: Sendable {
    package let target: FlowTarget
    package let guardCode: CodeRange?
    /// The guard as its author wrote it.
    package let guardText: String?
    /// Traversals allowed in one run; `nil` without bound.
    package let maximum: Int?
    package let saves: [SaveRow]
    package let span: SourceSpan

    package init(
        target: FlowTarget, guardCode: CodeRange?, guardText: String?, maximum: Int?, saves: [SaveRow],
        span: SourceSpan
    ) {
        self.target = target
        self.guardCode = guardCode
        self.guardText = guardText
        self.maximum = maximum
        self.saves = saves
        self.span = span
    }
}

/// How a flow ends.
package struct EndRow: Sendable {
    package enum Result: String, Sendable, Hashable, CaseIterable {
        case success, failure, cancelled
    }

    package let name: String
    package let result: Result
    /// Process status for the command line; `nil` when the file names none.
    package let exit: Int?
    /// Index into `outputs` with its template.
    package let outputs: [(output: Int, code: CodeRange)]
    package let message: CodeRange?
    package let error: String?
    /// Where the end leads when its flow runs inside of another.
    package let frame: FrameEnd?
    package let span: SourceSpan

    package init(
        name: String, result: Result, exit: Int?, outputs: [(output: Int, code: CodeRange)],
        message: CodeRange?,
        error: String?, frame: FrameEnd? = nil, span: SourceSpan
    ) {
        self.name = name
        self.frame = frame
        self.result = result
        self.exit = exit
        self.outputs = outputs
        self.message = message
        self.error = error
        self.span = span
    }
}
