internal import Glibc

/// The folders that flowrun uses, and who may look into them.
struct PlaceChecks: Sendable {
    let surroundings: Surroundings

    var findings: [Finding] {
        let directories = UserDirectories(surroundings)
        return [
            place("configuration", directories.configuration, isPrivate: false),
            place("sessions", directories.data.map { FilePath.join($0, "store") }, isPrivate: true),
            place("locks", directories.state.map { FilePath.join($0, "locks") }, isPrivate: true),
            place("cache", directories.cache, isPrivate: false),
        ]
    }

    private func place(_ name: String, _ path: String?, isPrivate: Bool) -> Finding {
        guard let path else { return .bad("path", "no place for \(name)", fix: "set HOME") }
        guard let status = FileAccess.status(path) else {
            let parent = Self.existingParent(of: path)
            guard FileAccess.mayWrite(parent) else {
                return .bad(
                    "path", "\(name): \(path) cannot be made",
                    fix:
                        "\(parent) must be yours to write to (now user \(geteuid())); or set HOME, or the XDG variables"
                )
            }
            return .ok("path", "\(name): \(path), made when it is needed")
        }
        guard status.kind == .directory else { return .bad("path", "\(name): \(path) is no folder") }
        let mode = String(status.permissions & 0o777, radix: 8)
        guard status.owner == geteuid() else {
            return .bad(
                "path", "\(name): \(path) belongs to user \(status.owner)",
                fix: "chown it, or run as its owner")
        }
        guard FileAccess.mayWrite(path) else {
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
        return .ok("path", "\(name): \(path) (mode \(mode))")
    }

    private static func existingParent(of path: String) -> String {
        var path = FilePath.parent(of: path)
        while path != "/", FileAccess.status(path) == nil { path = FilePath.parent(of: path) }
        return path
    }
}
