/// A pattern that a whole text must match: a regular expression of RFC 9485 (I-Regexp).
///
/// Compiled once and matched in time linear in the text, without backtracking. Two things that I-Regexp would take for
/// ordinary characters are refused, because whoever writes them means something else: `^` and `$` outside of a class.
///
/// - SeeAlso: RFC 9485 §4 for the grammar, §5 for what it means
package struct Pattern: Sendable, Hashable {
    /// The pattern as written.
    package let text: String
    let code: ContiguousArray<PatternInstruction>
    let classes: [CharacterClass]

    /// - Throws: What is wrong with the pattern, and where.
    package init(_ text: String) throws(PatternError) {
        let node = try PatternParser.parse(text)
        var compiler = PatternCompiler()
        compiler.append(node)
        compiler.code.append(.match)
        self.text = text
        code = compiler.code
        classes = compiler.classes
    }

    /// Whether the whole text matches.
    package func matches(_ text: String) -> Bool {
        var matcher = PatternMatcher(self)
        return matcher.run(text)
    }
}

/// Why a text is no pattern.
package struct PatternError: Error, Hashable {
    let message: String
    var hint: String?
    /// Unicode scalars of the pattern.
    let range: Range<Int>
}

/// Bounds of one pattern, so that neither reading nor matching it can be made expensive.
enum PatternLimits {
    /// Of the compiled program: the work for one character of a text.
    static let instructions = 1_000
    /// Groups inside each other.
    static let depth = 32
}
