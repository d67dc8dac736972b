/// Who plays the providers of a rehearsal in earnest: it looks at what it is asked, and may refuse.
package protocol RehearsalCounterpart: Sendable {
    /// - Parameter now: Milliseconds since 1970; an answer that takes its time moves it on.
    func answer(
        _ exchange: HTTPExchange, _ provider: BoundProvider, now: inout Int64
    ) -> CounterpartReply

    /// Opens an address as a person's browser would.
    func open(_ presentation: Presentation, _ provider: BoundProvider, now: Int64)

    /// What the browser brings back.
    ///
    /// - Parameter now: Milliseconds since 1970; a wait for nothing moves it to its end.
    func callback(_ wait: CallbackWait, _ provider: BoundProvider, now: inout Int64) -> CounterpartReply

    /// Takes the tokens of a session that was stored before for its own.
    func adopt(_ tokens: TokenSet, _ provider: BoundProvider, now: Int64)
}

/// What a counterpart says.
package struct CounterpartReply: Sendable {
    /// `nil` for what it knows nothing of, which the rehearsal then makes up.
    package let event: InputEvent?
    /// What the trace should say of it.
    package let remark: String?

    package init(_ event: InputEvent?, remark: String? = nil) {
        self.event = event
        self.remark = remark
    }
}
