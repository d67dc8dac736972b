import FlowLanguage
import YAMLText

/// What one flow knows while it is walked: its own variables, counts and results of steps.
final class NaiveFrame {
    let flow: YAMLNode
    let prefix: String
    var current = ""
    var visits: [String: Int] = [:]
    /// By line of `next` and position in it.
    var used: [String: Int] = [:]
    var fields: [String: [String: NaiveValue]] = [:]
    var subflowOutputs: [String: NaiveValue] = [:]
    private var variables: [String: NaiveValue] = [:]
    private var inputs: [String: NaiveValue] = [:]

    init(_ flow: YAMLNode, prefix: String, inputs given: [String: NaiveValue]) {
        self.flow = flow
        self.prefix = prefix
        for entry in flow["vars"]?.mapping?.entries ?? [] {
            variables[entry.key] =
                entry.value["init"].map { template($0, type: type(entry.value)) } ?? .null
        }
        for entry in flow["inputs"]?.mapping?.entries ?? [] {
            let standard =
                entry.value["default"].map { NaiveValue($0, type: type(entry.value)) } ?? .null
            let value = given[entry.key] ?? .null
            inputs[entry.key] = value == .null ? standard : value
        }
    }

    private func type(_ node: YAMLNode) -> String { (node["type"] ?? node).scalar?.text ?? "" }

    func number(_ node: YAMLNode) -> Int { if case .int(let number)? = node.value { number } else { 0 } }

    // MARK: Values

    var root: (String) -> NaiveValue {
        let out = fields[current] ?? [:]
        let values: [String: NaiveValue] = [
            "vars": .object(variables), "inputs": .object(inputs), "out": .object(out),
            "steps": .object(fields.mapValues { .object($0) }),
            "run": .object(["dry_run": .bool(true), "now": .unknown, "id": .unknown]),
        ]
        return { values[$0] ?? .unknown }
    }

    func template(_ node: YAMLNode, type: String) -> NaiveValue {
        guard let text = node.scalar?.text, text.contains("${") else { return NaiveValue(node, type: type) }
        return NaiveExpression.template(text, root)
    }

    func save(_ assignments: YAMLNode?) {
        for entry in assignments?.mapping?.entries ?? [] where entry.key.hasPrefix("vars.") {
            let name = String(entry.key.dropFirst(5))
            let declared = flow["vars"]?[name].map { type($0) } ?? ""
            variables[name] = template(entry.value, type: declared)
        }
    }

    func outputs(of end: String) -> [String: NaiveValue] {
        let entries = flow["ends"]?[end]?["outputs"]?.mapping?.entries ?? []
        return Dictionary(
            entries.map { entry in
                let declared = flow["outputs"]?[entry.key].map { type($0) } ?? ""
                return (entry.key, template(entry.value, type: declared))
            }
        ) { $1 }
    }

    /// As a trace writes a value.
    func text(_ node: YAMLNode) -> String {
        switch template(node, type: "") {
        case .null: "null"
        case .bool(let flag): String(flag)
        case .int(let number): String(number)
        case .string(let text): "\"\(text)\""
        case .number, .time, .duration, .list, .object, .unknown: "?"
        }
    }

    // MARK: Outcomes

    func port(of step: YAMLNode) -> YAMLNode? {
        flow["calls"]?[step["with"]?["port"]?.scalar?.text ?? ""]
    }

    func outcomeClass(
        _ outcome: String, of step: YAMLNode, named name: String, _ flows: (String) -> YAMLNode?
    ) -> OutcomeClass? {
        switch outcome {
        case "skipped": return .choice
        case "assertion_failed": return .data
        case "exhausted": return .limit
        default: break
        }
        let kind = step["do"]?.scalar?.text ?? name
        if kind == "subflow" {
            let flow = flows(step["with"]?["flow"]?.scalar?.text ?? "")
            switch flow?["ends"]?[outcome]?["result"]?.scalar?.text {
            case "success": return .success
            case "cancelled": return .denied
            default: return .config
            }
        }
        if kind == "call", outcome != "port_failed" {
            let outcomes = port(of: step)?["outcomes"]?.sequence?.compactMap(\.scalar?.text) ?? ["ok"]
            return outcomes.first == outcome ? .success : .choice
        }
        if let declared = step["outcomes"]?[outcome]?.scalar?.text {
            return OutcomeClass(rawValue: declared)
        }
        let spec = StepKind(rawValue: kind).map { KindTable.spec(of: $0) }
        return spec?.outcomes.first { $0.name == outcome }?.outcomeClass
    }

    /// The line of the file that routes an outcome, by the order of flow/1 §6, and its edges.
    func line(for outcome: String, _ outcomeClass: OutcomeClass?, _ step: YAMLNode, _ name: String) -> (
        String, [YAMLNode]
    ) {
        let next = step["next"]
        if next?.mapping == nil, let next, outcomeClass == .success { return ("\(name):ok", edges(next)) }
        let isCovered = outcomeClass != .success && outcomeClass != .choice
        let selectors = [outcome, "any.\(outcomeClass?.rawValue ?? "")"] + (isCovered ? ["any"] : [])
        for selector in selectors {
            if let node = next?[selector] { return ("\(name):\(selector)", edges(node)) }
        }
        guard outcomeClass != .success else { return ("?", []) }
        for selector in selectors {
            // Each step has budgets of its own on the lines that all steps share.
            if let node = flow["defaults"]?["next"]?[selector] {
                return ("\(name):defaults:\(selector)", edges(node))
            }
        }
        return ("?", [])
    }

    private func edges(_ node: YAMLNode) -> [YAMLNode] { node.sequence ?? [node] }
}
