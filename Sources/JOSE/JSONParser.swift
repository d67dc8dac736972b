/// Reads the values of a JSON text and leaves to a maker what becomes of them.
struct JSONParser<Maker: JSONMaker> {
    private var cursor: JSONCursor
    private(set) var maker: Maker
    private let limits: JSONLimits
    private var depth = 0

    init(bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits, maker: Maker) {
        cursor = JSONCursor(bytes: bytes)
        self.limits = limits
        self.maker = maker
    }

    mutating func document() throws(JSONError) -> Maker.Value {
        guard cursor.bytes.count <= limits.bytes else { throw cursor.error(.tooLarge(limit: limits.bytes)) }
        guard !cursor.bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { throw cursor.error(.byteOrderMark) }
        let value = try value()
        cursor.skipSpace()
        guard cursor.offset == cursor.bytes.count else { throw cursor.error(.trailingData) }
        return value
    }

    private mutating func value() throws(JSONError) -> Maker.Value {
        cursor.skipSpace()
        switch try cursor.peek() {
        case UInt8(ascii: "\""):
            cursor.offset += 1
            return maker.string(try cursor.string())
        case UInt8(ascii: "{"): return try nested { (parser) throws(JSONError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { (parser) throws(JSONError) in try parser.array() }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return maker.scalar(try cursor.number())
        case UInt8(ascii: "t"): return maker.scalar(try cursor.word("true", .bool(true)))
        case UInt8(ascii: "f"): return maker.scalar(try cursor.word("false", .bool(false)))
        case UInt8(ascii: "n"): return maker.scalar(try cursor.word("null", .null))
        default: throw cursor.error(.syntax)
        }
    }

    @inline(__always)
    private mutating func nested(
        _ body: (inout JSONParser) throws(JSONError) -> Maker.Value
    ) throws(JSONError) -> Maker.Value {
        guard depth < limits.depth else { throw cursor.error(.tooDeep(limit: limits.depth)) }
        depth += 1
        let value = try body(&self)
        depth -= 1
        return value
    }

    private mutating func array() throws(JSONError) -> Maker.Value {
        var elements = maker.elements()
        cursor.offset += 1
        cursor.skipSpace()
        if try cursor.peek() == UInt8(ascii: "]") {
            cursor.offset += 1
            return maker.array(elements)
        }
        while true {
            maker.add(try value(), to: &elements)
            if try cursor.isLast(closing: UInt8(ascii: "]")) { return maker.array(elements) }
        }
    }

    private mutating func object() throws(JSONError) -> Maker.Value {
        var members = maker.members()
        cursor.offset += 1
        cursor.skipSpace()
        if try cursor.peek() == UInt8(ascii: "}") {
            cursor.offset += 1
            return maker.object(members)
        }
        while true {
            cursor.skipSpace()
            let place = cursor.offset
            guard try cursor.peek() == UInt8(ascii: "\"") else { throw cursor.error(.syntax) }
            cursor.offset += 1
            let string = try cursor.string()
            guard let name = maker.name(string, in: &members) else {
                throw JSONError(kind: .duplicateMember(string.text), offset: place)
            }
            cursor.skipSpace()
            guard try cursor.peek() == UInt8(ascii: ":") else { throw cursor.error(.syntax) }
            cursor.offset += 1
            maker.add(try value(), named: name, to: &members)
            if try cursor.isLast(closing: UInt8(ascii: "}")) { return maker.object(members) }
        }
    }
}
