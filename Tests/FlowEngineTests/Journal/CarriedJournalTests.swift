import FlowEngine
import JOSE
import OAuthProtocol
import Synchronization
import Testing

@Suite("A journal that its host carries")
struct CarriedJournalTests {
    /// A store that is full at first.
    private final class Store: RunJournal {
        private let state = Mutex<(refusals: Int, entries: [JournalEntry])>((0, []))

        init(refusals: Int) { state.withLock { $0.refusals = refusals } }

        var entries: [JournalEntry] { state.withLock { $0.entries } }

        func append(_ entries: [JournalEntry], _ standing: RunStanding) async throws(JournalFailure) {
            let isFull = state.withLock { state in
                state.refusals -= 1
                if state.refusals < 0 { state.entries += entries }
                return state.refusals >= 0
            }
            if isFull { throw JournalFailure("no room") }
        }
    }

    private let started = JournalEntry(.started, at: 1, facts: ["run": "r_1"])
    private let intended = JournalEntry(.intended, at: 2)
    private let reported = JournalEntry(.reported, at: 3, content: ["code": "marker"])
    private let spending = RunStanding.spending(
        TokenSet.StoredPlace(
            key: SessionKey(issuer: "https://p.example", clientID: "c", profile: "p", key: nil), generation: 1
        ))

    @Test("the store has the records from where a stored session is used, and those before")
    func kept() async throws {
        let store = Store(refusals: 0)
        let journal = CarriedJournal(store: store)
        try await journal.append([started], .waiting(state: nil, until: 9))
        #expect(store.entries.isEmpty)
        #expect(journal.waitsUntil == 9)
        try await journal.append([intended], spending)
        try await journal.append([reported], .spent)
        #expect(store.entries == [started, intended, reported])
        #expect(journal.entries == store.entries)
        #expect(journal.waitsUntil == nil)
    }

    @Test("what the store refuses is nowhere, and is brought again")
    func refused() async throws {
        let store = Store(refusals: 1)
        let journal = CarriedJournal(store: store)
        try await journal.append([started], .working)
        await #expect(throws: JournalFailure("no room")) { try await journal.append([intended], spending) }
        #expect(journal.entries == [started])
        try await journal.append([intended, reported], spending)
        #expect(store.entries == [started, intended, reported])
        #expect(journal.entries == store.entries)
    }

    @Test("a record is the same after it was carried")
    func coding() {
        for entry in [started, intended, reported] { #expect(JournalEntry(entry.json) == entry) }
        #expect(JournalEntry(.object(["kind": "started"])) == nil)
    }
}
