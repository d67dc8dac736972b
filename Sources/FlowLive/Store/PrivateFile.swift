import Glibc

/// Files and directories that only their owner may open.
enum PrivateFile {
    /// Makes the directory with mode 0700, its missing parents too, and checks one that is there.
    static func prepareDirectory(_ path: String) throws(StoreError) {
        try makeDirectory(path)
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code = errno
            // Of a link the system says as of a file that it is no directory.
            throw failure(path, isLink(path) ? ELOOP : code)
        }
        let directory = FileDescriptor(owning: descriptor)
        try check(directory, path, S_IFDIR)
    }

    private static func isLink(_ path: String) -> Bool {
        var details = stat()
        return lstat(path, &details) == 0 && details.st_mode & S_IFMT == S_IFLNK
    }

    private static func makeDirectory(_ path: String) throws(StoreError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw failure(path, errno)
        }
        try makeDirectory(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(path, errno) }
    }

    /// Opens a file that must be there and be private.
    static func open(reading path: String) throws(StoreError) -> FileDescriptor? {
        let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0 && errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw failure(path, errno) }
        let file = FileDescriptor(owning: descriptor)
        try check(file, path, S_IFREG)
        return file
    }

    /// The bytes of a private file; `nil` when there is none.
    static func read(_ path: String, limit: Int) throws(StoreError) -> [UInt8]? {
        guard let file = try open(reading: path) else { return nil }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(file.number, &piece, piece.count)
            guard count >= 0 else { throw failure(path, errno) }
            if count == 0 { return bytes }
            guard bytes.count + count <= limit else {
                throw .unavailable(path: path, reason: "it is too large")
            }
            bytes.append(contentsOf: piece[..<count])
        }
    }

    /// Puts a new private file in the place of an old one: written, flushed, renamed.
    static func replace(_ path: String, with bytes: [UInt8]) throws(StoreError) {
        if let slash = path.lastIndex(of: "/") { try prepareDirectory(String(path[..<slash])) }
        // Runs of one process write at the same time, and one that died has left its file to the next of its number.
        let temporary = "\(path).\(UInt64.random(in: .min ... .max)).new"
        let descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(temporary, errno) }
        let file = FileDescriptor(owning: descriptor)
        let written = bytes.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
        guard written == bytes.count, fsync(file.number) == 0, rename(temporary, path) == 0 else {
            let code = errno
            unlink(temporary)
            throw failure(path, code)
        }
    }

    /// Makes an empty file with mode 0600 where there is none.
    static func create(_ path: String) throws(StoreError) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if descriptor < 0 && errno == EEXIST { return }
        guard descriptor >= 0 else { throw failure(making: path, errno) }
        close(descriptor)
    }

    /// Checks a file by its name: closing a descriptor of a database would drop SQLite's locks on it.
    static func check(named path: String) throws(StoreError) {
        var details = stat()
        guard lstat(path, &details) == 0 else { throw failure(path, errno) }
        try check(details, path, S_IFREG)
    }

    static func check(_ file: FileDescriptor, _ path: String, _ type: mode_t) throws(StoreError) {
        var details = stat()
        guard fstat(file.number, &details) == 0 else { throw failure(path, errno) }
        try check(details, path, type)
    }

    private static func check(_ details: stat, _ path: String, _ type: mode_t) throws(StoreError) {
        guard details.st_mode & S_IFMT == type else {
            throw .permission(
                path: path, reason: type == S_IFDIR ? "it is not a directory" : "it is not a plain file")
        }
        guard details.st_uid == geteuid() else {
            throw .permission(path: path, reason: "it belongs to user \(details.st_uid)")
        }
        guard details.st_mode & 0o077 == 0 else {
            let mode = String(details.st_mode & 0o777, radix: 8)
            let wanted = type == S_IFDIR ? "700" : "600"
            throw .permission(path: path, reason: "others may open it (mode \(mode)); chmod \(wanted) it")
        }
    }

    /// Why a file was not opened or made; one that is not there is its folder's matter.
    static func failure(making path: String, _ code: Int32) -> StoreError {
        let failure = failure(path, code)
        guard access(path, F_OK) != 0, let slash = path.lastIndex(of: "/") else { return failure }
        let folder = String(path[..<slash])
        switch failure {
        case .readOnly(_, let reason):
            return .readOnly(path: folder, reason: "no file can be made in it: \(reason)")
        case .permission(_, let reason):
            var details = stat()
            guard stat(folder, &details) == 0 else { return failure }
            let mode = String(details.st_mode & 0o777, radix: 8)
            return .permission(
                path: folder,
                reason: "no file can be made in it: \(reason) (user \(geteuid()), mode \(mode))")
        default: return failure
        }
    }

    static func failure(_ path: String, _ code: Int32) -> StoreError {
        switch code {
        case ENOSPC, EDQUOT: .diskFull(path: path)
        case EACCES, EPERM: .permission(path: path, reason: SystemError.text(code))
        case EROFS: .readOnly(path: path, reason: SystemError.text(code))
        case ELOOP: .permission(path: path, reason: "it is a symbolic link")
        default: .unavailable(path: path, reason: SystemError.text(code))
        }
    }
}
