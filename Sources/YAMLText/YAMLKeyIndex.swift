/// Collects the entries of a mapping and finds the first of two equal keys.
struct YAMLKeyIndex {
    /// Below this many keys comparing each is cheaper than hashing.
    private static let smallest = 16

    private(set) var entries: [YAMLMapping.Entry] = []
    private var positions: [String: Int] = [:]

    init() {
        // Most mappings of a flow are smaller: one allocation for each.
        entries.reserveCapacity(4)
    }

    /// Adds `entry`, unless its key is there already.
    ///
    /// - Returns: The entry that has the key already.
    mutating func insert(_ entry: YAMLMapping.Entry) -> YAMLMapping.Entry? {
        if let first = position(of: entry.key) { return entries[first] }
        entries.append(entry)
        if entries.count == Self.smallest {
            for (position, entry) in entries.enumerated() { positions[entry.key] = position }
        } else if entries.count > Self.smallest {
            positions[entry.key] = entries.count - 1
        }
        return nil
    }

    private func position(of key: String) -> Int? {
        entries.count < Self.smallest ? entries.firstIndex { $0.key == key } : positions[key]
    }
}
