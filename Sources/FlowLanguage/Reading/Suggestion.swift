internal import YAMLText

/// The name that was probably meant by another, as the end of a message.
struct Suggestion: CustomStringConvertible {
    /// The name to be written in place of the wrong one; `nil` where none is near.
    let fix: Diagnostic.Fix?
    /// `; did you mean "name"?`, other words that help, or nothing.
    let description: String

    var isEmpty: Bool { description.isEmpty }

    /// - Parameters:
    ///   - shown: What to call it, where the name alone does not say where it stands.
    ///   - isOwn: Whether the file itself gives the name, and others go by it.
    init(_ name: String?, shown: String? = nil, isOwn: Bool = false) {
        fix = name.map { Diagnostic.Fix($0, isNamedByFile: isOwn) }
        description = (shown ?? name).map { "; did you mean \"\($0)\"?" } ?? ""
    }

    /// Help that names nothing to be written instead.
    init(words: String) {
        fix = nil
        description = words
    }

    /// The same where a name is near, else what there is to choose from.
    func or(_ words: @autoclosure () -> String) -> Suggestion { isEmpty ? Suggestion(words: words()) : self }
}

/// The nearest of the names, if one is near.
///
/// - Parameter isOwn: Whether the file itself gives these names, and others go by them.
func didYouMean(
    _ name: String, among candidates: some Sequence<String>, isOwn: Bool = false
) -> Suggestion {
    Suggestion(SpellingSuggestion.nearest(to: name, in: candidates), isOwn: isOwn)
}

/// The nearest of the names, or all of them with what they are, as in ` (members: a, b)`.
func nearestOrAll(
    _ name: String, among names: [String], _ label: String, isOwn: Bool = false
) -> Suggestion {
    didYouMean(name, among: names, isOwn: isOwn)
        .or(names.isEmpty ? "; it takes none" : " (\(label): \(names.joined(separator: ", ")))")
}

/// What may be meant by an outcome that there is not.
func outcomeMeant(_ name: String, among outcomes: some Sequence<String>) -> Suggestion {
    let wildcards = ["*", "_", "all", "default", "else", "error", "failed", "failure", "other", "otherwise"]
    if let outcomeClass = OutcomeClass(rawValue: name.hasPrefix("any-") ? String(name.dropFirst(4)) : name) {
        return Suggestion("any.\(outcomeClass.rawValue)")
    }
    guard wildcards.contains(name) else { return didYouMean(name, among: outcomes) }
    return Suggestion(
        words: "; \"any\" stands for all that are not named, \"any.transient\" for those of a class")
}
