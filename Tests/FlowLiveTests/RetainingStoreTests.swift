import Synchronization
import Testing

@testable import FlowLive

/// Keeps one row, and does with saves what it is told.
private actor ScriptedStore: SessionStore {
    enum Save {
        case done, fails, conflicts
        /// Saves when it is told to, whoever has been cancelled.
        case late
    }

    private(set) var row: StoredBytes?
    private var script: [Save] = []
    private let begun = FirstValue<Void>()
    private let end = FirstValue<Void>()

    init(_ bytes: [UInt8]) { row = StoredBytes(generation: 1, bytes: bytes) }

    func next(_ saves: Save...) { script = saves }

    /// Another process stores a session.
    func overtake(_ bytes: [UInt8]) {
        row = StoredBytes(generation: (row?.generation ?? 0) + 1, bytes: bytes)
    }

    /// A save that is late is under way.
    func isLate() async { await begun.value() }
    func endLateness() { end.set(()) }

    func load(_ key: String) async throws(SessionStoreError) -> StoredBytes? { row }

    func save(
        _ bytes: [UInt8], _ key: String, expecting: StoreExpectation
    ) async throws(SessionStoreError) -> Int64 {
        switch script.isEmpty ? .done : script.removeFirst() {
        case .done: break
        case .fails: throw .unavailable(reason: "no room")
        case .conflicts: throw .conflict
        case .late:
            begun.set(())
            await Task.detached { [end] in await end.value() }.value
        }
        if case .generation(let expected) = expecting, row?.generation != expected { throw .conflict }
        let generation = (row?.generation ?? 0) + 1
        row = StoredBytes(generation: generation, bytes: bytes)
        return generation
    }

    func delete(_ key: String) async throws(SessionStoreError) {
        guard script.isEmpty else { throw .unavailable(reason: "no room") }
        row = nil
    }
}

@Suite("A program's store whose saves fail")
struct RetainingStoreTests {
    private let scripted = ScriptedStore([1])
    private let store: RetainingStore

    init() { store = RetainingStore(scripted) }

    private func failing(_ bytes: [UInt8], _ expecting: StoreExpectation = .generation(1)) async {
        await #expect(throws: SessionStoreError.unavailable(reason: "no room")) {
            _ = try await store.save(bytes, "k", expecting: expecting)
        }
    }

    @Test("what could not be saved is loaded, under the generation that it replaces")
    func retained() async throws {
        await scripted.next(.fails, .fails)
        await failing([2])
        #expect(try await store.load("k") == StoredBytes(generation: 1, bytes: [2]))
        #expect(await scripted.row?.bytes == [1])
        #expect(try await store.load("other")?.bytes == [1])
    }

    @Test("it is saved before it is loaded once the store lets it, and not kept any longer")
    func savedLater() async throws {
        await scripted.next(.fails)
        await failing([2])
        #expect(try await store.load("k") == StoredBytes(generation: 2, bytes: [2]))
        #expect(await scripted.row == StoredBytes(generation: 2, bytes: [2]))
        #expect(try await store.save([3], "k", expecting: .generation(2)) == 3)
        #expect(try await store.load("k")?.bytes == [3])
    }

    @Test("what is made of it takes its place")
    func replaced() async throws {
        await scripted.next(.fails, .fails)
        await failing([2])
        await failing([3])
        #expect(try await store.load("k") == StoredBytes(generation: 2, bytes: [3]))
    }

    @Test("a session that somebody else has stored meanwhile counts")
    func overtaken() async throws {
        await scripted.next(.fails)
        await failing([2])
        await scripted.overtake([9])
        #expect(try await store.load("k") == StoredBytes(generation: 2, bytes: [9]))
        #expect(try await store.load("k") == StoredBytes(generation: 2, bytes: [9]))
    }

    @Test("a conflict of a store that holds nothing newer loses nothing")
    func falseConflict() async throws {
        await scripted.next(.conflicts, .conflicts)
        await #expect(
            throws: SessionStoreError.unavailable(
                reason: "the store reports a conflict, and holds the very session that was to be replaced")
        ) { _ = try await store.save([2], "k", expecting: .generation(1)) }
        #expect(try await store.load("k") == StoredBytes(generation: 1, bytes: [2]))
        #expect(try await store.load("k") == StoredBytes(generation: 2, bytes: [2]))
    }

    @Test("a new session is not kept: its sign-in has failed", arguments: [StoreExpectation.any, .absent])
    func new(expecting: StoreExpectation) async throws {
        await scripted.next(.fails)
        await failing([2], expecting)
        #expect(try await store.load("k")?.bytes == [1])
    }

    @Test("a new session takes its place")
    func signedInAgain() async throws {
        await scripted.next(.fails)
        await failing([2])
        #expect(try await store.save([3], "k", expecting: .any) == 2)
        #expect(try await store.load("k")?.bytes == [3])
    }

    @Test("a session that is deleted is forgotten, and one that cannot be deleted is not")
    func deleted() async throws {
        await scripted.next(.fails, .fails)
        await failing([2])
        await #expect(throws: SessionStoreError.unavailable(reason: "no room")) {
            try await store.delete("k")
        }
        #expect(try await store.load("k")?.bytes == [2])
        await scripted.next()
        try await store.delete("k")
        #expect(try await store.load("k") == nil)
    }

    @Test("what is saved after nobody waited for it any more does not end what was made of it")
    func late() async throws {
        await scripted.next(.late, .fails, .fails, .fails)
        let first = Task { try await store.save([2], "k", expecting: .generation(1)) }
        await scripted.isLate()
        first.cancel()
        await failing([3])
        await scripted.endLateness()
        _ = await first.result
        #expect(await scripted.row == StoredBytes(generation: 2, bytes: [2]))
        #expect(try await store.load("k") == StoredBytes(generation: 2, bytes: [3]))
        await scripted.next()
        #expect(try await store.load("k") == StoredBytes(generation: 3, bytes: [3]))
    }
}
