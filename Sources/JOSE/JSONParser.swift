/// Reading JSON: exactly one value in valid UTF-8, no member named twice, nothing after it.
///
/// - SeeAlso: RFC 8259
package enum JSON {
    /// Reads one value.
    ///
    /// - Throws: `JSONError` with the first thing that is wrong.
    package static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits = .default
    ) throws(JSONError) -> JSONValue {
        var parser = JSONParser(bytes: bytes, limits: limits)
        return try parser.document()
    }

    package static func parse(
        _ bytes: some Collection<UInt8>, limits: JSONLimits = .default
    ) throws(JSONError) -> JSONValue {
        let result = withBytes(of: bytes) { bytes in
            Result { () throws(JSONError) in try parse(bytes, limits: limits) }
        }
        return try result.get()
    }

    package static func parse(
        _ text: String, limits: JSONLimits = .default
    ) throws(JSONError) -> JSONValue {
        try parse(text.utf8, limits: limits)
    }
}

/// A cursor over the bytes; every read is preceded by a check against their count.
struct JSONParser {
    let bytes: UnsafeBufferPointer<UInt8>
    let limits: JSONLimits
    var offset = 0
    private var depth = 0

    init(bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func document() throws(JSONError) -> JSONValue {
        guard bytes.count <= limits.bytes else { throw error(.tooLarge(limit: limits.bytes)) }
        guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { throw error(.byteOrderMark) }
        let value = try value()
        skipSpace()
        guard offset == bytes.count else { throw error(.trailingData) }
        return value
    }

    func error(_ kind: JSONError.Kind) -> JSONError { JSONError(kind: kind, offset: offset) }

    /// The byte at the cursor, which stays.
    @inline(__always)
    func peek() throws(JSONError) -> UInt8 {
        guard offset < bytes.count else { throw error(.unexpectedEnd) }
        return bytes[offset]
    }

    @inline(__always)
    private mutating func skipSpace() {
        while offset < bytes.count {
            let byte = bytes[offset]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            offset += 1
        }
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        skipSpace()
        switch try peek() {
        case UInt8(ascii: "\""):
            offset += 1
            return .string(try string())
        case UInt8(ascii: "{"): return try nested { (parser) throws(JSONError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { (parser) throws(JSONError) in try parser.array() }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw error(.syntax)
        }
    }

    @inline(__always)
    private mutating func nested(
        _ body: (inout JSONParser) throws(JSONError) -> JSONValue
    ) throws(JSONError) -> JSONValue {
        guard depth < limits.depth else { throw error(.tooDeep(limit: limits.depth)) }
        depth += 1
        offset += 1
        let value = try body(&self)
        depth -= 1
        return value
    }

    private mutating func word(
        _ word: StaticString, _ value: JSONValue
    ) throws(JSONError) -> JSONValue {
        for index in 0..<word.utf8CodeUnitCount {
            guard try peek() == word.utf8Start[index] else { throw error(.syntax) }
            offset += 1
        }
        return value
    }

    private mutating func array() throws(JSONError) -> JSONValue {
        var elements: [JSONValue] = []
        skipSpace()
        if try peek() == UInt8(ascii: "]") {
            offset += 1
            return .array(elements)
        }
        while true {
            elements.append(try value())
            if try isLast(closing: UInt8(ascii: "]")) { return .array(elements) }
        }
    }

    private mutating func object() throws(JSONError) -> JSONValue {
        var members = DistinctMembers()
        skipSpace()
        if try peek() == UInt8(ascii: "}") {
            offset += 1
            return .object(JSONObject())
        }
        while true {
            skipSpace()
            let place = offset
            guard try peek() == UInt8(ascii: "\"") else { throw error(.syntax) }
            offset += 1
            let key = try string()
            let mark = NameMark(key)
            guard members.admits(key, mark) else {
                throw JSONError(kind: .duplicateMember(key), offset: place)
            }
            skipSpace()
            guard try peek() == UInt8(ascii: ":") else { throw error(.syntax) }
            offset += 1
            members.append(JSONObject.Entry(key: key, mark: mark, value: try value()))
            if try isLast(closing: UInt8(ascii: "}")) { return .object(members.object) }
        }
    }

    /// Reads a comma, or the closing byte.
    @inline(__always)
    private mutating func isLast(closing: UInt8) throws(JSONError) -> Bool {
        skipSpace()
        let byte = try peek()
        guard byte == closing || byte == UInt8(ascii: ",") else { throw error(.syntax) }
        offset += 1
        return byte == closing
    }
}

/// The members read so far; a scan finds a repeated name in a small object, a set in a large one.
private struct DistinctMembers {
    private var members: [JSONObject.Entry] = []
    /// The names as bytes, kept once a scan of all members would be slower.
    private var names: Set<[UInt8]> = []
    /// Where the set overtakes the scan; also bounds the work on hostile input.
    private static let scanned = 24

    var object: JSONObject { JSONObject(distinct: members) }

    mutating func admits(_ key: String, _ mark: NameMark) -> Bool {
        if members.count < Self.scanned {
            return members.index(of: key, mark) == nil
        }
        if names.isEmpty { names = Set(members.map { Array($0.key.utf8) }) }
        return names.insert(Array(key.utf8)).inserted
    }

    mutating func append(_ member: JSONObject.Entry) {
        // As many as the claims of an ID token or the members of a token response.
        if members.isEmpty { members.reserveCapacity(16) }
        members.append(member)
    }
}
