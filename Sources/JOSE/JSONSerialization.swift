extension JSONValue {
    /// Writes the value as JSON text, the same text for the same value every time.
    ///
    /// - Parameters:
    ///   - sortedKeys: Whether members are ordered by the bytes of their names instead of as they stand.
    ///   - pretty: Whether each member and element has its own line, indented by two spaces.
    /// - Returns: The text, without a line end. A number that is not finite, which no parser makes, is `null`.
    public func serialize(sortedKeys: Bool = false, pretty: Bool = false) -> String {
        var writer = JSONWriter(sortedKeys: sortedKeys, pretty: pretty)
        writer.write(self)
        return String(decoding: writer.output, as: UTF8.self)
    }
}

extension JSONObject {
    /// Writes the object as JSON text.
    public func serialize(sortedKeys: Bool = false, pretty: Bool = false) -> String {
        JSONValue.object(self).serialize(sortedKeys: sortedKeys, pretty: pretty)
    }
}

private struct JSONWriter {
    let sortedKeys: Bool
    let pretty: Bool
    var output: [UInt8] = []
    private var depth = 0

    init(sortedKeys: Bool, pretty: Bool) {
        self.sortedKeys = sortedKeys
        self.pretty = pretty
        output.reserveCapacity(256)
    }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .int(let value): output.append(contentsOf: String(value).utf8)
        case .bigInteger(let digits): output.append(contentsOf: digits.utf8)
        // The description of a finite double is the shortest text that reads back as it.
        case .number(let value) where value.isFinite: output.append(contentsOf: value.description.utf8)
        case .number: append("null")
        case .string(let value): write(text: value)
        case .array(let elements): write(elements, "[", "]") { writer, element in writer.write(element) }
        case .object(let object): write(ordered(object), "{", "}") { $0.write(member: $1) }
        }
    }

    private func ordered(_ object: JSONObject) -> [JSONObject.Member] {
        guard sortedKeys else { return object.members }
        return object.members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    private mutating func write(member: JSONObject.Member) {
        write(text: member.key)
        append(pretty ? ": " : ":")
        write(member.value)
    }

    private mutating func write<Element>(
        _ elements: [Element], _ open: StaticString, _ close: StaticString,
        _ writeElement: (inout JSONWriter, Element) -> Void
    ) {
        append(open)
        depth += 1
        for (index, element) in elements.enumerated() {
            if index > 0 { append(",") }
            startLine()
            writeElement(&self, element)
        }
        depth -= 1
        if !elements.isEmpty { startLine() }
        append(close)
    }

    private mutating func startLine() {
        guard pretty else { return }
        append("\n")
        output.append(contentsOf: repeatElement(0x20, count: 2 * depth))
    }

    private mutating func write(text: String) {
        let written: Void? = text.utf8.withContiguousStorageIfAvailable { write($0) }
        if written == nil { Array(text.utf8).withUnsafeBufferPointer { write($0) } }
    }

    private mutating func write(_ text: UnsafeBufferPointer<UInt8>) {
        output.append(UInt8(ascii: "\""))
        if PlainJSONText.isPlain(text) || !text.contains(where: Self.isEscaped) {
            output.append(contentsOf: text)
        } else {
            for byte in text { write(byte) }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func write(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            output.append(UInt8(ascii: "\\"))
            output.append(byte)
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        case _ where Self.isEscaped(byte):
            append(byte < 0x10 ? "\\u000" : "\\u00")
            output.append(contentsOf: String(byte, radix: 16).utf8)
        default: output.append(byte)
        }
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { output.append(contentsOf: $0) }
    }
}

extension JSONValue: CustomStringConvertible {
    /// Compact JSON; shows what it holds.
    public var description: String { serialize() }
}

extension JSONObject: CustomStringConvertible {
    /// Compact JSON; shows what it holds.
    public var description: String { serialize() }
}
