import FlowEngine
import FlowLanguage
import FlowSandbox
import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLive

/// A store that is out of order.
private struct BrokenStore: SessionStore {
    func load(_ key: String) async throws(SessionStoreError) -> StoredBytes? {
        throw .unavailable(reason: "on fire")
    }
    func save(
        _ bytes: [UInt8], _ key: String, expecting: StoreExpectation
    ) async throws(SessionStoreError) -> Int64 { throw .unavailable(reason: "on fire") }
    func delete(_ key: String) async throws(SessionStoreError) { throw .unavailable(reason: "on fire") }
}

/// A store that answers nobody, whatever is cancelled.
private struct SilentStore: SessionStore {
    private static func forever() async {
        let never = FirstValue<Void>()
        await Task.detached { await never.value() }.value
    }

    func load(_ key: String) async throws(SessionStoreError) -> StoredBytes? {
        await Self.forever()
        return nil
    }
    func save(
        _ bytes: [UInt8], _ key: String, expecting: StoreExpectation
    ) async throws(SessionStoreError) -> Int64 {
        await Self.forever()
        return 1
    }
    func delete(_ key: String) async throws(SessionStoreError) { await Self.forever() }
}

@Suite("a store of the program")
struct ProgramStoreTests {
    private let place = SessionPlace()

    @Test("a store of the program keeps the session, and nothing is on the disk")
    func ownStore() async throws {
        let provider = try RecordingProvider(["access:expires=30"])
        let store = MemoryStore()
        let session = try place.session(provider, ProgramBrowser(.loopback), store: store)
        try await session.signIn()
        #expect(await store.rows.count == 1)
        let first = await store.rows.values.first?.generation ?? 0
        _ = try await session.validAccessToken()
        #expect(await store.rows.values.first?.generation ?? 0 > first)
        #expect(!place.folder.files().contains { $0.contains("/store/") })
        #expect(try await session.signOut())
        #expect(await store.rows.isEmpty)
        provider.stop()
    }

    @Test("a session whose renewal cannot be saved is kept in memory, renewed from there, and saved later")
    func fullStore() async throws {
        let provider = try RecordingProvider(["access:expires=3000"])
        let longer = Duration.seconds(4000)
        let store = MemoryStore()
        let session = try place.session(provider, ProgramBrowser(.loopback), store: store)
        try await session.signIn()
        let saved = await store.rows
        await store.fill(true)
        for _ in 1...2 {
            let failure = await place.failure { () async throws(SignInFailure) in
                try await session.validAccessToken(minimumLifetime: longer)
            }
            #expect(failure?.code == "store_failed")
        }
        #expect(await store.rows == saved)
        let kept = try await session.validAccessToken(minimumLifetime: .zero)
        await store.fill(false)
        #expect(
            try await session.validAccessToken(minimumLifetime: .zero).accessToken == kept.accessToken)
        #expect(await store.rows != saved)
        _ = try await session.validAccessToken(minimumLifetime: longer)
        // The provider ends the grant when a refresh token comes twice.
        let sent = provider.grants("refresh_token").compactMap { $0.value("refresh_token") }
        #expect(sent.count == 3 && Set(sent).count == 3)
        #expect(await session.currentSession() != nil)
        provider.stop()
    }

    @Test("a store that cannot be read is an error that says so")
    func brokenStore() async throws {
        let provider = try RecordingProvider()
        let session = try place.session(provider, ProgramBrowser(.loopback), store: BrokenStore())
        let failure = await place.failure { () async throws(SignInFailure) in
            try await session.validAccessToken()
        }
        #expect(failure?.code == "store_failed")
        #expect(failure?.detail == "on fire")
        #expect(failure?.recoverySuggestion?.contains("flowrun") == false)
        #expect(await session.currentSession() == nil)
        #expect(await place.names(session.states, 1) == ["error: store_failed"])
        provider.stop()
    }

    @Test("a store that does not answer is an error that says so, and waited for no longer than a while")
    func silentStore() async throws {
        let provider = try RecordingProvider()
        let session = try place.session(
            provider, ProgramBrowser(.loopback), store: SilentStore(), storePatience: 50)
        let failure = await place.failure { () async throws(SignInFailure) in
            try await session.validAccessToken()
        }
        #expect(failure?.code == "store_failed")
        #expect(failure?.detail == "the program's store of sessions does not answer in time")
        #expect(await session.currentSession() == nil)
        #expect(await place.names(session.states, 1) == ["error: store_failed"])
        provider.stop()
    }

    @Test("a task that is cancelled while the store does not answer waits no more for a token")
    func cancelledAtStore() async throws {
        let provider = try RecordingProvider()
        let session = try place.session(
            provider, ProgramBrowser(.loopback), store: SilentStore(), storePatience: 3_600_000)
        let task = Task {
            await place.failure { () async throws(SignInFailure) in try await session.validAccessToken() }
        }
        task.cancel()
        #expect(await task.value?.code == "cancelled")
        provider.stop()
    }
}
