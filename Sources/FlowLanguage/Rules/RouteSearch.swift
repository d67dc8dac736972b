/// Looks for the line that routes an outcome: the step's before those of the defaults, and among each the exact one
/// before that of the class before `any` (flow/1 §6).
struct RouteSearch: Sendable {
    /// The line that was found.
    struct Found: Sendable {
        let reason: RouteRow.Reason
        /// Whether it is a line of the defaults.
        let isDefault: Bool
        /// Position among the lines of the step, or of the defaults.
        let index: Int
    }

    /// `nil` when no line routes the outcome.
    private(set) var found: Found?
    /// Everything that was looked at, in order; behind the line that was found only those that there are.
    private(set) var looks: [RouteLook] = []

    init(_ outcome: OutcomeSpec, own: [RouteDefinition], defaults: [RouteDefinition]) {
        look(for: outcome, in: own, (.exact, .byClass, .any), isDefault: false)
        // Defaults never route a success.
        if outcome.outcomeClass == .success { return }
        look(for: outcome, in: defaults, (.defaultExact, .defaultClass, .defaultAny), isDefault: true)
    }

    private mutating func look(
        for outcome: OutcomeSpec, in lines: [RouteDefinition],
        _ reasons: (exact: RouteRow.Reason, byClass: RouteRow.Reason, any: RouteRow.Reason), isDefault: Bool
    ) {
        func first(_ selector: OutcomeSelector) -> Int? { lines.firstIndex { $0.selector == selector } }
        let outcomeClass = outcome.outcomeClass
        if let index = first(.outcome(outcome.name)) {
            add(reasons.exact, outcome.name, lines, index, isDefault)
        } else if outcomeClass == .success, let index = first(.success) {
            add(reasons.exact, "next", lines, index, isDefault)
        } else {
            add(reasons.exact, outcome.name, lines, nil, isDefault)
        }
        add(reasons.byClass, "any.\(outcomeClass.rawValue)", lines, first(.byClass(outcomeClass)), isDefault)
        if outcomeClass.isCoveredByAny {
            add(reasons.any, "any", lines, first(.any), isDefault)
        } else if found == nil, let index = first(.any) {
            looks.append(
                RouteLook(
                    reason: reasons.any, selector: "any", span: lines[index].span, verdict: .notCovered))
        }
    }

    private mutating func add(
        _ reason: RouteRow.Reason, _ selector: String, _ lines: [RouteDefinition], _ index: Int?,
        _ isDefault: Bool
    ) {
        let isFirst = found == nil
        guard index != nil || isFirst else { return }
        let verdict: RouteLook.Verdict = index == nil ? .absent : isFirst ? .taken : .notReached
        looks.append(
            RouteLook(
                reason: reason, selector: selector, span: index.map { lines[$0].span }, verdict: verdict))
        if let index, isFirst { found = Found(reason: reason, isDefault: isDefault, index: index) }
    }
}
