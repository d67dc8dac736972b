/// Makes the values themselves.
struct JSONTreeMaker: JSONMaker {
    @inline(__always)
    func scalar(_ scalar: JSONScalar) -> JSONValue {
        switch scalar {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .bigInteger(let digits, _): .bigInteger(String(decoding: digits, as: UTF8.self))
        case .number(let value): .number(value)
        }
    }

    @inline(__always)
    func string(_ string: JSONString) -> JSONValue { .string(string.text) }

    @inline(__always)
    func elements() -> [JSONValue] { [] }

    @inline(__always)
    func add(_ value: JSONValue, to elements: inout [JSONValue]) { elements.append(value) }

    @inline(__always)
    func array(_ elements: [JSONValue]) -> JSONValue { .array(elements) }

    @inline(__always)
    func members() -> DistinctMembers { DistinctMembers() }

    @inline(__always)
    func name(_ string: JSONString, in members: inout DistinctMembers) -> (text: String, mark: NameMark)? {
        let (text, mark) = (string.text, string.mark)
        return members.admits(text, mark) ? (text, mark) : nil
    }

    @inline(__always)
    func add(
        _ value: JSONValue, named name: (text: String, mark: NameMark), to members: inout DistinctMembers
    ) {
        members.append(JSONObject.Entry(key: name.text, mark: name.mark, value: value))
    }

    @inline(__always)
    func object(_ members: DistinctMembers) -> JSONValue { .object(members.object) }
}

/// The members read so far; a scan finds a repeated name in a small object, a set in a large one.
struct DistinctMembers {
    private var members: [JSONObject.Entry] = []
    /// The names as bytes, kept once a scan of all members would be slower.
    private var names: Set<[UInt8]> = []
    /// Where the set overtakes the scan; also bounds the work on hostile input.
    private static let scanned = 24

    var object: JSONObject { JSONObject(distinct: members) }

    mutating func admits(_ name: String, _ mark: NameMark) -> Bool {
        if members.count < Self.scanned { return members.index(of: name, mark) == nil }
        if names.isEmpty { names = Set(members.map { Array($0.key.utf8) }) }
        return names.insert(Array(name.utf8)).inserted
    }

    mutating func append(_ member: JSONObject.Entry) {
        // As many as the claims of an ID token or the members of a token response.
        if members.isEmpty { members.reserveCapacity(16) }
        members.append(member)
    }
}
