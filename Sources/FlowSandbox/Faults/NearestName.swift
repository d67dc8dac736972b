/// The name with the smallest edit distance, the first of several; `nil` when more than two letters, or more than a third
/// of them, would have to change.
func nearestName(to text: String, in names: [String]) -> String? {
    // Longer ones are no slips of the finger.
    guard text.utf8.count <= 64 else { return nil }
    let scored = names.map { (name: $0, distance: editDistance(Array(text.utf8), Array($0.utf8))) }
    guard let best = scored.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= min(2, max(1, text.utf8.count / 3)) ? best.name : nil
}

/// Levenshtein's distance, with one row of the table at a time; two neighbours that are swapped are one slip.
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var (older, row) = ([Int](), Array(0...right.count))
    for (index, byte) in left.enumerated() {
        var next = [index + 1]
        for column in right.indices {
            var cheapest = min(
                row[column] + (byte == right[column] ? 0 : 1), row[column + 1] + 1, next[column] + 1)
            if index > 0, column > 0, byte == right[column - 1], left[index - 1] == right[column] {
                cheapest = min(cheapest, older[column - 1] + 1)
            }
            next.append(cheapest)
        }
        (older, row) = (row, next)
    }
    return row[right.count]
}
