/// The members of a JSON object in their order, each name once.
///
/// Two objects are equal when they have the same members in any order.
public struct JSONObject: Sendable {
    /// A name with its value.
    public typealias Member = (key: String, value: JSONValue)

    /// A stored member: an array of structs is searched and freed without runtime metadata, unlike tuples.
    struct Entry: Sendable {
        let key: String
        let mark: NameMark
        var value: JSONValue
    }

    private(set) var entries: [Entry]

    /// No members.
    public init() { entries = [] }

    /// Makes an object of these members; a later member replaces an earlier one of the same name.
    public init(_ members: [Member]) {
        entries = []
        entries.reserveCapacity(members.count)
        // Few names are compared faster than looked up; of many, each would be compared with all before it.
        guard members.count > 32 else {
            for member in members { set(member.key, member.value) }
            return
        }
        var places: [[UInt8]: Int] = [:]
        for member in members {
            let name = Array(member.key.utf8)
            if let place = places[name] {
                entries[place].value = member.value
            } else {
                places[name] = entries.count
                entries.append(Entry(key: member.key, mark: NameMark(member.key), value: member.value))
            }
        }
    }

    /// Makes an object whose members are in the order of their names, the same for every run of the program.
    public init<Value>(sorting values: [String: Value], _ form: (Value) -> JSONValue) {
        self.init(values.sorted { $0.key < $1.key }.map { ($0.key, form($0.value)) })
    }

    /// A few members, as a literal has them; a later one replaces an earlier one of the same name.
    init(pairs: [(String, JSONValue)]) {
        entries = []
        entries.reserveCapacity(pairs.count)
        for (key, value) in pairs { set(key, value) }
    }

    /// Entries that the parser has already found to be distinct.
    init(distinct entries: [Entry]) { self.entries = entries }

    /// In the order in which they were written.
    public var members: [Member] { entries.map { ($0.key, $0.value) } }

    /// In the order in which they were written.
    public var keys: [String] { entries.map(\.key) }

    /// The value of that member; setting `nil` removes it, setting a new name appends it.
    public subscript(key: String) -> JSONValue? {
        get {
            guard let index = entries.index(of: key) else { return nil }
            return entries[index].value
        }
        set {
            if let newValue {
                set(key, newValue)
            } else if let index = entries.index(of: key) {
                entries.remove(at: index)
            }
        }
    }

    private mutating func set(_ key: String, _ value: JSONValue) {
        let mark = NameMark(key)
        if let index = entries.index(of: key, mark) {
            entries[index].value = value
        } else {
            entries.append(Entry(key: key, mark: mark, value: value))
        }
    }
}

extension [JSONObject.Entry] {
    /// Where the member of that name is; the values are not touched.
    func index(of key: String) -> Int? { index(of: key, NameMark(key)) }

    /// - Parameter mark: That of the key.
    func index(of key: String, _ mark: NameMark) -> Int? {
        withUnsafeBufferPointer { entries in
            entries.firstIndex { $0.mark == mark && (mark.isWhole || $0.key.hasSameBytes(as: key)) }
        }
    }
}

extension JSONObject: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { entries.count }
    public subscript(position: Int) -> Member { (entries[position].key, entries[position].value) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(pairs: elements)
    }
}

extension JSONObject: Hashable {
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.entries.allSatisfy { right[$0.key] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        // Members are combined by exclusive or, so their order does not matter.
        var combined = 0
        for member in entries {
            var one = Hasher()
            one.combine(member.key)
            one.combine(member.value)
            combined ^= one.finalize()
        }
        hasher.combine(combined)
    }
}
