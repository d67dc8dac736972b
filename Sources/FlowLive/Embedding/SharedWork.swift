internal import Synchronization

/// Work that is done once, however many tasks wait for it.
///
/// A waiting task that is cancelled waits no more. The work goes on, unless `endsWithLastWaiter` and nobody waits.
final class SharedWork<Output: Sendable>: Sendable {
    private struct State {
        var output: Output?
        var task: Task<Void, Never>?
        var waiters: [Int: CheckedContinuation<Output?, Never>] = [:]
        var lastWaiter = 0
        var cancelled: Set<Int> = []
        var isAbandoned = false
    }

    private let state = Mutex(State())
    private let endsWithLastWaiter: Bool

    init(endsWithLastWaiter: Bool = false, _ body: @escaping @Sendable () async -> Output) {
        self.endsWithLastWaiter = endsWithLastWaiter
        let task = Task { self.finish(await body()) }
        state.withLock { $0.task = task }
    }

    /// Whether it ends without anybody's waiting for it.
    var isAbandoned: Bool { state.withLock(\.isAbandoned) }

    /// Ends the work before its time.
    func abandon() {
        let task = state.withLock { state in
            state.isAbandoned = true
            return state.task
        }
        task?.cancel()
    }

    /// Waits until the work is over, whether or not this task is cancelled.
    func end() async {
        await state.withLock(\.task)?.value
    }

    /// What the work gives; `nil` when this task is cancelled before.
    func value() async -> Output? {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wait($0, number) }
        } onCancel: {
            leave(number)
        }
    }

    private func finish(_ output: Output) {
        let waiters = state.withLock { state in
            state.output = output
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume(returning: output) }
    }

    private func wait(_ continuation: CheckedContinuation<Output?, Never>, _ number: Int) {
        let answer: Output?? = state.withLock { state in
            if let output = state.output { return .some(output) }
            if state.cancelled.remove(number) != nil { return .some(nil) }
            state.waiters[number] = continuation
            return nil
        }
        guard let answer else { return }
        continuation.resume(returning: answer)
        if answer == nil { abandonIfAlone() }
    }

    private func leave(_ number: Int) {
        let waiter = state.withLock { state -> CheckedContinuation<Output?, Never>? in
            guard let waiter = state.waiters.removeValue(forKey: number) else {
                state.cancelled.insert(number)
                return nil
            }
            return waiter
        }
        guard let waiter else { return }
        abandonIfAlone()
        waiter.resume(returning: nil)
    }

    private func abandonIfAlone() {
        guard endsWithLastWaiter else { return }
        let isAlone = state.withLock { $0.waiters.isEmpty && $0.output == nil }
        if isAlone { abandon() }
    }
}
