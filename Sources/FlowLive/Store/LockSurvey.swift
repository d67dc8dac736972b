import Glibc

/// A lock that a process holds now, with what that process wrote about itself.
package struct HeldLock: Sendable, Hashable {
    /// `nil` when it wrote nothing that can be read.
    package let process: Int32?
    package let ageMilliseconds: Int64?
}

/// Looks at the locks of a folder without waiting for one.
package enum LockSurvey {
    /// The locks that are held; a free one is taken for a moment, which at most makes somebody else wait as long.
    package static func held(in directory: String) -> [HeldLock] {
        FolderFile.all(in: directory).filter { $0.path.hasSuffix(".lock") }.compactMap { look(at: $0.path) }
    }

    static func isHeld(_ path: String) -> Bool { look(at: path) != nil }

    /// - Returns: `nil` for a lock that is free, or that cannot be looked at.
    private static func look(at path: String) -> HeldLock? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let file = FileDescriptor(owning: descriptor)
        if flock(file.number, LOCK_SH | LOCK_NB) == 0 {
            flock(file.number, LOCK_UN)
            return nil
        }
        guard errno == EWOULDBLOCK else { return nil }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = pread(file.number, &bytes, bytes.count, 0)
        let words = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            .split(whereSeparator: \.isWhitespace)
        let since = words.count == 2 ? Int64(words[1]) : nil
        return HeldLock(
            process: words.first.flatMap { Int32($0) },
            ageMilliseconds: since.map { WallClock.age(of: $0) })
    }
}
