package import YAMLText

/// One entry of a flow's `tests:` (flow/1 §14): a dry run with assumptions and what is expected of it.
package struct EmbeddedTest: Sendable {
    package let name: String
    package let assumptions: [Assumption]
    package let inputs: [(name: String, value: Value)]
    /// Paths of values that steps are made to leave behind, such as `restore.refreshed_at`, with what is written there.
    package let given: [(path: String, value: Value)]
    package let provider: String?
    package let providerSpan: SourceSpan?
    package let end: String?
    package let path: [String]?
    package let visits: [(step: String, count: Int)]
    package let never: [String]
    package let outputs: [(name: String, value: Value)]
    /// Assertions on requests, such as `authorize.query.code_challenge_method` with `S256` or `present`.
    package let requests: [(path: String, expected: String)]
    package let span: SourceSpan

    package init(
        name: String, assumptions: [Assumption], inputs: [(name: String, value: Value)],
        given: [(path: String, value: Value)], provider: String?,
        providerSpan: SourceSpan?, end: String?, path: [String]?, visits: [(step: String, count: Int)],
        never: [String],
        outputs: [(name: String, value: Value)], requests: [(path: String, expected: String)],
        span: SourceSpan
    ) {
        self.name = name
        self.assumptions = assumptions
        self.inputs = inputs
        self.given = given
        self.provider = provider
        self.providerSpan = providerSpan
        self.end = end
        self.path = path
        self.visits = visits
        self.never = never
        self.outputs = outputs
        self.requests = requests
        self.span = span
    }
}

/// What a dry run takes for granted about one step: `userinfo@1=unauthorized`, `exchange=400:invalid_grant`.
package struct Assumption: Sendable, Hashable {
    package enum Answer: Sendable, Hashable {
        case outcome(String)
        /// An HTTP status, with the OAuth error its body names; goes through the descriptor's reading.
        case status(Int, error: String?)
    }

    package let step: String
    /// The entry it applies to, from 1; `nil` for every one.
    package let visit: Int?
    package let answer: Answer

    package init(step: String, visit: Int?, answer: Answer) {
        self.step = step
        self.visit = visit
        self.answer = answer
    }

    /// Whether it is `network=down`: no request of any step is answered (flow/1 §11).
    ///
    /// A step that is called `network` takes the name for itself; the caller looks for it.
    package var isNetworkDown: Bool { step == "network" && visit == nil && answer == .outcome("down") }

    /// Parses `STEP[@VISIT]=OUTCOME` or `STEP[@VISIT]=STATUS[:ERROR]`; `nil` when the text is neither.
    package init?(_ text: String) {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        let target = text[..<equals].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let answer = text[text.index(after: equals)...]
        guard let step = target.first, !step.isEmpty, !answer.isEmpty else { return nil }
        self.step = String(step)
        if target.count == 2 {
            guard let visit = Int(target[1]), visit > 0 else { return nil }
            self.visit = visit
        } else {
            self.visit = nil
        }
        let parts = answer.split(separator: ":", maxSplits: 1)
        if let status = Int(parts[0]) {
            guard (200...599).contains(status) else { return nil }
            self.answer = .status(status, error: parts.count == 2 ? String(parts[1]) : nil)
        } else {
            self.answer = .outcome(String(answer))
        }
    }
}
