import FlowEngine
import FlowFiles
import FlowLanguage
import Foundation
import OAuthProtocol
import Testing

@testable import FlowLive

/// Sessions in memory, which nobody gets at before it is awake.
private actor SlowStore: SessionStore {
    nonisolated let isAwake = FirstValue<Void>()
    private let store = MemoryStore()

    func load(_ key: String) async throws(SessionStoreError) -> StoredBytes? {
        await isAwake.value()
        return try await store.load(key)
    }

    func save(
        _ bytes: [UInt8], _ key: String, expecting: StoreExpectation
    ) async throws(SessionStoreError) -> Int64 { try await store.save(bytes, key, expecting: expecting) }

    func delete(_ key: String) async throws(SessionStoreError) { try await store.delete(key) }
}

/// A web server's routes without the server: the browser is asked where it was sent, and its address handed over.
@Suite("Signing in the visitors of a web server")
struct WebSignInTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/flowvisits-\(UUID())"
    private let sandbox: Sandbox
    private let runner: FlowRunner
    /// Nobody listens there: what comes back comes through the routes.
    private let redirectURI = "http://127.0.0.1:9/callback"

    init() throws {
        sandbox = try Sandbox()
        runner = try FlowRunner(
            flow: FlowLibrary.shipped.flow("login"), provider: FlowLibrary.shipped.provider("sandbox"),
            client: ClientRegistration(clientID: Sandbox.clientID), variables: ["issuer": sandbox.issuer],
            configuration: LiveConfiguration(
                storeDirectory: folder + "/store", stateDirectory: folder + "/state"))
    }

    private func visit(_ profile: String, hint: String? = nil) -> WebSignIn {
        let inputs = hint.map { ["login_hint": Value.string($0)] } ?? [:]
        return WebSignIn(runner, redirectURI: redirectURI, inputs: inputs, profile: profile)
    }

    /// Where the visit sends the browser.
    private func sent(_ visit: WebSignIn) async throws -> String {
        guard case .redirect(let url) = try await visit.next() else {
            throw TestFailure("nothing is to be shown")
        }
        return url
    }

    private func ended(_ turn: WebSignIn.Turn) throws -> FlowResult {
        guard case .ended(let result) = turn else { throw TestFailure("the browser is sent on") }
        return result
    }

    @Test("each visitor is sent to the provider and comes back as who they are, fifty at a time")
    func visitors() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let names = ["alice", "bob", "chloe"]
        let subjects = try await withThrowingTaskGroup(of: (Int, String?).self) { group in
            for number in 0..<50 {
                group.addTask {
                    let visit = visit("visitor-\(number)", hint: names[number % 3])
                    let url = try await sent(visit)
                    #expect(url.hasPrefix(sandbox.issuer + "/authorize?"))
                    let landing = try await VisitorBrowser.followed(url)
                    #expect(landing.hasPrefix(redirectURI + "?"))
                    return (number, try ended(await visit.answer(with: landing)).tokens?.subject)
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(subjects.count == 50)
        for (number, subject) in subjects { #expect(subject == "sandbox-user-\(number % 3 + 1)") }
        // Whoever has a session is not sent anywhere.
        #expect(try ended(await visit("visitor-4").next()).tokens?.subject == "sandbox-user-2")
        sandbox.stop()
    }

    @Test("visitors who are waited for share one database, and leave neither sockets nor records behind")
    func waiting() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let visits = (0..<20).map { visit("visitor-\($0)") }
        var landings: [String] = []
        for visit in visits { landings.append(try await VisitorBrowser.followed(try await sent(visit))) }
        let opened = try opened()
        #expect(opened.filter { $0 == "\(folder)/store/sessions.db" }.count == 1)
        #expect(opened.filter { $0.hasPrefix("\(folder)/state/") } == [])
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/state/callbacks"))
        for (visit, landing) in zip(visits, landings) {
            #expect(try ended(await visit.answer(with: landing)).isSuccess)
        }
        let store = try SQLiteSessionStore(directory: folder + "/store")
        #expect(try await store.runs().isEmpty)
        #expect(try await store.contents().count == 20)
        sandbox.stop()
    }

    @Test("the sessions of visitors share one database, which is closed with the last of them")
    func sessions() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let library = FlowLibrary.shipped
        var sessions: [SignInSession] = []
        for number in 0..<5 {
            let visit = visit("visitor-\(number)")
            let landing = try await VisitorBrowser.followed(try await sent(visit))
            #expect(try ended(await visit.answer(with: landing)).isSuccess)
            let session = try SignInSession(
                signIn: runner, refresh: library.flow("refresh"), signOut: library.flow("logout"),
                profile: "visitor-\(number)")
            #expect(await session.currentSession() != nil)
            _ = try await session.validAccessToken(minimumLifetime: .seconds(60))
            sessions.append(session)
        }
        let database = "\(folder)/store/sessions.db"
        #expect(try opened().filter { $0 == database }.count == 1)
        sessions = []
        while try opened().contains(database) { await Task.yield() }
        sandbox.stop()
    }

    /// What this process has open, as far as it has a name.
    private func opened() throws -> [String] {
        let files = FileManager.default
        return try files.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
    }

    @Test("the session of another visitor is made from the first, and is one of its own")
    func otherProfile() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for name in ["alice", "bob"] {
            let visit = visit(name, hint: name)
            let landing = try await VisitorBrowser.followed(try await sent(visit))
            #expect(try ended(await visit.answer(with: landing)).isSuccess)
        }
        let library = FlowLibrary.shipped
        let alice = try SignInSession(
            signIn: runner, refresh: library.flow("refresh"), signOut: library.flow("logout"),
            profile: "alice")
        let bob = alice.with(profile: "bob")
        #expect(await alice.currentSession()?.subject == "sandbox-user-1")
        #expect(await bob.currentSession()?.subject == "sandbox-user-2")
        #expect(try await bob.signOut())
        #expect(await bob.currentSession() == nil)
        #expect(
            try await alice.validAccessToken(minimumLifetime: .seconds(7_200)).subject == "sandbox-user-1")
        sandbox.stop()
    }

    @Test("a second tab goes where the first one does; a page that is loaded again tells what came of it")
    func again() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let visit = visit("one")
        let url = try await sent(visit)
        #expect(try await sent(visit) == url)
        let landing = try await VisitorBrowser.followed(url)
        // The query alone is an answer too.
        let query = try #require(landing.split(separator: "?").last.map(String.init))
        #expect(!visit.isOver)
        async let other = visit.answer(with: query)
        #expect(try ended(await visit.answer(with: query)).isSuccess)
        #expect(try ended(await other).isSuccess)
        #expect(visit.isOver)
        #expect(try ended(await visit.answer(with: "code=stolen")).isSuccess)
        sandbox.stop()
    }

    @Test("the answer of another visitor ends the run that it is not for")
    func mixedUp() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (mine, other) = (visit("mine"), visit("other"))
        let landing = try await VisitorBrowser.followed(try await sent(other))
        _ = try await sent(mine)
        let result = try ended(await mine.answer(with: landing))
        #expect(result.failure?.failureClass == .security)
        #expect(result.tokens == nil)
        #expect(try ended(await other.answer(with: landing)).isSuccess)
        sandbox.stop()
    }

    @Test("a request that is given up waits no more, and ends nothing: another one finds where to go")
    func givenUp() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = SlowStore()
        var configuration = LiveConfiguration(
            storeDirectory: folder + "/store", stateDirectory: folder + "/state")
        configuration.store = store
        let runner = try FlowRunner(
            flow: FlowLibrary.shipped.flow("login"), provider: FlowLibrary.shipped.provider("sandbox"),
            client: ClientRegistration(clientID: Sandbox.clientID), variables: ["issuer": sandbox.issuer],
            configuration: configuration)
        let visit = WebSignIn(runner, redirectURI: redirectURI, profile: "one")
        let requests = [Task { try await visit.next() }, Task { try await visit.answer(with: "code=x") }]
        for request in requests {
            request.cancel()
            await #expect { try await request.value } throws: { ($0 as? SignInFailure)?.code == "cancelled" }
        }
        #expect(!visit.isOver)
        store.isAwake.set(())
        let landing = try await VisitorBrowser.followed(try await sent(visit))
        #expect(try ended(await visit.answer(with: landing)).isSuccess)
        sandbox.stop()
    }

    @Test("a cancelled run sends nobody anywhere; what keeps one from beginning is told by every route")
    func cancelled() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let visit = visit("gone")
        _ = try await sent(visit)
        visit.cancel()
        #expect(try ended(await visit.next()).failure?.code == "cancelled")
        #expect(visit.isOver)
        #expect(try ended(await visit.answer(with: "code=late&state=x")).failure?.failureClass == .cancelled)
        let other = self.visit("answered")
        let landing = try await VisitorBrowser.followed(try await sent(other))
        other.cancel()
        #expect(try ended(await other.answer(with: landing)).failure?.code == "cancelled")
        let wrong = WebSignIn(runner, redirectURI: "no address", profile: "x")
        await #expect(throws: SignInFailure.self) { try await wrong.next() }
        await #expect(throws: SignInFailure.self) { try await wrong.answer(with: "code=x") }
        sandbox.stop()
    }
}
