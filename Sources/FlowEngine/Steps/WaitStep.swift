internal import FlowLanguage

/// Waits for a time, which the step's `deadline` alone bounds, or for an event, which `timeout` bounds.
struct WaitStep: StepWork {
    private enum State: Sendable {
        case idle
        case sleeping(until: Int64)
        case listening(String)
    }

    private var state = State.idle

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        if let name = scope.value("event", &registers).text {
            state = .listening(name)
            return .perform(.awaitEvent(EventWait(name: name, until: scope.deadline)))
        }
        guard let instant = instant(&registers, scope), instant > registers.now else {
            return .finish(StepResult(.ok, fields: [.null]))
        }
        state = .sleeping(until: instant)
        return .perform(.sleep(until: min(instant, scope.stepDeadline)))
    }

    private func instant(_ registers: inout Registers, _ scope: StepScope) -> Int64? {
        if let duration = scope.duration("for", &registers) {
            let (instant, overflow) = registers.now.addingReportingOverflow(duration)
            return overflow ? .max : instant
        }
        if case .time(let instant) = scope.value("until", &registers) { return instant }
        return nil
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        switch (state, event) {
        case (.sleeping(let instant), .woke):
            guard registers.now >= instant else {
                return .finish(.failed(.timeout, nil, "the step's deadline is before the time it waits for"))
            }
            return .finish(StepResult(.ok, fields: [.null]))
        case (.listening, .event(let data)):
            return .finish(StepResult(.ok, fields: [data.map(Value.json) ?? .null]))
        case (.listening(let name), .eventTimedOut):
            return .finish(
                .failed(
                    .timeout, nil, "no event \"\(name)\" came within \(DurationText.format(scope.timeout))"))
        case (.idle, _), (.sleeping, _), (.listening, _):
            preconditionFailure("a time or an event was awaited, something else was reported")
        }
    }
}
