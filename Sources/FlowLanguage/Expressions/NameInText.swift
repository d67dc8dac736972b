internal import JOSE

/// A name of several parts in a text without expressions, which may have been meant as the value of that name.
///
/// Either it is the whole text, or it stands in the brackets of another program's templates: `{{ inputs.name }}`,
/// `$(inputs.name)`, `{inputs.name}`, `%{inputs.name}`, `$inputs.name`.
struct NameInText {
    /// The parts of the name.
    let path: [String]
    /// Name and brackets, in Unicode scalars of the text.
    let range: Range<Int>
    /// Whether the text is nothing else.
    let isWhole: Bool

    /// The whole text where it is such a name, else those in brackets.
    static func all(in text: String) -> [NameInText] {
        // Most texts with a dot are addresses.
        guard text.holds("."),
            text.holds("{") || text.holds("$") || text.unicodeScalars.allSatisfy(isOfName)
        else { return [] }
        let scalars = Array(text.unicodeScalars)
        var found: [NameInText] = []
        var offset = 0
        while let start = scalars[offset...].firstIndex(where: isOfName) {
            let end = scalars[start...].firstIndex { !isOfName($0) } ?? scalars.count
            offset = end
            let name = String(scalars: scalars[start..<end])
            let path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard path.count > 1, !path.contains("") else { continue }
            if start == 0, end == scalars.count {
                found.append(NameInText(path: path, range: 0..<end, isWhole: true))
            } else if let range = brackets(around: start..<end, in: scalars) {
                found.append(NameInText(path: path, range: range, isWhole: false))
            }
        }
        return found
    }

    private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "0"..."9", "_", ".": true
        default: false
        }
    }

    /// The name with the brackets around it; `nil` where there are none.
    private static func brackets(around name: Range<Int>, in text: [Unicode.Scalar]) -> Range<Int>? {
        let before = text[..<name.lowerBound].lastIndex { $0 != " " } ?? -1
        guard before >= 0 else { return nil }
        if text[before] == "$", before + 1 == name.lowerBound { return before..<name.upperBound }
        let after = text[name.upperBound...].firstIndex { $0 != " " } ?? text.count
        guard after < text.count else { return nil }
        switch (text[before], text[after]) {
        case ("{", "}"):
            let isDouble =
                before > 0 && text[before - 1] == "{" && after + 1 < text.count && text[after + 1] == "}"
            if isDouble { return before - 1..<after + 2 }
            let isMarked = before > 0 && "#%@".unicodeScalars.contains(text[before - 1])
            return (isMarked ? before - 1 : before)..<after + 1
        case ("(", ")") where before > 0 && text[before - 1] == "$": return before - 1..<after + 1
        default: return nil
        }
    }

    /// Calls of functions as other programs write them, up to the opening parenthesis: `$(get(`, `{{ lower(`.
    static func calls(in text: String) -> [(function: String, range: Range<Int>)] {
        guard text.holds("("), text.holds("$") || text.holds("{{") else { return [] }
        let scalars = Array(text.unicodeScalars)
        return scalars.indices.compactMap { end in
            guard scalars[end] == "(" else { return nil }
            let start = scalars[..<end].lastIndex { !isOfName($0) }.map { $0 + 1 } ?? 0
            let name = String(scalars: scalars[start..<end])
            guard FunctionTable.names.contains(name),
                let before = scalars[..<start].lastIndex(where: { $0 != " " }), before > 0,
                scalars[before] == "(" && scalars[before - 1] == "$"
                    || scalars[before] == "{" && scalars[before - 1] == "{"
            else { return nil }
            return (name, before - 1..<end + 1)
        }
    }
}
