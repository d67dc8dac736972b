internal import FlowLanguage
internal import OAuthProtocol

/// What a refresh does with its answer when the session was ended meanwhile.
///
/// Whoever signs out waits for a refresh that is under way, but not for ever. What such a refresh receives in the end
/// belongs to nobody: it is not stored, not handed out, and revoked as well as that can be done.
struct EndedRenewal: Sendable {
    enum Progress {
        case action(StepAction)
        /// The session is still there, or nobody can say.
        case isThere
        case ended(StepResult)
    }

    private var revocation: RevokeStep?
    private let received: TokenSet
    private let previous: TokenSet

    /// - Parameters:
    ///   - received: The tokens of the answer.
    ///   - previous: The stored ones that they would replace.
    init(_ received: TokenSet, replacing previous: TokenSet) {
        self.received = received
        self.previous = previous
    }

    /// Asks whether the session is there.
    func start(_ place: TokenSet.StoredPlace) -> StepAction {
        .perform(.loadSession(place.key, for: received.target))
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> Progress {
        if var revocation {
            let action = revocation.resume(event, &registers, scope)
            return proceed(action, revocation, &registers, scope)
        }
        guard case .noSession = event else { return .isThere }
        registers.setTokens(received, at: scope.tokenSet("use"), scope.plan)
        var revocation = RevokeStep()
        let action = revocation.start(&registers, scope)
        return proceed(action, revocation, &registers, scope)
    }

    private mutating func proceed(
        _ action: StepAction, _ revocation: RevokeStep, _ registers: inout Registers, _ scope: StepScope
    ) -> Progress {
        let reason: String
        switch action {
        case .perform, .prove:
            self.revocation = revocation
            return .action(action)
        case .finish(let result):
            reason = result.outcome == .ok ? "" : result.description ?? result.outcome.name ?? "refused"
        case .fail(let failure):
            reason = failure.message
        }
        registers.notes.add(
            reason.isEmpty
                ? .note("the tokens that the refresh has brought were revoked")
                : .warning("the tokens that the refresh has brought are not revoked: \(reason)"))
        // A step that comes later must find a set where it has found one before.
        registers.setTokens(previous, at: scope.tokenSet("use"), scope.plan)
        return .ended(
            .failed(.absent, "ended", "another process ended the session while this one renewed it"))
    }
}
