import Glibc

/// Finds programs as files name them.
package enum ProgramSearch {
    /// The absolute path of a program, links followed; `nil` when there is none that may be run.
    ///
    /// - Parameters:
    ///   - directory: Where a relative path starts; a bare name is looked up in `path` alone.
    ///   - path: As the variable PATH: absolute folders, separated by colons.
    package static func locate(_ program: String, from directory: String, path: String?) -> String? {
        guard let found = candidates(program, directory, path).first(where: { access($0, X_OK) == 0 }),
            let resolved = realpath(found, nil)
        else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The first file of that name, whether or not it may be run; `nil` when there is none.
    package static func file(_ program: String, from directory: String, path: String?) -> String? {
        candidates(program, directory, path).first { access($0, F_OK) == 0 }
    }

    private static func candidates(_ program: String, _ directory: String, _ path: String?) -> [String] {
        if program.hasPrefix("/") { return [program] }
        if program.contains("/") { return ["\(directory)/\(program)"] }
        return (path ?? "").split(separator: ":").map { "\($0)/\(program)" }
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
