/// What a flow is about, for `flow show`: what it takes, what it does, how it ends.
public struct FlowSummary: Sendable, Hashable {
    public struct Input: Sendable, Hashable {
        public let name: String
        public let type: FlowType
        /// Whether a run needs a value for it.
        public let isRequired: Bool
        /// The environment variable that the command line may read it from.
        public let environment: String?
    }

    public struct Output: Sendable, Hashable {
        public let name: String
        public let type: FlowType
    }

    public struct Step: Sendable, Hashable {
        public let name: String
        public let kind: StepKind
    }

    public struct End: Sendable, Hashable {
        public let name: String
        /// `success`, `failure` or `cancelled`.
        public let result: String
        /// Process status of the command line.
        public let exit: Int
    }

    public let name: String
    public let summary: String?
    public let inputs: [Input]
    public let outputs: [Output]
    public let steps: [Step]
    public let ends: [End]

    public init(_ program: FlowProgram) {
        name = program.name
        summary = program.summary
        inputs = program.inputs.map { input in
            Input(
                name: input.name, type: input.type,
                isRequired: !input.type.isOptional && input.standard == nil,
                environment: input.environment)
        }
        outputs = program.outputs.map { Output(name: $0.name, type: $0.type) }
        steps = program.steps.map { Step(name: $0.name, kind: $0.kind) }
        ends = program.ends.map { End(name: $0.name, result: $0.result.rawValue, exit: $0.status) }
    }
}

extension EndRow {
    /// The process status: the one of the file, or that of the result (flow/1 §17).
    package var status: Int {
        if let exit { return exit }
        return switch result {
        case .success: 0
        case .failure: 1
        case .cancelled: 130
        }
    }
}
