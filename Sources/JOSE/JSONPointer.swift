extension JSONValue {
    /// The value a JSON pointer names; `nil` when there is none or the pointer is malformed.
    ///
    /// - Parameter pointer: Empty for the whole value, else `/` before each token, with `~1` for `/` and `~0`
    ///   for `~`. An array index is decimal without leading zeros.
    /// - SeeAlso: RFC 6901
    public func at(pointer: String) -> JSONValue? {
        let tokens = pointer.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard tokens.first?.isEmpty == true else { return nil }
        var value = self
        for token in tokens.dropFirst() {
            guard let name = Self.unescape(token), let next = value.child(name) else { return nil }
            value = next
        }
        return value
    }

    private func child(_ name: String) -> JSONValue? {
        switch self {
        case .object(let object): return object[name]
        case .array(let elements):
            guard let index = Int(name), String(index) == name, elements.indices.contains(index) else {
                return nil
            }
            return elements[index]
        case .null, .bool, .int, .bigInteger, .number, .string: return nil
        }
    }

    private static func unescape(_ token: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = token[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "~") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
