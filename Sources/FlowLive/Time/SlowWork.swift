/// What is being waited for, and until when at most, in milliseconds since 1970.
package struct SlowWait: Sendable, Hashable {
    package let what: String
    package let until: Int64

    package init(what: String, until: Int64) {
        self.what = what
        self.until = until
    }
}

/// Work that is told of when it takes longer than a while.
enum SlowWork {
    /// - Parameters:
    ///   - patience: Milliseconds before it is told of; `nil` never tells.
    ///   - tell: Called once at most, and never after the work has ended.
    static func run<Answer>(
        tellingAfter patience: Int64?, _ tell: @escaping @Sendable () -> Void, _ work: () async -> Answer
    ) async -> Answer {
        guard let patience else { return await work() }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                guard (try? await Task.sleep(for: .milliseconds(patience))) != nil else { return }
                tell()
            }
            let answer = await work()
            group.cancelAll()
            await group.waitForAll()
            return answer
        }
    }
}
