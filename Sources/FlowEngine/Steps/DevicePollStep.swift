internal import FlowLanguage
internal import OAuthProtocol

/// Asks at intervals whether the person has decided on the other device (RFC 8628 §3.4 and §3.5).
///
/// Waits and questions are all inside of this one step; its end is the code's, not the step's `timeout`.
struct DevicePollStep: StepWork {
    private enum State: Sendable {
        case waiting, asking
    }

    /// "the interval MUST be increased by 5 seconds" (RFC 8628 §3.5).
    private static let patience: Int64 = 5_000
    /// Milliseconds for one question.
    private static let questionTimeout: Int64 = 20_000
    /// Questions in a row without a usable answer after which the trouble is told.
    private static let mostTroubles = 5

    /// What RFC 8628 §3.5 tells whoever polls, and where a provider's file may say that an answer means it.
    static let words: Set<String> = ["authorization_pending", "slow_down", "expired_token", "access_denied"]

    private var state = State.waiting
    private var troubles = 0

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        guard transaction(registers, scope) != nil else {
            return .finish(.failed(.invalidGrant, "code_used", "the device code was used before"))
        }
        return wait(atLeast: 0, &registers, scope)
    }

    private func transaction(_ registers: Registers, _ scope: StepScope) -> DeviceTransaction? {
        scope.referencedStep("from").flatMap { registers.devices[$0] }
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        switch (state, event) {
        case (.waiting, .callbackCancelled):
            return .finish(.failed(.cancelled, nil, "the person gave up"))
        case (.waiting, .callbackTimedOut):
            // Not the end of the code, after which flows ask for another one.
            return .fail(RunFailure(.deadline, "nobody entered the code in the time that was given"))
        case (.waiting, _):
            return ask(&registers, scope)
        case (.asking, _):
            return read(event, &registers, scope)
        }
    }

    private mutating func wait(
        atLeast minimum: Int64, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        guard let transaction = transaction(registers, scope) else {
            preconditionFailure("the transaction was open when the step began")
        }
        let end = min(transaction.expiresAt, scope.stepDeadline)
        guard registers.now < end else { return expired(&registers, scope) }
        state = .waiting
        let until = min(registers.now + max(minimum, transaction.interval), end)
        return .perform(.awaitDecision(until: until, expiresAt: end))
    }

    private func expired(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        forget(&registers, scope)
        return .finish(.failed(.expired, "expired_token", "nobody entered the code in time"))
    }

    private func forget(_ registers: inout Registers, _ scope: StepScope) {
        if let source = scope.referencedStep("from") { registers.devices[source] = nil }
    }

    private mutating func ask(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        guard let transaction = transaction(registers, scope) else {
            preconditionFailure("the transaction was open when the step began")
        }
        guard registers.now < min(transaction.expiresAt, scope.stepDeadline) else {
            return expired(&registers, scope)
        }
        state = .asking
        return scope.send(
            scope.provider.descriptor.grant.request, to: transaction.tokenEndpoint, .deviceToken,
            scopes: transaction.scopes, device: transaction.answer, timeout: Self.questionTimeout, &registers
        ) { endpoint, client, dialect in
            TokenRequest.device(
                endpoint: endpoint, deviceCode: transaction.deviceCode,
                codeVerifier: transaction.codeVerifier, registration: client, dialect: dialect,
                step: scope.name)
        }
    }

    private mutating func read(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope)
        -> StepAction
    {
        let asked = transaction(registers, scope)?.scopes ?? []
        let result = TokenAnswer.read(
            event, origin: .device, asked: asked, pending: ["authorization_pending", "slow_down"], &registers,
            scope)
        switch (result.outcome, result.error) {
        case (.rejected, "authorization_pending"):
            troubles = 0
            return wait(atLeast: 0, &registers, scope)
        case (.rejected, "slow_down"):
            troubles = 0
            return slowDown(by: Self.patience, result, &registers, scope)
        case (.rejected, "access_denied"):
            return ended(result, as: .accessDenied, &registers, scope)
        case (.rejected, "expired_token"):
            return ended(result, as: .expired, &registers, scope)
        case (.network, _), (.serverError, _), (.rateLimited, _):
            return backOff(result, &registers, scope)
        default:
            return ended(result, as: result.outcome, &registers, scope)
        }
    }

    private func ended(
        _ given: StepResult, as outcome: Outcome, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        forget(&registers, scope)
        var result = given
        result.outcome = outcome
        return .finish(result)
    }

    /// A server that gives no answer is asked half as often each time (RFC 8628 §3.5).
    private mutating func backOff(
        _ result: StepResult, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        troubles += 1
        guard troubles < Self.mostTroubles else { return .finish(result) }
        let interval = transaction(registers, scope)?.interval ?? Self.patience
        return slowDown(
            by: result.outcome == .rateLimited ? Self.patience : interval, result, &registers, scope)
    }

    private mutating func slowDown(
        by milliseconds: Int64, _ result: StepResult, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        guard let source = scope.referencedStep("from") else {
            preconditionFailure("the transaction was open when the step began")
        }
        registers.devices[source]?.interval += milliseconds
        let interval = (registers.devices[source]?.interval ?? 0) / 1000
        registers.notes.add(.note("\(result.error ?? "no answer"): asking every \(interval) s from now on"))
        return wait(atLeast: result.retryAfter ?? 0, &registers, scope)
    }
}
