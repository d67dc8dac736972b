internal import YAMLText

/// Names that must have been declared, and declarations that must be complete.
enum NameRules {
    static func check(_ graph: FlowGraph, _ findings: inout Findings) {
        for node in graph.nodes {
            checkProvider(node.step, graph.flow, &findings)
            if let spec = node.spec { checkArguments(node.step, spec, &findings) }
            checkSaves(node.step.saves, graph.flow, &findings)
            for edge in node.step.routes.flatMap(\.edges) { checkSaves(edge.saves, graph.flow, &findings) }
        }
        for edge in graph.flow.defaults.routes.flatMap(\.edges) {
            checkSaves(edge.saves, graph.flow, &findings)
        }
        for end in graph.flow.ends { checkOutputs(end, graph.flow, &findings) }
    }

    /// FL017
    private static func checkProvider(
        _ step: StepDefinition, _ flow: FlowDefinition, _ findings: inout Findings
    ) {
        let aliases = flow.providers.map(\.alias)
        guard let alias = step.provider else {
            guard !aliases.contains("main"), !step.isWithoutProvider(flow) else { return }
            let known = aliases.joined(separator: ", ")
            findings.report(
                "FL017", at: step.span,
                "step \"\(step.name)\" says no provider, and none is called \"main\" (providers: \(known))")
            return
        }
        guard !aliases.contains(alias.value) else { return }
        let known = nearestOrAll(alias.value, among: aliases, "providers", isOwn: true)
        findings.report(
            "FL017", at: alias.span,
            "step \"\(step.name)\": provider \"\(alias.value)\" is not declared under providers\(known)",
            fix: known.fix)
    }

    /// FL016, FL058
    private static func checkArguments(_ step: StepDefinition, _ spec: KindSpec, _ findings: inout Findings) {
        let names = spec.arguments.map(\.name)
        for argument in step.arguments where !names.contains(argument.name) {
            if let reason = weakening[argument.name] {
                findings.report(
                    "FL068", at: argument.nameSpan, "\"\(argument.name)\" is not a flow's to say: \(reason)")
                continue
            }
            let subject = "with of \(spec.kind.rawValue) step \"\(step.name)\""
            let known = nearestOrAll(argument.name, among: names, "arguments")
            findings.report(
                "FL016", at: argument.nameSpan, "unknown key \"\(argument.name)\" in \(subject)\(known)",
                hint: known.fix == nil ? cure(ofArgument: argument.name, among: names) : nil, fix: known.fix)
        }
        if spec.kind == .wait { checkWait(step, &findings) }
        if let timeout = step.timeout, timeless.contains(spec.kind) {
            findings.report(
                "FL016", at: timeout.span,
                "a \(spec.kind.rawValue) step has no attempt that \"timeout\" could bound",
                hint: spec.kind == .subflow ? "\"deadline\" bounds the whole step" : nil)
        }
        if spec.kind == .http {
            checkHeaders(step, &findings)
            checkBody(step, &findings)
        }
        if spec.kind == .tokenExchange { checkSubject(step, &findings) }
        guard spec.kind == .authorize, let extra = step.arguments.first(where: { $0.name == "extra" }) else {
            return
        }
        for entry in extra.node.mapping?.entries ?? [] where ownedParameters.contains(entry.key) {
            findings.report("FL058", at: entry.keySpan, "\"\(entry.key)\" is set by the engine itself")
        }
    }

    /// The arguments that unknown ones are taken for: what is misspelt is not missing too.
    static func argumentsMeant(in step: StepDefinition, _ spec: KindSpec) -> [String] {
        let names = spec.arguments.map(\.name)
        return step.arguments.filter { !names.contains($0.name) }.map { argument in
            SpellingSuggestion.nearest(to: argument.name, in: names)
                ?? OtherNames.argument.ours(argument.name)
        }
    }

    /// Where it is written instead.
    private static func cure(ofArgument name: String, among names: [String]) -> String? {
        if name.hasPrefix("vars.") { return "what a variable gets stands under save" }
        if let ours = OtherNames.argument.hint(name, among: names) { return ours }
        return FlowReader.stepKeys.contains(name) ? "it is a key of the step, and stands beside with" : nil
    }

    /// FL016: one body at most, and none where it would become part of the URL, which more people see.
    private static func checkBody(_ step: StepDefinition, _ findings: inout Findings) {
        let bodies = step.arguments.filter { $0.name == "json" || $0.name == "form" }
        guard let body = bodies.first else { return }
        if bodies.count > 1 {
            findings.report(
                "FL016", at: bodies[1].nameSpan, "step \"\(step.name)\" has a body already: json or form")
        }
        let method = step.arguments.first { $0.name == "method" }?.node.scalar?.text ?? "GET"
        guard ["GET", "HEAD"].contains(method) else { return }
        findings.report(
            "FL016", at: body.nameSpan, "\(method) has no body (RFC 9110 §9.3.1)",
            hint: "say the method: POST, PUT, PATCH or DELETE; or write query instead of \(body.name)")
    }

    /// FL016: the token that is exchanged is one of a set, or one that the step is given.
    private static func checkSubject(_ step: StepDefinition, _ findings: inout Findings) {
        func argument(_ name: String) -> NamedNode? { step.arguments.first { $0.name == name } }
        guard argument("subject_token") != nil else {
            if let type = argument("subject_token_type") {
                findings.report(
                    "FL016", at: type.nameSpan, "the type is that of subject_token, which is not there",
                    hint: "the token of a set has its own: say which with subject")
            }
            return
        }
        for other in ["use", "subject"].compactMap(argument) {
            findings.report(
                "FL016", at: other.nameSpan,
                "step \"\(step.name)\" exchanges subject_token; \(other.name) would name another token")
        }
    }

    /// FL016, FL058
    private static func checkHeaders(_ step: StepDefinition, _ findings: inout Findings) {
        guard let headers = step.arguments.first(where: { $0.name == "headers" })?.node.mapping else {
            return
        }
        HeaderFieldRule.check(headers.entries) { findings.report($0, at: $1, $2) }
        for entry in headers.entries where entry.key.lowercased() == "authorization" {
            findings.report(
                "FL058", at: entry.keySpan, "\"\(entry.key)\" is set by the engine itself; say auth")
        }
    }

    /// What they do takes no time, or has its own bounds.
    private static let timeless: Set<StepKind> = [.choose, .set, .subflow]

    /// FL016: a wait is for one thing, and only one for an event has no end of its own.
    private static func checkWait(_ step: StepDefinition, _ findings: inout Findings) {
        let given = step.arguments.filter { ["for", "until", "event"].contains($0.name) }
        if let timeout = step.timeout, given.count == 1, given[0].name != "event" {
            findings.report(
                "FL016", at: timeout.span, "\"timeout\" bounds a wait for an event, not one for a time",
                hint: "\"deadline\" ends a wait before its time")
        }
        guard given.count != 1 else { return }
        findings.report(
            "FL016", at: given.count > 1 ? given[1].nameSpan : step.span,
            "wait step \"\(step.name)\" takes one of for, until and event")
    }

    /// Words by which protection would be switched off, and what always holds instead.
    private static let weakening: [String: String] = {
        let code = "it is always the code flow with PKCE S256, state and, for OpenID Connect, a nonce"
        let signature =
            "the descriptor and the provider's metadata name the algorithms, and none or HS* are never among them"
        return [
            "response_type": code, "response_types": code, "pkce": code, "state": code, "nonce": code,
            "code_challenge_method": code, "alg": signature, "algs": signature, "algorithm": signature,
            "algorithms": signature, "insecure": "TLS is always verified",
            "verify": "answers are always checked",
        ]
    }()

    /// What the transaction owns (flow/1 §6).
    private static let ownedParameters: Set<String> = [
        "state", "nonce", "code_challenge", "code_challenge_method", "redirect_uri", "client_id",
        "response_type",
        "request", "request_uri",
    ]

    /// FL043
    private static func checkSaves(
        _ saves: [SaveDefinition], _ flow: FlowDefinition, _ findings: inout Findings
    ) {
        for save in saves { checkTarget(save.target, "save", "FL043", flow, &findings) }
    }

    /// Reports a target that is no declared variable.
    static func checkTarget(
        _ target: Located<String>, _ subject: String, _ code: String, _ flow: FlowDefinition,
        _ findings: inout Findings
    ) {
        let variables = flow.variables.map { "vars.\($0.name)" }
        guard !variables.contains(target.value) else { return }
        let kind = target.value.hasPrefix("vars.") ? "undeclared variable" : "what is no variable,"
        let written = kind.hasPrefix("undeclared") ? target.value : "vars.\(target.value)"
        let suggestion =
            variables.contains(written) ? Suggestion(written) : didYouMean(written, among: variables)
        findings.report(
            code, at: target.span, "\(subject) writes \(kind) \"\(target.value)\"\(suggestion)",
            fix: suggestion.fix)
    }

    /// FL044, FL045
    private static func checkOutputs(_ end: EndDefinition, _ flow: FlowDefinition, _ findings: inout Findings)
    {
        let names = flow.outputs.map(\.name)
        for output in end.outputs where !names.contains(output.name) {
            let suggestion = didYouMean(output.name, among: names, isOwn: true)
            let message = "end \"\(end.name)\" sets undeclared output \"\(output.name)\"\(suggestion)"
            findings.report("FL044", at: output.nameSpan, message, fix: suggestion.fix)
        }
        guard end.result == .success else { return }
        for output in flow.outputs {
            guard let type = output.type, !type.isOptional else { continue }
            guard !end.outputs.contains(where: { $0.name == output.name }) else { continue }
            let message = "end \"\(end.name)\" does not set output \"\(output.name)\" (\(type))"
            findings.report("FL045", at: end.span, message)
        }
    }
}
