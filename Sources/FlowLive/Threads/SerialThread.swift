/// One thread on which an actor runs whose work may block.
///
/// The thread ends after the last job when this object is released.
final class SerialThread: SerialExecutor {
    private let queue = JobQueue()

    /// - Returns: `nil` when the system has no thread left.
    init?() {
        let queue = queue
        guard WorkerThread.start({ queue.run() }) else { return nil }
    }

    deinit { queue.close() }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.append { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Does work there that belongs to no task.
    func run(_ work: @escaping @Sendable () -> Void) { queue.append(work) }
}
