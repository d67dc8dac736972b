/// What may stand under a key of a file, for editors and for the formatter.
///
/// Says less than the linter: a shape knows nothing of what other parts of the file declare.
indirect enum ValueShape: Sendable {
    /// A literal of any type, or a template.
    case template
    case text, bool, condition, duration, byteCount, type
    case id, flowID
    /// A text; numbers and booleans count as theirs.
    case scalar
    /// An https URL, or a template that may become one.
    case endpoint
    /// A text of that form.
    case matching(String)
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Int>)
    case word([String])
    case list(ValueShape)
    /// Names that are ids.
    case ids(ValueShape)
    /// Any names.
    case names(ValueShape)
    /// Outcomes, `any` and `any.CLASS`.
    case selectors(ValueShape)
    case steps
    case keys([KeyShape])
    /// Known keys, and any other names with values of the shape.
    case open([KeyShape], ValueShape)
    case either([ValueShape])
    /// A shape that the schema writes once.
    case named(String, ValueShape)
}

/// One key of a mapping, in the order of the canonical form.
struct KeyShape: Sendable {
    let name: String
    let summary: String
    let value: ValueShape
    let isRequired: Bool
    /// What holds when the key is not written; `nil` where that is nothing or said in the summary.
    let standard: String?

    init(
        _ name: String, _ value: ValueShape, _ summary: String, isRequired: Bool = false,
        standard: String? = nil
    ) {
        self.name = name
        self.value = value
        self.summary = summary
        self.isRequired = isRequired
        self.standard = standard
    }

    /// The summary with what holds otherwise, for an editor.
    var description: String { summary + (standard.map { " (default: \($0))" } ?? "") }
}
