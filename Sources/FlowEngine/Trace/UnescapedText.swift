/// A text with its escapes undone.
struct UnescapedText {
    private(set) var bytes: [UInt8] = []
    /// Where in the text each of them is written.
    private var starts: [Int] = []
    private var ends: [Int] = []

    init(_ text: PlainBytes) {
        var text = text
        while let byte = text.next() {
            bytes.append(byte)
            starts.append(text.range.lowerBound)
            ends.append(text.range.upperBound)
        }
        // Half an escape that the text ends in belongs to what is before it.
        if let last = ends.indices.last { ends[last] = text.range.upperBound }
    }

    /// Where the last of them ends.
    var end: Int? { ends.last }

    /// Where a range of its bytes, which is not empty, stands in the text.
    func place(of range: Range<Int>) -> Range<Int> {
        starts[range.lowerBound]..<max(ends[range.upperBound - 1], starts[range.lowerBound])
    }
}
