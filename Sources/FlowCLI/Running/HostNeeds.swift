internal import FlowLanguage

/// What a flow asks its host program for, and the command line has not got: closures and events of a program that
/// embeds the engine.
struct HostNeeds {
    /// As `port account.find`, each once.
    let parts: [String]

    init(_ program: FlowProgram, includesHooks: Bool) {
        var parts = program.ports.filter { $0.program == nil }.map { "port \($0.name)" }
        if includesHooks {
            parts += program.hooks.compactMap { hook in
                if case .native = hook.action { "hook \(hook.id)" } else { nil }
            }
        }
        parts += program.steps.compactMap { step in
            step.kind == .wait && step.arguments.contains { $0.name == "event" }
                ? "the event of step \(step.name)" : nil
        }
        self.parts = parts.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// What a person is told before anything begins; `nil` where nothing is missing.
    var warning: String? {
        if parts.isEmpty { return nil }
        return
            "only a program that embeds the engine brings \(parts.joined(separator: ", ")): what needs it fails here"
    }
}
