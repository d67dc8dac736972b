/// The thread that a process began with, as the place where a program's tasks run.
///
/// A program that does one thing and ends is done sooner on the thread it has than on a pool that is set up first.
package final class FirstThread: TaskExecutor {
    private let queue = JobQueue()

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.append { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs the tasks on the caller's thread for the rest of the process's life.
    package func run() -> Never {
        while true { queue.run() }
    }
}
