package import FlowLanguage

/// What a hook or a port needs of its surroundings and does not find there.
package struct MissingPart: Sendable, Hashable {
    package enum Need: Sendable, Hashable {
        /// The environment variable of an `http` hook's key or token.
        case variable(String)
        /// The closure of a `native` hook.
        case closure(String)
        /// A program, and the folder that it starts in, seen from that of the flow.
        case program(String, folder: String)
        /// The closure of a port that has no program.
        case port(String)
    }

    /// Name of the hook; `nil` where a port has the need.
    package let hook: String?
    /// As `hook "audit"`.
    private let owner: String
    package let need: Need
    /// Whether the run cannot do without: it is surely asked for, and its failure ends the run.
    package let endsRun: Bool

    fileprivate init(hook: HookRow, _ need: Need) {
        self.hook = hook.id
        self.need = need
        owner = "hook \"\(hook.id)\""
        endsRun = hook.endsRunOnFailure
    }

    fileprivate init(port: PortRow, _ need: Need, endsRun: Bool) {
        hook = nil
        self.need = need
        owner = "port \"\(port.name)\""
        self.endsRun = endsRun
    }

    /// One sentence for a person.
    package var description: String {
        switch need {
        case .variable(let name): "\(owner) needs the environment variable \(name), which is not set"
        case .closure(let name): "\(owner) needs a closure, and none is registered as \"\(name)\""
        case .program(let name, _):
            name.contains("/")
                ? "\(owner) needs the program \(name), which is not there or cannot be run"
                : "\(owner) needs the program \(name), which PATH does not have"
        case .port: "\(owner) needs a closure, and none is registered for it"
        }
    }
}

extension FlowProgram {
    /// What hooks and ports would miss, in the order of the program, sub-flows included.
    ///
    /// A port is needed by a `call` step whose flow has no way of its own where nobody answers.
    ///
    /// - Parameter has: Whether it is there; an empty variable is as good as none.
    package func missingParts(_ has: (MissingPart.Need) -> Bool) -> [MissingPart] {
        let ofHooks = hooks.flatMap { hook in
            let needs: [MissingPart.Need] =
                switch hook.action {
                case .http: hook.action.variables.map { .variable($0) }
                case .native(let name): [.closure(name)]
                case .exec(let argv, _): argv.prefix(1).map { .program($0, folder: hook.folder) }
                case .set, .assert, .map, .emit: []
                }
            return needs.filter { !has($0) }.map { MissingPart(hook: hook, $0) }
        }
        let ofPorts = ports.indices.compactMap { index -> MissingPart? in
            let port = ports[index]
            let need: MissingPart.Need =
                port.program?.argv.first.map { .program($0, folder: port.folder) } ?? .port(port.name)
            let callers = steps.filter { $0.asks(port: index) }
            guard !callers.isEmpty, !has(need) else { return nil }
            return MissingPart(port: port, need, endsRun: callers.contains { !isPrepared($0) })
        }
        return ofHooks + ofPorts
    }

    /// Whether the flow says where a call leads that nobody has answered.
    private func isPrepared(_ step: StepRow) -> Bool {
        let index = Int(Outcome.portFailed.rawValue)
        guard step.routes.indices.contains(index), step.routes[index] != RouteRow.none else { return false }
        return routes[Int(step.routes[index])].reason == .exact
    }
}

extension StepRow {
    fileprivate func asks(port: Int) -> Bool {
        arguments.contains { argument in
            if case .port(port) = argument.value { true } else { false }
        }
    }
}
