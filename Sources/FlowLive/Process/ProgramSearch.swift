import Glibc

/// Finds programs as files name them.
package enum ProgramSearch {
    /// The absolute path of a program, links followed; `nil` when there is none that may be run.
    ///
    /// - Parameters:
    ///   - directory: Where a relative path starts; a bare name is looked up in `path` alone.
    ///   - path: As the variable PATH: absolute folders, separated by colons.
    package static func locate(_ program: String, from directory: String, path: String?) -> String? {
        let candidates: [String]
        if program.hasPrefix("/") {
            candidates = [program]
        } else if program.contains("/") {
            candidates = ["\(directory)/\(program)"]
        } else {
            candidates = (path ?? "").split(separator: ":").map { "\($0)/\(program)" }
        }
        guard let found = candidates.first(where: { access($0, X_OK) == 0 }),
            let resolved = realpath(found, nil)
        else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Whether every user of the machine can put another program in its place: the file or its folder is writable by
    /// anybody, sticky or not.
    ///
    /// - Parameter path: Absolute, links followed. Folders further up are not looked at.
    package static func isOpenToAnybody(_ path: String) -> Bool {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        return [path, String(folder)].contains { place in
            var details = stat()
            return stat(place, &details) != 0 || details.st_mode & S_IWOTH != 0
        }
    }
}
