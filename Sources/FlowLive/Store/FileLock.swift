import Glibc
internal import JOSE
import Synchronization

/// Why a lock was not taken.
package enum LockError: Error, Sendable, Hashable {
    /// Another holder kept it; what it wrote about itself, when that could be read.
    case timeout(holder: Int32?, ageMilliseconds: Int64?)
    case cancelled
    case store(StoreError)
}

/// The right to work on one key, held by one task of one process.
///
/// The kernel releases it when the process ends, however that happens.
package final class FileLock: Sendable {
    private let file: Mutex<FileDescriptor?>
    private let path: String

    private init(_ file: FileDescriptor, _ path: String) {
        self.file = Mutex(file)
        self.path = path
    }

    /// Waits for the lock of `key` without occupying a thread.
    ///
    /// - Parameters:
    ///   - key: Any text; the file's name is its digest.
    ///   - directory: Made with mode 0700 when missing.
    ///   - milliseconds: The longest wait; 0 tries once.
    /// - Throws: `timeout` with the holder's process and how long it has the lock; `cancelled`; `store` when
    ///   the file cannot be used.
    package static func acquire(
        key: String, in directory: String, waitingAtMost milliseconds: Int = 30_000
    ) async throws(LockError) -> FileLock {
        let waiting = try Waiting(key, directory, milliseconds)
        while try !waiting.isOver() {
            do {
                try await Task.sleep(for: .milliseconds(waiting.pause))
            } catch {
                throw .cancelled
            }
        }
        return waiting.lock()
    }

    /// The same for callers that may occupy a thread.
    package static func take(
        key: String, in directory: String, waitingAtMost milliseconds: Int
    ) throws(LockError) -> FileLock {
        let waiting = try Waiting(key, directory, milliseconds)
        while try !waiting.isOver() { usleep(UInt32(waiting.pause) * 1_000) }
        return waiting.lock()
    }

    /// The attempts to take one lock.
    private final class Waiting {
        private let path: String
        private let file: FileDescriptor
        private let end: Int64
        /// Milliseconds until the next attempt.
        private(set) var pause = 1

        init(_ key: String, _ directory: String, _ milliseconds: Int) throws(LockError) {
            path = FileLock.path(key, directory)
            file = try FileLock.open(path, in: directory)
            end = MonotonicClock.milliseconds() + Int64(milliseconds)
        }

        /// Tries once.
        func isOver() throws(LockError) -> Bool {
            if FileLock.tryLock(file) { return true }
            let remaining = end - MonotonicClock.milliseconds()
            guard remaining > 0 else { throw FileLock.timeout(file) }
            pause = min(pause * 2, 20, Int(remaining) + 1)
            return false
        }

        func lock() -> FileLock {
            FileLock.announce(file)
            return FileLock(file, path)
        }
    }

    deinit { release() }

    /// Gives the lock back; releasing the object does the same.
    ///
    /// Closing is not enough: a child that is just being started holds the descriptor too until it runs its program.
    package func release() {
        file.withLock { held in
            if let held { flock(held.number, LOCK_UN) }
            held = nil
        }
    }

    /// Gives the lock back and deletes its file: for a key that nobody will ask for again.
    ///
    /// Whoever has opened the file before gets the lock of a file that is gone, and must find out that the work is done.
    func retire() {
        unlink(path)
        release()
    }

    static func path(_ key: String, _ directory: String) -> String {
        "\(directory)/\(Base64URL.encode(Digest.sha256(key.utf8))).lock"
    }

    private static func open(
        _ path: String, in directory: String
    ) throws(LockError) -> FileDescriptor {
        do throws(StoreError) {
            try PrivateFile.prepareDirectory(directory)
            let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw PrivateFile.failure(making: path, errno) }
            let file = FileDescriptor(owning: descriptor)
            try PrivateFile.check(file, path, S_IFREG)
            return file
        } catch {
            throw .store(error)
        }
    }

    private static func tryLock(_ file: FileDescriptor) -> Bool {
        while flock(file.number, LOCK_EX | LOCK_NB) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }

    /// Writes who holds it since when; only for the message of those who wait.
    private static func announce(_ file: FileDescriptor) {
        let text = "\(getpid()) \(WallClock.now())\n"
        _ = ftruncate(file.number, 0)
        _ = pwrite(file.number, text, text.utf8.count, 0)
    }

    private static func timeout(_ file: FileDescriptor) -> LockError {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = pread(file.number, &bytes, bytes.count, 0)
        let words = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            .split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let holder = Int32(words[0]), let since = Int64(words[1]) else {
            return .timeout(holder: nil, ageMilliseconds: nil)
        }
        return .timeout(holder: holder, ageMilliseconds: WallClock.age(of: since))
    }
}
