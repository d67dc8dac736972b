internal import FlowLanguage
internal import Glibc

/// What the programs that a flow starts are like on this machine.
struct ProgramFiles: Sendable {
    /// Of the flow file.
    let directory: String

    /// - Returns: `nil` for a bare name, which is looked up in PATH, and for a program that is as it should be.
    func problem(_ path: String) -> ProgramFileRule.Problem? {
        guard path.contains("/") else { return nil }
        let absolute = FilePath.join(directory, path)
        guard let resolved = FileAccess.resolved(absolute) else { return .missing }
        guard let root = FileAccess.resolved(directory), resolved.hasPrefix(root == "/" ? root : root + "/")
        else {
            return .outside
        }
        guard FileAccess.isFile(resolved), access(resolved, X_OK) == 0 else { return .notExecutable }
        return Self.mayBeChangedByOthers(resolved) ? .writableByOthers : nil
    }

    private static func mayBeChangedByOthers(_ path: String) -> Bool {
        FileAccess.status(path).map { $0.permissions & UInt32(S_IWOTH) != 0 } ?? true
    }
}
