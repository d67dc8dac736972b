internal import FlowLanguage
internal import OAuthProtocol

/// Revokes the tokens of a set, the refresh token first (RFC 7009).
///
/// A stored session is locked and read again first: what another process is just receiving for it is to be revoked too.
struct RevokeStep: StepWork {
    private enum State: Sendable {
        case locking
        case rereading
        case searching
        case sending(to: String)
    }

    private var state = State.searching
    private var search = EndpointSearch(
        \.revocationEndpoint, "revocation_endpoint", operation: \.revocation.operation.request)
    /// What is still to be sent; the first is under way once the endpoint is known.
    private var waiting: [Secret] = []
    private var revoked: [String] = []
    private var kept: [String] = []
    private var trouble: StepResult?

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        guard let place = scope.tokens("use", registers).stored, registers.heldLock != place.key else {
            return begin(&registers, scope)
        }
        state = .locking
        return .perform(.lock(place.key, until: registers.now + Self.patience))
    }

    /// Longer than a refresh takes, in milliseconds; somebody waits to be signed out.
    static let patience: Int64 = 5_000

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        switch state {
        case .locking: return locked(event, &registers, scope)
        case .rereading: return reread(event, &registers, scope)
        case .searching: return continued(search.resume(event, &registers, scope), &registers, scope)
        case .sending(let endpoint):
            take(event, &registers, scope)
            return send(endpoint, &registers, scope)
        }
    }

    /// Whatever is wrong with the lock or the store, the tokens at hand are revoked.
    private mutating func locked(
        _ event: InputEvent, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        let set = scope.tokens("use", registers)
        switch event {
        case .locked:
            guard let place = set.stored else { return begin(&registers, scope) }
            state = .rereading
            return .perform(.loadSession(place.key, for: set.target))
        case .lockTimedOut(let holder):
            registers.notes.add(
                .warning(
                    "\(holder) renews this session and does not finish: what it receives is not revoked"))
            return begin(&registers, scope)
        case .storeFailed(let reason):
            registers.notes.add(.warning("the session cannot be locked: \(reason)"))
            return begin(&registers, scope)
        default:
            preconditionFailure("a lock was asked for, something else was reported")
        }
    }

    private mutating func reread(
        _ event: InputEvent, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        let set = scope.tokens("use", registers)
        switch event {
        case .session(let stored):
            guard let place = set.stored, stored.generation != place.generation else { break }
            guard
                var peer = SessionRecord.decode(
                    stored, issuer: set.issuer, clientID: set.clientID, key: place.key)
            else {
                warnUnread("it is not what was stored", &registers)
                break
            }
            guard scope.provider.mayUse(peer) else { break }
            peer.use(set.target)
            registers.setTokens(peer, at: scope.tokenSet("use"), scope.plan)
            registers.notes.add(
                .note("another process renewed the session meanwhile: its tokens are revoked"))
        case .noSession: break
        case .storeFailed(let reason), .sessionCorrupt(let reason): warnUnread(reason, &registers)
        case .conflict: warnUnread("another process is changing it", &registers)
        case .start, .done, .randomness, .key, .answered, .unanswered, .redirectOpened, .redirectFailed,
            .presented, .headless, .callback, .callbackTimedOut, .callbackCancelled, .metadata, .keys,
            .nothingKept, .saved, .locked, .lockTimedOut, .woke, .hook, .event, .eventTimedOut, .port,
            .journalFailed, .suspended, .cancelled:
            preconditionFailure("a session was asked for, something else was reported")
        }
        return begin(&registers, scope)
    }

    private func warnUnread(_ reason: String, _ registers: inout Registers) {
        registers.notes.add(
            .warning(
                "the session cannot be read again, what another process received is not revoked: \(reason)"))
    }

    private mutating func begin(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        let set = scope.tokens("use", registers)
        let wanted = scope.givenTexts("tokens", &registers) ?? ["refresh_token", "access_token"]
        waiting = wanted.flatMap { name -> [Secret] in
            // A provider that takes one kind of token ends the other with it.
            let only = scope.provider.descriptor.revocation.token?.rawValue
            guard only == nil || only == name else { return [] }
            switch name {
            case "refresh_token": return set.refreshToken.map { [$0] } ?? []
            case "access_token": return set.accessTokens.map(\.accessToken)
            default: return []
            }
        }
        guard !waiting.isEmpty else {
            return .finish(
                .failed(.absent, nil, "the token set has none of \(wanted.joined(separator: ", "))"))
        }
        state = .searching
        return continued(search.start(&registers, scope), &registers, scope)
    }

    private mutating func continued(
        _ progress: EndpointSearch.Progress, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .action(let action): return action
        case .found(let endpoint, _):
            state = .sending(to: endpoint)
            return send(endpoint, &registers, scope)
        }
    }

    private mutating func send(
        _ endpoint: String, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        guard let token = waiting.first else { return .finish(result) }
        let action = scope.send(
            scope.provider.descriptor.revocation.operation.request, to: endpoint, .revocation,
            tokens: scope.tokens("use", registers), &registers
        ) { endpoint, client, dialect in
            RevocationRequest.plan(
                endpoint: endpoint, token: token, registration: client, dialect: dialect, step: scope.name)
        }
        // Whoever cannot prove who asks can forget the tokens all the same: the flow goes on.
        if case .fail(let failure) = action, failure.code == .clientKey {
            return .finish(.failed(.invalidClient, failure.code.rawValue, failure.message))
        }
        return action
    }

    /// Notes what became of one token; a failure does not keep the other from being tried.
    private mutating func take(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) {
        let name = waiting.removeFirst().kind.rawValue
        guard let result = failure(event, &registers, scope) else {
            if !revoked.contains(name) { revoked.append(name) }
            return
        }
        if !kept.contains(name) { kept.append(name) }
        if trouble == nil { trouble = result }
    }

    private func failure(
        _ event: InputEvent, _ registers: inout Registers, _ scope: StepScope
    ) -> StepResult? {
        switch HTTPStep.reply(event, &registers, burning: false) {
        case .trouble(let result): return result
        case .answer(let response):
            var log = CheckLog()
            defer { registers.note(log) }
            do throws(ProtocolError) {
                try RevocationResponse.read(
                    response, dialect: scope.provider.descriptor.revocation.response, log: &log)
                return nil
            } catch {
                var result = HTTPStep.result(of: error, .token, registers.now, response, burning: false)
                if result.error == "unsupported_token_type" { result.outcome = .unsupported }
                return scope.classified(
                    result.withoutGrant(), response,
                    readBy: scope.provider.descriptor.revocation.operation, log)
            }
        }
    }

    private var result: StepResult {
        let fields: [Value] = [.list(revoked.map(Value.string)), .list(kept.map(Value.string))]
        guard let trouble else { return StepResult(.ok, fields: fields) }
        var result = trouble
        if !revoked.isEmpty, result.outcome != .insecure { result.outcome = .partial }
        result.fields = fields
        return result
    }
}
