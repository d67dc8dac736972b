internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Loads a stored session into a token set.
///
/// With `lock`, what will not do is looked at again under the session's lock, which then is kept for whoever asks for
/// other tokens: of many processes one asks, and the others find what it has stored.
struct RestoreStep: StepWork {
    private enum Turn: Sendable {
        /// Nobody is waited for.
        case none
        /// Others are waited for at most so many milliseconds.
        case wanted(Int64)
        /// What is to be said where others do not finish.
        indirect case awaited(StepResult)
        case taken
        indirect case givenBack(StepResult)
    }

    private var key: SessionKey?
    private var target = AccessTarget.whole
    private var turn = Turn.none

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        let key = scope.sessionKey(&registers)
        self.key = key
        let isNarrow = scope.value("narrow", &registers).isTrue
        target = AccessTarget(
            scopes: isNarrow ? scope.givenTexts("scopes", &registers) : nil,
            resources: scope.texts("resource", &registers))
        // A run that holds a lock waits for no other: two that wait for one another would wait for ever.
        if registers.heldLock == nil, let wait = scope.duration("lock", &registers) { turn = .wanted(wait) }
        return .perform(.loadSession(key, for: target))
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        guard let key else { preconditionFailure("a session was asked for") }
        switch turn {
        case .none:
            return .finish(read(event, &registers, scope))
        case .wanted(let wait):
            let result = read(event, &registers, scope)
            guard result.outcome != .ok, result.outcome != .storeFailed else { return .finish(result) }
            turn = .awaited(result)
            return .perform(.lock(key, until: registers.now + wait))
        case .awaited(let result):
            return locked(event, result, key, &registers)
        case .taken:
            let result = read(event, &registers, scope)
            guard result.outcome == .ok else { return .finish(result) }
            registers.notes.add(.note("another process asked for tokens meanwhile: they are used"))
            turn = .givenBack(result)
            return .perform(.unlock(key))
        case .givenBack(let result):
            return .finish(result)
        }
    }

    private mutating func locked(
        _ event: InputEvent, _ result: StepResult, _ key: SessionKey, _ registers: inout Registers
    ) -> StepAction {
        switch event {
        case .locked:
            turn = .taken
            return .perform(.loadSession(key, for: target))
        case .lockTimedOut(let holder):
            registers.notes.add(
                .warning("another process does not finish, so nobody waits for it: \(holder)"))
            return .finish(result)
        case .storeFailed(let reason):
            registers.notes.add(.warning("the session cannot be locked: \(reason)"))
            return .finish(result)
        default:
            preconditionFailure("a lock was asked for, something else was reported")
        }
    }

    private func read(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepResult {
        switch event {
        case .noSession:
            return .failed(.absent, nil, "no session is stored")
        case .sessionCorrupt(let reason):
            return .failed(.corrupt, nil, reason)
        case .storeFailed(let reason):
            return .failed(.storeFailed, nil, reason)
        case .session(let stored):
            guard let key,
                var set = SessionRecord.decode(
                    stored, issuer: scope.provider.sessionIssuer,
                    clientID: scope.provider.registration.clientID, key: key)
            else { return .failed(.corrupt, nil, "the stored session cannot be read") }
            if let refusal = scope.refusal(of: set) { return refusal }
            set.use(target)
            if scope.provider.descriptor.refresh.rotation == .reusable { set.isInDoubt = false }
            return result(set, &registers, scope)
        default:
            preconditionFailure("a session was asked for, something else was reported")
        }
    }

    private func result(_ set: TokenSet, _ registers: inout Registers, _ scope: StepScope) -> StepResult {
        let canRefresh = scope.provider.canRefresh(set, at: registers.now)
        var result = StepResult(
            outcome(set, canRefresh, &registers, scope),
            fields: [
                set.subject.map(Value.string) ?? .null, .list(set.scopes.map(Value.string)),
                set.expiresAt.map(Value.time) ?? .null, .bool(canRefresh),
                set.refreshedAt.map(Value.time) ?? .null, set.authTime.map(Value.time) ?? .null,
            ])
        if result.outcome == .insufficient { result.description = shortfall(set, &registers, scope) }
        result.tokens = PendingTokens(set, at: scope.tokenSet("into"))
        return result
    }

    /// What the step asks for, and what the run was started for; a token for less is asked for by the step alone.
    private func wanted(_ registers: inout Registers, _ scope: StepScope) -> [String] {
        let asked = scope.texts("scopes", &registers)
        guard target == .whole else { return asked }
        return asked + scope.provider.demandedScopes.filter { !asked.contains($0) }
    }

    /// What the session lacks, as far as it is scopes.
    private func shortfall(_ set: TokenSet, _ registers: inout Registers, _ scope: StepScope) -> String? {
        let missing = wanted(&registers, scope).filter { !set.granted.contains($0) }
        guard !missing.isEmpty else { return nil }
        return "the session was not granted \(missing.joined(separator: " "))"
    }

    private func outcome(
        _ set: TokenSet, _ canRefresh: Bool, _ registers: inout Registers, _ scope: StepScope
    ) -> Outcome {
        let wanted = wanted(&registers, scope)
        let levels = scope.value("acr", &registers).texts ?? []
        guard wanted.allSatisfy(set.granted.contains), wanted.allSatisfy(set.scopes.contains),
            levels.isEmpty || set.acr.map(levels.contains) == true
        else {
            return .insufficient
        }
        // A provider that renews the access token by itself has no other to give.
        guard set.hasAccessToken || scope.provider.descriptor.refresh.subject == .refreshToken else {
            return .insufficient
        }
        if let age = scope.duration("max_auth_age", &registers) {
            guard let authTime = set.authTime else { return .insufficient }
            let (elapsed, overflow) = registers.now.subtractingReportingOverflow(authTime)
            guard !overflow, elapsed <= age else { return .insufficient }
        }
        let early = scope.provider.descriptor.refresh.earlySeconds.map { Int64($0) * 1000 }
        let margin = scope.duration("min_ttl", &registers) ?? set.usualMargin(early: early)
        guard set.isExpired(at: registers.now, margin: margin) else { return .ok }
        return canRefresh ? .expired : .unrefreshable
    }
}

/// Persists a token set: compare-and-swap against what this run last read or wrote.
///
/// What replaces a session that was read is written under the session's lock: a peer that holds it may have sent the
/// refresh token already, and the one that it gets in return must find the session as it was.
struct StoreStep: StepWork {
    private var set: TokenSet?
    private var key: SessionKey?
    private var name: String?
    private var condition = SaveCondition.always

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        guard var set = registers.tokenSets[scope.tokenSet("use")] else {
            preconditionFailure("the linter lets no step use a token set that is not set")
        }
        let key = scope.sessionKey(&registers)
        if let meta = meta(&registers, scope) { set.meta = meta }
        for (name, value) in registers.sessionMeta.sorted(by: { $0.key < $1.key }) {
            set.meta[name] = value
        }
        self.key = key
        condition = set.stored.map { $0.key == key ? .generation($0.generation) : .always } ?? .always
        self.set = set
        guard condition != .always, registers.heldLock != key else { return save(&registers, scope) }
        // Nobody waits: whoever holds the lock is about to store a newer session.
        return .perform(.lock(key, until: registers.now))
    }

    private mutating func save(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        guard let set, let key else { preconditionFailure("a set is saved that there is") }
        let label = scope.sessionLabel(&registers)
        name = label.key
        return .perform(.saveSession(key, SessionRecord.encode(set, label: label), condition))
    }

    /// - Returns: `nil` where the step says nothing: what is there stays.
    private func meta(_ registers: inout Registers, _ scope: StepScope) -> JSONObject? {
        guard case .templates(let templates)? = scope.argument("meta") else { return nil }
        var meta: JSONObject = [:]
        for (name, code) in templates { meta[name] = HookValue.json(registers.evaluate(code, scope.plan)) }
        return meta
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        switch event {
        case .locked:
            return save(&registers, scope)
        case .lockTimedOut(let holder):
            return .finish(.failed(.conflict, nil, "the session is being renewed by \(holder)"))
        case .saved(let generation):
            guard var set, let key else { preconditionFailure("a set was saved") }
            set.stored = TokenSet.StoredPlace(key: key, generation: generation, name: name)
            var result = StepResult(.ok, fields: [.int(generation)])
            result.tokens = PendingTokens(set, at: scope.tokenSet("use"))
            return .finish(result)
        case .conflict:
            return .finish(.failed(.conflict, nil, "another process stored a newer session"))
        case .storeFailed(let reason), .sessionCorrupt(let reason):
            return .finish(.failed(.storeFailed, nil, reason))
        default:
            preconditionFailure("a save was asked for, something else was reported")
        }
    }
}

/// Deletes the stored session and forgets the token set.
struct ClearStep: StepWork {
    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        .perform(.deleteSession(scope.sessionKey(&registers)))
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        switch event {
        case .done:
            registers.setTokens(nil, at: scope.tokenSet("use"), scope.plan)
            return .finish(StepResult(.ok))
        case .storeFailed(let reason), .sessionCorrupt(let reason):
            return .finish(.failed(.storeFailed, nil, reason))
        default:
            preconditionFailure("a deletion was asked for, something else was reported")
        }
    }
}
