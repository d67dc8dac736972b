/// Finds a literal part of a text in time linear in the text (Knuth, Morris and Pratt). UTF-8 needs no decoding for that.
struct TextSearch: Sendable {
    private let part: [UInt8]
    /// For each length that matched, the longest shorter one that matches there as well.
    private var shorter: [Int]

    init(_ part: [UInt8]) {
        self.part = part
        shorter = Array(repeating: 0, count: part.count + 1)
        var length = 0
        for index in part.indices.dropFirst() {
            length = extend(length, by: part[index])
            shorter[index + 1] = length
        }
    }

    /// The first place of the part. An empty one is nowhere.
    func first(in text: ArraySlice<UInt8>) -> Range<Int>? {
        guard !part.isEmpty else { return nil }
        var length = 0
        for index in text.indices {
            length = extend(length, by: text[index])
            if length == part.count { return (index + 1 - length)..<(index + 1) }
        }
        return nil
    }

    /// How much of the part matches after one byte more. `length` is less than all of it.
    private func extend(_ length: Int, by byte: UInt8) -> Int {
        var length = length
        while length > 0, part[length] != byte { length = shorter[length] }
        return part[length] == byte ? length + 1 : 0
    }
}
