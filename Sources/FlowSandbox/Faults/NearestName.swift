/// The name with the smallest edit distance; `nil` when more than a third of the text would have to change.
func nearestName(to text: String, in names: [String]) -> String? {
    let scored = names.map { (name: $0, distance: editDistance(Array(text.utf8), Array($0.utf8))) }
    guard let best = scored.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(2, text.utf8.count / 3) ? best.name : nil
}

/// Levenshtein's distance, with one row of the table at a time.
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (index, byte) in left.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in right.indices {
            let substitution = diagonal + (byte == right[column] ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(substitution, diagonal + 1, row[column] + 1)
        }
    }
    return row[right.count]
}
