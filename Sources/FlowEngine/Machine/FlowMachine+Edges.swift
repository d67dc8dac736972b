internal import FlowLanguage

/// Which alternative of a route is open.
extension FlowMachine {
    /// The first edge whose budget and guard let it be taken; the last one always does.
    ///
    /// Where somebody listens, `looks` says afterwards what was looked at; of a loop only for its first rounds, so that its
    /// trace stays small.
    mutating func openEdge(_ edges: Range<Int>) -> Int {
        let isNoted = registers.notes.isEnabled && visits[step] <= Self.toldVisits
        if !looks.isEmpty { looks = [] }
        let last = edges.upperBound - 1
        for index in edges {
            let edge = plan.walk.edges[index]
            let verdict: EdgeLook.Verdict =
                if index == last {
                    .taken
                } else if used[index] >= Int(edge.maximum) {
                    .usedUp
                } else if edge.isGuarded, !registers.holds(edge.condition, plan) {
                    .notHolding
                } else {
                    .taken
                }
            if isNoted { looks.append(look(at: index, edge, verdict)) }
            if verdict == .taken { return index }
        }
        return last
    }

    /// Visits of a step of which the trace says how the way on was found.
    private static let toldVisits = 16

    private func look(at index: Int, _ edge: WalkTable.Edge, _ verdict: EdgeLook.Verdict) -> EdgeLook {
        // Of an edge that is used up nobody asks whether its guard holds.
        let isRead = edge.isGuarded && verdict != .usedUp
        var read: [HookedValue] = []
        if isRead {
            for slot in plan.program.code.slots(of: edge.condition) { read.append(readValue(slot)) }
        }
        return EdgeLook(edge: index, used: used[index], verdict: verdict, read: read)
    }
}

/// What the machine found of one alternative.
package struct EdgeLook: Sendable {
    package enum Verdict: Sendable, Hashable {
        case taken, notHolding, usedUp
    }

    /// Index of the program's edge.
    let edge: Int
    /// How often it had been taken before.
    let used: Int
    let verdict: Verdict
    /// The values that its guard read.
    let read: [HookedValue]
}
