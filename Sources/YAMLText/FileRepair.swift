/// A file with the fixes of its diagnostics in it, as far as they prove right.
///
/// A fix is a guess, so each is tried by itself: it stays where the file, checked anew, no longer has that mistake and no
/// other in the lines that were touched. What a mistake has hidden further down may come to light by its fix. A name that
/// the file gives for others to go by is taken for the right one where it is used as well, and the wrong one is not.
package struct FileRepair: Sendable {
    package struct Replacement: Sendable {
        /// Where it stood when its turn came.
        package let diagnostic: Diagnostic
        package let old: String
        package let new: String
    }

    package let source: SourceFile
    package private(set) var fixed: [Replacement] = []
    /// What is wrong still.
    package let remaining: [Diagnostic]

    /// - Parameter check: Everything that is wrong with the text, of this file and of others that it is made of.
    package init(_ source: SourceFile, check: (SourceFile) -> [Diagnostic]) {
        var text = source
        var found = check(text)
        var refused: Set<Diagnostic> = []
        while let next = found.first(where: {
            $0.fix != nil && $0.file == source.path && !refused.contains($0)
        }) {
            let (old, new) = (text.text(of: next.span), next.fix?.text ?? "")
            let candidate = text.replacing(next.span, with: new)
            let rest = check(candidate)
            guard text.isCertain(next), next.isCured(by: rest, among: found),
                !fixed.contains(where: {
                    $0.diagnostic.isSame(as: next) && $0.diagnostic.span.start == next.span.start
                })
            else {
                refused.insert(next)
                continue
            }
            fixed.append(Replacement(diagnostic: next, old: old, new: new))
            (text, found) = (candidate, rest)
        }
        (self.source, remaining) = (text, found)
    }
}

extension Diagnostic {
    /// Whether there is one of these less, and nothing in its lines that was not there before.
    fileprivate func isCured(by rest: [Diagnostic], among found: [Diagnostic]) -> Bool {
        rest.count { $0.isSame(as: self) } < found.count { $0.isSame(as: self) }
            && rest.allSatisfy { new in !new.isNear(self) || found.contains { $0.isSame(as: new) } }
    }

    /// Whether the two say the same, wherever they stand: a fix moves what stands behind it.
    fileprivate func isSame(as other: Diagnostic) -> Bool {
        code == other.code && file == other.file && message == other.message
    }

    private func isNear(_ other: Diagnostic) -> Bool {
        file == other.file && span.start.line <= other.span.end.line && span.end.line >= other.span.start.line
    }
}

extension SourceFile {
    /// Whether it is the place of the diagnostic that is misspelt, and not that which it speaks of.
    fileprivate func isCertain(_ diagnostic: Diagnostic) -> Bool {
        guard let fix = diagnostic.fix, fix.isNamedByFile else { return true }
        let wrong = text(of: diagnostic.span).split { !Self.isOfName($0) }
        let meant = fix.text.split { !Self.isOfName($0) }
        let words = text.split { !Self.isOfName($0) }
        return words.count { $0 == wrong.last } == 1 && words.count { $0 == meant.last } > 1
    }

    private static func isOfName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "-"
    }

    fileprivate func text(of span: SourceSpan) -> String {
        let bytes = Array(text.utf8)
        return String(decoding: bytes[Self.range(of: span, in: bytes)], as: UTF8.self)
    }

    /// The file with another text in place of the span.
    fileprivate func replacing(_ span: SourceSpan, with replacement: String) -> SourceFile {
        var bytes = Array(text.utf8)
        bytes.replaceSubrange(Self.range(of: span, in: bytes), with: replacement.utf8)
        return SourceFile(path: path, bytes: bytes)
    }

    private static func range(of span: SourceSpan, in bytes: [UInt8]) -> Range<Int> {
        let start = SourceOffset.offset(of: span.start, in: bytes)
        return start..<max(start, SourceOffset.offset(of: span.end, in: bytes))
    }
}
