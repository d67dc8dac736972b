internal import YAMLText

/// Every value that the expressions of one flow may name, with its slot.
///
/// The slots of a program lie in this order: `CommonSlot`, inputs, variables, what is known of each provider, the fields of each step, the members of
/// each token set.
struct SlotTable: Sendable {
    /// Whose value a slot holds: decides when it is defined.
    enum Origin: Sendable, Hashable {
        case common
        case input(Int)
        case variable(Int)
        /// A field of the kind, or one of its `errorFields`.
        case field(step: Int, isError: Bool)
        case tokens(Int)
    }

    private(set) var rows: ContiguousArray<SlotRow> = []
    private(set) var origins: [Origin] = []
    let inputs: [String: Int]
    let variables: [String: Int]
    /// By provider.
    let providerBases: [Int]
    let fieldBases: [Int]
    /// Names of the token sets in the order in which steps write or use them.
    let tokenSets: [String]
    /// Those that some step writes.
    let writtenSets: Set<String>
    let tokenBases: [Int]

    init(_ graph: FlowGraph) {
        var rows = ContiguousArray(CommonSlot.allCases.map(\.row))
        var origins = [Origin](repeating: .common, count: rows.count)
        func add(_ path: String, _ type: FlowType, _ origin: Origin) -> Int {
            rows.append(SlotRow(path: path, type: type))
            origins.append(origin)
            return rows.count - 1
        }
        var inputs: [String: Int] = [:]
        for (index, input) in graph.flow.inputs.enumerated() {
            inputs[input.name] = add("inputs.\(input.name)", input.type ?? .json, .input(index))
        }
        var variables: [String: Int] = [:]
        for (index, variable) in graph.flow.variables.enumerated() {
            variables[variable.name] = add("vars.\(variable.name)", variable.type ?? .json, .variable(index))
        }
        var providerBases: [Int] = []
        for provider in graph.flow.providers {
            providerBases.append(rows.count)
            let prefix = provider.alias == "main" ? "provider" : "provider(\(provider.alias))"
            for member in ProviderMember.allCases {
                _ = add("\(prefix).\(member.rawValue)", member.type, .common)
            }
        }
        self.providerBases = providerBases
        var fieldBases: [Int] = []
        for (index, node) in graph.nodes.enumerated() {
            fieldBases.append(rows.count)
            let prefix = "steps.\(node.step.name)"
            for field in node.spec?.fields ?? [] {
                _ = add("\(prefix).\(field.name)", field.type, .field(step: index, isError: false))
            }
            for field in node.spec?.errorFields ?? [] {
                _ = add("\(prefix).\(field.name)", field.type, .field(step: index, isError: true))
            }
        }
        tokenSets = Self.tokenSets(of: graph) { _ in true }
        writtenSets = Set(Self.tokenSets(of: graph) { $0 == "into" })
        var tokenBases: [Int] = []
        for (index, name) in tokenSets.enumerated() {
            tokenBases.append(rows.count)
            for member in TokenSetRow.members {
                _ = add("tokens.\(name).\(member.name)", member.type, .tokens(index))
            }
        }
        self.rows = rows
        self.origins = origins
        self.inputs = inputs
        self.variables = variables
        self.fieldBases = fieldBases
        self.tokenBases = tokenBases
    }

    /// The sets that arguments of these names are about, in the order of the file.
    private static func tokenSets(of graph: FlowGraph, where isWanted: (String) -> Bool) -> [String] {
        var names: [String] = []
        for node in graph.nodes {
            // What is wrong with a step was reported; the set that it fills is there all the same.
            guard let spec = node.spec ?? node.step.kind.map(KindTable.spec) else { continue }
            for argument in spec.arguments where isWanted(argument.name) {
                guard let name = spec.set(argument.name, of: node.step), !names.contains(name) else {
                    continue
                }
                names.append(name)
            }
        }
        return names
    }
}

extension StepDefinition {
    /// The token set that an argument names; `main` when it is left out (flow/1 §4).
    func tokenSet(_ argument: String) -> String {
        arguments.first { $0.name == argument }?.node.scalar?.text ?? "main"
    }
}
