package import FlowLanguage

/// What a hook needs of its surroundings and does not find there.
package struct MissingPart: Sendable, Hashable {
    package enum Need: Sendable, Hashable {
        /// The environment variable of an `http` hook's key or token.
        case variable(String)
        /// The closure of a `native` hook.
        case closure(String)
    }

    /// Name of the hook.
    package let hook: String
    package let need: Need
    /// Whether the run cannot do without: the hook is always asked, and its failure ends the run.
    package let endsRun: Bool

    /// One sentence for a person.
    package var description: String {
        switch need {
        case .variable(let name):
            "hook \"\(hook)\" needs the environment variable \(name), which is not set"
        case .closure(let name): "hook \"\(hook)\" needs a closure, and none is registered as \"\(name)\""
        }
    }
}

extension FlowProgram {
    /// What hooks would miss, in the order of the program, sub-flows included.
    ///
    /// - Parameter has: Whether it is there; an empty variable is as good as none.
    package func missingParts(_ has: (MissingPart.Need) -> Bool) -> [MissingPart] {
        hooks.flatMap { hook in
            let needs: [MissingPart.Need] =
                switch hook.action {
                case .http: hook.action.variables.map { .variable($0) }
                case .native(let name): [.closure(name)]
                case .set, .assert, .map, .emit, .exec: []
                }
            let endsRun = hook.onFailure == .abort && hook.condition == nil
            return needs.filter { !has($0) }.map {
                MissingPart(hook: hook.id, need: $0, endsRun: endsRun)
            }
        }
    }
}
