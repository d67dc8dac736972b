package import YAMLText

/// A slot whose value flows into that of an expression, at one place.
package struct ValueFlow: Sendable, Hashable {
    package let slot: Int
    /// What is selected from the slot: `.sub`, `[0]`.
    package let members: [String]
    package let span: SourceSpan
    /// Whether who sees the result sees something of the value; not behind `has` or a declassifier.
    package var isShown = true
    /// Whether who controls the value controls the result; not where only its choice depends on it.
    package var isDeciding = true
    /// Whether an unset value would be missed: it is neither tested by `has`, nor left of `??`.
    package var isDemanded = true
}

/// Where the value of an expression goes, and what may go there (flow/1 §4).
package struct Sink: Sendable, Hashable {
    package enum Purpose: Sendable, Hashable {
        case value
        /// A URL that somebody or something is sent to; values of less integrity must not have a say in it.
        case destination(Label.Integrity)
        /// The slot of a variable, which takes over the label of what is saved.
        case variable(Int)
        case condition
        /// A condition that decides whether the flow comes to the success end of that name; with the way
        /// there when its own edge leads elsewhere.
        case success(String, way: String? = nil)
    }

    /// For messages, such as `message text` or `output "who"`.
    package var name: String
    /// The most secret value that may go there.
    package var limit: Label.Secrecy
    package var purpose: Purpose

    package init(_ name: String, limit: Label.Secrecy = .pii, purpose: Purpose = .value) {
        self.name = name
        self.limit = limit
        self.purpose = purpose
    }
}
