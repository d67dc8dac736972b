/// Does what the embedding program has brought, but waits for it no longer than until a deadline.
///
/// What is not done by then is cancelled, and left alone: nobody can make it end, and what it gives counts for nothing.
enum BoundedWork {
    /// - Parameter deadline: Milliseconds since 1970.
    /// - Returns: `nil` when the time is up or this task is cancelled.
    static func value<Output: Sendable>(
        until deadline: Int64, _ body: @escaping @Sendable () async -> Output
    ) async -> Output? {
        let (rest, overflow) = deadline.subtractingReportingOverflow(WallClock.now())
        return await value(withinMilliseconds: overflow ? (deadline < 0 ? 0 : .max) : rest, body)
    }

    /// - Returns: `nil` when the time is up or this task is cancelled.
    static func value<Output: Sendable>(
        withinMilliseconds milliseconds: Int64, _ body: @escaping @Sendable () async -> Output
    ) async -> Output? {
        let first = FirstValue<Output>()
        let work = Task { _ = first.set(await body()) }
        defer { work.cancel() }
        // A day outlasts every deadline of a flow that anybody waits for.
        return await first.value(withinMilliseconds: Int(min(max(0, milliseconds), 24 * 3_600_000)))
    }

    /// The same for what must be done also when this task is cancelled.
    static func essential<Output: Sendable>(
        until deadline: Int64, _ body: @escaping @Sendable () async -> Output
    ) async -> Output? {
        await Task { await value(until: deadline, body) }.value
    }
}
