internal import YAMLText

/// The entries of a mapping, found by their keys.
///
/// A search goes through them from the first on: there are few, and nearly all that are asked for and are not there
/// are told from them by their marks.
struct KeyedEntries: Sendable {
    /// In the order of the file.
    let list: [YAMLMapping.Entry]
    private let marks: KeyMarks

    init(_ list: [YAMLMapping.Entry]) {
        self.list = list
        marks = list.withUnsafeBufferPointer { entries in
            var marks = KeyMarks()
            for index in entries.indices { marks.insert(entries[index].key) }
            return marks
        }
    }

    /// False for nearly every key that is not there, at the price of one comparison.
    @inline(__always)
    func mayHave(_ key: String) -> Bool { marks.mayContain(key) }

    func entry(_ key: String) -> YAMLMapping.Entry? { index(of: key).map { list[$0] } }

    func value(of key: String) -> YAMLNode? { index(of: key).map { list[$0].value } }

    /// Only keys of one length can be equal: those asked for are ASCII, or as they stand in the file.
    private func index(of key: String) -> Int? {
        let length = key.utf8.count
        return list.withUnsafeBufferPointer { entries in
            for index in entries.indices
            where entries[index].key.utf8.count == length && entries[index].key == key {
                return index
            }
            return nil
        }
    }
}
