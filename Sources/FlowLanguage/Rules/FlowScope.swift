internal import YAMLText

/// The names that an expression may use at one place of a flow (flow/1 §4).
struct FlowScope: ExpressionScope, Sendable {
    /// Marks a name whose declaration was reported already: its uses are not reported again.
    static let reported = "reported"

    static let roots = ["inputs", "vars", "steps", "out", "tokens", "provider", "client", "run", "error"]

    /// What an answer of an `http` step is read by, in conditions of its `classify`.
    private static let answerRoots = ["status", "headers", "body"]

    let table: SlotTable
    let graph: FlowGraph
    /// The step that `out` stands for.
    var step: Int?
    /// Whether `error` is known: in failure ends and in hooks of `flow.error`.
    var knowsError = false
    /// The `http` step whose answer `status`, `headers` and `body` are.
    var answer: Int?
    /// The provider that `provider` stands for; `nil` where the step says none and there are several.
    var provider: Int? = 0

    func resolve(_ path: [String]) -> ScopeResolution {
        guard let root = path.first else { return unknown("FL046", "a name is missing", at: 0) }
        switch root {
        case "inputs": return declared(path, table.inputs, graph.flow.inputs, "input")
        case "vars": return declared(path, table.variables, graph.flow.variables, "variable")
        case "steps": return stepField(path)
        case "out": return out(path)
        case "tokens": return token(path)
        case "provider": return providerMember(path)
        case "run", "client": return common(path)
        case "error":
            if knowsError { return common(path) }
            return unknown("FL046", "\"error\" is known only in failure ends and hooks of flow.error", at: 0)
        case "status", "headers", "body":
            guard let answer else { fallthrough }
            return field(root, of: answer, consumed: 1)
        default:
            return unknown("FL046", "unknown name \"\(root)\"", meant(by: path), at: 0)
        }
    }

    /// What may be meant by a name that nothing begins with: a beginning, else what bears the name further down.
    private func meant(by path: [String]) -> Suggestion {
        let roots = Self.roots + (answer == nil ? [] : Self.answerRoots)
        let suggestion = didYouMean(path[0], among: roots)
        guard suggestion.isEmpty else { return suggestion }
        if answer != nil, path.count > 1, Self.answerRoots.contains(path[1]) {
            return Suggestion(words: "; did you mean \"\(path.dropFirst().joined(separator: "."))\"?")
        }
        let places = [("inputs", table.inputs[path[0]]), ("vars", table.variables[path[0]])]
        if let place = places.first(where: { $0.1 != nil }) {
            return Suggestion("\(place.0).\(path[0])")
        }
        if graph.stepIndex(path[0]) != nil, path.count > 1 { return Suggestion("steps.\(path[0])") }
        let text = path.count == 1 ? "; a text is written '\(path[0])'" : ""
        return Suggestion(words: " (names start with \(roots.joined(separator: ", "))\(text))")
    }

    func choices(of slot: Int) -> [String]? {
        guard case .input(let index) = table.origins[slot] else { return nil }
        return graph.flow.inputs[index].constraints.values?.compactMap { value in
            if case .string(let text) = value { text } else { nil }
        }
    }

    private func unknown(
        _ code: String, _ message: String, _ suggestion: Suggestion? = nil, at index: Int
    ) -> ScopeResolution {
        .unknown(
            code: code, message: message + (suggestion?.description ?? ""), hint: nil, fix: suggestion?.fix,
            at: index)
    }

    private func found(_ slot: Int, consumed: Int) -> ScopeResolution {
        .slot(slot, table.rows[slot].type, consumed: consumed)
    }

    private func incomplete(_ path: [String], _ rest: String) -> ScopeResolution {
        unknown("FL046", "\"\(path.joined(separator: "."))\" is no value; write \(rest)", at: path.count - 1)
    }

    private func declared(
        _ path: [String], _ slots: [String: Int], _ declarations: [ValueDefinition], _ kind: String
    ) -> ScopeResolution {
        guard path.count > 1 else { return incomplete(path, "\(path[0]).name") }
        guard let slot = slots[path[1]] else {
            let suggestion = didYouMean(path[1], among: declarations.map(\.name), isOwn: path[0] == "inputs")
            return unknown("FL046", "unknown \(kind) \"\(path[1])\"", suggestion, at: 1)
        }
        let isReported = declarations.contains { $0.name == path[1] && $0.type == nil }
        return isReported ? unknown(Self.reported, "", at: 1) : found(slot, consumed: 2)
    }

    private func stepField(_ path: [String]) -> ScopeResolution {
        guard path.count > 1 else { return incomplete(path, "steps.id.field") }
        guard let index = graph.stepIndex(path[1]) else {
            let suggestion = didYouMean(path[1], among: graph.nodes.map(\.step.name))
            return unknown("FL046", "unknown step \"\(path[1])\"", suggestion, at: 1)
        }
        guard path.count > 2 else { return incomplete(path, "\(path.joined(separator: ".")).field") }
        return field(path[2], of: index, consumed: 3)
    }

    private func out(_ path: [String]) -> ScopeResolution {
        guard let step else {
            let places = "the edges, save, assert and after-hooks of a step"
            return unknown("FL048", "\"out\" is known only on \(places); write steps.id.field", at: 0)
        }
        guard path.count > 1 else { return incomplete(path, "out.field") }
        return field(path[1], of: step, consumed: 2)
    }

    private func field(_ name: String, of index: Int, consumed: Int) -> ScopeResolution {
        let node = graph.nodes[index]
        guard let spec = node.spec else { return unknown(Self.reported, "", at: consumed - 1) }
        let names = (spec.fields + spec.errorFields).map(\.name)
        if let position = names.firstIndex(of: name) {
            return found(table.fieldBases[index] + position, consumed: consumed)
        }
        let subject = "\(spec.kind.rawValue) step \"\(node.step.name)\""
        // What an error leaves behind too is one name.
        let listed = names.indices.filter { names[..<$0].contains(names[$0]) == false }.map { names[$0] }
        let known = nearestOrAll(name, among: listed, "outputs")
        return unknown("FL049", "\(subject) has no output \"\(name)\"", known, at: consumed - 1)
    }

    private func token(_ path: [String]) -> ScopeResolution {
        guard path.count > 1 else { return incomplete(path, "tokens.set.member") }
        guard let set = table.tokenSets.firstIndex(of: path[1]), table.writtenSets.contains(path[1]) else {
            var suggestion = didYouMean(path[1], among: table.writtenSets)
            if path.count == 2, TokenSetRow.members.contains(where: { $0.name == path[1] }) {
                let set = table.tokenSets.first { table.writtenSets.contains($0) } ?? "main"
                suggestion = Suggestion("\(set).\(path[1])", shown: "tokens.\(set).\(path[1])")
            }
            if let inner = graph.nodes.first(where: { $0.spec?.kind == .subflow }), suggestion.isEmpty {
                suggestion = Suggestion(
                    words:
                        "; with into: \(path[1]) the subflow step \"\(inner.step.name)\" takes over the tokens of its flow"
                )
            }
            return unknown("FL046", "no step writes token set \"\(path[1])\"", suggestion, at: 1)
        }
        guard path.count > 2 else { return incomplete(path, "\(path.joined(separator: ".")).member") }
        let names = TokenSetRow.members.map(\.name)
        guard let member = names.firstIndex(of: path[2]) else {
            let known = nearestOrAll(path[2], among: names, "members")
            return unknown("FL046", "a token set has no \"\(path[2])\"", known, at: 2)
        }
        return found(table.tokenBases[set] + member, consumed: 3)
    }

    /// Members that every descriptor has; what else it may say is under `provider.values`.
    private func providerMember(_ path: [String]) -> ScopeResolution {
        guard path.count > 1 else { return incomplete(path, "provider.id") }
        guard let provider else {
            let aliases = graph.flow.providers.map(\.alias).joined(separator: ", ")
            return unknown(
                "FL017", "\"provider\" may be any of \(aliases); say one as provider of the step", at: 0)
        }
        let base = table.providerBases.indices.contains(provider) ? table.providerBases[provider] : 0
        if let member = ProviderMember.allCases.first(where: { $0.rawValue == path[1] }) {
            return found(base + member.position, consumed: 2)
        }
        let names = ProviderMember.allCases.map(\.rawValue)
        let suggestion = didYouMean(path[1], among: names)
        guard suggestion.isEmpty else {
            return unknown("FL046", "\"provider\" has no \"\(path[1])\"", suggestion, at: 1)
        }
        return found(base + ProviderMember.values.position, consumed: 1)
    }

    private func common(_ path: [String]) -> ScopeResolution {
        let members = CommonSlot.allCases.filter { $0.row.path.hasPrefix(path[0] + ".") }
        let names = members.map { String($0.row.path.dropFirst(path[0].count + 1)) }
        guard path.count > 1 else { return incomplete(path, "\(path[0]).\(names.first ?? "name")") }
        if let index = names.firstIndex(of: path[1]) { return found(members[index].rawValue, consumed: 2) }
        if path[0] == "client", Self.isCredential(path[1]) {
            let reason = "the engine authenticates the client itself"
            return unknown("FL061", "client credentials are not addressable from a flow; \(reason)", at: 0)
        }
        let known = nearestOrAll(path[1], among: names, "known")
        return unknown("FL046", "\"\(path[0])\" has no \"\(path[1])\"", known, at: 1)
    }

    private static func isCredential(_ name: String) -> Bool {
        ["secret", "assertion", "key", "password", "credential"].contains { name.contains($0) }
    }
}
