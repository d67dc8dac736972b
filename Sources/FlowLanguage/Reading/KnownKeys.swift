internal import YAMLText

/// Which keys of a mapping are known, which belong to other tools, and which are mistakes.
///
/// Known keys are ASCII, so that only keys of one length can be equal, and nearly all others are told apart without a
/// look at their bytes. Keys mostly come in the order in which they are listed: a search begins where the last one
/// ended.
enum KnownKeys {
    /// Whether a key belongs to another tool.
    static func isForeign(_ key: String) -> Bool {
        key.utf8.first == UInt8(ascii: "x") && key.utf8.starts(with: "x-".utf8)
    }

    /// Where the entries are that nobody knows: those of other tools, and mistakes.
    ///
    /// - Parameter keys: `nil` where all are allowed.
    static func strangers(
        among entries: [YAMLMapping.Entry], _ keys: [String]?
    ) -> (foreign: [Int], unknown: [Int]) {
        guard let keys else { return (entries.indices.filter { isForeign(entries[$0].key) }, []) }
        var place = 0
        let strangers = entries.withUnsafeBufferPointer { entries in
            keys.withUnsafeBufferPointer { keys in
                entries.indices.filter { !isKnown(entries[$0].key, keys, &place) }
            }
        }
        // Those of other tools are known nowhere.
        return (
            strangers.filter { isForeign(entries[$0].key) }, strangers.filter { !isForeign(entries[$0].key) }
        )
    }

    static func isAny(of entries: [YAMLMapping.Entry], among keys: [String]) -> Bool {
        var place = 0
        return keys.withUnsafeBufferPointer { keys in
            entries.indices.contains { isKnown(entries[$0].key, keys, &place) }
        }
    }

    /// - Parameter place: Where the last key was found.
    private static func isKnown(
        _ key: String, _ keys: UnsafeBufferPointer<String>, _ place: inout Int
    ) -> Bool {
        let length = key.utf8.count
        for index in place..<keys.count where keys[index].utf8.count == length && keys[index] == key {
            place = index
            return true
        }
        for index in 0..<place where keys[index].utf8.count == length && keys[index] == key {
            place = index
            return true
        }
        return false
    }
}
