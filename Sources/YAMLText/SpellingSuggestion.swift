/// Finds the name that was probably meant.
package enum SpellingSuggestion {
    /// Longer names are no typing mistakes worth a search; also bounds the work for hostile files.
    private static let longestName = 64
    private static let greatestDistance = 2

    /// The known name nearest to `name`, or `nil` when none is near enough to be more than noise.
    ///
    /// Near means at most two slips (a letter missing, added, changed or swapped with its neighbour) and at
    /// most one slip for three letters; ASCII case does not count. Among equally near names the first in
    /// code point order wins, whatever the order of `candidates`.
    package static func nearest(to name: String, in candidates: some Sequence<String>) -> String? {
        let typed = folded(name)
        guard typed.count <= longestName else { return nil }
        var best: (distance: Int, name: String)?
        for candidate in candidates where candidate != name {
            let known = folded(candidate)
            guard abs(known.count - typed.count) <= greatestDistance else { continue }
            let slips = distance(typed, known)
            guard slips <= greatestDistance, slips * 3 <= max(typed.count, known.count) else { continue }
            if let best, (best.distance, best.name) <= (slips, candidate) { continue }
            best = (slips, candidate)
        }
        return best?.name
    }

    private static func folded(_ name: String) -> [Unicode.Scalar] {
        name.unicodeScalars.map { scalar in
            ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) + 32) : scalar
        }
    }

    /// The Damerau-Levenshtein distance in which no letter is moved twice (optimal string alignment).
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let change = previous[column] + (left[row] == right[column] ? 0 : 1)
                var cheapest = min(change, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cheapest = min(cheapest, beforePrevious[column - 1] + 1)
                }
                current.append(cheapest)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
