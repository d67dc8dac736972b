package import YAMLText

/// A port of `calls`: a function of the host program that a flow asks by `call` (flow/1 §6).
package struct PortRow: Sendable {
    package let name: String
    package let arguments: [(name: String, type: FlowType)]
    package let fields: [FieldSpec]
    /// Names of its outcomes; the first is the success.
    package let outcomes: [String]
    /// A program that answers for the port; `nil` leaves it to the host. Literal arguments, names of environment
    /// variables to pass on.
    package let program: (argv: [String], environment: [String])?
    package let simulation: Simulation?
    /// Path of the sub-flow's file; `nil` for that of the program.
    package let file: String?
    /// The folder of that file, seen from the folder of the program: where its program starts.
    package let folder: String
    package let span: SourceSpan
    /// Where its program is named, else its own place.
    package let programSpan: SourceSpan

    /// What a dry run takes as the answer.
    package struct Simulation: Sendable {
        /// The first one when it is left out.
        package let outcome: String?
        package let fields: [String: Value]

        package init(outcome: String?, fields: [String: Value]) {
            self.outcome = outcome
            self.fields = fields
        }
    }

    package init(
        name: String, arguments: [(name: String, type: FlowType)], fields: [FieldSpec], outcomes: [String],
        program: (argv: [String], environment: [String])?, simulation: Simulation?,
        file: String? = nil, folder: String, span: SourceSpan, programSpan: SourceSpan? = nil
    ) {
        self.name = name
        self.arguments = arguments
        self.fields = fields
        self.outcomes = outcomes
        self.program = program
        self.simulation = simulation
        self.file = file
        self.folder = folder
        self.span = span
        self.programSpan = programSpan ?? span
    }
}

/// A flow that was compiled into the program of another, in the place of one of its `subflow` steps (flow/1 §6).
package struct FrameRow: Sendable {
    package struct Input: Sendable {
        package let name: String
        package let slot: Int
        package let code: CodeRange?
        package let standard: Value
        package let constraints: ValueConstraints?
    }

    /// The `subflow` step.
    package let step: Int
    /// Index of the first step of the other flow.
    package let start: Int
    /// Its steps, edges and slots in the tables of the program.
    package let steps: Range<Int>
    package let edges: Range<Int>
    /// Its inputs: what the `subflow` step gives, or the default.
    package let inputs: [Input]
    package let variables: [(slot: Int, initial: Value)]
    /// Milliseconds that the other flow allows itself.
    package let deadline: Int64
    /// Its token sets, which are empty when it starts.
    package let tokenSets: Range<Int>
    /// The other flow's `main` and the set that takes it over.
    package let tokens: (from: Int, into: Int)?
    /// What `provider` means in its expressions: the first of the slots of `ProviderMember`, and the provider.
    package let providers: [(slotBase: Int, provider: Int)]

    package init(
        step: Int, start: Int, steps: Range<Int>, edges: Range<Int>,
        inputs: [Input], variables: [(slot: Int, initial: Value)],
        deadline: Int64, tokenSets: Range<Int>, tokens: (from: Int, into: Int)?,
        providers: [(slotBase: Int, provider: Int)]
    ) {
        self.step = step
        self.start = start
        self.steps = steps
        self.edges = edges
        self.inputs = inputs
        self.variables = variables
        self.deadline = deadline
        self.tokenSets = tokenSets
        self.tokens = tokens
        self.providers = providers
    }
}

/// The end of a flow that runs inside of another: an outcome of the `subflow` step.
package struct FrameEnd: Sendable, Hashable {
    /// Index into `frames`.
    package let frame: Int
    package let outcome: Outcome

    package init(frame: Int, outcome: Outcome) {
        self.frame = frame
        self.outcome = outcome
    }
}
