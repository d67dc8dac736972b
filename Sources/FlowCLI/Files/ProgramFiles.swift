internal import FlowLanguage
internal import FlowLive
internal import Glibc

/// What the programs that a flow starts are like on this machine.
struct ProgramFiles: Sendable {
    /// Of the flow file.
    let directory: String
    /// Where bare names are looked up, as the variable PATH has it; `nil` where that is another machine's matter.
    var searchPath: String?

    /// - Returns: `nil` for a program that is as it should be, and for a bare name that is not found here.
    func problem(_ path: String) -> ProgramFileRule.Problem? {
        guard path.contains("/") else {
            let found = searchPath.flatMap { ProgramSearch.locate(path, from: directory, path: $0) }
            return found.map(ProgramSearch.isOpenToAnybody) == true ? .writableByOthers : nil
        }
        let absolute = FilePath.join(directory, path)
        guard let resolved = FileAccess.resolved(absolute) else { return .missing }
        guard let root = FileAccess.resolved(directory), resolved.hasPrefix(root == "/" ? root : root + "/")
        else {
            return .outside
        }
        guard FileAccess.isFile(resolved), access(resolved, X_OK) == 0 else { return .notExecutable }
        return ProgramSearch.isOpenToAnybody(resolved) ? .writableByOthers : nil
    }
}
