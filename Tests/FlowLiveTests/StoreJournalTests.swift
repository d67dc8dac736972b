import JOSE
import OAuthProtocol
import Testing

@testable import FlowEngine
@testable import FlowLive

private struct Silence: EffectEvents {
    func report(_ notice: EffectNotice) {}
}

/// Records beside the sessions that they are about.
@Suite("Journals in the store")
struct StoreJournalTests {
    private let parent = TemporaryDirectory()
    private var directory: String { "\(parent.path)/store" }
    private let session = SessionKey(issuer: "https://p.example", clientID: "c", profile: "default", key: nil)

    private func open() throws(StoreError) -> SQLiteSessionStore {
        try SQLiteSessionStore(directory: directory)
    }

    private func entry(_ kind: JournalEntry.Kind, _ secret: String = "CANARY") -> JournalEntry {
        JournalEntry(
            kind, at: 5, facts: ["run": "r", "flow": "login"], content: ["secret": .string(secret)])
    }

    /// The run `r` has sent the refresh token of the session.
    private func spend(_ store: SQLiteSessionStore) async throws {
        let generation = try await store.save(key: session.digest, bytes: [1], expecting: .absent)
        let place = TokenSet.StoredPlace(key: session, generation: generation)
        try await store.append([entry(.started)], to: "r", after: 0, .spending(place), now: 5)
    }

    @Test("records are read as they were written, also by the next process")
    func roundTrip() async throws {
        let store = try open()
        let entries = [entry(.started), entry(.reported, "two")]
        try await store.append(entries, to: "r", after: 0, .working, now: 5)
        try await store.append([entry(.intended, "three")], to: "r", after: 2, .spending(nil), now: 6)
        let again = try open()
        #expect(try await again.records(of: "r") == entries + [entry(.intended, "three")])
        #expect(try await again.records(of: "another") == [])
        let run = try #require(try await again.runs().first)
        #expect(run.standing == "spending")
        #expect(run.facts["flow"] == "login")
    }

    @Test("of two that go on with a run, one is told that it lost")
    func oneWinner() async throws {
        let store = try open()
        let other = try open()
        try await store.append([entry(.started)], to: "r", after: 0, .working, now: 5)
        try await store.append([entry(.resumed)], to: "r", after: 1, .working, now: 6)
        await #expect(throws: StoreError.conflict(current: nil)) {
            try await other.append([entry(.resumed)], to: "r", after: 1, .working, now: 6)
        }
        #expect(try await store.records(of: "r").count == 2)
    }

    @Test("a waiting run is found by its answer until it has it")
    func waiting() async throws {
        let store = try open()
        let digest = StateDigest.of("state-1")
        try await store.append(
            [entry(.started)], to: "r", after: 0, .waiting(state: digest, until: 9), now: 5)
        #expect(try await store.run(waitingFor: digest) == "r")
        #expect(try await store.run(waitingFor: StateDigest.of("state-2")) == nil)
        try await store.append([entry(.reported)], to: "r", after: 1, .working, now: 6)
        #expect(try await store.run(waitingFor: digest) == nil)
    }

    @Test("a session whose refresh token is on its way is in doubt until the answer is known")
    func doubt() async throws {
        let store = try open()
        let name = session.digest
        try await spend(store)
        #expect(try await store.load(key: name)?.isInDoubt == true)
        #expect(try await store.unfinishedRuns(of: name) == ["r"])
        try await store.append([entry(.reported)], to: "r", after: 1, .spent, now: 6)
        #expect(try await store.load(key: name)?.isInDoubt == false)
        #expect(try await store.unfinishedRuns(of: name) == ["r"])
        #expect(try await store.runs().map(\.standing) == ["working"])
        try await store.append([entry(.ended)], to: "r", after: 2, .ended(end: "e", exit: 0), now: 7)
        #expect(try await store.unfinishedRuns(of: name) == [])
        #expect(try await store.runs().map(\.standing) == ["ended"])
    }

    @Test("a list of sessions tells a doubt that nobody is about to end", arguments: [true, false])
    func listedDoubt(isBeingRenewed: Bool) async throws {
        let store = try open()
        let record = """
            {"version":1,"client_id":"c","token_type":"Bearer","obtained_at":1,"refresh_token":"CANARY"}
            """
        for name in [session.digest, "z"] {
            let generation = try await store.save(key: name, bytes: Array(record.utf8), expecting: .absent)
            guard name != "z" else { continue }
            let place = TokenSet.StoredPlace(key: session, generation: generation)
            try await store.append([entry(.started)], to: "r", after: 0, .spending(place), now: 5)
        }
        let contents = try await store.contents { name in isBeingRenewed || name == "z" }
        #expect(try contents.map { try $0.summary.get().isInDoubt } == [!isBeingRenewed, false])
        #expect(try await store.contents().map { try $0.summary.get().isInDoubt } == [true, false])
    }

    @Test("the doubt outlives the run and ends with the next session")
    func doubtStays() async throws {
        let store = try open()
        let name = session.digest
        try await spend(store)
        try await store.append([entry(.ended)], to: "r", after: 1, .ended(end: "e", exit: 8), now: 7)
        #expect(try await store.load(key: name)?.isInDoubt == true)
        _ = try await store.save(key: name, bytes: [2], expecting: .any)
        #expect(try await store.load(key: name)?.isInDoubt == false)
    }

    @Test("the secrets of a run go with its end, its records after a day")
    func forgetting() async throws {
        let store = try open()
        try await store.append([entry(.started)], to: "r", after: 0, .working, now: 5)
        try await store.append([entry(.ended)], to: "r", after: 1, .ended(end: "e", exit: 0), now: 7)
        #expect(try await store.records(of: "r").map(\.content) == [[:], [:]])
        try await store.append([entry(.started)], to: "s", after: 0, .working, now: 8 + 86_400_000)
        #expect(try await store.records(of: "r") == [])
        #expect(try await store.runs().map(\.id) == ["s"])
    }

    @Test("a run that has used a refresh token and did not end is kept as long as its session is there")
    func lasting() async throws {
        let store = try open()
        let name = session.digest
        try await spend(store)
        try await store.append([entry(.reported)], to: "r", after: 1, .spent, now: 6)
        try await store.append([entry(.started)], to: "s", after: 0, .working, now: 8 + 86_400_000)
        #expect(try await store.unfinishedRuns(of: name) == ["r"])
        try await store.delete(key: name)
        try await store.append([entry(.started)], to: "t", after: 0, .working, now: 9 + 86_400_000)
        #expect(try await store.unfinishedRuns(of: name) == [])
    }

    @Test("no secret of a record is on the disk in clear")
    func sealed() async throws {
        let store = try open()
        try await store.append([entry(.started)], to: "r", after: 0, .working, now: 5)
        for name in ["sessions.db", "sessions.db-wal"] {
            let bytes = try #require(try PrivateFile.read("\(directory)/\(name)", limit: 1 << 24))
            #expect(!String(decoding: bytes, as: UTF8.self).contains("CANARY"))
        }
    }

    @Test("a record that was changed is refused")
    func changed() async throws {
        let store = try open()
        try await store.append([entry(.started), entry(.reported)], to: "r", after: 0, .working, now: 5)
        let connection = try SQLiteConnection("\(directory)/sessions.db")
        for change in [
            "UPDATE record SET facts = '{}' WHERE number = 1", "UPDATE record SET time = 6 WHERE number = 0",
        ] {
            try connection.execute(change)
            await #expect(throws: StoreError.self) { try await store.records(of: "r") }
        }
    }

    @Test("sealing anew takes the journals along")
    func sealingAnew() async throws {
        let words = StoreProtection(method: .file, passphrase: { Secret("correct horse", kind: .other) })
        let new = StoreProtection(method: .passphrase, passphrase: words.passphrase)
        let store = try open()
        let reading = try SQLiteSessionStore(directory: directory, protection: words)
        let writing = try SQLiteSessionStore(directory: directory, protection: words)
        let first = [entry(.started), entry(.reported, "two")]
        try await store.append(first, to: "r", after: 0, .working, now: 5)
        try await store.seal(new)
        #expect(try await reading.records(of: "r") == first)
        try await writing.append([entry(.intended, "three")], to: "r", after: 2, .working, now: 6)
        #expect(
            try await SQLiteSessionStore(directory: directory, protection: new).records(of: "r")
                == first + [entry(.intended, "three")])
    }

    @Test("what an interrupted run has saved is not saved a second time", arguments: [true, false])
    func savedBefore(isResuming: Bool) async throws {
        var configuration = LiveConfiguration(storeDirectory: directory, stateDirectory: parent.path)
        configuration.protection = StoreProtection(method: .file)
        configuration.isResuming = isResuming
        let shelf = SessionShelf(configuration, lent: [], disk: DiskStore(configuration))
        guard case .saved(let first) = await shelf.save(session, [1], .absent, until: 0, Silence()),
            case .saved(let second) = await shelf.save(session, [2], .generation(first), until: 0, Silence())
        else {
            Issue.record("nothing could be saved")
            return
        }
        switch await shelf.save(session, [2], .generation(first), until: 0, Silence()) {
        case .saved(let generation): #expect(isResuming && generation == second)
        case .conflict: #expect(!isResuming)
        case let other: Issue.record("\(other)")
        }
        // Of two writers one learns that it was too late, whoever resumes.
        guard case .conflict = await shelf.save(session, [3], .generation(first), until: 0, Silence()) else {
            Issue.record("another value replaced the newer one")
            return
        }
    }
}
