package import YAMLText

/// What became of a flow file: a program when nothing is wrong with it, and everything there is to say about it.
package struct FlowCompilation: Sendable {
    /// `nil` when there is an error among the diagnostics.
    package let program: FlowProgram?
    /// Sorted by place.
    package let diagnostics: [Diagnostic]
}

/// Compiles flow files: YAML nodes to a checked model to a program.
///
/// Pure: reads no file, asks no clock, and gives the same program for the same text.
package enum FlowCompiler {
    package static func compile(_ file: SourceFile, sources: FlowSources = .none) -> FlowCompilation {
        let found = compile(file, sources: sources, stack: [])
        guard found.diagnostics.hasErrors else { return found }
        return FlowCompilation(
            program: nil, diagnostics: LookAlike.explained(found.diagnostics, in: file))
    }

    /// - Parameter stack: Paths of the flows that run this one.
    static func compile(_ file: SourceFile, sources: FlowSources, stack: [String]) -> FlowCompilation {
        let (root, diagnostics) = YAMLDocument.parse(file)
        guard let root else { return FlowCompilation(program: nil, diagnostics: diagnostics) }
        var (flow, findings) = FlowReader.read(root, file: file.path)
        findings.diagnostics += diagnostics
        guard var flow else { return FlowCompilation(program: nil, diagnostics: findings.sorted) }
        CredentialRule.check(root, &findings)
        InsecureURLRule.check(root, &findings)
        let links = FlowLinker.link(&flow, file, sources, stack: stack, &findings)
        let program = check(flow, links, file, &findings)
        let sorted = findings.sorted
        return FlowCompilation(program: sorted.hasErrors ? nil : program, diagnostics: sorted)
    }

    /// The checks in the order in which they build on each other.
    private static func check(
        _ flow: FlowDefinition, _ links: FlowLinks, _ file: SourceFile, _ findings: inout Findings
    ) -> FlowProgram {
        var graph = RouteResolution.resolve(flow, links, &findings)
        let assignment = HookAssignment(graph)
        graph.addDetours(assignment)
        NameRules.check(graph, &findings)
        ReachabilityRules.check(graph, &findings)
        RetryRules.check(graph, &findings)
        ProtectionRules.check(graph, &findings)
        TestRules.check(graph, &findings)
        HookRules.check(graph, assignment, &findings)
        let sources = TransactionSources(graph, &findings)
        let transfer = FlowTransfer(
            graph: graph, table: SlotTable(graph), sources: sources, hooks: assignment)
        let analysis = FlowAnalysis(transfer)
        OrderRules.check(analysis, &findings)
        var lowering = FlowLowering(analysis, file, findings)
        let program = lowering.program()
        findings = lowering.findings
        return program
    }
}
