internal import YAMLText

/// The names that a descriptor's expressions may use.
struct DescriptorScope: ExpressionScope {
    let variables: [String]

    func resolve(_ path: [String]) -> ScopeResolution {
        switch path[0] {
        case "vars": return variable(path)
        case "client": return client(path)
        case "claims": return slot(.claims, .json, 1)
        case "token": return slot(.token, .json, 1)
        case "userinfo": return slot(.userinfo, .json, 1)
        default: return unknown(path[0], "name", at: 0, ["vars", "client", "claims", "token", "userinfo"])
        }
    }

    private func slot(_ slot: DescriptorSlot, _ type: FlowType, _ consumed: Int) -> ScopeResolution {
        .slot(slot.rawValue, type, consumed: consumed)
    }

    private func variable(_ path: [String]) -> ScopeResolution {
        guard path.count > 1 else { return incomplete("vars") }
        guard let index = variables.firstIndex(of: path[1]) else {
            return unknown(path[1], "variable", at: 1, variables)
        }
        return .slot(DescriptorSlot.variableBase + index, .string, consumed: 2)
    }

    private func client(_ path: [String]) -> ScopeResolution {
        guard path.count > 1 else { return incomplete("client") }
        switch path[1] {
        case "id": return slot(.clientID, .string, 2)
        case "redirect_uri": return slot(.redirectURI, .string, 2)
        case "secret":
            let message = "client credentials are not addressable; the engine authenticates the client itself"
            return .unknown(code: "FL061", message: message, hint: nil, at: 1)
        default: return unknown(path[1], "member of client", at: 1, ["id", "redirect_uri"])
        }
    }

    private func incomplete(_ root: String) -> ScopeResolution {
        .unknown(
            code: "FL046", message: "\"\(root)\" is no value; select one of its members", hint: nil, at: 0)
    }

    private func unknown(_ name: String, _ what: String, at index: Int, _ known: [String]) -> ScopeResolution
    {
        let nearest = SpellingSuggestion.nearest(to: name, in: known)
        let suggestion = nearest.map { "; did you mean \"\($0)\"?" } ?? ""
        let hint = nearest == nil && !known.isEmpty ? "known: \(known.joined(separator: ", "))" : nil
        return .unknown(
            code: "FL046", message: "unknown \(what) \"\(name)\"\(suggestion)", hint: hint, at: index)
    }
}
