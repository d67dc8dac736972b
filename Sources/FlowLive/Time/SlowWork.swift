import Glibc
import Synchronization

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
package enum SlowWork {
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

    /// The same for work that keeps the caller's thread.
    package static func runAndWait<Answer, Failure: Error>(
        tellingAfter patience: Int64, _ tell: @escaping @Sendable () -> Void,
        _ work: () throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        let watch = ThreadWatch()
        watch?.start(patience, tell)
        defer { watch?.end() }
        return try work()
    }
}

/// A second thread that tells of work on a first.
private final class ThreadWatch: Sendable {
    /// Readable once the work is over.
    private let reading: FileDescriptor
    private let writing: Mutex<FileDescriptor?>

    /// `nil` when no descriptors are left.
    init?() {
        guard let pipe = FileDescriptor.pipe() else { return nil }
        reading = pipe.reading
        writing = Mutex(pipe.writing)
    }

    func start(_ patience: Int64, _ tell: @escaping @Sendable () -> Void) {
        _ = WorkerThread.start { [self] in
            var over = pollfd(fd: reading.number, events: Int16(POLLIN), revents: 0)
            guard poll(&over, 1, Int32(clamping: patience)) == 0 else { return }
            writing.withLock { if $0 != nil { tell() } }
        }
    }

    func end() { writing.withLock { $0 = nil } }
}
