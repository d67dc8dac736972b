/// Two texts compared line by line, in the form that `patch` reads.
enum UnifiedDifference {
    /// Lines around a change that are shown with it.
    private static let context = 3

    private enum Line {
        case same(String), removed(String), added(String)

        var text: String {
            switch self {
            case .same(let line): " \(line)\n"
            case .removed(let line): "-\(line)\n"
            case .added(let line): "+\(line)\n"
            }
        }

        var isChange: Bool {
            if case .same = self { false } else { true }
        }

        var isOld: Bool {
            if case .added = self { false } else { true }
        }

        var isNew: Bool {
            if case .removed = self { false } else { true }
        }
    }

    /// - Returns: Empty for equal texts. Both end with a line break.
    static func text(from old: String, to new: String, named name: String) -> String {
        let lines = merged(old, new)
        let changes = lines.indices.filter { lines[$0].isChange }
        guard let first = changes.first else { return "" }
        var hunks = [max(0, first - context)...min(lines.count - 1, first + context)]
        for change in changes.dropFirst() {
            let hunk = max(0, change - context)...min(lines.count - 1, change + context)
            if hunk.lowerBound <= hunks[hunks.count - 1].upperBound + 1 {
                hunks[hunks.count - 1] = hunks[hunks.count - 1].lowerBound...hunk.upperBound
            } else {
                hunks.append(hunk)
            }
        }
        return "--- \(name)\n+++ \(name)\n" + hunks.map { self.text(of: $0, lines) }.joined()
    }

    private static func text(of hunk: ClosedRange<Int>, _ lines: [Line]) -> String {
        let before = lines[..<hunk.lowerBound]
        let old = "\(before.count(where: \.isOld) + 1),\(lines[hunk].count(where: \.isOld))"
        let new = "\(before.count(where: \.isNew) + 1),\(lines[hunk].count(where: \.isNew))"
        return "@@ -\(old) +\(new) @@\n" + lines[hunk].map(\.text).joined()
    }

    private static func merged(_ old: String, _ new: String) -> [Line] {
        let (before, after) = (self.lines(old), self.lines(new))
        var removed: Set<Int> = []
        var added: Set<Int> = []
        for change in after.difference(from: before) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var lines: [Line] = []
        var (left, right) = (0, 0)
        while left < before.count || right < after.count {
            if removed.contains(left), left < before.count {
                lines.append(.removed(before[left]))
                left += 1
            } else if added.contains(right), right < after.count {
                lines.append(.added(after[right]))
                right += 1
            } else {
                lines.append(.same(after[right]))
                left += 1
                right += 1
            }
        }
        return lines
    }

    private static func lines(_ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }
}
