internal import OAuthProtocol
internal import YAMLText

/// Hooks (flow/1 §9).
extension FlowReader {
    static let hookKeys = [
        "id", "at", "steps", "kinds", "outcomes", "if", "set", "assert", "map", "emit", "exec", "http",
        "native", "reads", "grants", "writes", "may", "timeout", "on_failure", "retry", "simulate", "note",
    ]
    private static let inlineHookKeys = hookKeys.filter { $0 != "at" && $0 != "steps" && $0 != "kinds" }
    static let actionKeys = ["set", "assert", "map", "emit", "exec", "http", "native"]

    /// - Parameters:
    ///   - owner: The step whose list holds the hook; `nil` for the flow's list.
    ///   - point: Where hooks of that list fire; `nil` when the hook says so itself.
    mutating func hook(_ node: YAMLNode, owner: String?, point: HookPoint?) -> HookDefinition? {
        if owner == nil, node.scalar != nil {
            var hook = HookDefinition(span: node.span)
            hook.reference = located(node, "the name of an imported hook")
            return hook.reference == nil ? nil : hook
        }
        let keys = owner == nil ? Self.hookKeys : Self.inlineHookKeys
        guard
            let fields = MappingReader(
                node, "hook", keys: keys, file: file, unknownKey: "FL070", &findings.diagnostics)
        else { return nil }
        var hook = HookDefinition(span: node.span)
        hook.owner = owner
        hook.id = located(fields["id"], "id")
        checkHookID(hook.id)
        hook.point = point ?? self.point(of: fields)
        hook.steps = names("steps", of: fields)
        hook.kinds = kinds(of: fields)
        hook.outcomes = selectors("outcomes", of: fields)
        hook.condition = fields["if"]
        hook.action = action(of: fields)
        hook.programSpan = Self.programSpan(of: fields)
        hook.reads = fields.sequence("reads", &findings.diagnostics) ?? []
        hook.grants = fields.sequence("grants", &findings.diagnostics) ?? []
        hook.writes = fields.sequence("writes", &findings.diagnostics) ?? []
        powers(of: fields, &hook)
        hook.timeout = fields.timeLimit("timeout", &findings.diagnostics)
        hook.onFailure = failurePolicy(of: fields)
        hook.attempts = attempts(of: fields)
        simulation(of: fields, &hook)
        return hook
    }

    private mutating func checkHookID(_ id: Located<String>?) {
        guard let id, !FlowName.isID(id.value, also: FlowName.hyphen) else { return }
        let message = "malformed hook id \"\(id.value)\": a letter a-z, then up to 62 of a-z, 0-9, _ and -"
        findings.report("FL014", at: id.span, message)
    }

    private mutating func point(of fields: MappingReader) -> HookPoint? {
        fields.require("at", diagnostics: &findings.diagnostics)
        guard let name = located(fields["at"], "at") else { return nil }
        if let point = HookPoint(rawValue: name.value) { return point }
        let points = HookPoint.allCases.map(\.rawValue)
        let known = didYouMean(name.value, among: points).or("; points: \(points.joined(separator: ", "))")
        findings.report(
            "FL071", at: name.span, "unknown hook point \"\(name.value)\"\(known)", fix: known.fix)
        return nil
    }

    private mutating func kinds(of fields: MappingReader) -> [Located<StepKind>]? {
        names("kinds", of: fields)?.compactMap { name in
            if let kind = StepKind(rawValue: name.value) { return Located(kind, at: name.span) }
            let suggestion = didYouMean(name.value, among: StepKind.allCases.map(\.rawValue))
            findings.report(
                "FL074", at: name.span, "hook names unknown step kind \"\(name.value)\"\(suggestion)",
                fix: suggestion.fix)
            return nil
        }
    }

    private mutating func action(of fields: MappingReader) -> HookDefinition.Action? {
        let actions = Self.actionKeys.filter { fields.has($0) }
        guard let action = actions.first, actions.count == 1 else {
            let found = actions.isEmpty ? "none" : actions.joined(separator: ", ")
            let message =
                "a hook has exactly one action of set, assert, map, emit, exec, http, native; this one has \(found)"
            findings.report("FL073", at: fields.entry(actions.last ?? "id")?.keySpan ?? fields.span, message)
            return nil
        }
        switch action {
        case "set": return .set(saves("set", of: fields))
        case "assert": return .assert(fields["assert"].map { assertions($0, of: "hook") } ?? [])
        case "map": return .map(entries(fields, "map", of: "hook").map(NamedNode.init))
        case "emit": return emit(of: fields)
        case "exec": return exec(of: fields)
        case "http": return http(of: fields)
        default: return native(of: fields)
        }
    }

    private mutating func emit(of hook: MappingReader) -> HookDefinition.Action? {
        let keys = ["event", "data"]
        guard let fields = hook.mapping("emit", keys: keys, &findings.diagnostics) else { return nil }
        fields.require("event", diagnostics: &findings.diagnostics)
        guard let event = literal("event", of: fields) else { return nil }
        return .emit(event: event, data: entries(fields, "data", of: "emit").map(NamedNode.init))
    }

    private mutating func exec(of hook: MappingReader) -> HookDefinition.Action? {
        program(of: hook).map { .exec(argv: $0.argv, environment: $0.environment) }
    }

    /// Where the program under `exec` is named.
    static func programSpan(of owner: MappingReader) -> SourceSpan? {
        owner["exec"]?["argv"]?.sequence?.first?.span
    }

    /// The program under `exec`, of a hook or of a port.
    mutating func program(of owner: MappingReader) -> (argv: [String], environment: [String])? {
        let keys = ["argv", "stdin", "env"]
        let fields = owner.mapping(
            "exec", keys: keys, elsewhere: { OtherNames.program.hint($0, among: keys) },
            &findings.diagnostics)
        guard let fields else { return nil }
        fields.require("argv", diagnostics: &findings.diagnostics)
        _ = fields.word("stdin", of: ["json"], &findings.diagnostics)
        let environment = names("env", of: fields) ?? []
        for variable in environment {
            guard let problem = Self.problem(ofVariable: variable.value) else { continue }
            findings.report("FL081", at: variable.span, "\"\(variable.value)\" \(problem)")
        }
        guard let arguments = names("argv", of: fields) else { return nil }
        guard !arguments.isEmpty else {
            findings.report("FL011", at: fields.span, "argv needs the path of a program")
            return nil
        }
        for argument in arguments where argument.value.contains("${") {
            let message = "exec argv is literal; values reach the process as JSON on standard input"
            findings.report("FL077", at: argument.span, message)
        }
        return (arguments.map(\.value), environment.map(\.value))
    }

    /// Why a variable of the environment is not passed on to a program; `nil` when it may be.
    private static func problem(ofVariable name: String) -> String? {
        if !SecretSource.isVariableName(name) { return "is no name of an environment variable" }
        if ["LD_", "DYLD_"].contains(where: name.hasPrefix) { return "says which code a program loads" }
        return name.hasPrefix("FLOWRUN_") ? "is meant for flowrun alone" : nil
    }

    private mutating func native(of hook: MappingReader) -> HookDefinition.Action? {
        guard let fields = hook.mapping("native", keys: ["name"], &findings.diagnostics) else { return nil }
        fields.require("name", diagnostics: &findings.diagnostics)
        return fields.string("name", &findings.diagnostics).map { .native(name: $0) }
    }

    /// FL082: a call that its receiver can tell from one of anybody else.
    private mutating func http(of hook: MappingReader) -> HookDefinition.Action? {
        let keys = ["url", "auth", "headers"]
        guard let fields = hook.mapping("http", keys: keys, &findings.diagnostics) else { return nil }
        fields.require("url", diagnostics: &findings.diagnostics)
        guard let url = located(fields["url"], "url") else { return nil }
        if url.value.contains("${") {
            findings.report(
                "FL082", at: url.span, "the URL of a hook is literal; values reach it in the body")
        } else if let problem = EndpointURL.check(url.value, allowLoopbackHTTP: true) {
            findings.report("FL082", at: url.span, "the URL of a hook \(problem.rawValue)")
        }
        let auth = fields.mapping("auth", keys: ["hmac_sha256", "bearer"], &findings.diagnostics)
        let variable = auth.flatMap { variableName("hmac_sha256", of: $0) }
        if auth?.has("hmac_sha256") != true {
            findings.report(
                "FL082", at: fields.span, "the call is not signed",
                hint: "auth: { hmac_sha256: VARIABLE } names the environment variable with the key")
        }
        let headers = fields.names("headers", &findings.diagnostics).compactMap { entry in
            located(entry.value, entry.key).map { (entry.key, $0.value) }
        }
        return .http(
            HookEndpoint(
                url: url.value, headers: Dictionary(headers) { first, _ in first },
                keyVariable: variable ?? "", tokenVariable: auth.flatMap { variableName("bearer", of: $0) }))
    }

    private mutating func failurePolicy(of fields: MappingReader) -> HookDefinition.FailurePolicy? {
        guard let node = fields["on_failure"] else { return nil }
        if node.mapping != nil {
            let detour = fields.mapping("on_failure", keys: ["goto"], &findings.diagnostics)
            return located(detour?["goto"], "goto").map { .goto($0) }
        }
        return switch fields.word("on_failure", of: ["abort", "continue"], &findings.diagnostics) {
        case "abort": .abort
        case "continue": .continue
        default: nil
        }
    }

    /// `may: [set, skip, { goto: [step, end] }]`
    private mutating func powers(of fields: MappingReader, _ hook: inout HookDefinition) {
        guard let nodes = fields.sequence("may", &findings.diagnostics) else { return }
        hook.powers = []
        for node in nodes {
            if node.mapping != nil {
                targets(node, &hook)
            } else if let name = located(node, "may") {
                guard name.value != "goto" else {
                    findings.report(
                        "FL016", at: name.span, "goto needs the steps and ends it may lead to",
                        hint: "write { goto: [step] }")
                    continue
                }
                guard let power = HookPower(rawValue: name.value) else {
                    let words = HookPower.allCases.map(\.rawValue)
                    let known = didYouMean(name.value, among: words)
                        .or("; words: \(words.joined(separator: ", "))")
                    findings.report(
                        "FL016", at: name.span, "a hook may not \"\(name.value)\"\(known)", fix: known.fix)
                    continue
                }
                hook.powers?.append(Located(power, at: name.span))
            }
        }
    }

    private mutating func targets(_ node: YAMLNode, _ hook: inout HookDefinition) {
        guard
            let fields = MappingReader(
                node, "may", keys: ["goto"], file: file, unknownKey: "FL070", &findings.diagnostics)
        else { return }
        fields.require("goto", diagnostics: &findings.diagnostics)
        hook.targets += names("goto", of: fields) ?? []
        hook.powers?.append(Located(.goto, at: node.span))
    }

    /// A failed call is made again at once: there is no wait that a run would have to keep.
    private mutating func attempts(of fields: MappingReader) -> Int {
        guard let retry = fields.mapping("retry", keys: ["attempts"], &findings.diagnostics) else { return 1 }
        retry.require("attempts", diagnostics: &findings.diagnostics)
        return retry.int("attempts", in: 1...5, &findings.diagnostics) ?? 1
    }

    /// Members of a simulated answer that are written as they are.
    private static let simulatedMembers = ["args", "headers", "query", "outcome", "presented", "meta"]

    private mutating func simulation(of fields: MappingReader, _ hook: inout HookDefinition) {
        let keys = ["decision", "to", "message", "set"] + Self.simulatedMembers
        guard let simulate = fields.mapping("simulate", keys: keys, &findings.diagnostics) else { return }
        var simulation = HookDefinition.SimulationDefinition(span: simulate.span)
        simulation.saves = saves("set", of: simulate)
        if simulate.word("decision", of: HookDecisionWord.all, &findings.diagnostics) != nil {
            simulation.decision = located(simulate["decision"], "decision")
        }
        simulation.to = located(simulate["to"], "to")
        simulation.message = literal("message", of: simulate)
        simulation.members = Self.simulatedMembers.compactMap { name in
            simulate.entry(name).map(NamedNode.init)
        }
        hook.simulation = simulation
    }
}

/// The words of `decision` in an answer.
package enum HookDecisionWord {
    package static let all = ["continue", "abort", "skip", "goto", "veto"]
}
