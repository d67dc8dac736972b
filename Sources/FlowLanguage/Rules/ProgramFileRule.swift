package import YAMLText

/// FL081: the programs that hooks and ports of a flow start. What a file is like is the caller's to find out.
package enum ProgramFileRule {
    /// What stands in the way of starting a program.
    package enum Problem: String, Sendable, Hashable, CaseIterable {
        case missing
        /// A bare name that no folder of PATH has.
        case notFound = "not found in PATH"
        case folder = "a folder"
        case notExecutable = "not executable"
        case windowsLines = "a script with the line ends of Windows"
        case writableByOthers = "writable by others"
        case outside = "outside of the flow's folder"
    }

    /// - Parameters:
    ///   - inner: Whether those of sub-flows are checked too, which have been by themselves when they were linted.
    ///   - hooks: Whether those of hooks are.
    ///   - starts: Whether they are about to be started here. What is only looked at may be started on a machine whose
    ///     PATH has more: there such a program is a warning.
    ///   - problem: What is wrong with the program of an `argv` that starts in a folder, seen from that of the flow;
    ///     `nil` when nothing is, or nobody can tell here.
    package static func check(
        _ program: FlowProgram, includingInner inner: Bool, hooks: Bool = true, starting starts: Bool,
        _ problem: (_ path: String, _ folder: String) -> Problem?
    ) -> [Diagnostic] {
        var found: [Diagnostic] = []
        func check(
            _ argv: [String]?, of owner: String, isDispensable: Bool = false, _ file: String?,
            _ folder: String,
            _ span: SourceSpan
        ) {
            guard inner || file == nil, let path = argv?.first, let problem = problem(path, folder) else {
                return
            }
            let isWarning = problem == .notFound && (!starts || isDispensable)
            found.append(
                Diagnostic(
                    code: "FL081", severity: isWarning ? .warning : .error, file: file ?? program.file,
                    span: span, message: "the program \(path) of \(owner) is \(problem.rawValue)",
                    hint: cure(problem, path)))
        }
        for hook in program.hooks where hooks {
            guard case .exec(let argv, _) = hook.action else { continue }
            check(
                argv, of: "hook \"\(hook.id)\"", isDispensable: !hook.endsRunOnFailure, hook.file,
                hook.folder, hook.programSpan)
        }
        for port in program.ports {
            check(port.program?.argv, of: "port \"\(port.name)\"", port.file, port.folder, port.programSpan)
        }
        return found.sorted()
    }

    private static func cure(_ problem: Problem, _ path: String) -> String? {
        if path.contains(" "), problem == .missing || problem == .notFound {
            return "there is no shell: write each word by itself, as [sh, ./ask]"
        }
        return switch problem {
        case .missing: path.hasPrefix("/") ? nil : "the path begins in the folder of the file that names it"
        case .notExecutable: "chmod +x makes it so"
        case .windowsLines:
            "end its lines with LF alone: the carriage return is taken for a part of what runs it"
        case .writableByOthers: "chmod o-w, for it and the folders that it lies in"
        case .notFound: "one that lies beside the flow is written ./\(path)"
        case .outside where !path.hasPrefix("/") && !path.contains(".."):
            "it is a link, or lies behind one: copy the program itself into the folder"
        case .folder, .outside: nil
        }
    }
}
