internal import JOSE

extension FunctionTable {
    static let collectionFunctions: [FunctionRow] = [
        // A literal pointer, for the rare member whose name is no name (RFC 6901).
        FunctionRow("get", [.members, .text], .type(.optional(.json))) { arguments in
            guard let pointer = arguments.text(1) else { return .null }
            return JSONForm.json(of: arguments[0]).at(pointer: pointer).map(Value.json) ?? .null
        },
        FunctionRow("keys", [.members], .type(.list(.string))) { arguments in
            switch arguments[0] {
            case .map(let map): .list(map.keys.sorted().map(Value.string))
            case .json(.object(let object)): .list(object.keys.map(Value.string))
            case .null, .bool, .int, .number, .time, .duration, .string, .json, .list, .secret: .list([])
            }
        },
        FunctionRow("first", [.list], .element) { $0.list(0)?.first ?? .null },
        FunctionRow("includes_all", [.texts, .texts], .type(.bool)) { arguments in
            guard let have = arguments.texts(0), let wanted = arguments.texts(1) else { return .bool(false) }
            return .bool(wanted.allSatisfy(have.contains))
        },
        FunctionRow("includes_any", [.texts, .texts], .type(.bool)) { arguments in
            guard let have = arguments.texts(0), let wanted = arguments.texts(1) else { return .bool(false) }
            return .bool(wanted.contains(where: have.contains))
        },
        FunctionRow("minus", [.texts, .texts], .type(.list(.string))) { arguments in
            let taken = arguments.texts(1) ?? []
            return .list((arguments.texts(0) ?? []).filter { !taken.contains($0) }.map(Value.string))
        },
        // In the order of first appearance, each once.
        FunctionRow("union", [.texts, .texts], .type(.list(.string))) { arguments in
            var seen: Set<String> = []
            let all = (arguments.texts(0) ?? []) + (arguments.texts(1) ?? [])
            return .list(all.filter { seen.insert($0).inserted }.map(Value.string))
        },
    ]
}
