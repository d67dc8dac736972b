import Glibc

/// Keeps those who use a store and whoever deletes it apart, in all processes.
///
/// A database that was deleted while it was open takes what is written to it and shows it to nobody. The kernel ends a
/// use with its process, however that ends. The file stays when the store is deleted, or two would have two of it.
final class StoreUse: Sendable {
    private let file: FileDescriptor

    private init(_ file: FileDescriptor) {
        self.file = file
    }

    // A child that is just being started holds the descriptor too until it runs its program.
    deinit { flock(file.number, LOCK_UN) }

    /// How long a use is waited for, in milliseconds: a command that only looks is over by then.
    private static let patience = 2_000

    /// One of many that use the store in `folder`; waits for who is deleting it.
    ///
    /// - Returns: `nil` where the file is missing and cannot be made: the store is only read there.
    static func shared(_ folder: String) throws(StoreError) -> StoreUse? {
        guard let file = try openToShare(folder) else { return nil }
        guard take(file, LOCK_SH) else { throw .busy(path: folder) }
        return StoreUse(file)
    }

    /// The only one.
    ///
    /// - Throws: `inUse` when others are at it for longer than a moment.
    static func sole(_ folder: String) throws(StoreError) -> StoreUse {
        let file = try open(folder)
        guard take(file, LOCK_EX) else { throw .inUse(path: folder, processes: holders(file)) }
        return StoreUse(file)
    }

    /// A file that may only be read is locked all the same.
    private static func openToShare(_ folder: String) throws(StoreError) -> FileDescriptor? {
        do throws(StoreError) {
            return try open(folder)
        } catch {
            switch error {
            // What others may open, or is no plain file, is refused again.
            case .permission, .readOnly: return try PrivateFile.open(reading: path(folder))
            default: throw error
            }
        }
    }

    private static func path(_ folder: String) -> String { folder + "/use.lock" }

    private static func open(_ folder: String) throws(StoreError) -> FileDescriptor {
        let path = path(folder)
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PrivateFile.failure(making: path, errno) }
        let file = FileDescriptor(owning: descriptor)
        try PrivateFile.check(file, path, S_IFREG)
        return file
    }

    private static func take(_ file: FileDescriptor, _ kind: Int32) -> Bool {
        let end = MonotonicClock.milliseconds() + Int64(patience)
        while flock(file.number, kind | LOCK_NB) != 0 {
            guard MonotonicClock.milliseconds() < end else { return false }
            usleep(5_000)
        }
        return true
    }

    /// Who holds it, as the kernel lists locks (proc(5), /proc/locks); empty where it does not.
    private static func holders(_ file: FileDescriptor) -> [Int32] {
        var details = stat()
        guard fstat(file.number, &details) == 0, let list = fopen("/proc/locks", "re") else { return [] }
        defer { fclose(list) }
        var processes: [Int32] = []
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), list) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            // "1: FLOCK  ADVISORY  READ 4711 fd:01:1234567 0 EOF"
            let words = text.split(separator: " ")
            guard words.count > 5, words[1] == "FLOCK", let process = Int32(words[4]), process > 0,
                words[5].split(separator: ":").last.flatMap({ UInt64($0) }) == UInt64(details.st_ino)
            else { continue }
            processes.append(process)
        }
        return Array(Set(processes)).sorted()
    }
}
