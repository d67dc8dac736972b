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
            return .bool(wanted.allSatisfy { holds(have, $0) })
        },
        FunctionRow("includes_any", [.texts, .texts], .type(.bool)) { arguments in
            guard let have = arguments.texts(0), let wanted = arguments.texts(1) else { return .bool(false) }
            return .bool(wanted.contains { holds(have, $0) })
        },
        FunctionRow("minus", [.texts, .texts], .type(.list(.string))) { arguments in
            let taken = arguments.texts(1) ?? []
            return .list((arguments.texts(0) ?? []).filter { !holds(taken, $0) }.map(Value.string))
        },
        // In the order of first appearance, each once.
        FunctionRow("union", [.texts, .texts], .type(.list(.string))) { arguments in
            let all = (arguments.texts(0) ?? []) + (arguments.texts(1) ?? [])
            let union = all.reduce(into: [String]()) { if !holds($0, $1) { $0.append($1) } }
            return .list(union.map(Value.string))
        },
    ]

    /// Compares by code points, as `==` of the language does.
    private static func holds(_ texts: [String], _ text: String) -> Bool {
        texts.contains { ValueEquality.areSame($0, text) }
    }
}
