internal import FlowLanguage
internal import OAuthProtocol

/// What a step does next: ask the world, or end.
enum StepAction: Sendable {
    case perform(Effect)
    case finish(StepResult)
    /// Send a request with a proof of possession, which the machine makes.
    indirect case prove(ProvenRequest)
    /// Something outside of the kind's outcomes went wrong: the run ends.
    case fail(RunFailure)
}

/// The surroundings of the current step.
struct StepScope {
    let plan: RunPlan
    let step: Int
    let visit: Int
    /// Instant at which this attempt is over.
    let deadline: Int64
    /// Instant at which the step is over, whatever it waits for.
    let stepDeadline: Int64

    var name: String { plan.program.steps[step].name }
    var providerIndex: Int { plan.program.steps[step].provider }
    var provider: BoundProvider { plan.providers[providerIndex] }

    func argument(_ name: String) -> ArgumentValue? {
        plan.program.steps[step].argument(name)
    }

    /// The value of an argument; `.null` when it is left out.
    func value(_ name: String, _ registers: inout Registers) -> Value {
        if !registers.overrides.isEmpty, let value = registers.overrides[name] { return value }
        return switch argument(name) {
        case .code(let code): registers.evaluate(code, plan)
        case .constant(let value): value
        case .tokenSet, .step, .templates, .statuses, .classification, .extraction, .port, .frame, nil: .null
        }
    }

    func duration(_ name: String, _ registers: inout Registers) -> Int64? {
        guard case .duration(let milliseconds) = value(name, &registers) else { return nil }
        // What is computed may be longer than what can be written.
        return min(max(milliseconds, -DurationText.longest), DurationText.longest)
    }

    func tokenSet(_ name: String) -> Int {
        if case .tokenSet(let index)? = argument(name) { index } else { 0 }
    }

    func referencedStep(_ name: String) -> Int? {
        if case .step(let index)? = argument(name) { index } else { nil }
    }

    /// The session's row in the store, from the step's `key`.
    func sessionKey(_ registers: inout Registers) -> SessionKey {
        sessionKey(named: value("key", &registers).text, &registers)
    }

    /// Names what a person signs in for, whichever step asks.
    func attempt(_ registers: inout Registers) -> String { sessionKey(named: nil, &registers).digest }

    private func sessionKey(named name: String?, _ registers: inout Registers) -> SessionKey {
        // Most steps of a run ask for the same one, and the digest takes its time.
        if let last = registers.lastKey, last.provider == providerIndex, last.name == name { return last.key }
        let key = SessionKey(
            issuer: provider.sessionIssuer, clientID: provider.registration.clientID, profile: plan.profile,
            key: name)
        registers.lastKey = (providerIndex, name, key)
        return key
    }

    func sessionLabel(_ registers: inout Registers) -> SessionLabel {
        SessionLabel(provider, profile: plan.profile, key: value("key", &registers).text)
    }

    /// Why the tokens of a stored session are not used; `nil` where they may be.
    func refusal(of set: TokenSet) -> StepResult? {
        guard !provider.mayUse(set) else { return nil }
        let known = (set.destinations ?? []).subtracting([BoundDescriptor.anywhere])
        let new = provider.destinations.subtracting(known).sorted()
        let fix =
            new.contains(BoundDescriptor.anywhere)
            ? ": allowed_hosts beside such an endpoint says which hosts it may have" : ""
        return .failed(
            .absent, "elsewhere",
            "the stored session is not used: \(provider.descriptor.file) would send its tokens to "
                + "\(new.joined(separator: ", ")), which those who signed in never named\(fix)")
    }

    var timeout: Int64 { plan.program.steps[step].timeout }

    /// Why the step may not use its tokens: what one provider has issued is a secret from every other.
    ///
    /// The linter knows it where no step about the provider fills the set (FL042), and not of a set that several fill.
    func refusalOfTokens(_ registers: inout Registers) -> RunFailure? {
        guard plan.providers.count > 1, let issuer = shownTokens(&registers)?.issuer,
            issuer != provider.sessionIssuer
        else { return nil }
        return RunFailure(
            .endpointRefused,
            "the tokens are those of \(issuer), and the step is about \(provider.sessionIssuer)")
    }

    /// What the step shows to its provider, or keeps as a session there.
    private func shownTokens(_ registers: inout Registers) -> TokenSet? {
        let kind = plan.program.steps[step].kind
        if kind.usesOwnTokens { return registers.tokenSets[tokenSet("use")] }
        guard kind == .http, value("auth", &registers).text == "bearer" else { return nil }
        return usedTokens(registers)
    }
}

/// Arguments as the steps read them.
extension StepScope {
    /// The texts of an argument: a list, or one text; empty when it is left out.
    func texts(_ name: String, _ registers: inout Registers) -> [String] {
        let value = value(name, &registers)
        return value.texts ?? value.text.map { [$0] } ?? []
    }

    /// The texts of an argument; `nil` when it is left out or null.
    func givenTexts(_ name: String, _ registers: inout Registers) -> [String]? {
        value(name, &registers).isNull ? nil : texts(name, &registers)
    }

    /// The set that an argument names; the linter lets no step use one that is not set.
    func tokens(_ name: String, _ registers: Registers) -> TokenSet {
        guard let set = registers.tokenSets[tokenSet(name)] else {
            preconditionFailure("the linter lets no step use a token set that is not set")
        }
        return set
    }

    /// Further parameters of the flow, as far as the descriptor allows them.
    func extraParameters(_ registers: inout Registers) -> [RequestParameter] {
        guard case .templates(let templates)? = argument("extra") else { return [] }
        let allowed = provider.descriptor.authorization.allowedParameters
        return templates.compactMap { name, code in
            guard allowed.contains(name) else {
                registers.notes.add(
                    .warning("parameter \"\(name)\" was left out: the descriptor does not allow it"))
                return nil
            }
            return registers.evaluate(code, plan).text.map {
                RequestParameter(name, .text($0), .flow(self.name))
            }
        }
    }
}
