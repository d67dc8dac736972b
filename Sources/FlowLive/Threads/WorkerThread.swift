import Glibc

/// A thread of ours for work that waits: it takes no signal, so it never interrupts a system call.
///
/// A write to a closed pipe or socket therefore gives EPIPE on such a thread, never a death by SIGPIPE.
package enum WorkerThread {
    /// Starts `body` on a new detached thread.
    ///
    /// - Returns: `false` when the system has no thread left; `body` is then not run.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        withSignalsBlocked {
            let box = Unmanaged.passRetained(ThreadBody(run: body))
            var thread = pthread_t()
            guard pthread_create(&thread, nil, runThreadBody, box.toOpaque()) == 0 else {
                box.release()
                return false
            }
            pthread_detach(thread)
            return true
        }
    }

    /// Runs `body` with all signals blocked, so that a thread which it starts inherits that.
    static func withSignalsBlocked<Result>(_ body: () -> Result) -> Result {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body()
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

private func runThreadBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
