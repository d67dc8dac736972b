/// What a flow is about, for `flow show`: what it takes, what it does, how it ends.
package struct FlowSummary: Sendable, Hashable {
    package struct Input: Sendable, Hashable {
        package let name: String
        package let type: FlowType
        /// Whether a run needs a value for it.
        package let isRequired: Bool
        /// The environment variable that the command line may read it from.
        package let environment: String?
    }

    package struct Output: Sendable, Hashable {
        package let name: String
        package let type: FlowType
    }

    package struct Step: Sendable, Hashable {
        package let name: String
        package let kind: StepKind
    }

    package struct End: Sendable, Hashable {
        package let name: String
        /// `success`, `failure` or `cancelled`.
        package let result: String
        /// Process status of the command line.
        package let exit: Int
    }

    package let name: String
    package let summary: String?
    package let inputs: [Input]
    package let outputs: [Output]
    package let steps: [Step]
    package let ends: [End]

    package init(_ program: FlowProgram) {
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
