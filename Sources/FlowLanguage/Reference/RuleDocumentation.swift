internal import YAMLText

/// What `flowrun explain` says of a rule beyond its one line: its meaning, its reason, a wrong example and a
/// right one.
///
/// The examples are pieces of flow files, cut to what matters.
package struct RuleDocumentation: Sendable, Hashable {
    let code: String
    /// Paragraphs are separated by empty lines; other line breaks mean nothing.
    let meaning: String
    let reason: String
    let wrong: String
    let right: String

    init(_ code: String, meaning: String, reason: String, wrong: String, right: String) {
        self.code = code
        self.meaning = meaning
        self.reason = reason
        self.wrong = wrong
        self.right = right
    }

    package static func of(_ code: String) -> RuleDocumentation? { all[code] }

    static var codes: [String] { all.keys.sorted() }

    private static let all = Dictionary(
        uniqueKeysWithValues: (text + structure + routing + data + protection + hooks + binding + tests).map {
            ($0.code, $0)
        })

    /// The entry for a terminal, wrapped to a width.
    package func text(of rule: FlowRule, width: Int = 90) -> String {
        var text = "\(rule.code) (\(rule.severity.rawValue)): \(rule.title)\n\n"
        text += paragraphs(meaning, width) + "\n\nWhy\n" + paragraphs(reason, width - 2).indented(by: 2)
        text += "\n\nWrong\n\n" + wrong.indented(by: 4) + "\n\nRight\n\n" + right.indented(by: 4) + "\n"
        return text
    }

    /// The entry for code scanning services.
    package var markdown: String {
        """
        \(paragraphs(meaning, .max))

        \(paragraphs(reason, .max))

        Wrong:

        ```yaml
        \(wrong)
        ```

        Right:

        ```yaml
        \(right)
        ```

        """
    }

    private func paragraphs(_ text: String, _ width: Int) -> String {
        var paragraphs: [[Substring]] = [[]]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.split(separator: " ")
            if words.isEmpty { paragraphs.append([]) } else { paragraphs[paragraphs.count - 1] += words }
        }
        return paragraphs.map { WrappedText.lines($0, width: width).joined(separator: "\n") }.joined(
            separator: "\n\n")
    }
}

/// Text in lines of a width, broken at spaces.
package enum WrappedText {
    package static func lines(_ words: some Sequence<Substring>, width: Int) -> [String] {
        var lines = [""]
        for word in words {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if line.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(line) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}

extension String {
    /// Every line that is not empty after that many spaces.
    func indented(by count: Int) -> String {
        let margin = String(repeating: " ", count: count)
        return split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : margin + $0 }.joined(separator: "\n")
    }
}
