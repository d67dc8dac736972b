/// Reads the grammar of RFC 9485 §4 by recursive descent.
///
/// Counts the instructions that each part will compile to, so that a repetition that grows too large is reported where
/// it is written, and before anything is built.
struct PatternParser {
    private struct Part {
        var node: PatternNode
        var size: Int
    }

    private let scalars: [Unicode.Scalar]
    private var offset = 0
    private var depth = 0

    static func parse(_ text: String) throws(PatternError) -> PatternNode {
        var parser = PatternParser(scalars: Array(scalarsOf: text))
        let whole = try parser.alternatives()
        if parser.offset < parser.scalars.count {
            throw parser.error("this ')' closes no group", hint: "write \\) for the character")
        }
        return whole.node
    }

    private init(scalars: [Unicode.Scalar]) {
        self.scalars = scalars
    }

    // MARK: Branches and pieces

    private mutating func alternatives() throws(PatternError) -> Part {
        let first = try branch()
        var nodes = [first.node]
        var size = first.size
        while take("|") {
            let start = offset
            let next = try branch()
            nodes.append(next.node)
            size += next.size + 2
            guard size <= PatternLimits.instructions else { throw tooLarge(start) }
        }
        return Part(node: nodes.count > 1 ? .alternatives(nodes) : first.node, size: size)
    }

    private mutating func branch() throws(PatternError) -> Part {
        var pieces: [PatternNode] = []
        var size = 0
        while let scalar = peek, scalar != "|", scalar != ")" {
            let start = offset
            let piece = try quantified(try atom(scalar), from: start)
            pieces.append(piece.node)
            size += piece.size
            guard size <= PatternLimits.instructions else { throw tooLarge(start) }
        }
        return Part(node: .sequence(pieces), size: size)
    }

    private mutating func quantified(_ atom: Part, from start: Int) throws(PatternError) -> Part {
        guard let bounds = try quantifier() else { return atom }
        // An empty group costs no instruction, but repeating it costs time here.
        let size = max(1, atom.size)
        let (required, optional) = (bounds.least, bounds.most.map { $0 - bounds.least })
        let total = required * size + (optional.map { $0 * (size + 1) } ?? size + 2)
        guard total <= PatternLimits.instructions else { throw tooLarge(start) }
        return Part(node: .repeated(atom.node, least: bounds.least, most: bounds.most), size: total)
    }

    private func tooLarge(_ start: Int) -> PatternError {
        PatternError(
            message: "the pattern comes to more than \(PatternLimits.instructions) places",
            hint: "lower the counts in braces", range: start..<max(offset, start + 1))
    }

    private mutating func quantifier() throws(PatternError) -> (least: Int, most: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        let start = offset
        guard take("{") else { return nil }
        let least = try count()
        guard take(",") else {
            try close("}", openedAt: start)
            return (least, least)
        }
        if take("}") { return (least, nil) }
        let most = try count()
        try close("}", openedAt: start)
        guard least <= most else {
            throw PatternError(message: "the counts are the wrong way round", range: start..<offset)
        }
        return (least, most)
    }

    private mutating func count() throws(PatternError) -> Int {
        let start = offset
        var value = 0
        while let scalar = peek, ExpressionLexer.isDigit(scalar) {
            // Beyond the bound the exact number does not matter.
            value = min(value * 10 + Int(scalar.value - 0x30), PatternLimits.instructions + 1)
            offset += 1
        }
        if offset == start { throw error("a count is missing here", hint: "write {2}, {2,} or {2,5}") }
        guard value <= PatternLimits.instructions else {
            let message = "a count is at most \(PatternLimits.instructions)"
            throw PatternError(message: message, range: start..<offset)
        }
        return value
    }

    // MARK: Atoms

    private mutating func atom(_ scalar: Unicode.Scalar) throws(PatternError) -> Part {
        switch scalar {
        case "(": return try group()
        case "[": return Part(node: .one(try characterClass()), size: 1)
        case "\\": return Part(node: .one(try escape().characterClass), size: 1)
        case "*", "+", "?", "{":
            throw error("'\(scalar)' has nothing to repeat", hint: "write \\\(scalar) for the character")
        case "}", "]": throw error("'\(scalar)' opens nowhere", hint: "write \\\(scalar) for the character")
        case "^": throw error("'^' is no anchor: a pattern is about the whole text", hint: "drop it")
        case "$":
            let hint = "drop it, or write [$] for the character"
            throw error("'$' is no anchor: a pattern is about the whole text", hint: hint)
        default:
            offset += 1
            return Part(node: .one(scalar == "." ? .anything : CharacterClass(scalar)), size: 1)
        }
    }

    private mutating func group() throws(PatternError) -> Part {
        let start = offset
        offset += 1
        if peek == "?" {
            throw error("only plain groups are known", hint: "I-Regexp has no look-around and no flags")
        }
        depth += 1
        defer { depth -= 1 }
        guard depth <= PatternLimits.depth else {
            let message = "groups are nested more than \(PatternLimits.depth) deep"
            throw PatternError(message: message, range: start..<offset)
        }
        let inner = try alternatives()
        try close(")", openedAt: start)
        return inner
    }

    /// What a backslash makes of the characters after it.
    private enum Escape {
        case character(Unicode.Scalar)
        case categories(CategorySet)

        var characterClass: CharacterClass {
            switch self {
            case .character(let scalar): CharacterClass(scalar)
            case .categories(let set): CharacterClass(ranges: [], categories: set)
            }
        }
    }

    private mutating func escape() throws(PatternError) -> Escape {
        let start = offset
        offset += 1
        guard let scalar = peek else {
            throw PatternError(message: "a character is missing after '\\'", range: start..<offset)
        }
        offset += 1
        switch scalar {
        case "n": return .character("\n")
        case "r": return .character("\r")
        case "t": return .character("\t")
        case "p": return .categories(try category(start))
        case "P": return .categories(try category(start).complement)
        case "(", ")", "*", "+", "-", ".", "?", "[", "\\", "]", "^", "{", "|", "}":
            return .character(scalar)
        default:
            throw PatternError(
                message: "I-Regexp knows no \"\\\(scalar)\"", hint: Self.hint(for: scalar),
                range: start..<offset)
        }
    }

    private static func hint(for scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "d": "write [0-9] or \\p{Nd}"
        case "w": "write [A-Za-z0-9_] or [\\p{L}\\p{N}_]"
        case "s": "write [ \\t\\r\\n]"
        case "D", "W", "S": "write a class such as [^0-9]"
        case "b", "B", "A", "z", "Z": "a pattern is about the whole text"
        case "0"..."9": "I-Regexp has no back-references"
        default: scalar.properties.isAlphabetic ? nil : "write [\(scalar)]"
        }
    }

    private mutating func category(_ start: Int) throws(PatternError) -> CategorySet {
        guard take("{") else { throw error("'{' is missing here", hint: "write \\p{Lu}") }
        let name = String(String.UnicodeScalarView(scalars[offset...].prefix { $0 != "}" }))
        let nameStart = offset
        offset += name.unicodeScalars.count
        let nameEnd = max(offset, nameStart + 1)
        try close("}", openedAt: start)
        guard let set = CategorySet(named: name) else {
            throw PatternError(
                message: "\"\(name)\" is no general category of Unicode", hint: "such as L, Lu, Nd or P",
                range: nameStart..<nameEnd)
        }
        return set
    }

    // MARK: Classes

    private mutating func characterClass() throws(PatternError) -> CharacterClass {
        let start = offset
        offset += 1
        let isNegated = take("^")
        var ranges: [ClosedRange<UInt32>] = []
        var categories: CategorySet = []
        if take("-") { ranges.append(Self.hyphen) }
        while let scalar = peek, scalar != "]" {
            if scalar == "-" {
                offset += 1
                guard peek == "]" else {
                    offset -= 1
                    throw error("'-' stands first or last in a class", hint: "write \\- elsewhere")
                }
                ranges.append(Self.hyphen)
            } else {
                switch try classMember(scalar) {
                case .character(let first): ranges.append(try range(from: first))
                case .categories(let set): categories.formUnion(set)
                }
            }
        }
        try close("]", openedAt: start)
        guard !ranges.isEmpty || !categories.isEmpty else {
            throw PatternError(message: "this class holds no character", range: start..<offset)
        }
        return CharacterClass(ranges: ranges, categories: categories, isNegated: isNegated)
    }

    private static let hyphen: ClosedRange<UInt32> = 0x2D...0x2D

    private mutating func classMember(_ scalar: Unicode.Scalar) throws(PatternError) -> Escape {
        if scalar == "\\" { return try escape() }
        if scalar == "[" {
            throw error("'[' does not stand in a class", hint: "write \\[ for the character")
        }
        offset += 1
        return .character(scalar)
    }

    private mutating func range(from first: Unicode.Scalar) throws(PatternError) -> ClosedRange<UInt32> {
        guard peek == "-", offset + 1 < scalars.count, scalars[offset + 1] != "]" else {
            return first.value...first.value
        }
        let start = offset
        offset += 1
        guard let next = peek, next != "-", case .character(let last) = try classMember(next) else {
            throw PatternError(message: "a range ends with one character", range: start..<offset)
        }
        guard first <= last else {
            let message = "this range ends before it begins"
            throw PatternError(message: message, range: max(0, start - 1)..<offset)
        }
        return first.value...last.value
    }

    // MARK: Scalars

    private var peek: Unicode.Scalar? { offset < scalars.count ? scalars[offset] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == scalar else { return false }
        offset += 1
        return true
    }

    private mutating func close(_ scalar: Unicode.Scalar, openedAt start: Int) throws(PatternError) {
        guard !take(scalar) else { return }
        guard offset < scalars.count else {
            let message = "this '\(scalars[start])' is never closed; add '\(scalar)'"
            throw PatternError(message: message, range: start..<(start + 1))
        }
        throw error("expected '\(scalar)', found '\(scalars[offset])'")
    }

    /// A mistake at the next character.
    private func error(_ message: String, hint: String? = nil) -> PatternError {
        PatternError(message: message, hint: hint, range: offset..<(offset + 1))
    }
}
