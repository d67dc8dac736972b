import Glibc

/// Owns one open descriptor and closes it with its last reference.
final class FileDescriptor: Sendable {
    let number: Int32

    /// Takes ownership.
    init(owning number: Int32) {
        self.number = number
    }

    deinit { close(number) }

    /// Both ends of a new pipe, none of them 0, 1 or 2 and none inherited by children.
    static func pipe() -> (reading: FileDescriptor, writing: FileDescriptor)? {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { return nil }
        defer { ends.forEach { close($0) } }
        let reading = duplicate(of: ends[0])
        let writing = duplicate(of: ends[1])
        guard let reading, let writing else { return nil }
        return (reading, writing)
    }

    /// A duplicate of at least 3 that children do not inherit.
    static func duplicate(of number: Int32) -> FileDescriptor? {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        return copy < 0 ? nil : FileDescriptor(owning: copy)
    }

    static func nullDevice() -> FileDescriptor? {
        let number = open("/dev/null", O_RDWR | O_CLOEXEC)
        return number < 0 ? nil : FileDescriptor(owning: number)
    }

    func setNonBlocking() {
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    }
}
