/// The members of a JSON object in their order, each name once.
///
/// Two objects are equal when they have the same members in any order.
public struct JSONObject: Sendable {
    public typealias Member = (key: String, value: JSONValue)

    public private(set) var members: [Member]

    public init() { members = [] }

    /// Makes an object of these members; a later member replaces an earlier one of the same name.
    public init(_ members: [Member]) {
        self.members = []
        self.members.reserveCapacity(members.count)
        for member in members { self[member.key] = member.value }
    }

    /// Members that the parser has already found to be distinct.
    init(distinct members: [Member]) { self.members = members }

    public var keys: [String] { members.map(\.key) }

    /// The value of that member; setting `nil` removes it, setting a new name appends it.
    public subscript(key: String) -> JSONValue? {
        get {
            index(of: key).map { members[$0].value }
        }
        set {
            switch (index(of: key), newValue) {
            case (.some(let index), .some(let value)): members[index].value = value
            case (.some(let index), .none): members.remove(at: index)
            case (.none, .some(let value)): members.append((key, value))
            case (.none, .none): break
            }
        }
    }

    private func index(of key: String) -> Int? {
        members.firstIndex { $0.key.hasSameBytes(as: key) }
    }
}

extension JSONObject: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { members.count }
    public subscript(position: Int) -> Member { members[position] }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.map { (key: $0.0, value: $0.1) })
    }
}

extension JSONObject: Hashable {
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.members.allSatisfy { right[$0.key] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        // Members are combined by exclusive or, so their order does not matter.
        var combined = 0
        for member in members {
            var one = Hasher()
            one.combine(member.key)
            one.combine(member.value)
            combined ^= one.finalize()
        }
        hasher.combine(combined)
    }
}
