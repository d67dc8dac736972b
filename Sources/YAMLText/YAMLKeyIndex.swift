/// Collects the entries of a mapping and finds the first of two equal keys.
struct YAMLKeyIndex {
    /// Below this many keys comparing each is cheaper than hashing.
    private static let smallest = 64

    private(set) var entries: [YAMLMapping.Entry] = []
    private var positions: [String: Int] = [:]
    /// Whether equal keys surely have equal bytes. Others may be spelled in several ways that `==` takes for one.
    private var isASCII = true

    /// - Parameter count: How many entries there may well be: one allocation for all of them.
    init(expecting count: Int) {
        entries.reserveCapacity(count)
    }

    /// Adds an entry, whose key is not there yet.
    mutating func append(_ entry: consuming YAMLMapping.Entry) {
        if entries.count >= Self.smallest { positions[entry.key] = entries.count }
        entries.append(entry)
        if entries.count == Self.smallest {
            for (position, entry) in entries.enumerated() { positions[entry.key] = position }
        }
    }

    /// Where the key is already.
    ///
    /// - Parameter isASCII: Whether the key is known to have nothing but ASCII.
    mutating func position(of key: String, isASCII: Bool) -> Int? {
        if !isASCII { self.isASCII = false }
        return position(of: key)
    }

    private func position(of key: String) -> Int? {
        guard entries.count < Self.smallest else { return positions[key] }
        guard isASCII else { return entries.firstIndex { $0.key == key } }
        // Lengths nearly always differ, and are known without a look at the bytes.
        let length = key.utf8.count
        return entries.firstIndex { $0.key.utf8.count == length && $0.key == key }
    }
}
