public import FlowLanguage
internal import YAMLText

/// A question of a flow to its host program (flow/1 §6, `call`).
public struct PortCall: Sendable {
    /// As the flow declares it under `calls`.
    public let port: String
    /// Names the run for good: a run that goes on in another process has the same.
    public let runID: String
    /// The name that the flow gives itself.
    public let flow: String
    /// Name of the step that asks.
    public let step: String
    /// By name; what the port declares and the flow leaves out is absent. A token set is a map of its members.
    public let arguments: [String: Value]

    package let row: PortRow
    /// Folder of the flow file, where relative programs start.
    package let directory: String
    /// Milliseconds.
    package let timeout: Int64
}

extension PortCall {
    /// One that no run makes, to call a closure with in a program's own tests.
    ///
    /// Nobody holds it, nor the reply, against what a flow declares under `calls`: the tests in the flow's file do that
    /// (`flowrun test`).
    ///
    /// - Parameter arguments: By name, as the flow's step gives them.
    public init(_ port: String, arguments: [String: Value] = [:], step: String = "test") {
        self.init(
            port: port, runID: "test", flow: "test", step: step, arguments: arguments,
            row: PortRow(
                name: port, arguments: [], fields: [], outcomes: [], program: nil, simulation: nil,
                folder: "", span: SourceSpan(at: .start)),
            directory: ".", timeout: 30_000)
    }
}

/// The host's answer: one of the port's outcomes, with the fields that the port declares.
public struct PortReply: Sendable {
    /// `nil` for the port's first outcome, the success.
    public var outcome: String?
    /// By name: those that the port declares under `out`, each of its type; optional ones may be left out.
    public var fields: [String: Value]
    /// Why there is no answer; `nil` when there is one.
    package var failure: String?

    /// Anything that the port does not declare makes the outcome `port_failed`.
    public init(_ outcome: String? = nil, fields: [String: Value] = [:]) {
        self.outcome = outcome
        self.fields = fields
        failure = nil
    }

    package static func failed(_ reason: String) -> PortReply {
        var reply = PortReply()
        reply.failure = reason
        return reply
    }
}

/// The closures that an embedding program offers to flows as ports, by name.
///
/// A value, as `HookRegistry` is. A port with a program of its own asks that instead.
public struct PortRegistry: Sendable {
    /// What it throws is the outcome `port_failed`; what takes longer than its step has time is cancelled and not
    /// waited for.
    public typealias Closure = @Sendable (PortCall) async throws -> PortReply

    private var closures: [String: Closure] = [:]

    /// Answers nothing.
    public init() {}

    /// Answers `port` by `closure`.
    public mutating func register(_ port: String, _ closure: @escaping Closure) {
        closures[port] = closure
    }

    package func closure(named name: String) -> Closure? { closures[name] }
}
