internal import FlowLanguage

/// Keeping the refresh token of an answer that a hook has not let its step read: the one that was sent may be used up.
extension FlowMachine {
    /// The end that the run comes to once the token is kept.
    struct AfterRescue: Sendable {
        let end: Int
        let failure: RunFailure?
    }

    /// - Returns: `nil` where nothing is to be kept.
    mutating func rescue(beforeEnd end: Int, _ failure: RunFailure?) -> Progress? {
        guard let answer = unread else { return nil }
        unread = nil
        guard plan.program.steps[step].kind == .refresh,
            case .perform(let effect) = work.resume(answer, &registers, scope), case .saveSession = effect
        else { return nil }
        phase = .rescuing(AfterRescue(end: end, failure: failure))
        return .decide(.perform(request(effect, until: registers.now + 15_000)))
    }
}
