internal import Glibc

/// The folders that flowrun uses, who may look into them, and what room is left there.
struct PlaceChecks: Sendable {
    let surroundings: Surroundings
    var user = geteuid()
    var status: @Sendable (String) -> FileAccess.Status? = { FileAccess.status($0) }
    var mayRead: @Sendable (String) -> Bool = { FileAccess.mayRead($0) }
    var mayWrite: @Sendable (String) -> Bool = { FileAccess.mayWrite($0) }
    /// Bytes that are left on the disk of a folder.
    var room: @Sendable (String) -> UInt64? = { FileAccess.room($0) }

    /// A refresh writes its journal, the session and the log of both: some 200 kB. Below that tokens are at stake.
    private static let leastRoom: UInt64 = 256 << 10

    var findings: [Finding] {
        let directories = UserDirectories(surroundings)
        return [
            configuration(directories.configuration),
            place("sessions", directories.data.map { FilePath.join($0, "store") }, isPrivate: true),
            place("locks", directories.state.map { FilePath.join($0, "locks") }, isPrivate: true),
            place("cache", directories.cache, isPrivate: false),
        ]
            + directories.ignored.map { name in
                .warning("path", "\(name) is no absolute path and is ignored", fix: "begin it with /")
            }
    }

    /// Read by every command and written by few: an administrator's may be root's, as of a service.
    private func configuration(_ path: String?) -> Finding {
        if let path, let status = status(path), status.owner == 0, user != 0, status.kind == .directory,
            status.permissions & 0o022 == 0, mayRead(path)
        {
            return .ok("path", "configuration: \(path) (mode \(Self.mode(status))), to be read only")
        }
        return place("configuration", path, isPrivate: false)
    }

    /// - Parameter isPrivate: Whether sessions depend on it.
    private func place(_ name: String, _ path: String?, isPrivate: Bool) -> Finding {
        guard let path else { return .bad("path", "no place for \(name)", fix: "set HOME") }
        guard let status = status(path) else {
            let parent = existingParent(of: path)
            guard mayWrite(parent) else {
                let what = "\(name): \(path) cannot be made"
                let fix =
                    "\(parent) must be yours to write to (now user \(user)); or set HOME, or the XDG variables"
                return isPrivate ? .bad("path", what, fix: fix) : .warning("path", what, fix: fix)
            }
            return .ok("path", "\(name): \(path), made when it is needed")
        }
        guard status.kind == .directory else { return .bad("path", "\(name): \(path) is no folder") }
        let mode = Self.mode(status)
        guard status.owner == user else {
            return .bad(
                "path", "\(name): \(path) belongs to user \(status.owner)",
                fix: "chown it, or run as its owner")
        }
        guard mayWrite(path) else {
            return .bad(
                "path", "\(name): nothing can be written to \(path)",
                fix: "chmod u+rwx \(path); if its disk is mounted read-only, mount it for writing")
        }
        if isPrivate, status.permissions & 0o077 != 0 {
            return .bad("path", "\(name): others may open \(path) (mode \(mode))", fix: "chmod 700 \(path)")
        }
        if status.permissions & 0o022 != 0 {
            return .warning(
                "path", "\(name): others may write to \(path) (mode \(mode))", fix: "chmod go-w \(path)")
        }
        if isPrivate, let room = room(path), room < Self.leastRoom {
            return .bad(
                "path", "\(name): \(room >> 10) kB are left on the disk of \(path)",
                fix: "make room: df -h \(path)")
        }
        return .ok("path", "\(name): \(path) (mode \(mode))")
    }

    private static func mode(_ status: FileAccess.Status) -> String {
        String(status.permissions & 0o777, radix: 8)
    }

    private func existingParent(of path: String) -> String {
        var path = FilePath.parent(of: path)
        while path != "/", status(path) == nil { path = FilePath.parent(of: path) }
        return path
    }
}
