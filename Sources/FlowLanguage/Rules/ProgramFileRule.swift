package import YAMLText

/// FL081: the programs that hooks and ports of a flow start. What a file is like is the caller's to find out.
package enum ProgramFileRule {
    /// What stands in the way of starting a program.
    package enum Problem: String, Sendable, Hashable, CaseIterable {
        case missing
        case notExecutable = "not executable"
        case writableByOthers = "writable by others"
        case outside = "outside of the flow's folder"
    }

    /// - Parameter problem: What is wrong with the program of an `argv`; `nil` when nothing is, or nobody can tell here.
    package static func check(_ program: FlowProgram, _ problem: (String) -> Problem?) -> [Diagnostic] {
        var findings = Findings(file: program.file)
        for hook in program.hooks where hook.frame == nil {
            guard case .exec(let argv, _) = hook.action, let path = argv.first, let problem = problem(path)
            else {
                continue
            }
            findings.report(
                "FL081", at: hook.span, "the program \(path) of hook \"\(hook.id)\" is \(problem.rawValue)")
        }
        for port in program.ports {
            guard let path = port.program?.argv.first, let problem = problem(path) else { continue }
            findings.report(
                "FL081", at: port.span, "the program \(path) of port \"\(port.name)\" is \(problem.rawValue)")
        }
        return findings.sorted
    }
}
