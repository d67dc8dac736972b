internal import JOSE

extension JSONValue {
    /// Puts a value where a JSON pointer leads, making the objects and arrays on the way (RFC 6901).
    mutating func place(_ value: JSONValue, at pointer: String) {
        let tokens = pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        let names = tokens.map { String($0).replacing("~1", with: "/").replacing("~0", with: "~") }
        self = placing(value, names[...])
    }

    /// Longest array that is made; an index beyond is left out.
    private static let mostItems = 100

    private func placing(_ value: JSONValue, _ path: ArraySlice<String>) -> JSONValue {
        guard let name = path.first else { return value }
        let rest = path.dropFirst()
        if let index = Int(name), index < Self.mostItems, objectValue?.isEmpty ?? true {
            var items = arrayValue ?? []
            while items.count <= index { items.append([:]) }
            items[index] = items[index].placing(value, rest)
            return .array(items)
        }
        var object = objectValue ?? [:]
        object[name] = (object[name] ?? [:]).placing(value, rest)
        return .object(object)
    }
}
