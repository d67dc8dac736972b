public import FlowLanguage
public import JOSE
public import OAuthProtocol

/// What a hook is told (flow/1 §9, wire contract version 1).
public struct HookCall: Sendable {
    public let hook: String
    public let point: HookPoint
    public let runID: String
    /// Counts the calls of the run from 1: together with `runID` it names this call for good, a repetition has the same.
    public let sequence: Int
    /// Counts the tries of this call from 1.
    public let tries: Int
    public let isDryRun: Bool
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
        public let id: String
        public let kind: StepKind
        public let visit: Int
        public let attempt: Int
        /// `nil` before it has one.
        public let outcome: String?
    }
}

/// What a hook answers.
///
/// Nothing of an answer counts unless all of it does: what the hook's point and its `may` do not allow makes it a
/// failed hook.
public struct HookReply: Sendable, Hashable {
    public enum Decision: Sendable, Hashable {
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
