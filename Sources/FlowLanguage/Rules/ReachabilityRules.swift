internal import YAMLText

/// Steps that run, ends that are reached, loops that stop.
enum ReachabilityRules {
    static func check(_ graph: FlowGraph, _ findings: inout Findings) {
        guard graph.start != nil else { return }
        let (steps, ends) = graph.reachable()
        // What a misspelt target was taken for would be reached if it were right, and so would all behind it.
        let meant = graph.reachable(from: graph.guesses)
        if !graph.hasLostWay {
            checkUnreachableSteps(graph, steps.union(meant.steps), &findings)
            checkUnreachedEnds(graph, ends.union(meant.ends), &findings)
        }
        checkStepsWithoutEnd(graph, steps, &findings)
        checkSuccess(graph, steps, ends, &findings)
        checkBudgets(graph, &findings)
        LoopRule.check(graph, &findings)
    }

    /// FL030
    private static func checkUnreachableSteps(
        _ graph: FlowGraph, _ reached: Set<Int>, _ findings: inout Findings
    ) {
        for (index, node) in graph.nodes.enumerated()
        where !reached.contains(index) {
            let start = graph.start.map { graph.nodes[$0].step.name } ?? ""
            let message = "step \"\(node.step.name)\" cannot be reached from \"\(start)\""
            findings.report("FL030", at: node.step.span, message)
        }
    }

    /// FL031: `failed` and `cancelled` are reached by the engine itself.
    private static func checkUnreachedEnds(
        _ graph: FlowGraph, _ reached: Set<Int>, _ findings: inout Findings
    ) {
        for (index, end) in graph.flow.ends.enumerated()
        where !reached.contains(index) {
            guard end.name != "failed", end.name != "cancelled" else { continue }
            findings.report("FL031", at: end.span, "end \"\(end.name)\" is never reached")
        }
    }

    /// FL032: silent about steps from which a path is missing because of another mistake.
    private static func checkStepsWithoutEnd(
        _ graph: FlowGraph, _ reached: Set<Int>, _ findings: inout Findings
    ) {
        var before: [[Int]] = Array(repeating: [], count: graph.nodes.count)
        var waiting: [Int] = []
        for (index, node) in graph.nodes.enumerated() {
            var isEnding = node.isIncomplete
            for target in node.targets {
                switch target {
                case .end: isEnding = true
                case .step(let next): before[next].append(index)
                }
            }
            if isEnding { waiting.append(index) }
        }
        var ending: Set<Int> = []
        while let index = waiting.popLast() {
            if ending.insert(index).inserted { waiting += before[index] }
        }
        for index in reached.subtracting(ending) {
            let step = graph.nodes[index].step
            findings.report("FL032", at: step.span, "no end can be reached from step \"\(step.name)\"")
        }
    }

    /// FL033
    private static func checkSuccess(
        _ graph: FlowGraph, _ steps: Set<Int>, _ ends: Set<Int>, _ findings: inout Findings
    ) {
        guard !ends.contains(where: { graph.flow.ends[$0].result == .success }) else { return }
        guard !steps.contains(where: { graph.nodes[$0].isIncomplete }),
            ends.allSatisfy({ graph.flow.ends[$0].hasResult }), let start = graph.flow.start
        else { return }
        let message = "no end with result \"success\" can be reached from \"\(start.value)\""
        findings.report("FL033", at: start.span, message)
    }

    /// FL036
    private static func checkBudgets(_ graph: FlowGraph, _ findings: inout Findings) {
        for node in graph.nodes {
            let visits = node.step.visits?.value ?? graph.flow.limits.visits
            for edge in node.step.routes.flatMap(\.edges) {
                guard let maximum = edge.maximum else { continue }
                if maximum.value == 0 {
                    findings.report("FL036", at: maximum.span, "an edge with max 0 is never taken; remove it")
                } else if maximum.value >= visits {
                    let message =
                        "max \(maximum.value) never matters: step \"\(node.step.name)\" may be entered \(visits) times"
                    findings.report("FL036", at: maximum.span, message)
                }
            }
        }
    }
}
