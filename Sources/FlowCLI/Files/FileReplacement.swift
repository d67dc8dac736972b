internal import Glibc

/// Puts a new text in the place of a file: whoever reads it sees the old one or the new one, never a part.
enum FileReplacement {
    /// Keeps the permissions; a symbolic link stays one, and the file it leads to is replaced.
    static func replace(_ path: String, with text: String) throws(FileProblem) {
        guard let target = FileAccess.resolved(path) else { throw FileProblem(errnoOf: path) }
        guard let status = FileAccess.status(target), status.kind == .file else {
            throw FileProblem(path, "is no plain file")
        }
        try put(text, at: target, status.permissions)
    }

    /// Puts a file for this user alone in the place of whatever is there, a link included; makes the folder as well.
    static func replacePrivate(_ path: String, with text: String) throws(FileProblem) {
        try PrivateFile.makeDirectory(FilePath.parent(of: path))
        try put(text, at: path, 0o600)
    }

    /// Puts a file for this user alone in the place of a file or of a link; a device or a pipe is written to.
    ///
    /// A link is replaced and not followed, since somebody else may have made it.
    static func replaceOrMake(_ path: String, with text: String) throws(FileProblem) {
        if isStream(path) { return try write(path, text) }
        try put(text, at: path, 0o600)
    }

    /// Whether something is there that is written to and not replaced: a device or a pipe, or, where a shell
    /// has put it, whatever that leads to.
    static func isStream(_ path: String) -> Bool {
        guard let kind = FileAccess.status(path)?.kind else { return false }
        if path.hasPrefix("/dev/") || path.hasPrefix("/proc/") { return true }
        return kind == .other && FileAccess.destination(ofLink: path) == nil
    }

    /// Whether `replaceOrMake` can succeed, before there is a text.
    static func check(_ path: String) throws(FileProblem) {
        let kind = FileAccess.status(path)?.kind
        if kind == .directory { throw FileProblem(path, "is a folder") }
        // A file is replaced by another of its folder.
        guard !isStream(path) else { return }
        let folder = FilePath.parent(of: path)
        guard FileAccess.mayWrite(folder) else { throw FileProblem(errnoOf: folder) }
    }

    private static func put(_ text: String, at target: String, _ permissions: mode_t) throws(FileProblem) {
        // In the same folder, since a file can only be renamed within one file system.
        let name = ".\(FilePath.lastName(of: target)).\(getpid()).tmp"
        let temporary = FilePath.join(FilePath.parent(of: target), name)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileProblem(errnoOf: temporary) }
        do throws(FileProblem) {
            defer { close(descriptor) }
            try write(Array(text.utf8), descriptor, temporary)
            guard fchmod(descriptor, permissions) == 0, fsync(descriptor) == 0 else {
                throw FileProblem(errnoOf: temporary)
            }
        } catch {
            unlink(temporary)
            throw error
        }
        guard rename(temporary, target) == 0 else {
            let problem = FileProblem(errnoOf: target)
            unlink(temporary)
            throw problem
        }
    }

    /// Makes a file that does not exist yet; what cannot be written whole is not left behind.
    static func create(
        _ path: String, _ text: String, permissions: mode_t = 0o644
    ) throws(FileProblem) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
        guard descriptor >= 0 else { throw FileProblem(errnoOf: path) }
        defer { close(descriptor) }
        do throws(FileProblem) {
            try write(Array(text.utf8), descriptor, path)
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Puts a text into a file, which is made or emptied first.
    static func write(_ path: String, _ text: String) throws(FileProblem) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileProblem(errnoOf: path) }
        defer { close(descriptor) }
        try write(Array(text.utf8), descriptor, path)
    }

    /// Adds a line to a file that is there, whether or not what it has ends with one.
    static func addLine(_ line: String, to path: String) throws(FileProblem) {
        let descriptor = open(path, O_RDWR | O_APPEND | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileProblem(errnoOf: path) }
        defer { close(descriptor) }
        var last = UInt8(ascii: "\n")
        let end = lseek(descriptor, 0, SEEK_END)
        guard end <= 0 || pread(descriptor, &last, 1, end - 1) >= 0 else { throw FileProblem(errnoOf: path) }
        let start = last == UInt8(ascii: "\n") ? "" : "\n"
        try write(Array("\(start)\(line)\n".utf8), descriptor, path)
    }

    private static func write(_ bytes: [UInt8], _ descriptor: Int32, _ path: String) throws(FileProblem) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw FileProblem(errnoOf: path) }
            rest = rest.dropFirst(count)
        }
    }
}
