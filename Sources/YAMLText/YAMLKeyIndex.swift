/// Collects the entries of a mapping and finds the first of two equal keys.
struct YAMLKeyIndex {
    /// Below this many keys comparing each is cheaper than hashing.
    private static let smallest = 64

    private(set) var entries: [YAMLMapping.Entry] = []
    private var positions: [String: Int] = [:]
    /// Whether equal keys surely have equal bytes. Others may be spelled in several ways that `==` takes for one.
    private var isASCII = true

    init() {
        // Most mappings of a flow are smaller: one allocation for each.
        entries.reserveCapacity(4)
    }

    /// Adds `entry`, unless its key is there already.
    ///
    /// - Parameter isASCII: Whether the key is known to have nothing but ASCII.
    /// - Returns: The entry that has the key already.
    mutating func insert(_ entry: consuming YAMLMapping.Entry, isASCII: Bool) -> YAMLMapping.Entry? {
        if !isASCII { self.isASCII = false }
        if let first = position(of: entry.key) { return entries[first] }
        if entries.count >= Self.smallest {
            positions[entry.key] = entries.count
        }
        entries.append(entry)
        if entries.count == Self.smallest {
            for (position, entry) in entries.enumerated() { positions[entry.key] = position }
        }
        return nil
    }

    private func position(of key: String) -> Int? {
        guard entries.count < Self.smallest else { return positions[key] }
        guard isASCII else { return entries.firstIndex { $0.key == key } }
        // Lengths nearly always differ, and are known without a look at the bytes.
        let length = key.utf8.count
        return entries.firstIndex { $0.key.utf8.count == length && $0.key == key }
    }
}
