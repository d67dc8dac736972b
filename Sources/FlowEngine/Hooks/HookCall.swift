public import FlowLanguage
public import JOSE
public import OAuthProtocol

/// What a hook is told (flow/1 §9, wire contract version 1).
public struct HookCall: Sendable {
    /// Its `id`; of one in a flow that runs as a step, behind the name of that step.
    public let hook: String
    /// Where in the run it fires.
    public let point: HookPoint
    /// Names the run for good: a run that goes on in another process has the same.
    public let runID: String
    /// Counts the calls of the run from 1: together with `runID` it names this call for good, a repetition has the same.
    public let sequence: Int
    /// Counts the tries of this call from 1.
    public let tries: Int
    /// Always `false` for a closure: a dry run asks none.
    public let isDryRun: Bool
    /// The name that the flow gives itself.
    public let flow: String
    /// The author's revision.
    public let version: Int
    /// SHA-256 of the compiled flow.
    public let program: String
    /// The step that it is about; `nil` at the points of the flow.
    public let step: Step?
    /// The values that the hook declared under `reads`, by path.
    public let values: [String: JSONValue]
    /// The secrets that the hook was granted, by path, in clear.
    public let secrets: [String: Secret]
    /// What the point itself tells, as members of the wire form: `args`, `request`, `response`, `retry`, `prompt`,
    /// `tokens`, `session`, `error` or `end`. No secret is among them; the address of `prompt` is for a person.
    public let facts: JSONObject

    package let action: HookRow.Action
    /// Folder of the flow file, where relative programs start.
    package let directory: String
    /// Milliseconds.
    package let timeout: Int64

    /// The step that a hook is about.
    public struct Step: Sendable, Hashable {
        /// As the flow names it.
        public let id: String
        /// Such as `.exchange`.
        public let kind: StepKind
        /// How often the step has been entered, from 1.
        public let visit: Int
        /// Of this visit, from 1.
        public let attempt: Int
        /// `nil` before it has one.
        public let outcome: String?

        /// One that no run has entered, for the call of a closure in a program's own tests.
        public init(
            id: String, kind: StepKind, visit: Int = 1, attempt: Int = 1, outcome: String? = nil
        ) {
            self.id = id
            self.kind = kind
            self.visit = visit
            self.attempt = attempt
            self.outcome = outcome
        }
    }
}

extension HookCall {
    /// One that no run makes, to call a closure with in a program's own tests.
    ///
    /// Nobody holds it, nor the reply, against the `reads`, `writes` and `may` of a flow: the tests in the flow's file do
    /// that (`flowrun test`).
    ///
    /// - Parameters:
    ///   - hook: The name that the closure is registered under; here also its `id`.
    ///   - values: What the hook reads, by path, such as `steps.verify.subject`.
    ///   - secrets: What it is granted, by path.
    ///   - facts: What its point tells besides, such as `request`.
    public init(
        _ hook: String, at point: HookPoint, step: Step? = nil, values: [String: JSONValue] = [:],
        secrets: [String: Secret] = [:], facts: JSONObject = [:]
    ) {
        self.init(
            hook: hook, point: point, runID: "test", sequence: 1, tries: 1, isDryRun: false, flow: "test",
            version: 1, program: "", step: step, values: values, secrets: secrets, facts: facts,
            action: .native(name: hook), directory: ".", timeout: 30_000)
    }
}

/// What a hook answers.
///
/// Nothing of an answer counts unless all of it does: what the hook's point and its `may` do not allow makes it a
/// failed hook.
public struct HookReply: Sendable, Hashable {
    /// What becomes of the run; all but `continue` must be among the `may` of the hook.
    public enum Decision: Sendable, Hashable {
        /// Goes on as if nobody had been asked.
        case `continue`
        /// Ends the run.
        case abort(message: String)
        /// Passes the step over.
        case skip
        /// Goes on with a step or end that the hook lists.
        case goto(String)
        /// Keeps the step from another attempt.
        case veto
    }

    /// What becomes of the run.
    public var decision: Decision
    /// Variables to set, by path such as `vars.tenant`; only those declared under `writes` are accepted.
    public var assignments: [String: JSONValue]
    /// Arguments of the step in place of the flow's, at `step.before`.
    public var arguments: [String: JSONValue] = [:]
    /// Header fields for the request, at `step.request`.
    public var headers: [String: String] = [:]
    /// Query parameters for the request, at `step.request`.
    public var query: [String: String] = [:]
    /// The outcome that the answer stands for, at `step.response`.
    public var outcome: String?
    /// Whether the person has been shown the address, at `step.prompt`.
    public var isPresented: Bool?
    /// What to keep beside the session, at `session.store`.
    public var meta: [String: JSONValue] = [:]
    /// Why the hook failed; `nil` when it did not.
    package var failure: String?
    /// What it wrote to standard error, sanitised.
    package var remarks: String?
    /// The status of a server's answer.
    package var status: Int?

    /// An answer that changes nothing, where nothing is given.
    public init(_ decision: Decision = .continue, set assignments: [String: JSONValue] = [:]) {
        self.decision = decision
        self.assignments = assignments
        failure = nil
        remarks = nil
    }

    package static func failed(_ reason: String) -> HookReply {
        var reply = HookReply()
        reply.failure = reason
        return reply
    }
}

extension HookReply: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names what it changes; header fields and values may be credentials.
    public var description: String {
        let word =
            switch decision {
            case .continue: "continue"
            case .abort: "abort"
            case .skip: "skip"
            case .goto(let target): "goto \(target)"
            case .veto: "veto"
            }
        let names =
            [assignments.keys.sorted(), arguments.keys.sorted(), headers.keys.sorted()] + [
                query.keys.sorted(), meta.keys.sorted(),
            ]
        return "‹\(([word] + names.flatMap(\.self)).joined(separator: ", "))›"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
