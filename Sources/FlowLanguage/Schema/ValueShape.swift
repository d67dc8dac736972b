/// What may stand under a key of a flow file, for editors and for the formatter.
///
/// Says less than the linter: a shape knows nothing of what other parts of the file declare.
indirect enum ValueShape: Sendable {
    /// A literal of any type, or a template.
    case template
    case text, bool, condition, duration, byteCount, type
    case id, flowID
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

    init(_ name: String, _ value: ValueShape, _ summary: String, isRequired: Bool = false) {
        self.name = name
        self.value = value
        self.summary = summary
        self.isRequired = isRequired
    }
}
