internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Redeems the refresh token, one process at a time (RFC 6749 §6).
///
/// A stored session is locked, read again and, when a peer has renewed it meanwhile, adopted. A rotated refresh token is
/// written durably before anything else happens, the access token only by `store`, after its ID token was verified: until
/// then the stored session counts as expired, and the lock is kept so that no peer refreshes it a second time.
struct RefreshStep: StepWork {
    private enum State: Sendable {
        case metadata
        case locking
        case rereading
        case sending
        indirect case rotating(StepResult, TokenSet, TokenSet)
        /// An answer was refused; the refresh token in it is kept.
        indirect case rescuing(StepResult, TokenSet)
        /// Somebody may have ended the session; the result holds if nobody has.
        indirect case asking(StepResult, TokenSet, EndedRenewal)
        case unlocking(StepResult)
    }

    private var fetch = MetadataFetch()
    private var state = State.metadata
    private var endpoint = ""
    /// What the new access token is asked for.
    private var target = AccessTarget.whole
    /// When the request was sent, in milliseconds since 1970.
    private var sentAt: Int64 = 0

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        let set = current(registers, scope)
        guard scope.provider.canRefresh(set, at: set.stored == nil ? registers.now : nil) else {
            return .finish(scope.provider.missingRefresh(set))
        }
        target = set.target
        // Where the access token renews itself there is no other beside it.
        if scope.provider.descriptor.refresh.subject == .refreshToken {
            target = AccessTarget(
                scopes: scope.givenTexts("scopes", &registers) ?? target.scopes,
                resources: scope.givenTexts("resource", &registers) ?? target.resources)
        }
        let lost = target.scopes.map { asked in set.granted.filter { !asked.contains($0) } } ?? []
        guard lost.isEmpty || scope.provider.descriptor.refresh.narrows else {
            return .finish(
                .failed(
                    .rejected, "narrowing",
                    "the session would lose \(lost.joined(separator: " ")) for good, so it is not asked for"))
        }
        let isNamed = scope.provider.descriptor.refresh.operation.request.endpoint != nil
        return continued(
            fetch.start(&registers, scope, needs: { $0.tokenEndpoint == nil && !isNamed }), &registers, scope)
    }

    private func current(_ registers: Registers, _ scope: StepScope) -> TokenSet {
        guard let set = registers.tokenSets[scope.tokenSet("use")] else {
            preconditionFailure("the linter lets no step use a token set that is not set")
        }
        return set
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        switch state {
        case .metadata:
            return continued(fetch.resume(event, &registers, scope), &registers, scope)
        case .locking:
            return locked(event, &registers, scope)
        case .rereading:
            return reread(event, &registers, scope)
        case .sending:
            return read(event, &registers, scope)
        case .rotating(let result, let set, let previous):
            return rotated(event, result, set, previous, &registers, scope)
        case .rescuing(let result, let set):
            return rescued(event, result, set, &registers, scope)
        case .asking(let result, let set, let renewal):
            return asked(event, result, set, renewal, &registers, scope)
        case .unlocking(let result):
            return .finish(result)
        }
    }

    private mutating func continued(
        _ progress: MetadataFetch.Progress, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .perform(let effect): return .perform(effect)
        case .failed(let result): return .finish(result.asImplicitDiscovery(whenMissing: .rejected))
        case .failedAction(let action): return action
        case .ready(let known, _):
            let isNamed = scope.provider.descriptor.refresh.operation.request.endpoint != nil
            guard let endpoint = known.fields.tokenEndpoint ?? (isNamed ? "" : nil) else {
                return .finish(.failed(.rejected, nil, "the provider names no token_endpoint"))
            }
            self.endpoint = endpoint
            guard let place = current(registers, scope).stored else { return send(&registers, scope) }
            guard registers.heldLock != place.key else { return send(&registers, scope) }
            state = .locking
            let wait = scope.duration("lock", &registers) ?? 10_000
            return .perform(.lock(place.key, until: registers.now + wait))
        }
    }

    private mutating func locked(
        _ event: InputEvent, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch event {
        case .locked:
            guard let place = current(registers, scope).stored else { return send(&registers, scope) }
            state = .rereading
            return .perform(.loadSession(place.key, for: target))
        case .lockTimedOut(let holder):
            return .fail(
                RunFailure(.lockTimeout, "another process renews this session and does not finish: \(holder)")
            )
        case .storeFailed(let reason):
            return .fail(RunFailure(.storeFailed, "the session cannot be locked: \(reason)"))
        default:
            preconditionFailure("a lock was asked for, something else was reported")
        }
    }

    /// Adopts what a peer stored while this process waited for the lock.
    private mutating func reread(
        _ event: InputEvent, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        var set = current(registers, scope)
        let mayRepeat = scope.provider.descriptor.refresh.rotation == .reusable
        var kept: TokenSet?
        var isInDoubt = false
        switch event {
        case .session(let stored):
            guard let place = set.stored else { preconditionFailure("what is read again was stored") }
            kept = SessionRecord.decode(
                stored, issuer: set.issuer, clientID: set.clientID, key: place.key)
            isInDoubt = kept?.isInDoubt ?? stored.isInDoubt
            kept?.isInDoubt = false
            if kept == nil, !isInDoubt || mayRepeat { return unreadable("it is not what was stored") }
        case .noSession:
            // What was never kept, as a run without a store says by the generation 0, cannot have been ended.
            guard set.stored?.generation == 0 else {
                return unlock(
                    .failed(
                        .absent, "ended", "another process ended the session while this one waited for it"),
                    set)
            }
        case .storeFailed(let reason), .sessionCorrupt(let reason):
            return unreadable(reason)
        case .conflict:
            return unreadable("another process is changing it")
        case .start, .done, .randomness, .key, .answered, .unanswered, .redirectOpened, .redirectFailed,
            .presented, .headless, .callback, .callbackTimedOut, .callbackCancelled, .metadata, .keys,
            .nothingKept, .saved, .locked, .lockTimedOut, .woke, .hook, .event, .eventTimedOut, .port,
            .journalFailed, .suspended, .cancelled:
            preconditionFailure("a session was asked for, something else was reported")
        }
        if isInDoubt, !mayRepeat {
            return unlock(
                .failed(
                    .absent, "in_doubt",
                    "the refresh token was sent before, nobody knows what became of it, and it is not sent a second time"
                ),
                set)
        }
        guard let peer = kept, peer.stored?.generation != set.stored?.generation else {
            return send(&registers, scope)
        }
        if let refusal = scope.refusal(of: peer) { return unlock(refusal, set) }
        set = peer
        set.use(target)
        if set.isExpired(at: registers.now, margin: Self.margin(of: set)) {
            registers.setTokens(set, at: scope.tokenSet("use"), scope.plan)
            return !scope.provider.canRefresh(set, at: nil)
                ? unlock(
                    .failed(.absent, nil, "another process stored a session without a refresh token"), set)
                : send(&registers, scope)
        }
        set.earlierIDToken = set.idToken
        set.idToken = nil
        set.origin = .refresh
        registers.notes.add(.note("another process renewed the session meanwhile: its tokens are used"))
        var result = StepResult(
            .ok,
            fields: ReceivedTokens.fields(set, expiresIn: nil, asked: [], source: "peer") + [.bool(false)])
        result.tokens = PendingTokens(set, at: scope.tokenSet("use"))
        return unlock(result, set)
    }

    /// A peer may have used the refresh token up meanwhile, and a provider takes one that comes twice for stolen: where
    /// nobody can say, it is not sent. The end of the run gives the lock back.
    private func unreadable(_ reason: String) -> StepAction {
        .fail(RunFailure(.storeFailed, "the session cannot be read again before its refresh: \(reason)"))
    }

    /// The life that a peer's token must have left, in milliseconds: at most half of what it was given.
    private static func margin(of set: TokenSet) -> Int64 {
        guard let end = set.expiresAt else { return 0 }
        return max(0, min(30_000, (end - (set.refreshedAt ?? set.obtainedAt)) / 2))
    }

    private mutating func send(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        let set = current(registers, scope)
        let facts = scope.provider.descriptor.refresh
        guard scope.provider.canRefresh(set, at: registers.now) else {
            return unlock(scope.provider.missingRefresh(set), set)
        }
        state = .sending
        sentAt = registers.now
        let token: Secret? =
            switch facts.subject {
            case .refreshToken: set.refreshToken
            case .accessToken: set.accessToken
            case .none: nil
            }
        let narrowed = scope.givenTexts("scopes", &registers) ?? target.scopes
        let resources = scope.givenTexts("resource", &registers) ?? target.resources
        let action = scope.send(
            facts.operation.request, to: endpoint, .refresh, tokens: set, &registers
        ) { endpoint, client, dialect in
            TokenRequest.refresh(
                endpoint: endpoint, token: token, scopes: narrowed,
                resources: resources, registration: client, dialect: dialect, step: scope.name)
        }
        switch action {
        case .finish(let result): return unlock(result, set)
        case .perform, .prove, .fail: return action
        }
    }

    private mutating func read(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope)
        -> StepAction
    {
        let previous = current(registers, scope)
        let burning = scope.provider.descriptor.refresh.rotation != .reusable
        let response: HTTPResponse
        switch HTTPStep.reply(event, &registers, burning: burning) {
        case .trouble(let result): return unlock(burning ? Self.inDoubt(result) : result, previous)
        case .answer(let answer): response = answer
        }
        var log = CheckLog()
        defer { registers.note(log) }
        do throws(ProtocolError) {
            let tokens = try TokenResponse.read(
                response, dialect: scope.provider.descriptor.refresh.operation.response,
                demand: previous.proofKey == nil ? scope.provider.tokenTypes : .dpop,
                keeping: scope.provider.descriptor.refresh.keepsToken && previous.target == target
                    ? (previous.accessToken, previous.tokenType) : nil, log: &log)
            registers.conceal(ReceivedTokens.secrets(tokens))
            try scope.checkBinding(of: tokens, log: &log)
            registers.compareScope(
                granted: tokens.scopes, asked: target.scopes ?? previous.granted, isRenewal: target.isWhole,
                log: &log)
            return renew(tokens, previous, &registers, scope)
        } catch {
            var result = scope.classified(
                HTTPStep.result(of: error, .token, registers.now, response, burning: burning), response,
                readBy: scope.provider.descriptor.refresh.operation, log)
            let dialect = scope.provider.descriptor.refresh.operation.response
            if burning, !TokenResponse.tellsFate(response, dialect: dialect) {
                result = Self.inDoubt(result)
            }
            if let action = rescue(response, result, previous, &registers, scope) { return action }
            // The lock is kept until the flow has decided what becomes of a dead session: no peer sends its token again.
            return result.outcome == .invalidGrant ? .finish(result) : unlock(result, previous)
        }
    }

    /// An answer that nobody can read is as good as none: the token may be used up, and is not sent a second time.
    private static func inDoubt(_ result: StepResult) -> StepResult {
        guard result.outcome == .malformed else { return result }
        var result = result
        result.outcome = .unanswered
        result.error = "unreadable"
        return result
    }

    /// Keeps the refresh token of an answer that is refused for something else: the one before may be used up.
    private mutating func rescue(
        _ response: HTTPResponse, _ result: StepResult, _ previous: TokenSet, _ registers: inout Registers,
        _ scope: StepScope
    ) -> StepAction? {
        let dialect = scope.provider.descriptor.refresh.operation.response
        guard let place = previous.stored,
            let token = TokenResponse.refreshToken(in: response, dialect: dialect),
            token != previous.refreshToken
        else { return nil }
        registers.conceal([token])
        registers.notes.add(.warning("the answer is refused; the refresh token that it brought is kept"))
        var kept = previous
        kept.refreshToken = token
        kept.refreshExpiresAt = nil
        state = .rescuing(result, kept)
        let label = SessionLabel(scope.provider, profile: scope.plan.profile, key: place.name)
        return .perform(
            .saveSession(place.key, SessionRecord.encode(kept, label: label), .generation(place.generation)))
    }

    private mutating func rescued(
        _ event: InputEvent, _ result: StepResult, _ set: TokenSet, _ registers: inout Registers,
        _ scope: StepScope
    ) -> StepAction {
        var set = set
        note(event, &set, &registers)
        registers.setTokens(set, at: scope.tokenSet("use"), scope.plan)
        return unlock(result, set)
    }

    private mutating func renew(
        _ tokens: TokenResponse, _ previous: TokenSet, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        let asked = target.scopes ?? previous.granted
        let set = ReceivedTokens.set(
            tokens, origin: .refresh, asked: asked, for: target, previous: previous,
            scope, registers)
        ReceivedTokens.doubt(
            tokens, readBy: scope.provider.descriptor.refresh.operation, &registers)
        let isRotated = tokens.refreshToken != nil && tokens.refreshToken != previous.refreshToken
        registers.notes.add(
            .note(
                ReceivedTokens.summary(set, expiresIn: tokens.expiresIn, asked: asked)
                    + (isRotated ? ", rotated" : "")))
        var result = StepResult(
            .ok,
            fields: ReceivedTokens.fields(
                set, expiresIn: tokens.expiresIn, asked: asked, source: "network")
                + [.bool(isRotated)])
        result.tokens = PendingTokens(set, at: scope.tokenSet("use"))
        guard isRotated, let place = previous.stored else {
            return mayHaveEnded(previous, registers)
                ? ask(result, set, previous) : .finish(result)
        }
        var kept = previous
        kept.refreshToken = set.refreshToken
        kept.refreshExpiresAt = set.refreshExpiresAt
        kept.expiresAt = 0
        kept.refreshedAt = registers.now
        state = .rotating(result, set, previous)
        let label = SessionLabel(scope.provider, profile: scope.plan.profile, key: place.name)
        return .perform(
            .saveSession(place.key, SessionRecord.encode(kept, label: label), .generation(place.generation)))
    }

    private mutating func rotated(
        _ event: InputEvent, _ result: StepResult, _ set: TokenSet, _ previous: TokenSet,
        _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        if case .conflict = event { return ask(result, set, previous) }
        var set = set
        note(event, &set, &registers)
        var result = result
        result.tokens = PendingTokens(set, at: scope.tokenSet("use"))
        return .finish(result)
    }

    // MARK: A session that was ended meanwhile

    /// Whether the refresh has taken so long that whoever signs out may have given up waiting for it.
    private func mayHaveEnded(_ previous: TokenSet, _ registers: Registers) -> Bool {
        guard let place = previous.stored, place.generation != 0 else { return false }
        return registers.now - sentAt >= RevokeStep.patience / 2
    }

    private mutating func ask(_ result: StepResult, _ set: TokenSet, _ previous: TokenSet) -> StepAction {
        guard let place = previous.stored else { preconditionFailure("only a stored session is ended") }
        let renewal = EndedRenewal(set, replacing: previous)
        state = .asking(result, set, renewal)
        return renewal.start(place)
    }

    private mutating func asked(
        _ event: InputEvent, _ result: StepResult, _ set: TokenSet, _ renewal: EndedRenewal,
        _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        var renewal = renewal
        switch renewal.resume(event, &registers, scope) {
        case .action(let action):
            state = .asking(result, set, renewal)
            return action
        case .isThere:
            if case .session(let stored) = event, stored.generation != set.stored?.generation {
                registers.notes.add(
                    .warning("another process changed the stored session during the refresh"))
            }
            return .finish(result)
        case .ended(let result):
            return unlock(result, set)
        }
    }

    /// What became of a rotated refresh token.
    private func note(_ event: InputEvent, _ set: inout TokenSet, _ registers: inout Registers) {
        switch event {
        case .saved(let generation):
            set.stored?.generation = generation
        case .conflict:
            registers.notes.add(.warning("another process changed the stored session during the refresh"))
        case .storeFailed(let reason), .sessionCorrupt(let reason):
            registers.notes.add(.warning("the rotated refresh token could not be stored yet: \(reason)"))
        default:
            preconditionFailure("a save was asked for, something else was reported")
        }
    }

    private mutating func unlock(_ result: StepResult, _ set: TokenSet) -> StepAction {
        guard let place = set.stored else { return .finish(result) }
        state = .unlocking(result)
        return .perform(.unlock(place.key))
    }
}
