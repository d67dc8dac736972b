package import JOSE
internal import Synchronization

/// The journal of a run whose host carries it from one process to the next, such as beside what a web server knows of a
/// visitor.
///
/// From where the refresh token of a stored session is used, what becomes of it matters to others too, and is kept in the
/// store as well.
package final class CarriedJournal: RunJournal {
    private struct State {
        var entries: [JournalEntry]
        /// Whether the store has them too.
        var isKept: Bool
        var waitsUntil: Int64?
    }

    private let store: (any RunJournal)?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - entries: The records so far.
    ///   - store: Where what becomes of a stored session is kept; `nil` where nothing is.
    ///   - isKept: Whether the store has these records already.
    package init(_ entries: [JournalEntry] = [], store: (any RunJournal)?, isKept: Bool = false) {
        self.store = store
        state = Mutex(State(entries: entries, isKept: isKept))
    }

    package var entries: [JournalEntry] { state.withLock { $0.entries } }

    /// Until when somebody's answer is waited for, in milliseconds since 1970; `nil` when none is.
    package var waitsUntil: Int64? { state.withLock { $0.waitsUntil } }

    package func append(
        _ entries: [JournalEntry], _ standing: RunStanding
    ) async throws(JournalFailure) {
        let news = state.withLock { state in
            state.isKept ? entries : standing.spendsSession ? state.entries + entries : []
        }
        // What the store refuses is not written here either: it is brought again with the next records.
        if let store, !news.isEmpty { try await store.append(news, standing) }
        state.withLock { state in
            state.entries += entries
            state.isKept = state.isKept || standing.spendsSession
            state.waitsUntil = if case .waiting(_, let until) = standing { until } else { nil }
        }
    }
}

extension JournalEntry {
    /// The record, secrets in clear.
    package var json: JSONValue {
        .object([
            "kind": .string(kind.rawValue), "time": .int(time), "facts": .object(facts),
            "content": .object(content),
        ])
    }

    /// - Returns: `nil` for what `json` does not write.
    package init?(_ json: JSONValue) {
        guard let kind = json["kind"]?.stringValue.flatMap(Kind.init(rawValue:)),
            let time = json["time"]?.intValue, let facts = json["facts"]?.objectValue,
            let content = json["content"]?.objectValue
        else { return nil }
        self.init(kind, at: time, facts: facts, content: content)
    }
}
