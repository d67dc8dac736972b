import FlowLanguage
import FlowTesting
import YAMLText

/// A second interpreter of flow/1, written from §6 and §7 and from nothing else: it walks the YAML of the file, keeps
/// names in dictionaries and texts of expressions as they are.
///
/// What providers answer it takes from the run that it is compared with; what follows from an answer it finds itself.
final class NaiveRun {
    private(set) var legs: [ObservedRun.Leg] = []
    private(set) var hooks: [String] = []
    private(set) var end = ""
    private(set) var error: String?
    private(set) var outputs: [String: NaiveValue] = [:]
    /// Guards and assertions that read what this interpreter does not know; there it goes where the other run went.
    private(set) var followed = 0

    private let flows: (String) -> YAMLNode?
    private let script: [String: String]
    private let tape: [ObservedRun.Report]
    private var transitions = 0
    private var transitionLimit = 200

    /// The run is over in the midst of a flow.
    private struct Stop: Error {
        let code: String
    }

    /// - Parameters:
    ///   - script: By `STEP@VISIT`, the outcome that is taken for granted.
    ///   - tape: What the world brought, step by step.
    init(
        _ flow: YAMLNode, flows: @escaping (String) -> YAMLNode?, inputs: [String: NaiveValue],
        script: [String: String], tape: [ObservedRun.Report]
    ) {
        self.flows = flows
        self.script = script
        self.tape = tape
        if case .int(let limit)? = flow["limits"]?["transitions"]?.value { transitionLimit = limit }
        let frame = NaiveFrame(flow, prefix: "", inputs: inputs)
        do {
            end = try walk(frame)
        } catch {
            self.error = (error as? Stop)?.code
            end = "failed"
        }
        outputs = frame.outputs(of: end)
    }

    /// The report that the next leg of the other run came with.
    private var report: ObservedRun.Report? { legs.count < tape.count ? tape[legs.count] : nil }

    /// Runs a flow to one of its ends.
    private func walk(_ frame: NaiveFrame) throws -> String {
        var name = frame.flow["start"]?.scalar?.text ?? ""
        while true {
            guard let step = frame.flow["steps"]?[name] else { return name }
            name = try leave(name, step, frame)
            if frame.flow["steps"]?[name] != nil, transitions >= transitionLimit {
                throw Stop(code: "transitions")
            }
        }
    }

    /// Runs a step; the name of the step or end that follows.
    private func leave(_ name: String, _ step: YAMLNode, _ frame: NaiveFrame) throws -> String {
        frame.visits[name, default: 0] += 1
        let visit = frame.visits[name] ?? 0
        frame.current = name
        var (outcome, wasRun) = try outcome(name, step, visit, frame)
        if frame.outcomeClass(outcome, of: step, named: name, flows) == .success {
            if holds(step["assert"], frame, otherwise: "assertion_failed") {
                frame.save(step["save"])
            } else {
                outcome = "assertion_failed"
                frame.fields[name] = report?.fields
            }
        }
        if wasRun { try runHooks("step.after", name, outcome, frame) }
        return route(name, step, visit, outcome, frame)
    }

    /// How a step ends, and whether it did anything at all.
    private func outcome(
        _ name: String, _ step: YAMLNode, _ visit: Int, _ frame: NaiveFrame
    ) throws -> (outcome: String, wasRun: Bool) {
        let explicit = step["visits"].map { frame.number($0) }
        let limit = explicit ?? frame.flow["limits"]?["visits"].map { frame.number($0) } ?? 25
        if visit > limit {
            if explicit == nil { throw Stop(code: "visits") }
            frame.fields[name] = report?.fields
            return ("exhausted", false)
        }
        let wasSkipped = report?.leg.outcome == "skipped"
        if let condition = step["if"], !evaluate(condition, frame, otherwise: !wasSkipped) {
            frame.fields[name] = report?.fields
            return ("skipped", false)
        }
        try runHooks("step.before", name, nil, frame)
        let assumed = script["\(frame.prefix)\(name)@\(visit)"].flatMap { $0 == "ok" ? nil : $0 }
        let outcome = try work(name, step, assumed, frame)
        if outcome == report?.leg.outcome || step["assert"] != nil {
            frame.fields[name] = (report?.fields ?? [:]).merging(frame.subflowOutputs) { $1 }
        }
        frame.subflowOutputs = [:]
        return (outcome, true)
    }

    /// What the kind itself ends with.
    private func work(_ name: String, _ step: YAMLNode, _ assumed: String?, _ frame: NaiveFrame) throws
        -> String
    {
        switch step["do"]?.scalar?.text ?? name {
        case "choose", "set": return assumed ?? "ok"
        case "call":
            let port = frame.port(of: step)
            let simulated = port?["simulate"]?["outcome"]?.scalar?.text
            return assumed ?? simulated ?? port?["outcomes"]?.sequence?.first?.scalar?.text ?? "ok"
        case "subflow":
            if let assumed, frame.outcomeClass(assumed, of: step, named: name, flows) != .success {
                return assumed
            }
            guard let flow = flows(step["with"]?["flow"]?.scalar?.text ?? "") else { return "?" }
            let given = step["with"]?["inputs"]?.mapping?.entries ?? []
            let values = given.map { ($0.key, frame.template($0.value, type: "")) }
            let inner = NaiveFrame(
                flow, prefix: "\(frame.prefix)\(name)/", inputs: Dictionary(values) { $1 })
            let end = try walk(inner)
            frame.current = name
            frame.subflowOutputs = inner.outputs(of: end)
            return end
        default:
            // Whether a provider's answer is good is not a question of the flow.
            guard let assumed else {
                let given = report?.leg.outcome ?? "?"
                return given == "assertion_failed" ? "ok" : given
            }
            return assumed
        }
    }

    // MARK: Routes

    private func route(
        _ name: String, _ step: YAMLNode, _ visit: Int, _ outcome: String, _ frame: NaiveFrame
    ) -> String {
        let (line, edges) = frame.line(
            for: outcome, frame.outcomeClass(outcome, of: step, named: name, flows), step, name)
        var taken = edges.count - 1
        for (index, edge) in edges.enumerated() {
            if let maximum = edge["max"],
                frame.used["\(line)#\(index)", default: 0] >= frame.number(maximum)
            {
                continue
            }
            if let condition = edge["if"],
                !evaluate(condition, frame, otherwise: report?.leg.edge == index)
            {
                continue
            }
            taken = index
            break
        }
        guard edges.indices.contains(taken) else { return "?" }
        frame.used["\(line)#\(taken)", default: 0] += 1
        frame.save(edges[taken]["save"])
        let target = edges[taken].scalar?.text ?? edges[taken]["to"]?.scalar?.text ?? "?"
        legs.append(
            ObservedRun.Leg(
                step: frame.prefix + name, visit: visit, outcome: outcome, edge: taken,
                target: frame.prefix + target))
        transitions += 1
        return target
    }

    /// - Parameter otherwise: What an unknown condition is taken to be.
    private func evaluate(_ condition: YAMLNode, _ frame: NaiveFrame, otherwise: Bool) -> Bool {
        let value = NaiveExpression.evaluate(condition.scalar?.text ?? "", frame.root)
        guard value == .unknown else { return value.isTrue }
        followed += 1
        return otherwise
    }

    private func holds(_ assertions: YAMLNode?, _ frame: NaiveFrame, otherwise failure: String) -> Bool {
        guard let assertions else { return true }
        return (assertions.sequence ?? [assertions]).allSatisfy { assertion in
            evaluate(assertion["that"] ?? assertion, frame, otherwise: report?.leg.outcome != failure)
        }
    }

    // MARK: Hooks

    private func runHooks(_ point: String, _ step: String, _ outcome: String?, _ frame: NaiveFrame) throws {
        for hook in frame.flow["hooks"]?.sequence ?? [] where hook["at"]?.scalar?.text == point {
            let steps = hook["steps"]?.sequence?.compactMap(\.scalar?.text)
            let outcomes = hook["outcomes"]?.sequence?.compactMap(\.scalar?.text)
            guard steps?.contains(step) ?? true, outcomes?.contains(outcome ?? "") ?? true else { continue }
            if let condition = hook["if"], !evaluate(condition, frame, otherwise: true) { continue }
            let id = frame.prefix + (hook["id"]?.scalar?.text ?? "?")
            if let emit = hook["emit"] {
                let data = emit["data"]?.mapping?.entries ?? []
                let texts = data.map { "\($0.key)=\(frame.text($0.value))" }
                let event = emit["event"]?.scalar?.text ?? ""
                hooks.append("\(id) continue \(([event] + texts).joined(separator: " "))")
            } else if let saves = hook["set"] {
                frame.save(saves)
                hooks.append("\(id) continue ")
            } else if let assertion = hook["assert"] {
                guard holds(assertion, frame, otherwise: "") else {
                    hooks.append("\(id) abort an assertion of the hook does not hold")
                    throw Stop(code: "hook_refused")
                }
                hooks.append("\(id) continue ")
            }
        }
    }
}
