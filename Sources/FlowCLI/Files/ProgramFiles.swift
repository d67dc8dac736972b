internal import FlowLanguage
internal import FlowLive
internal import Glibc
internal import YAMLText

/// What the programs that a flow starts are like on this machine.
struct ProgramFiles: Sendable {
    /// Of the flow file.
    let directory: String
    /// Where bare names are looked up, as the variable PATH has it.
    let searchPath: String?

    /// - Returns: `nil` for a program that is as it should be.
    func problem(_ path: String) -> ProgramFileRule.Problem? {
        guard path.contains("/") else {
            guard let found = ProgramSearch.locate(path, from: directory, path: searchPath) else {
                return .notFound
            }
            return ProgramSearch.isOpenToAnybody(found) ? .writableByOthers : nil
        }
        let absolute = FilePath.join(directory, path)
        guard let resolved = FileAccess.resolved(absolute) else { return .missing }
        guard let root = FileAccess.resolved(directory), resolved.hasPrefix(root == "/" ? root : root + "/")
        else {
            return .outside
        }
        guard FileAccess.isFile(resolved) else { return .folder }
        guard access(resolved, X_OK) == 0 else { return .notExecutable }
        if ScriptHead.endsWithCarriageReturn(resolved) { return .windowsLines }
        return ProgramSearch.isOpenToAnybody(resolved) ? .writableByOthers : nil
    }
}

extension ProgramFileRule {
    /// What is wrong with the programs that a flow starts on this machine.
    ///
    /// - Parameters:
    ///   - source: The file of the flow.
    ///   - starts: Whether the flow is to be run, or somebody is to say that it may be.
    static func check(
        _ program: FlowProgram, of source: SourceFile, hooks: Bool = true, starting starts: Bool,
        _ surroundings: Surroundings
    ) -> [Diagnostic] {
        let folder = FilePath.parent(of: FilePath.join(surroundings.directory, source.path))
        return check(program, includingInner: starts, hooks: hooks, starting: starts) { path, inner in
            ProgramFiles(
                directory: FlowFolder.join(folder, inner), searchPath: surroundings.variable("PATH")
            ).problem(path)
        }
    }
}
