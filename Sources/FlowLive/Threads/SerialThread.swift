import Glibc
import Synchronization

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
        queue.append(UnownedJob(job), asUnownedSerialExecutor())
    }
}

/// Jobs for one thread, with a semaphore it sleeps on.
private final class JobQueue: @unchecked Sendable {  // the semaphore is its own lock
    private let jobs = Mutex<[(UnownedJob, UnownedSerialExecutor)]>([])
    private let isClosed = Atomic<Bool>(false)
    private let signal = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(signal, 0, 0) }

    deinit {
        sem_destroy(signal)
        signal.deallocate()
    }

    func append(_ job: UnownedJob, _ executor: UnownedSerialExecutor) {
        jobs.withLock { $0.append((job, executor)) }
        sem_post(signal)
    }

    func close() {
        isClosed.store(true, ordering: .releasing)
        sem_post(signal)
    }

    func run() {
        while true {
            while sem_wait(signal) == -1 && errno == EINTR {}
            let batch = jobs.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
            for (job, executor) in batch { job.runSynchronously(on: executor) }
            if batch.isEmpty && isClosed.load(ordering: .acquiring) { return }
        }
    }
}
