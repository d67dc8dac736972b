import Glibc
import Synchronization

/// Work for one thread, with a semaphore it sleeps on.
final class JobQueue: @unchecked Sendable {  // the semaphore is its own lock
    private let jobs = Mutex<[@Sendable () -> Void]>([])
    private let isClosed = Atomic<Bool>(false)
    private let signal = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(signal, 0, 0) }

    deinit {
        sem_destroy(signal)
        signal.deallocate()
    }

    func append(_ job: @escaping @Sendable () -> Void) {
        jobs.withLock { $0.append(job) }
        sem_post(signal)
    }

    func close() {
        isClosed.store(true, ordering: .releasing)
        sem_post(signal)
    }

    /// Does the work on the caller's thread, until the queue is closed and nothing is left.
    func run() {
        while true {
            while sem_wait(signal) == -1 && errno == EINTR {}
            let batch = jobs.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
            for job in batch { job() }
            if batch.isEmpty && isClosed.load(ordering: .acquiring) { return }
        }
    }
}
