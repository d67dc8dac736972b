internal import FlowEngine
internal import Synchronization

/// Until when a person may enter the code that was shown last.
final class CodeDesk: Sendable {
    private let end = Mutex<Int64?>(nil)

    /// A code was shown: what is known is about an earlier one.
    func begin() { end.withLock { $0 = nil } }

    /// - Parameter until: What holds if this is the first wait for the code.
    /// - Returns: The end, and whether this is the first wait for it.
    func end(_ until: Int64) -> (instant: Int64, isNew: Bool) {
        end.withLock { end in
            defer { end = end ?? until }
            return (end ?? until, end == nil)
        }
    }
}

extension LiveEffects {
    /// Shows the code; the address with the code in it is never opened, so that a person compares both (RFC 8628 §5.4).
    ///
    /// - Parameter deadline: How long a program's presenter may take to show the address, in milliseconds since 1970.
    func present(
        _ prompt: DevicePrompt, until deadline: Int64, _ events: any EffectEvents
    ) async -> InputEvent {
        codes.begin()
        if prompt.isPresented { return .presented(how: "a hook") }
        guard configuration.isInteractive || configuration.suspendsRuns else {
            return .headless(reason: "a person must enter a code, and nobody can be asked")
        }
        // A browser shows where to enter the code, and not the code.
        if isUnheard(prompt.isTold) {
            return .headless(reason: "a person must enter a code, and nothing shows it to anybody")
        }
        let shown =
            configuration.isInteractive && prompt.means == .browser
            ? await open(
                prompt.verificationURI, attempt: nil,
                Showing(errand: .signIn, isAwaited: false, deadline: deadline), events) : BrowserShowing()
        if Task.isCancelled { return .cancelled() }
        if let refusal = shown.refusal { events.report(.warning(refusal)) }
        events.report(
            .codeRequired(
                code: prompt.userCode, url: prompt.verificationURI, complete: prompt.verificationURIComplete,
                opened: shown.program,
                expiresAt: prompt.expiresAt))
        return .presented(how: shown.words)
    }

    /// Waits between two questions; what is waited for is told once for each code.
    func awaitDecision(_ until: Int64, expiresAt: Int64, _ events: any EffectEvents) async -> InputEvent {
        // Nobody is waited for: what may be asked by now is asked once.
        if !configuration.isInteractive, configuration.suspendsRuns, until > now() { return .suspended }
        let (end, isNew) = codes.end(min(expiresAt, configuration.end(ofWaitFrom: now())))
        if isNew { events.report(.waiting(forWhat: "somebody to enter the code", until: end)) }
        let event = await sleep(min(until, end))
        if case .woke = event, end < expiresAt, now() >= end { return .callbackTimedOut(refused: 0) }
        return event
    }
}
