/// Two texts compared line by line.
enum LineDifference {
    /// The removed lines after `- `, the added ones after `+ `, each with its line number; empty for equal texts.
    static func text(from old: String, to new: String) -> String {
        let before = lines(old)
        let after = lines(new)
        let changes = after.difference(from: before)
        var removed: [Int: String] = [:]
        var added: [Int: String] = [:]
        for change in changes {
            switch change {
            case .remove(let offset, let line, _): removed[offset] = line
            case .insert(let offset, let line, _): added[offset] = line
            }
        }
        var text = ""
        for number in 0..<max(before.count, after.count) {
            if let line = removed[number] { text += "\(number + 1)- \(line)\n" }
            if let line = added[number] { text += "\(number + 1)+ \(line)\n" }
        }
        return text
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
