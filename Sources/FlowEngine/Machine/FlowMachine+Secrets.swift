internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// What the run knows of secrets, so that no text repeats one.
///
/// A server may put whatever it was sent or has sent into the words of its answer. Those words end in the failure of the
/// run, in the variables of the flow and in what hooks are told: secrets leave them once, where a step has its result.
extension FlowMachine {
    /// Whatever the run holds or has held that no text may show.
    var secrets: [Secret] { Self.secrets(registers.met, registers.tokenSets, plan) }

    /// The same of a run that is over.
    ///
    /// Whom the provider named is told all the same where its tokens begin with that, and an endpoint is made of it.
    static func secrets(_ met: [Secret], _ tokens: [TokenSet?], _ plan: RunPlan) -> [Secret] {
        let subjects = tokens.compactMap { $0?.subject.map { Secret($0, kind: .other) } }
        let met = met.filter { secret in secret.kind != .other || !subjects.contains(where: secret.isSame) }
        return met + held(tokens, plan).filter { held in !met.contains(where: held.isSame) }
    }

    /// Whatever it holds; an address for a person bears others, which it is made of.
    var held: [Secret] { Self.held(registers.tokenSets, plan) }

    private static func held(_ tokens: [TokenSet?], _ plan: RunPlan) -> [Secret] {
        tokens.compactMap { $0?.secrets }.flatMap(\.self)
            + plan.providers.flatMap(\.registration.credentials)
            + plan.inputs.flatMap(PortValue.secrets)
    }

    /// The text as anybody may read it.
    func shown(_ text: String) -> String { HookFacts.text(text, SecretIndex(secrets, in: [text])) }

    /// The result of a step with words that anybody may read.
    mutating func shown(_ given: StepResult) -> StepResult {
        guard given.error != nil || given.description != nil else {
            registers.answer = nil
            return given
        }
        registers.meetAnswer()
        let index = SecretIndex(secrets, in: [given.error, given.description].compactMap(\.self))
        var result = given
        if let error = given.error { result.error = HookFacts.text(error, index) }
        if let description = given.description { result.description = HookFacts.text(description, index) }
        return result
    }
}

extension RequestPlan {
    /// The secrets that it sends, in no order.
    var secrets: [Secret] {
        var secrets: [Secret] = []
        for parameters in [query, fields, body] {
            for parameter in parameters { parameter.value.add(to: &secrets) }
        }
        if let document { secrets += document.secrets }
        return secrets
    }
}

extension ParameterValue {
    fileprivate func add(to secrets: inout [Secret]) {
        switch self {
        case .text: break
        case .secret(let secret), .scheme(_, let secret): secrets.append(secret)
        case .basic(let user, let password):
            secrets.append(password)
            secrets.append(
                Secret(Base64.encode("\(user):\(password.reveal())".utf8), kind: password.kind))
        case .json(let payload): secrets += payload.secrets
        }
    }
}
