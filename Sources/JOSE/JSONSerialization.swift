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
        return writer.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of `serialize()`.
    package var serializedBytes: [UInt8] {
        var writer = JSONWriter(sortedKeys: false, pretty: false)
        writer.write(self)
        return writer.withBytes { Array($0) }
    }
}

extension JSONObject {
    /// Writes the object as JSON text.
    public func serialize(sortedKeys: Bool = false, pretty: Bool = false) -> String {
        JSONValue.object(self).serialize(sortedKeys: sortedKeys, pretty: pretty)
    }

    /// The bytes of `serialize()`.
    package var serializedBytes: [UInt8] { JSONValue.object(self).serializedBytes }
}

private struct JSONWriter: ~Copyable {
    private let sortedKeys: Bool
    private let pretty: Bool
    private var output = ByteBuffer()
    private var depth = 0

    init(sortedKeys: Bool, pretty: Bool) {
        self.sortedKeys = sortedKeys
        self.pretty = pretty
    }

    borrowing func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        output.withBytes(body)
    }

    mutating func write(_ value: borrowing JSONValue) {
        switch copy value {
        case .null: output.append("null")
        case .bool(let value): output.append(value ? "true" : "false")
        case .int(let value): output.append(digitsOf: value)
        case .bigInteger(let digits): output.append(digits)
        // The description of a finite double is the shortest text that reads back as it.
        case .number(let value) where value.isFinite: output.append(value.description)
        case .number: output.append("null")
        case .string(let value): write(text: value)
        case .array(let elements): write(elements)
        case .object(let object): write(object)
        }
    }

    private mutating func write(_ elements: [JSONValue]) {
        output.append(UInt8(ascii: "["))
        depth += 1
        for index in elements.indices {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            if pretty { startLine() }
            write(elements[index])
        }
        depth -= 1
        if pretty, !elements.isEmpty { startLine() }
        output.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ object: JSONObject) {
        let entries =
            sortedKeys
            ? object.entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } : object.entries
        output.append(UInt8(ascii: "{"))
        depth += 1
        for index in entries.indices {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            if pretty { startLine() }
            write(text: entries[index].key)
            output.append(UInt8(ascii: ":"))
            if pretty { output.append(UInt8(ascii: " ")) }
            write(entries[index].value)
        }
        depth -= 1
        if pretty, !entries.isEmpty { startLine() }
        output.append(UInt8(ascii: "}"))
    }

    private mutating func startLine() {
        output.append(UInt8(ascii: "\n"))
        for _ in 0..<depth { output.append("  ") }
    }

    private mutating func write(text: String) {
        let written: Void? = text.utf8.withContiguousStorageIfAvailable { write($0) }
        if written == nil { Array(text.utf8).withUnsafeBufferPointer { write($0) } }
    }

    private mutating func write(_ text: UnsafeBufferPointer<UInt8>) {
        output.append(UInt8(ascii: "\""))
        if PlainJSONText.isPlain(text) || !text.contains(where: Self.isEscaped) {
            output.append(text)
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
        case 0x0A: output.append("\\n")
        case 0x0D: output.append("\\r")
        case 0x09: output.append("\\t")
        case _ where Self.isEscaped(byte):
            output.append(byte < 0x10 ? "\\u000" : "\\u00")
            output.append(String(byte, radix: 16))
        default: output.append(byte)
        }
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
