/// One value of a JSON text that was read and found well-formed: what it is, and where.
///
/// Nodes stand in the order of the text. That of an array is followed by those of its elements, that of an object
/// by the name and the value of each member.
struct JSONNode: Sendable {
    enum Kind: UInt8, Sendable {
        case null, `false`, `true`, int, number, string, array, object
    }

    let kind: Kind
    var form = JSONString.Form.ascii
    /// The byte after the opening quote of a string.
    var place: UInt32 = 0
    /// The bytes of a string, the elements of an array, the members of an object.
    var count: UInt32 = 0
    /// The node after the value and all that is in it.
    var next: UInt32
    /// The value of an `int`, the bits of a `number`, the mark of a name.
    var bits: UInt64 = 0

    var mark: NameMark { NameMark(bits: bits) }
}

/// Notes where each value is.
struct JSONNodeMaker: JSONMaker {
    private(set) var nodes: [JSONNode] = []
    private let bytes: UnsafeBufferPointer<UInt8>
    /// From where a set of the names overtakes a look at each; also bounds the work on hostile input.
    private static let many = 24

    init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        // As many as the claims of an ID token have.
        nodes.reserveCapacity(bytes.count / 12 + 4)
    }

    struct Members {
        let object: Int
        var count = 0
        /// A bit for each name; most names are the first to set theirs.
        var seen: UInt64 = 0
        var names: Set<[UInt8]> = []
    }

    @inline(__always)
    private mutating func add(_ kind: JSONNode.Kind, bits: UInt64 = 0) {
        nodes.append(JSONNode(kind: kind, next: UInt32(truncatingIfNeeded: nodes.count &+ 1), bits: bits))
    }

    @inline(__always)
    mutating func scalar(_ scalar: JSONScalar) {
        switch scalar {
        case .null: add(.null)
        case .bool(let value): add(value ? .true : .false)
        case .int(let value): add(.int, bits: UInt64(bitPattern: value))
        case .bigInteger(_, let value): add(.number, bits: value.bitPattern)
        case .number(let value): add(.number, bits: value.bitPattern)
        }
    }

    @inline(__always)
    mutating func string(_ string: JSONString) { add(string, bits: 0) }

    @inline(__always)
    private mutating func add(_ string: JSONString, bits: UInt64) {
        nodes.append(
            JSONNode(
                kind: .string, form: string.form, place: UInt32(truncatingIfNeeded: string.place),
                count: UInt32(truncatingIfNeeded: string.written.count),
                next: UInt32(truncatingIfNeeded: nodes.count &+ 1), bits: bits))
    }

    /// The array, and how many elements it has so far.
    struct Elements {
        let array: Int
        var count = 0
    }

    mutating func elements() -> Elements {
        defer { add(.array) }
        return Elements(array: nodes.count)
    }

    func add(_ value: Void, to elements: inout Elements) { elements.count += 1 }

    mutating func array(_ elements: Elements) { close(elements.array, elements.count) }

    private mutating func close(_ index: Int, _ count: Int) {
        nodes[index].count = UInt32(truncatingIfNeeded: count)
        nodes[index].next = UInt32(truncatingIfNeeded: nodes.count)
    }

    mutating func members() -> Members {
        defer { add(.object) }
        return Members(object: nodes.count)
    }

    mutating func name(_ name: JSONString, in members: inout Members) -> Void? {
        let mark = name.mark
        defer {
            members.seen |= mark.bit
            add(name, bits: mark.bits)
        }
        if members.count < Self.many {
            return members.seen & mark.bit == 0 || !holds(name, mark, members) ? () : nil
        }
        if members.names.isEmpty { members.names = Set(names(of: members)) }
        return members.names.insert(Array(name.text.utf8)).inserted ? () : nil
    }

    private func holds(_ name: JSONString, _ mark: NameMark, _ members: Members) -> Bool {
        nodes.withUnsafeBufferPointer { nodes in
            let nodes = JSONNodes(nodes, bytes)
            var index = members.object + 1
            for _ in 0..<members.count {
                if nodes[index].mark == mark, mark.isWhole || nodes.isExactly(name.text, at: index) {
                    return true
                }
                index = Int(nodes[index + 1].next)
            }
            return false
        }
    }

    private func names(of members: Members) -> [[UInt8]] {
        nodes.withUnsafeBufferPointer { nodes in
            let nodes = JSONNodes(nodes, bytes)
            var index = members.object + 1
            return (0..<members.count).map { _ in
                defer { index = Int(nodes[index + 1].next) }
                return Array(nodes.text(at: index).utf8)
            }
        }
    }

    func add(_ value: Void, named name: Void, to members: inout Members) { members.count += 1 }

    mutating func object(_ members: Members) { close(members.object, members.count) }
}

/// The nodes of a text with its bytes, lent for as long as both are.
struct JSONNodes {
    private let nodes: UnsafeBufferPointer<JSONNode>
    private let bytes: UnsafeBufferPointer<UInt8>

    init(_ nodes: UnsafeBufferPointer<JSONNode>, _ bytes: UnsafeBufferPointer<UInt8>) {
        self.nodes = nodes
        self.bytes = bytes
    }

    subscript(index: Int) -> JSONNode { nodes[index] }

    private func written(at index: Int) -> UnsafeBufferPointer<UInt8> {
        let place = Int(nodes[index].place)
        return UnsafeBufferPointer(rebasing: bytes[place..<(place + Int(nodes[index].count))])
    }

    func text(at index: Int) -> String {
        let node = nodes[index]
        guard node.form == .escaped else { return String(decoding: written(at: index), as: UTF8.self) }
        var cursor = JSONCursor(bytes: bytes, offset: Int(node.place))
        // It was read before, and could be.
        return (try? cursor.string().text) ?? ""
    }

    /// Whether a string is exactly that text; takes as long wherever two texts of one length differ.
    func isExactly(_ text: String, at index: Int) -> Bool {
        guard nodes[index].form != .escaped else { return ConstantTime.equal(self.text(at: index), text) }
        return ConstantTime.equal(written(at: index), text.utf8)
    }

    /// The node of a member's value.
    func member(_ name: JSONName, of object: Int) -> Int? {
        var index = object + 1
        for _ in 0..<nodes[object].count {
            if nodes[index].mark == name.mark, name.mark.isWhole || isExactly(name.text, at: index) {
                return index + 1
            }
            index = Int(nodes[index + 1].next)
        }
        return nil
    }
}
