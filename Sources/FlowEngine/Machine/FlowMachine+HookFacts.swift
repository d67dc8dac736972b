internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// What each point tells its hooks.
extension FlowMachine {
    /// The members that the point adds to a call.
    mutating func facts(_ hook: HookRow, _ round: HookRound) -> JSONObject {
        switch round.then {
        case .enter, .route, .leave:
            return ending(hook) ?? [:]
        case .begin: return ["args": .object(openArguments())]
        case .store: return ["session": session()]
        case .send(let exchange): return ["request": HookFacts.request(exchange, secrets)]
        case .show(let effect): return ["prompt": prompt(effect)]
        case .resume(let event):
            guard case .answered(let response, _) = event else { return [:] }
            return ["response": HookFacts.response(response, registers.asked, secrets)]
        case .pause(let pause, let result):
            return [
                "retry": [
                    "attempt": .int(Int64(attempt + 1)), "delay": .string(DurationText.format(pause.delay)),
                    "outcome": .string(plan.program.name(of: result.outcome, at: step)),
                ]
            ]
        case .commit(let result): return ["tokens": tokens(result)]
        case .round(_, let end, let failure), .finish(let end, let failure):
            return ending(hook, end, failure)
        }
    }

    /// The arguments of the step that hooks may change, as they stand.
    private mutating func openArguments() -> JSONObject {
        var members: JSONObject = [:]
        for spec in KindTable.spec(of: plan.program.steps[step].kind).arguments where spec.isOpenToHooks {
            members[spec.name] = HookValue.json(scope.value(spec.name, &registers))
        }
        return members
    }

    private mutating func session() -> JSONValue {
        let label = scope.sessionLabel(&registers)
        var meta: JSONObject = [:]
        if case .templates(let templates)? = scope.argument("meta") {
            for (name, code) in templates { meta[name] = HookValue.json(registers.evaluate(code, plan)) }
        }
        return [
            "provider": .string(label.provider), "profile": .string(label.profile),
            "key": label.key.map { .string($0) } ?? .null, "meta": .object(meta),
        ]
    }

    private func prompt(_ effect: Effect) -> JSONValue {
        switch effect {
        case .present(let presentation):
            return [
                "url": .string(presentation.url),
                "expires_at": .string(TimeText.format(presentation.expiresAt)),
                "errand": presentation.errand == .signIn ? "sign_in" : "logout",
            ]
        case .presentCode(let prompt):
            return [
                "user_code": .string(prompt.userCode), "verification_uri": .string(prompt.verificationURI),
                "verification_uri_complete": prompt.verificationURIComplete.map { .string($0) } ?? .null,
                "expires_at": .string(TimeText.format(prompt.expiresAt)), "errand": "device",
            ]
        default: return .null
        }
    }

    private func tokens(_ result: StepResult) -> JSONValue {
        guard let tokens = result.tokens else { return .null }
        let set = tokens.value
        let handles = [set.accessToken, set.refreshToken, set.idToken].compactMap(\.self).map { secret in
            (secret.kind.rawValue, JSONValue.string(secret.description))
        }
        return [
            "set": .string(plan.program.tokenSets[tokens.index].name),
            "handles": .object(JSONObject(handles)),
            "scopes": HookFacts.names(set.scopes), "token_type": .string(set.tokenType),
            "expires_at": set.expiresAt.map { .string(TimeText.format($0)) } ?? .null,
        ]
    }

    // MARK: Ends

    /// The end of a sub-flow; `nil` at points that are no end.
    private mutating func ending(_ hook: HookRow) -> JSONObject? {
        hook.point == .flowError ? ["error": error] : nil
    }

    private mutating func ending(_ hook: HookRow, _ end: Int, _ failure: RunFailure?) -> JSONObject {
        var facts: JSONObject = [:]
        if plan.program.ends[end].result != .success { facts["error"] = error }
        guard hook.point == .flowEnd else { return facts }
        let ended = endNow(end, failure)
        let outputs = ended.outputs.map { ($0.name, HookValue.json($0.value)) }
        facts["end"] = [
            "id": .string(ended.name), "result": .string(ended.result.rawValue),
            "outputs": .object(JSONObject(outputs)),
        ]
        return facts
    }

    private var error: JSONValue {
        func text(_ slot: CommonSlot) -> JSONValue { registers[slot].text.map { .string($0) } ?? .null }
        return [
            "code": text(.errorCode), "step": text(.errorStep), "outcome": text(.errorOutcome),
            "message": text(.errorMessage),
        ]
    }
}
