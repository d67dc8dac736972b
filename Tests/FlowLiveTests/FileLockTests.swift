import Glibc
import Synchronization
import Testing

@testable import FlowLive

private final class Inside: Sendable {
    let count = Atomic<Int>(0)
}

@Suite("FileLock")
struct FileLockTests {
    private let directory = TemporaryDirectory()

    private func acquire(_ key: String, _ milliseconds: Int = 600_000) async throws(LockError) -> FileLock {
        try await FileLock.acquire(key: key, in: directory.path, waitingAtMost: milliseconds)
    }

    @Test("of many tasks only one is inside at a time")
    func exclusion() async throws {
        let inside = Inside()
        let most = Collected<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let lock = try await acquire("k")
                    most.append(inside.count.add(1, ordering: .relaxed).newValue)
                    await Task.yield()
                    inside.count.subtract(1, ordering: .relaxed)
                    lock.release()
                }
            }
            try await group.waitForAll()
        }
        #expect(most.all == [Int](repeating: 1, count: 20))
    }

    @Test("a look at the locks names those that are held, and who holds them")
    func survey() async throws {
        #expect(LockSurvey.held(in: directory.path).isEmpty)
        let lock = try await acquire("k")
        _ = try await acquire("free")
        let held = LockSurvey.held(in: directory.path)
        #expect(held.map(\.process) == [getpid()])
        #expect(held.first?.ageMilliseconds.map { $0 >= 0 } == true)
        lock.release()
        #expect(LockSurvey.held(in: directory.path).isEmpty)
    }

    @Test("of a holder that has not written who it is nothing is told, and other files are no locks")
    func silentHolder() async throws {
        let path = directory.path
        _ = directory.write("other", "1 2")
        let other = open("\(path)/other", O_RDONLY)
        #expect(flock(other, LOCK_EX) == 0)
        for (text, process) in [("", nil), ("7", 7), ("some one", nil), ("7 8 9", 7)] as [(String, Int32?)] {
            let lock = try await acquire("k")
            let name = try #require(lockFiles().first)
            _ = directory.write(name, text)
            let error = await #expect(throws: LockError.self) { try await acquire("k", 0) }
            #expect(error == .timeout(holder: nil, ageMilliseconds: nil))
            #expect(
                LockSurvey.held(in: path) == [HeldLock(process: process, ageMilliseconds: nil)], "\(text)")
            lock.release()
        }
        close(other)
    }

    @Test("a lock names its present holder alone, whoever wrote more before")
    func nextHolder() async throws {
        try await acquire("k").release()
        let name = try #require(lockFiles().first)
        _ = directory.write(name, String(repeating: "9", count: 60))
        let lock = try await acquire("k")
        let held = LockSurvey.held(in: directory.path)
        #expect(held.map(\.process) == [getpid()])
        #expect(held.first?.ageMilliseconds != nil)
        lock.release()
    }

    @Test("a lock that nobody will ask for again leaves no file, and whoever waits for it gets it")
    func retired() async throws {
        let lock = try await acquire("k")
        let waiting = open("\(directory.path)/\(try #require(lockFiles().first))", O_RDWR)
        defer { close(waiting) }
        #expect(flock(waiting, LOCK_EX | LOCK_NB) != 0)
        lock.retire()
        #expect(flock(waiting, LOCK_EX | LOCK_NB) == 0)
        #expect(lockFiles() == [])
        withExtendedLifetime(lock) {}
    }

    private func lockFiles() -> [String] { directoryNames(directory.path).filter { $0.hasSuffix(".lock") } }

    @Test("a folder that cannot be used is named, and no store of sessions that it is not")
    func unusable() async {
        let error = await #expect(throws: LockError.self) {
            try await FileLock.acquire(key: "a", in: "/proc/none/locks", waitingAtMost: 0)
        }
        #expect(error?.words == "/proc/none: No such file or directory")
    }

    @Test("other keys are not held up")
    func otherKey() async throws {
        let first = try await acquire("k")
        let second = try await acquire("l", 0)
        withExtendedLifetime((first, second)) {}
    }

    @Test("the wait is bounded and names the holder")
    func timeout() async throws {
        let held = try await acquire("k")
        let error = await #expect(throws: LockError.self) { try await acquire("k", 20) }
        guard case .timeout(let holder, let age)? = error else {
            Issue.record("not a timeout: \(String(describing: error))")
            return
        }
        #expect(holder == getpid())
        #expect((age ?? -1) >= 0)
        held.release()
        _ = try await acquire("k", 0)
    }

    @Test("releasing the object releases the lock")
    func scope() async throws {
        do { _ = try await acquire("k") }
        _ = try await acquire("k", 0)
    }

    @Test("another process keeps the lock out until it dies, however it dies")
    func otherProcess() async throws {
        try await acquire("k").release()
        let script = """
            import fcntl, glob, os, sys, time
            file = open(glob.glob(sys.argv[1] + "/*.lock")[0], "r+")
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0); file.truncate(); file.write("%d 1" % os.getpid()); file.flush()
            open(sys.argv[1] + "/held", "w").close()
            time.sleep(100)
            """
        let path = directory.path
        let child = Task {
            try await ProcessRunner.run(
                ProcessRequest(
                    arguments: ["/usr/bin/env", "python3", "-c", script, path],
                    environment: [("PATH", "/usr/local/bin:/usr/bin:/bin")], timeoutMilliseconds: 600_000))
        }
        while access("\(path)/held", F_OK) != 0 { await Task.yield() }
        let error = await #expect(throws: LockError.self) { try await acquire("k", 5) }
        guard case .timeout(let holder?, let age?)? = error else {
            Issue.record("not a timeout with a holder: \(String(describing: error))")
            return
        }
        #expect(holder != getpid())
        #expect(age > 1_000_000_000_000)
        kill(holder, SIGKILL)
        _ = try await acquire("k")
        #expect(try await child.value.end == .signalled(SIGKILL))
    }

    @Test("cancelling the task ends the wait")
    func cancellation() async throws {
        let held = try await acquire("k")
        let task = Task { try await acquire("k", 600_000) }
        task.cancel()
        await #expect(throws: LockError.cancelled) { try await task.value }
        held.release()
    }

    @Test("the lock file is private, and a directory that others may open is refused")
    func privacy() async throws {
        let path = "\(directory.path)/locks"
        let lock = try await FileLock.acquire(key: "../k", in: path)
        lock.release()
        #expect(fileMode(path) == 0o700)
        let file = "\(path)/\(try #require(directoryNames(path).first))"
        chmod(file, 0o640)
        await #expect(
            throws: LockError.store(
                .permission(path: file, reason: "others may open it (mode 640); chmod 600 it"))
        ) { try await FileLock.acquire(key: "../k", in: path) }
        chmod(path, 0o777)
        await #expect(
            throws: LockError.store(
                .permission(path: path, reason: "others may open it (mode 777); chmod 700 it"))
        ) { try await FileLock.acquire(key: "k", in: path) }
    }

    @Test("a file that may not be made is told by its folder")
    func unwritableFolder() {
        chmod(directory.path, 0o500)
        #expect(
            PrivateFile.failure(making: "\(directory.path)/k.lock", EACCES)
                == .permission(
                    path: directory.path,
                    reason: "no file can be made in it: Permission denied (user \(geteuid()), mode 500)"))
        let file = directory.write("there", "")
        #expect(
            PrivateFile.failure(making: file, EACCES) == .permission(path: file, reason: "Permission denied"))
        chmod(directory.path, 0o700)
    }
}

@Suite("Sleep")
struct SleepTests {
    @Test("a deadline that is past does not wait")
    func past() async throws {
        try await Sleep.until(WallClock.now() - 1)
        try await Sleep.until(.min / 2)
    }

    @Test("the wall clock has reached the deadline afterwards")
    func reached() async throws {
        let deadline = WallClock.now() + 20
        try await Sleep.until(deadline)
        #expect(WallClock.now() >= deadline)
    }

    @Test("cancellation ends it")
    func cancelled() async {
        let task = Task { try await Sleep.until(.max / 2) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("the monotonic clock does not go back")
    func monotonic() {
        let first = MonotonicClock.nanoseconds()
        #expect(MonotonicClock.nanoseconds() >= first)
    }
}
