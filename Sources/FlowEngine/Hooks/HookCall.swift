public import FlowLanguage
public import JOSE
public import OAuthProtocol

/// What a hook is told (flow/1 §9, wire contract version 1).
public struct HookCall: Sendable {
    public let hook: String
    public let point: HookPoint
    public let runID: String
    public let isDryRun: Bool
    public let flow: String
    public let step: String?
    public let outcome: String?
    /// The values that the hook declared under `reads`, by path.
    public let values: [String: JSONValue]
    /// The secrets that the hook was granted, by path, in clear.
    public let secrets: [String: Secret]

    package let action: HookRow.Action
    /// Folder of the flow file, where relative programs start.
    package let directory: String
    /// Milliseconds.
    package let timeout: Int64
}

/// What a hook answers.
public struct HookReply: Sendable {
    public enum Decision: Sendable, Hashable {
        case `continue`
        case abort(message: String)
    }

    public var decision: Decision
    /// Variables to set, by path such as `vars.tenant`; only those declared under `writes` are accepted.
    public var assignments: [String: JSONValue]
    /// Why the hook failed; `nil` when it did not.
    package var failure: String?
    /// What it wrote to standard error, sanitised.
    package var remarks: String?

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
