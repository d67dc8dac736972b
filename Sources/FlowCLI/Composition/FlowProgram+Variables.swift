internal import FlowLanguage

extension FlowProgram {
    /// Variables of the environment that secret inputs are read from, but for those that a hook or a port is to have.
    var secretVariables: Set<String> {
        Set(inputs.filter(\.type.holdsSecret).compactMap(\.environment))
            .subtracting(hooks.flatMap(\.action.variables))
            .subtracting(ports.compactMap(\.program).flatMap(\.environment))
    }
}

extension HookRow.Action {
    /// Variables that the action reads or passes on.
    fileprivate var variables: [String] {
        switch self {
        case .exec(_, let environment): environment
        case .http(let endpoint): [endpoint.keyVariable] + [endpoint.tokenVariable].compactMap(\.self)
        case .set, .assert, .map, .emit, .native: []
        }
    }
}
