internal import JOSE

extension FunctionTable {
    static let collectionFunctions: [FunctionRow] = [
        // For the rare member whose name is no name.
        FunctionRow("get", [.members, .pointer], .type(.optional(.json))) { arguments in
            guard let pointer = arguments.text(1) else { return .null }
            return JSONForm.json(of: arguments[0]).at(pointer: pointer).map(Value.json) ?? .null
        },
        FunctionRow("keys", [.members], .type(.list(.string))) { arguments in
            switch arguments[0] {
            case .map(let map): .list(map.keys.sorted().map(Value.string))
            case .json(.object(let object)): .list(object.keys.sorted().map(Value.string))
            case .null, .bool, .int, .number, .time, .duration, .string, .json, .list, .secret: .list([])
            }
        },
        FunctionRow("first", [.list], .element) { $0.list(0)?.first ?? .null },
        FunctionRow("includes_all", [.elements, .texts], .type(.bool)) { arguments in
            guard let have = arguments.textElements(0), let wanted = arguments.texts(1) else {
                return .bool(false)
            }
            let set = TextSet(have)
            return .bool(wanted.allSatisfy(set.contains))
        },
        FunctionRow("includes_any", [.elements, .texts], .type(.bool)) { arguments in
            guard let have = arguments.textElements(0), let wanted = arguments.texts(1) else {
                return .bool(false)
            }
            let set = TextSet(have)
            return .bool(wanted.contains(where: set.contains))
        },
        FunctionRow("minus", [.texts, .texts], .type(.list(.string))) { arguments in
            let taken = TextSet(arguments.texts(1) ?? [])
            return .list((arguments.texts(0) ?? []).filter { !taken.contains($0) }.map(Value.string))
        },
        // In the order of first appearance, each once.
        FunctionRow("union", [.texts, .texts], .type(.list(.string))) { arguments in
            var seen = TextSet([])
            let all = (arguments.texts(0) ?? []) + (arguments.texts(1) ?? [])
            return .list(all.filter { seen.insert($0) }.map(Value.string))
        },
    ]
}

/// Texts that are told apart by their code points, as `==` of the language does; `String` would take canonically
/// equivalent ones for equal.
private struct TextSet {
    private var texts: Set<[UInt8]>

    init(_ texts: [String]) {
        self.texts = Set(texts.map { Array($0.utf8) })
    }

    func contains(_ text: String) -> Bool { texts.contains(Array(text.utf8)) }

    /// - Returns: Whether the text is new.
    mutating func insert(_ text: String) -> Bool { texts.insert(Array(text.utf8)).inserted }
}
