internal import OAuthProtocol
internal import YAMLText

/// FL090: endpoints that a step cannot do without, and places that its expressions name.
enum CapabilityRules {
    static func check(
        _ step: StepRow, _ program: FlowProgram, _ facts: BindFacts, _ findings: inout Findings
    ) {
        if let missing = missing(step.kind, facts), !routesUnsupported(step, program) {
            let advice = KindTable.spec(of: step.kind).outcomes.contains { $0.outcome == .unsupported }
            findings.report(
                "FL090", at: step.span,
                "\(step.kind.rawValue) step \"\(step.name)\" needs \(missing.words), which "
                    + "\(facts.descriptor.displayName) does not have",
                hint: advice
                    ? "\(missing.key) belongs in the file of provider \"\(facts.descriptor.id)\"; "
                        + "a flow that can do without it routes unsupported by name" : nil)
        }
        checkOperation(step, program, facts, &findings)
    }

    /// What the step cannot do without, and the key of the descriptor that says it.
    private static func missing(_ kind: StepKind, _ facts: BindFacts) -> (words: String, key: String)? {
        let server = facts.descriptor.server
        switch kind {
        case .authorize:
            if facts.lacks(\.authorizationEndpoint, server.authorizationEndpoint) {
                return ("an authorization endpoint", "authorization_endpoint")
            }
            return facts.lacks(
                \.tokenEndpoint, server.tokenEndpoint, facts.descriptor.token.request)
                ? ("a token endpoint", "token_endpoint") : nil
        case .exchange:
            return facts.lacks(
                \.tokenEndpoint, server.tokenEndpoint, facts.descriptor.token.request)
                ? ("a token endpoint", "token_endpoint") : nil
        case .clientCredentials, .tokenExchange, .jwtBearer, .devicePoll:
            return facts.lacks(
                \.tokenEndpoint, server.tokenEndpoint, facts.descriptor.grant.request)
                ? ("a token endpoint", "token_endpoint") : nil
        case .deviceAuthorize:
            return facts.lacks(.device)
                ? ("a device authorization endpoint", "device_authorization_endpoint") : nil
        case .userinfo: return facts.lacks(.userinfo) ? ("a UserInfo endpoint", "userinfo_endpoint") : nil
        case .revoke: return facts.lacks(.revocation) ? ("a revocation endpoint", "revocation_endpoint") : nil
        case .introspect:
            return facts.lacks(.introspection) ? ("an introspection endpoint", "introspection_endpoint") : nil
        case .register:
            return facts.lacks(\.registrationEndpoint, server.registrationEndpoint)
                ? ("a registration endpoint", "registration_endpoint") : nil
        case .logout: return facts.lacks(.logout) ? ("an end_session endpoint", "end_session_endpoint") : nil
        case .discover: return facts.lacks(.discovery) ? ("published metadata", "issuer") : nil
        case .restore, .callback, .verifyIDToken, .refresh, .http, .store, .clear, .wait, .choose, .set,
            .subflow, .call:
            return nil
        }
    }

    /// By its own name, in the step or in the defaults: then the author has thought of it.
    private static func routesUnsupported(_ step: StepRow, _ program: FlowProgram) -> Bool {
        let raw = Int(Outcome.unsupported.rawValue)
        guard raw < step.routes.count, step.routes[raw] != RouteRow.none else { return false }
        let reason = program.routes[Int(step.routes[raw])].reason
        return reason == .exact || reason == .defaultExact
    }

    /// Whether the descriptor has the endpoint or the value that an expression names; the standard members
    /// count as what may have been meant.
    static func checkName(
        _ name: String, in place: ProviderMember, isDemanded: Bool, at diagnostic: Diagnostic,
        _ facts: BindFacts, _ findings: inout Findings
    ) {
        let extras = facts.descriptor.extras
        let isEndpoint = place == .endpoints
        let known = isEndpoint ? extras.endpoints.map(\.name) : extras.values.map(\.name)
        guard !known.contains(name) else { return }
        let standard = isEndpoint ? [] : ProviderMember.allCases.map(\.rawValue)
        let suggestion = didYouMean(name, among: known + standard)
        // A flow for several providers says what holds where one has no such value; a slip of the pen is
        // none.
        guard isDemanded || !suggestion.isEmpty else { return }
        let kind = isEndpoint ? "endpoint" : "value"
        findings.diagnostics.append(
            Diagnostic(
                code: diagnostic.code, file: diagnostic.file, span: diagnostic.span,
                message: "\(facts.descriptor.displayName) names no \(kind) \"\(name)\"\(suggestion)",
                hint: suggestion.isEmpty && !known.isEmpty
                    ? "it names \(known.joined(separator: ", "))" : nil))
    }

    /// An operation that is written out.
    private static func checkOperation(
        _ step: StepRow, _ program: FlowProgram, _ facts: BindFacts, _ findings: inout Findings
    ) {
        let argument = step.arguments.first { $0.name == "operation" }
        guard step.kind == .http, let argument, let name = argument.value.literal(program.code)?.text
        else { return }
        let known = facts.descriptor.operations.map(\.name)
        guard !known.contains(name) else { return }
        let suggestion = didYouMean(name, among: known)
        findings.report(
            "FL090", at: argument.span,
            "\(facts.descriptor.displayName) names no operation \"\(name)\"\(suggestion)", fix: suggestion.fix
        )
    }
}

extension ArgumentValue {
    /// The value where it is written out; an expression that is the same in every run is one.
    fileprivate func literal(_ code: CodeTable) -> Value? {
        switch self {
        case .constant(let value): return value
        case .code(let range):
            let instruction = code.instructions[Int(range.start)]
            guard range.count == 1, instruction.operation == .constant else { return nil }
            return code.constants[Int(instruction.operand)]
        case .tokenSet, .step, .templates, .statuses, .classification, .extraction, .port, .frame: return nil
        }
    }
}
