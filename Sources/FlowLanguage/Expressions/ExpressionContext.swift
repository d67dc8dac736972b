package import YAMLText

/// Where an expression stands: what its names mean, and what is known about them there.
package struct ExpressionContext {
    /// Path of the file, for diagnostics.
    package var file: String
    package var scope: any ExpressionScope
    /// Slots that are surely set here, so that an `optional T` in them counts as `T`.
    package var narrowed: Set<Int>
    package var sink: Sink
    /// Whether the value may hold secrets.
    package var takesSecrets = false
    /// Whether a text takes JSON, numbers and unset values too: with one that is unset the whole text is.
    package var isLenient = false
    /// Where the text is a URL: the names whose values stand in it as they are. Every other value is percent-encoded,
    /// unless the URL begins with it. `nil` for any other text.
    package var plainInURL: Set<String>?

    package init(file: String, scope: any ExpressionScope, narrowed: Set<Int> = [], sink: Sink = Sink("text"))
    {
        self.file = file
        self.scope = scope
        self.narrowed = narrowed
        self.sink = sink
    }
}

/// A checked expression in a `CodeTable`.
package struct CompiledExpression: Sendable {
    package let range: CodeRange
    package let type: FlowType
    /// The part without the last instruction, where that makes a text of a value of another type.
    package let rangeBeforeText: CodeRange?
    /// The value when it is the same in every run.
    package let constant: Value?
    /// The slots that are surely set where the expression is true; of conditions only.
    package let slotsWhenTrue: Set<Int>
    /// Every place where a slot is read.
    package let references: [(slot: Int, span: SourceSpan)]
    /// The slots whose values flow into that of the expression.
    package let flows: [ValueFlow]

    /// The places among them where an unset slot would be missed.
    package var demands: [(slot: Int, span: SourceSpan)] {
        flows.filter(\.isDemanded).map { ($0.slot, $0.span) }
    }
}
