internal import FlowEngine
internal import FlowReport
internal import JOSE

/// Why a step led where it did, for programs: what a trace's `step.end` says, under the names that it has there.
enum WhyJSON {
    static func text(_ account: StepAccount) -> String {
        var json: JSONObject = ["step": .string(account.question.step)]
        json["kind"] = account.kind.map { .string($0) }
        json["reached"] = .bool(!account.asked.isEmpty)
        json["visits"] = .array(account.asked.map(visit))
        json["ways_here"] = .array(account.ways.map(way))
        if account.asked.isEmpty { json["assume"] = account.assumption.map { .string($0) } }
        return JSONValue.object(json).serialize() + "\n"
    }

    private static func visit(_ visit: StepAccount.Visit) -> JSONValue {
        var json: JSONObject = ["visit": .int(Int64(visit.number)), "place": .string(visit.start.place)]
        if let end = visit.end {
            for (name, value) in members(of: end) where json[name] == nil { json[name] = value }
        } else {
            json["hook"] = (visit.hook?.id).map { .string($0) }
            json["decision"] = (visit.hook?.decision).map { .string($0) }
        }
        return .object(json)
    }

    /// As the trace has them, without what every line begins with.
    private static func members(of end: StepEnd) -> [JSONObject.Member] {
        var trace = JSONLinesTrace(revealsActionURL: false)
        let line = trace.render(TraceEvent(sequence: 1, time: 0, step: nil, body: .stepEnd(end)))
        guard let object = try? JSON.parse(Array(line.utf8)).objectValue else {
            preconditionFailure("a line of a trace is a JSON object")
        }
        return object.members.filter { !["v", "seq", "t", "run", "type"].contains($0.key) }
    }

    private static func way(_ way: StepAccount.Way) -> JSONValue {
        [
            "step": .string(way.step), "outcome": .string(way.outcome), "class": .string(way.outcomeClass),
            "alternative": .int(Int64(way.alternative)), "alternatives": .int(Int64(way.alternatives)),
            "ended": .array(way.ended.map { .string($0) }),
        ]
    }
}
