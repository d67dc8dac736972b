/// A JSON object that was read once and whose values are made when they are asked for.
///
/// To look at a few members of a token costs little more than to find them.
struct JSONText: Sendable {
    private let bytes: [UInt8]
    private let nodes: [JSONNode]

    /// - Returns: `nil` when the value is no object.
    /// - Throws: `JSONError` with the first thing that is wrong.
    init?(_ bytes: [UInt8]) throws(JSONError) {
        let nodes = try bytes.withUnsafeBufferPointer { bytes in
            Result { () throws(JSONError) in
                var parser = JSONParser(
                    bytes: bytes, limits: .default, maker: JSONNodeMaker(bytes: bytes))
                try parser.document()
                return parser.maker.nodes
            }
        }.get()
        guard nodes[0].kind == .object else { return nil }
        self.bytes = bytes
        self.nodes = nodes
    }

    /// Every member, made anew.
    var object: JSONObject {
        // It was read before, and could be.
        (try? JSON.parse(bytes))?.objectValue ?? JSONObject()
    }

    func has(_ name: JSONName) -> Bool { read { $0.member(name, of: 0) != nil } }

    /// The value of a member that is a string.
    func text(_ name: JSONName) -> String? {
        read { nodes in
            nodes.member(name, of: 0).flatMap { nodes[$0].kind == .string ? nodes.text(at: $0) : nil }
        }
    }

    func read<Result>(_ body: (JSONNodes) -> Result) -> Result {
        nodes.withUnsafeBufferPointer { nodes in
            bytes.withUnsafeBufferPointer { bytes in body(JSONNodes(nodes, bytes)) }
        }
    }
}
