internal import FlowLanguage
package import JOSE

/// Where every outcome of every step leads: the result of an exploration.
package struct PathTable: Sendable {
    package struct Row: Sendable {
        package let step: String
        package let outcome: String
        package let finding: Finding
    }

    package enum Finding: Sendable {
        /// A run came by the pair and on to `end`; `error` is set where the engine ended it.
        case reached(end: String, error: String?, assumptions: [String], path: [String])
        case unreached(reason: String)
    }

    /// Sorted by step and outcome.
    package let rows: [Row]

    init(rows: [Row]) {
        self.rows = rows.sorted { ($0.step, $0.outcome) < ($1.step, $1.outcome) }
    }

    package var reachedCount: Int {
        rows.count { if case .reached = $0.finding { true } else { false } }
    }

    /// A line each: `step outcome -> end  [assumptions]`, or `step outcome -- reason`.
    package var text: String { rows.map { "\($0.text)\n" }.joined() }

    package var json: JSONValue {
        ["pairs": .array(rows.map(\.json)), "reached": .int(Int64(reachedCount))]
    }
}

extension PathTable.Row {
    package var text: String {
        switch finding {
        case .reached(let end, let error, let assumptions, _):
            let ended = error.map { "\(end) (\($0))" } ?? end
            return "\(step) \(outcome) -> \(ended)  [\(assumptions.joined(separator: ", "))]"
        case .unreached(let reason): return "\(step) \(outcome) -- \(reason)"
        }
    }

    fileprivate var json: JSONValue {
        var object: JSONObject = ["step": .string(step), "outcome": .string(outcome)]
        switch finding {
        case .reached(let end, let error, let assumptions, let path):
            object["end"] = .string(end)
            object["error"] = error.map { .string($0) }
            object["assume"] = .array(assumptions.map { .string($0) })
            object["path"] = .array(path.map { .string($0) })
        case .unreached(let reason): object["unreached"] = .string(reason)
        }
        return .object(object)
    }
}
