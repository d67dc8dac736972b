/// A flow as a trace shows it: its text, its steps, and which outcomes lead where.
public struct TracedFlow: Sendable, Hashable {
    /// The path as places of steps name it; a sub-flow's steps lie in files of their own.
    public let file: String
    /// The text without line ends; empty where the host did not give it.
    public let lines: [String]
    /// Name of the first step.
    public let start: String
    /// Those of sub-flows included, as `step/inner`.
    public let steps: [Step]
    /// The flow's own, and those that every flow has.
    public let ends: [End]

    package init(file: String, lines: [String], start: String, steps: [Step], ends: [End]) {
        self.file = file
        self.lines = lines
        self.start = start
        self.steps = steps
        self.ends = ends
    }

    /// A step, and where the file has it.
    public struct Step: Sendable, Hashable {
        /// As the file names it; of a sub-flow, behind the name of the step that runs it.
        public let name: String
        /// Such as `exchange`.
        public let kind: String
        /// Lines of its entry in the file, from 1; of a step of a sub-flow in that file.
        public let firstLine: Int
        /// Of its entry, this line included.
        public let lastLine: Int
        /// One for each outcome that leads somewhere.
        public let routes: [Route]

        package init(name: String, kind: String, firstLine: Int, lastLine: Int, routes: [Route]) {
            self.name = name
            self.kind = kind
            self.firstLine = firstLine
            self.lastLine = lastLine
            self.routes = routes
        }
    }

    /// An outcome of a step and where it may lead.
    public struct Route: Sendable, Hashable {
        /// Name of the outcome.
        public let outcome: String
        /// Such as `success`, `grant` or `security`.
        public let outcomeClass: String
        /// Names of steps and ends, in the order in which their conditions are tried.
        public let targets: [String]

        package init(outcome: String, outcomeClass: String, targets: [String]) {
            self.outcome = outcome
            self.outcomeClass = outcomeClass
            self.targets = targets
        }
    }

    /// An end of the flow.
    public struct End: Sendable, Hashable {
        /// As the file names it.
        public let name: String
        /// `success`, `failure`, `cancelled`.
        public let result: String

        package init(name: String, result: String) {
            self.name = name
            self.result = result
        }
    }
}

/// A token in the form of a JWT, decoded and without its signature (RFC 7519).
public struct TracedToken: Sendable, Hashable {
    /// Its wire name, such as `id_token`.
    public let kind: String
    /// Members of the JOSE header (RFC 7515 §4).
    public let header: [TracedParameter]
    /// What is known to say nothing about a person is shown, everything else masked.
    public let claims: [TracedParameter]

    package init(kind: String, header: [TracedParameter], claims: [TracedParameter]) {
        self.kind = kind
        self.header = header
        self.claims = claims
    }
}
