/// A flow as a trace shows it: its text, its steps, and which outcomes lead where.
public struct TracedFlow: Sendable, Hashable {
    /// The path as places of steps name it; a sub-flow's steps lie in files of their own.
    public let file: String
    /// The text without line ends; empty where the host did not give it.
    public let lines: [String]
    /// Name of the first step.
    public let start: String
    public let steps: [Step]
    public let ends: [End]

    package init(file: String, lines: [String], start: String, steps: [Step], ends: [End]) {
        self.file = file
        self.lines = lines
        self.start = start
        self.steps = steps
        self.ends = ends
    }

    public struct Step: Sendable, Hashable {
        public let name: String
        public let kind: String
        /// Lines of its entry in the file, from 1; of a step of a sub-flow in that file.
        public let firstLine: Int
        public let lastLine: Int
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
        public let outcome: String
        public let outcomeClass: String
        /// Names of steps and ends, in the order in which their conditions are tried.
        public let targets: [String]

        package init(outcome: String, outcomeClass: String, targets: [String]) {
            self.outcome = outcome
            self.outcomeClass = outcomeClass
            self.targets = targets
        }
    }

    public struct End: Sendable, Hashable {
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
    public let header: [TracedParameter]
    /// What is known to say nothing about a person is shown, everything else masked.
    public let claims: [TracedParameter]

    package init(kind: String, header: [TracedParameter], claims: [TracedParameter]) {
        self.kind = kind
        self.header = header
        self.claims = claims
    }
}
