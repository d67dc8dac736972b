internal import FlowLanguage

/// The pure steps of a program as plain numbers: what `FlowMachine.walk` needs, in rows that copy for free.
struct WalkTable: Sendable {
    struct Step: Sendable {
        let isPure: Bool
        let firstEdge: Int32
        let edgeCount: Int32
        /// Entries allowed.
        let visits: Int
    }

    struct Edge: Sendable {
        /// A step, or an end as its complement.
        let target: Int32
        /// Traversals allowed; the greatest number when there is no bound.
        let maximum: Int32
        let condition: CodeRange
        let hasSaves: Bool

        var isGuarded: Bool { condition.count > 0 }
    }

    let steps: ContiguousArray<Step>
    let edges: ContiguousArray<Edge>

    init(_ program: FlowProgram) {
        steps = ContiguousArray(program.steps.map { Step($0, program) })
        edges = ContiguousArray(program.edges.map { Edge($0) })
    }
}

extension WalkTable.Step {
    /// Pure is what consists of edges alone: no hook, no assertion, no value of its own, no other outcome than ok.
    fileprivate init(_ row: StepRow, _ program: FlowProgram) {
        let hooks = row.beforeHooks.isEmpty && row.afterHooks.isEmpty && row.tokenHooks.isEmpty
        isPure =
            (row.kind == .choose || row.kind == .set) && hooks && row.condition == nil
            && row.assertions.isEmpty && row.saves.isEmpty && !row.isVisitsExplicit
        let route = row.routes.first ?? RouteRow.none
        let range = route == RouteRow.none ? 0..<0 : program.routes[Int(route)].edges
        firstEdge = Int32(clamping: range.lowerBound)
        edgeCount = Int32(clamping: range.count)
        visits = row.visits
    }
}

extension WalkTable.Edge {
    fileprivate init(_ row: EdgeRow) {
        switch row.target {
        case .step(let index): target = Int32(clamping: index)
        case .end(let index): target = ~Int32(clamping: index)
        }
        maximum = row.maximum.map { Int32(clamping: $0) } ?? .max
        condition = row.guardCode ?? CodeRange(start: 0, count: 0)
        hasSaves = !row.saves.isEmpty
    }
}
