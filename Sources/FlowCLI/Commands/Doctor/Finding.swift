/// One thing that the doctor has looked at.
struct Finding: Sendable, Hashable {
    enum State: String, Sendable, Hashable {
        case ok, warning, bad
    }

    /// For programs; of one check all findings have the same.
    let id: String
    let state: State
    let what: String
    /// What to do about it.
    let fix: String?

    private init(_ id: String, _ state: State, _ what: String, _ fix: String?) {
        (self.id, self.state, self.what, self.fix) = (id, state, what, fix)
    }

    static func ok(_ id: String, _ what: String) -> Finding { Finding(id, .ok, what, nil) }

    static func warning(_ id: String, _ what: String, fix: String? = nil) -> Finding {
        Finding(id, .warning, what, fix)
    }

    static func bad(_ id: String, _ what: String, fix: String? = nil) -> Finding {
        Finding(id, .bad, what, fix)
    }
}
