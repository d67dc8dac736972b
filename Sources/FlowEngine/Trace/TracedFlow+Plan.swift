internal import FlowLanguage
internal import YAMLText

extension TracedFlow {
    /// The flow of a run, with the host's secrets taken out of its text.
    init(_ plan: RunPlan, _ secrets: TraceSecrets) {
        let program = plan.program
        let text =
            plan.source?.text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            ?? []
        self.init(
            file: plan.shownPath(of: nil), lines: text.map { secrets.clean(String(Substring($0))) },
            start: program.steps[program.start].name,
            steps: program.steps.indices.map { Step(program, $0) },
            ends: program.ends.map { End(name: $0.name, result: $0.result.rawValue) })
    }
}

extension RunPlan {
    /// Path of a flow file as a trace names it; in a dry run from the folder of the flow, so that the same plan is the same
    /// bytes wherever the files lie.
    ///
    /// - Parameter file: `nil` for the file of the flow itself.
    func shownPath(of file: String?) -> String {
        let path = file ?? program.file
        guard isRehearsal, let end = program.file.lastIndex(of: "/") else { return path }
        let folder = program.file[...end]
        return path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
    }

    /// Where a hook stands: `login.flow.yaml:31:5`.
    func shownPlace(of hook: HookRow) -> String { shownPlace(hook.span, in: hook.file) }

    /// - Parameter file: `nil` for the file of the flow itself.
    func shownPlace(_ span: SourceSpan, in file: String?) -> String {
        "\(shownPath(of: file)):\(span.start.line):\(span.start.column)"
    }
}

extension TracedFlow.Step {
    fileprivate init(_ program: FlowProgram, _ index: Int) {
        let row = program.steps[index]
        let routes = row.routes.indices.compactMap { raw -> TracedFlow.Route? in
            guard row.routes[raw] != RouteRow.none else { return nil }
            let route = program.routes[Int(row.routes[raw])]
            return TracedFlow.Route(
                outcome: program.name(of: Outcome(rawValue: UInt8(raw)), at: index),
                outcomeClass: route.outcomeClass.rawValue,
                targets: route.edges.map { program.name(of: program.edges[$0].target) })
        }
        self.init(
            name: row.name, kind: row.kind.rawValue, firstLine: row.span.start.line,
            lastLine: row.span.end.line, routes: routes)
    }
}
