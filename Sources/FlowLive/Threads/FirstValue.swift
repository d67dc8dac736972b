import Synchronization

/// A value that arrives once, waited for by at most one task at a time.
final class FirstValue<Value: Sendable>: Sendable {
    private let state = Mutex(State())

    private struct State {
        var value: Value?
        var waiter: (number: UInt64, continuation: CheckedContinuation<Value?, Never>)?
        var nextNumber: UInt64 = 0
        var cancelled: Set<UInt64> = []
    }

    /// Sets the value; only the first one counts.
    ///
    /// - Returns: Whether it was the first.
    @discardableResult
    func set(_ value: Value) -> Bool {
        let (isFirst, waiter) = state.withLock { state in
            guard state.value == nil else { return (false, state.waiter?.continuation) }
            state.value = value
            defer { state.waiter = nil }
            return (true, state.waiter?.continuation)
        }
        if isFirst { waiter?.resume(returning: value) }
        return isFirst
    }

    /// The value if it has arrived.
    var current: Value? { state.withLock { $0.value } }

    /// Waits for the value; `nil` when the task is cancelled before it arrives.
    func value() async -> Value? {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wait($0, number) }
        } onCancel: {
            cancel(number)
        }
    }

    /// Waits for the value, but not longer; `nil` when the time is up or the task is cancelled.
    func value(withinMilliseconds milliseconds: Int) async -> Value? {
        await withTaskGroup(of: Value?.self) { group in
            group.addTask { await self.value() }
            group.addTask {
                // Ends early only by cancellation, when nobody reads the result.
                try? await Task.sleep(for: .milliseconds(milliseconds))
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? current
        }
    }

    private func wait(_ continuation: CheckedContinuation<Value?, Never>, _ number: UInt64) {
        let answer: Value?? = state.withLock { state in
            if let value = state.value { return .some(value) }
            if state.cancelled.remove(number) != nil { return .some(nil) }
            precondition(state.waiter == nil, "one task waits at a time")
            state.waiter = (number, continuation)
            return nil
        }
        if let answer { continuation.resume(returning: answer) }
    }

    private func cancel(_ number: UInt64) {
        let continuation = state.withLock { state -> CheckedContinuation<Value?, Never>? in
            guard let waiter = state.waiter, waiter.number == number else {
                state.cancelled.insert(number)
                return nil
            }
            state.waiter = nil
            return waiter.continuation
        }
        continuation?.resume(returning: nil)
    }
}
