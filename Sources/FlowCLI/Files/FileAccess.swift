internal import Glibc

/// A file that could not be used, and why.
package struct FileProblem: Error, Sendable, Hashable, CustomStringConvertible {
    package let path: String
    /// The system's words, or ours.
    package let reason: String
    /// The system's number for it; `nil` where it was not the system that refused.
    let code: Int32?

    package init(_ path: String, _ reason: String) { self.init(path, reason, code: nil) }

    private init(_ path: String, _ reason: String, code: Int32?) {
        self.path = path
        self.reason = reason
        self.code = code
    }

    /// Takes the reason from `errno`, which must be that of the call before.
    init(errnoOf path: String) {
        let code = errno
        guard code == ENOENT, path.unicodeScalars.contains("\u{FFFD}") else {
            self.init(path, String(cString: strerror(code)), code: code)
            return
        }
        self.init(path, "a name that is not UTF-8 cannot be reached; rename it", code: code)
    }

    package var description: String { "\(path): \(reason)" }
}

/// Reading files and folders.
enum FileAccess {
    enum Kind: Sendable, Hashable {
        case file, directory, other
    }

    struct Status: Sendable, Hashable {
        let kind: Kind
        let owner: UInt32
        let permissions: UInt32
    }

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// What lies at a path, links followed; `nil` when nothing does.
    static func status(_ path: String) -> Status? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Self.status(status)
    }

    private static func status(_ status: stat) -> Status {
        let kind: Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            default: .other
            }
        return Status(kind: kind, owner: status.st_uid, permissions: status.st_mode & 0o7777)
    }

    static func isFile(_ path: String) -> Bool { status(path).map { $0.kind != .directory } ?? false }

    static func isDirectory(_ path: String) -> Bool { status(path)?.kind == .directory }

    /// Whether there is anything of that name, a link that leads nowhere included.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Whether nothing lies there, as far as anybody can see.
    ///
    /// - Throws: When a folder above cannot be looked into.
    static func isMissing(_ path: String) throws(FileProblem) -> Bool {
        var status = stat()
        if stat(path, &status) == 0 { return false }
        guard errno == ENOENT || errno == ENOTDIR else { throw FileProblem(errnoOf: path) }
        return true
    }

    /// The path without links; `nil` when it leads nowhere.
    static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    /// Whether this user may put files into a folder.
    static func mayWrite(_ directory: String) -> Bool { access(directory, W_OK | X_OK) == 0 }

    static func mayRead(_ directory: String) -> Bool { access(directory, R_OK | X_OK) == 0 }

    /// Bytes that this user may still write on the disk of a path; a quota of the user's own is not known.
    static func room(_ path: String) -> UInt64? {
        var disk = statvfs()
        guard statvfs(path, &disk) == 0 else { return nil }
        return UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
    }

    /// Whether a folder belongs to this user or to root and is not open to everybody, as `/tmp` is, so that nobody else
    /// can put files in a user's way.
    static func isTrustworthy(_ status: Status) -> Bool {
        guard status.permissions & 0o002 == 0 else { return false }
        let user = geteuid()
        return user == 0 || status.owner == user || status.owner == 0
    }

    /// The bytes of a file, at most `limit`.
    ///
    /// A pipe is read only where a shell has put it: on any other nobody may ever write.
    static func read(_ path: String, limit: Int = 1 << 20) throws(FileProblem) -> [UInt8] {
        // Without waiting: opening a pipe waits for who writes to it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileProblem(errnoOf: path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileProblem(errnoOf: path) }
        if status.st_mode & S_IFMT != S_IFREG {
            let isOfShell = path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
            guard status.st_mode & S_IFMT != S_IFIFO || isOfShell else {
                throw FileProblem(path, "it is a pipe, not a file")
            }
            guard fcntl(descriptor, F_SETFL, 0) == 0 else { throw FileProblem(errnoOf: path) }
        }
        return try read(descriptor, named: path, limit: limit)
    }

    /// The bytes of a file that holds a secret: refused when everybody may read it.
    ///
    /// - Parameter isPublic: Whether it is a certificate or the like, which everybody may read.
    static func readSecret(
        _ path: String, isPublic: Bool = false, limit: Int = 1 << 16
    ) throws(FileProblem) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileProblem(errnoOf: path) }
        defer { close(descriptor) }
        var raw = stat()
        guard fstat(descriptor, &raw) == 0 else { throw FileProblem(errnoOf: path) }
        let status = status(raw)
        guard isPublic || status.kind != .file || status.permissions & 0o004 == 0 else {
            throw FileProblem(
                path,
                isFixed(descriptor)
                    ? "everybody can read this secret, and it is mounted read-only: mount it with the mode 0400 "
                        + "(defaultMode of Kubernetes), or hand it over: {command: [cat, \(path)]}"
                    : "everybody can read this secret; run: chmod 600 \(path)")
        }
        return try read(descriptor, named: path, limit: limit)
    }

    /// Whether nobody can change the mode of a file, as where a container has its secrets.
    private static func isFixed(_ descriptor: Int32) -> Bool {
        var raw = statvfs()
        return fstatvfs(descriptor, &raw) == 0 && raw.f_flag & UInt(ST_RDONLY) != 0
    }

    static func read(_ descriptor: Int32, named name: String, limit: Int) throws(FileProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw FileProblem(errnoOf: name) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { throw FileProblem(name, "is larger than \(limit) bytes") }
        }
    }

    /// The names in a folder, sorted, without those that begin with a dot; empty for a folder that is none.
    static func names(in directory: String) -> [String] { (try? contents(of: directory)) ?? [] }

    /// The names in a folder, sorted, without those that begin with a dot.
    static func contents(of directory: String) throws(FileProblem) -> [String] {
        guard let handle = opendir(directory) else { throw FileProblem(errnoOf: directory) }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// Where a symbolic link points.
    static func destination(ofLink path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { bytes -> Int in
            guard let start = bytes.bindMemory(to: CChar.self).baseAddress else { return 0 }
            return readlink(path, start, bytes.count)
        }
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    static func workingDirectory() -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard getcwd(&buffer, buffer.count) != nil else { return nil }
        return buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }
}

/// Files that only their owner may read.
enum PrivateFile {
    /// Opens a new or emptied file for writing; refuses links and whatever is no plain file or device.
    static func open(_ path: String) throws(FileProblem) -> Int32 {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileProblem(errnoOf: path) }
        return descriptor
    }

    /// Makes an empty file that does not exist yet.
    ///
    /// - Returns: `false` when something of that name is there.
    static func make(_ path: String) throws(FileProblem) -> Bool {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0, errno == EEXIST { return false }
        guard descriptor >= 0 else { throw FileProblem(errnoOf: path) }
        close(descriptor)
        return true
    }

    /// Deletes a file; one that is gone already is as good.
    static func remove(_ path: String) throws(FileProblem) {
        guard unlink(path) == 0 || errno == ENOENT else { throw FileProblem(errnoOf: path) }
    }

    /// Makes a folder and those above it, for this user alone.
    static func makeDirectory(_ path: String) throws(FileProblem) {
        if FileAccess.isDirectory(path) { return }
        let parent = FilePath.parent(of: path)
        if parent != path { try makeDirectory(parent) }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileProblem(errnoOf: path) }
    }
}
