internal import JOSE

/// What the program knows of some names.
///
/// Every member of every answer is looked up, and few are known: lengths and bytes tell them apart sooner than a hash.
struct NameTable<Fact: Sendable>: Sendable {
    private var rows: [[(name: String, fact: Fact)]] = Array(repeating: [], count: 128)

    init(_ facts: [String: Fact]) {
        for (name, fact) in facts { rows[Self.place(of: name)].append((name, fact)) }
    }

    subscript(name: String) -> Fact? {
        for row in rows[Self.place(of: name)] where row.name.hasSameBytes(as: name) { return row.fact }
        return nil
    }

    private static func place(of name: String) -> Int {
        var name = name
        return name.withUTF8 { name in
            guard let first = name.first, let last = name.last else { return 0 }
            return (name.count &+ Int(first) &* 5 &+ Int(last) &* 11) & 127
        }
    }
}
