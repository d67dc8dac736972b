/// What may be true at one point of a flow, over all paths that lead there.
///
/// For each step the set of outcomes it may have ended with, unrun included; for each token set, variable,
/// transaction and code the set of conditions it may be in. Paths that meet unite their sets, so the analysis ends.
struct FlowState: Equatable {
    /// Bit for each outcome's raw value, and `unrun`.
    var outcomes: [UInt64]
    var tokenSets: [Possible]
    /// By token set, whether it is known whom the tokens speak for, and whether an ID token is among them.
    var subjects: [Possible]
    var idTokens: [Possible]
    var variables: [Possible]
    /// By the step that opened the transaction.
    var transactions: [Possible]
    /// By the step that received the code.
    var codes: [Possible]

    static let unrun: UInt64 = 1 << 63

    struct Possible: OptionSet, Hashable {
        let rawValue: UInt8
        /// Not there at all.
        static let absent = Possible(rawValue: 1)
        /// There and good.
        static let present = Possible(rawValue: 2)
        /// Answered, redeemed: no longer good.
        static let used = Possible(rawValue: 4)
    }

    init(steps: Int, tokenSets: Int, variables: [Possible]) {
        outcomes = Array(repeating: Self.unrun, count: steps)
        self.tokenSets = Array(repeating: .absent, count: tokenSets)
        subjects = self.tokenSets
        idTokens = self.tokenSets
        self.variables = variables
        transactions = Array(repeating: .absent, count: steps)
        codes = Array(repeating: .absent, count: steps)
    }

    static func bit(_ outcome: OutcomeSpec) -> UInt64 { 1 << UInt64(outcome.position) }

    /// Adds the possibilities of another path.
    ///
    /// - Returns: Whether there were new ones.
    mutating func formUnion(_ other: FlowState) -> Bool {
        let before = self
        for index in outcomes.indices { outcomes[index] |= other.outcomes[index] }
        for index in tokenSets.indices {
            tokenSets[index].formUnion(other.tokenSets[index])
            subjects[index].formUnion(other.subjects[index])
            idTokens[index].formUnion(other.idTokens[index])
        }
        for index in variables.indices { variables[index].formUnion(other.variables[index]) }
        for index in transactions.indices { transactions[index].formUnion(other.transactions[index]) }
        for index in codes.indices { codes[index].formUnion(other.codes[index]) }
        return self != before
    }
}
