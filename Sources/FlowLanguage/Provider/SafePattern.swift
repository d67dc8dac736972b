/// A pattern that a whole text must match, in time linear in the text: the small part of regular expressions that
/// names, hosts and identifiers need.
///
/// Characters, `.`, classes such as `[a-z0-9.-]` and `[^/]`, `\d`, a backslash before any punctuation, and after each of
/// them `+`, `*`, `?`, `{m}`, `{m,}` or `{m,n}`; `^` and `$` at the ends change nothing. No groups, no alternatives.
struct SafePattern: Sendable {
    /// One character of the text: which it may be, and how often.
    private struct Atom: Sendable {
        var ranges: [ClosedRange<UInt32>]
        var isNegated = false
        var isOptional = false
        var mayRepeat = false

        func matches(_ scalar: Unicode.Scalar) -> Bool {
            ranges.contains { $0.contains(scalar.value) } != isNegated
        }
    }

    /// Keeps the work for one character bounded.
    private static let mostAtoms = 256

    private var atoms: [Atom] = []

    /// `nil` when the text is no pattern of this kind.
    init?(_ text: String) {
        var rest = Array(text.unicodeScalars)[...]
        if rest.first == "^" { rest.removeFirst() }
        if rest.last == "$", rest.dropLast().last != "\\" { rest.removeLast() }
        while !rest.isEmpty {
            guard let atom = Self.atom(&rest), let bounds = Self.repetition(&rest) else { return nil }
            append(atom, bounds)
            guard atoms.count <= Self.mostAtoms else { return nil }
        }
    }

    func matches(_ text: String) -> Bool {
        // The places in the pattern that the text read so far may have led to.
        var places = closure([0])
        for scalar in text.unicodeScalars {
            var next: Set<Int> = []
            for place in places where place < atoms.count && atoms[place].matches(scalar) {
                next.insert(place + 1)
                if atoms[place].mayRepeat { next.insert(place) }
            }
            places = closure(next)
            if places.isEmpty { return false }
        }
        return places.contains(atoms.count)
    }

    /// Adds the places behind optional characters.
    private func closure(_ places: Set<Int>) -> Set<Int> {
        var all = places
        for place in atoms.indices where all.contains(place) && atoms[place].isOptional {
            all.insert(place + 1)
        }
        return all
    }

    private mutating func append(_ atom: Atom, _ bounds: (least: Int, most: Int?)) {
        let required = Array(repeating: atom, count: bounds.least)
        var optional = atom
        optional.isOptional = true
        guard let most = bounds.most else {
            optional.mayRepeat = true
            atoms += required + [optional]
            return
        }
        atoms += required + Array(repeating: optional, count: most - bounds.least)
    }

    private static func atom(_ rest: inout ArraySlice<Unicode.Scalar>) -> Atom? {
        guard let scalar = rest.popFirst() else { return nil }
        switch scalar {
        case "[": return characterClass(&rest)
        case "\\": return escape(&rest).map { Atom(ranges: $0) }
        case ".": return Atom(ranges: [0...0x10FFFF])
        case "(", ")", "|", "*", "+", "?", "{", "}", "]", "^", "$": return nil
        default: return Atom(ranges: [scalar.value...scalar.value])
        }
    }

    private static func escape(_ rest: inout ArraySlice<Unicode.Scalar>) -> [ClosedRange<UInt32>]? {
        guard let scalar = rest.popFirst() else { return nil }
        if scalar == "d" { return [0x30...0x39] }
        // A letter or digit would mean something else in other tools.
        guard scalar.isASCII, !ExpressionLexer.isNamePart(scalar) else { return nil }
        return [scalar.value...scalar.value]
    }

    private static func characterClass(_ rest: inout ArraySlice<Unicode.Scalar>) -> Atom? {
        var atom = Atom(ranges: [])
        if rest.first == "^" {
            rest.removeFirst()
            atom.isNegated = true
        }
        while let scalar = rest.popFirst() {
            if scalar == "]" { return atom.ranges.isEmpty ? nil : atom }
            if scalar == "[" { return nil }
            if scalar == "\\" {
                guard let ranges = escape(&rest) else { return nil }
                atom.ranges += ranges
            } else if rest.first == "-", let end = rest.dropFirst().first, end != "]" {
                guard end != "\\", scalar.value <= end.value else { return nil }
                atom.ranges.append(scalar.value...end.value)
                rest = rest.dropFirst(2)
            } else {
                atom.ranges.append(scalar.value...scalar.value)
            }
        }
        return nil
    }

    /// How often the atom before may stand; `nil` when braces hold something else.
    private static func repetition(_ rest: inout ArraySlice<Unicode.Scalar>) -> (least: Int, most: Int?)? {
        switch rest.first {
        case "+":
            rest.removeFirst()
            return (1, nil)
        case "*":
            rest.removeFirst()
            return (0, nil)
        case "?":
            rest.removeFirst()
            return (0, 1)
        case "{":
            guard let close = rest.firstIndex(of: "}") else { return nil }
            let bounds = String(String.UnicodeScalarView(rest[(rest.startIndex + 1)..<close]))
                .split(separator: ",", omittingEmptySubsequences: false)
            rest = rest[(close + 1)...]
            guard let first = bounds.first.flatMap({ Int($0) }), (0...mostAtoms).contains(first) else {
                return nil
            }
            if bounds.count == 1 { return (first, first) }
            guard bounds.count == 2 else { return nil }
            if bounds[1].isEmpty { return (first, nil) }
            guard let last = Int(bounds[1]), last >= first, last <= mostAtoms else { return nil }
            return (first, last)
        default: return (1, 1)
        }
    }
}
