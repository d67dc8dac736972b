internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// What a step asks of the provider, as far as the file says it in so many words: FL091, FL092, FL094 to FL096.
enum RequestRules {
    static func check(
        _ step: StepRow, _ program: FlowProgram, _ facts: BindFacts, _ findings: inout Findings
    ) {
        checkScopes(step, program, facts, &findings)
        checkWishes(step, program, facts, &findings)
        checkRedirect(step, facts, &findings)
        checkPush(step, facts, &findings)
        if step.kind == .refresh { checkRotation(step, facts, &findings) }
        if step.kind == .http { checkOrigin(step, program, facts, &findings) }
    }

    /// FL091
    private static func checkScopes(
        _ step: StepRow, _ program: FlowProgram, _ facts: BindFacts, _ findings: inout Findings
    ) {
        let known = facts.server.scopesSupported
        guard let known, step.kind != .restore,
            let (value, span) = literal("scopes", of: step, program)
        else { return }
        for scope in value.texts ?? [] where !known.contains(scope) {
            let suggestion = didYouMean(scope, among: known)
            findings.report(
                "FL091", at: span, "\(facts.descriptor.displayName) lists no scope \"\(scope)\"\(suggestion)")
        }
    }

    /// FL092
    private static func checkWishes(
        _ step: StepRow, _ program: FlowProgram, _ facts: BindFacts, _ findings: inout Findings
    ) {
        guard step.kind == .authorize else { return }
        checkMode(step, program, facts, &findings)
        let server = facts.server
        let wishes: [(argument: String, known: [String]?, what: String)] = [
            ("acr_values", server.acrValuesSupported, "level"),
            ("prompt", server.promptValuesSupported, "prompt"),
            ("response_mode", server.responseModesSupported, "response_mode"),
        ]
        for wish in wishes {
            guard let known = wish.known, let (value, span) = literal(wish.argument, of: step, program) else {
                continue
            }
            for text in value.texts ?? value.text.map({ [$0] }) ?? []
            where !known.contains(text) && text != "auto" {
                let suggestion = didYouMean(text, among: known)
                findings.report(
                    "FL092", at: span,
                    "\(facts.descriptor.displayName) lists no \(wish.what) \"\(text)\"\(suggestion)")
            }
        }
    }

    /// FL068: what the JWT of an answer with an ID token comes in, unless the request says otherwise (JARM §2.3.4).
    private static func checkMode(
        _ step: StepRow, _ program: FlowProgram, _ facts: BindFacts, _ findings: inout Findings
    ) {
        guard facts.descriptor.authorization.wantsIDToken,
            let (value, span) = literal("response_mode", of: step, program), value.text == "jwt"
        else { return }
        findings.report(
            "FL068", at: span,
            "\(facts.descriptor.displayName) is asked for an ID token beside the code: such an answer comes in a "
                + "fragment, which never leaves the browser",
            hint: "form_post.jwt, or leave response_mode out")
    }

    /// FL068: what the server demands of every client.
    private static func checkPush(_ step: StepRow, _ facts: BindFacts, _ findings: inout Findings) {
        guard step.kind == .authorize, facts.server.requirePushedAuthorizationRequests == true,
            let argument = step.arguments.first(where: { $0.name == "push" }),
            case .constant(.string("never")) = argument.value
        else { return }
        findings.report(
            "FL068", at: argument.span,
            "\(facts.descriptor.displayName) takes only requests that were pushed before (RFC 9126 §5)")
    }

    /// FL094
    private static func checkRedirect(_ step: StepRow, _ facts: BindFacts, _ findings: inout Findings) {
        guard step.kind == .authorize else { return }
        let argument = step.arguments.first { $0.name == "redirect" }
        let style =
            argument.flatMap { if case .constant(let value) = $0.value { value.text } else { nil } } ?? "auto"
        let redirect = facts.descriptor.redirect
        let allowed = redirect.kinds.map(\.rawValue).joined(separator: ", ")
        let kind: RedirectFacts.Kind
        switch style {
        case "auto": return
        case "loopback": kind = .loopback
        case "scheme": kind = .scheme
        default: kind = style.hasPrefix("https:") ? .https : .scheme
        }
        guard !redirect.kinds.contains(kind) else { return }
        findings.report(
            "FL094", at: argument?.span ?? step.span,
            "\(facts.descriptor.displayName) takes no redirect of the kind \(kind.rawValue) (it takes: \(allowed))"
        )
    }

    /// FL095
    private static func checkRotation(_ step: StepRow, _ facts: BindFacts, _ findings: inout Findings) {
        guard facts.descriptor.refresh.rotation == .singleUse, !facts.locksStore else { return }
        findings.report(
            "FL095", at: step.span,
            "\(facts.descriptor.displayName) rotates refresh tokens, and the store cannot be locked: two processes "
                + "would use the same one")
    }

    /// FL096: a literal URL; what `allowed_url` lets pass is the descriptor's own list.
    private static func checkOrigin(
        _ step: StepRow, _ program: FlowProgram, _ facts: BindFacts, _ findings: inout Findings
    ) {
        guard let bound = facts.bound, !facts.mayLearn,
            let (value, span) = literal("url", of: step, program), let text = value.text,
            let origin = try? EndpointURL(text, allowLoopbackHTTP: true).origin  // anything else was reported
        else { return }
        let server = facts.server
        let endpoints = ServerMetadataFields.urls.compactMap { server[keyPath: $0.path] }
        let known = endpoints.compactMap { try? EndpointURL($0, allowLoopbackHTTP: true).origin }
        guard !(known + bound.extras().origins).contains(origin) else { return }
        findings.report(
            "FL096", at: span, "\(origin) is no origin of \(facts.descriptor.displayName)",
            hint: "name it under origins in the descriptor, or let allowed_url decide")
    }

    /// The value of an argument where the file says it: a literal, or an input's default.
    private static func literal(_ name: String, of step: StepRow, _ program: FlowProgram) -> (
        Value, SourceSpan
    )? {
        guard let argument = step.arguments.first(where: { $0.name == name }) else { return nil }
        switch argument.value {
        case .constant(let value): return (value, argument.span)
        case .code(let range):
            guard range.count == 1 else { return nil }
            let instruction = program.code.instructions[Int(range.start)]
            switch instruction.operation {
            case .constant: return (program.code.constants[Int(instruction.operand)], argument.span)
            case .slot:
                let input = program.inputs.first { $0.slot == Int(instruction.operand) }
                return input?.standard.map { ($0, argument.span) }
            default: return nil
            }
        case .tokenSet, .step, .templates, .statuses, .classification, .extraction, .port, .frame: return nil
        }
    }
}

/// FL093: how the client proves who it is, and what signs its ID tokens.
enum AuthenticationRules {
    static func check(
        _ program: FlowProgram, _ provider: Int, _ facts: BindFacts, _ findings: inout Findings
    ) {
        let slot = program.providers[provider]
        let client = facts.descriptor.client
        let name = facts.descriptor.displayName
        if let method = client.authenticationMethod?.rawValue,
            let offered = facts.metadata?.tokenEndpointAuthMethodsSupported, !offered.contains(method)
        {
            findings.report(
                "FL093", at: slot.span,
                "\(name) does not take the authentication method \(method) (it takes: \(offered.joined(separator: ", ")))"
            )
        }
        if let algorithm = client.idTokenSignedResponseAlgorithm?.rawValue,
            let offered = facts.metadata?.idTokenSigningAlgValuesSupported, !offered.contains(algorithm)
        {
            findings.report(
                "FL093", at: slot.span,
                "\(name) does not sign ID tokens with \(algorithm) (it uses: \(offered.joined(separator: ", ")))"
            )
        }
    }
}
