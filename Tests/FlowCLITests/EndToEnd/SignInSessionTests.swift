import FlowEngine
import FlowLanguage
import FlowSandbox
import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLive

/// Sessions in memory; the first call of a kind waits until it is released.
private actor HeldStore: SessionStore {
    enum Call { case save, delete }

    /// That the call has come.
    nonisolated let hold = FirstValue<Void>()
    nonisolated let release = FirstValue<Void>()
    private let held: Call
    private let store = MemoryStore()

    init(_ held: Call) { self.held = held }

    var rows: [String: StoredBytes] { get async { await store.rows } }

    private func wait(_ call: Call) async {
        guard call == held else { return }
        hold.set(())
        await Task.detached { [release] in await release.value() }.value
    }

    func load(_ key: String) async throws(SessionStoreError) -> StoredBytes? { try await store.load(key) }

    func save(
        _ bytes: [UInt8], _ key: String, expecting: StoreExpectation
    ) async throws(SessionStoreError) -> Int64 {
        await wait(.save)
        return try await store.save(bytes, key, expecting: expecting)
    }

    func delete(_ key: String) async throws(SessionStoreError) {
        await wait(.delete)
        try await store.delete(key)
    }
}

@Suite("a session of a program")
struct SignInSessionTests {
    private let place = SessionPlace()

    @Test("every observer sees every state in order, and begins with the present one")
    func states() async throws {
        let provider = try RecordingProvider()
        let session = try place.session(provider, ProgramBrowser(.loopback))
        let expected = ["signed out", "signing in", "signed in: sandbox-user-1", "signed out"]
        let (one, two) = (session.states, session.states)
        #expect(await session.currentSession() == nil)
        let signedIn = try await session.signIn()
        #expect(signedIn.subject == "sandbox-user-1")
        #expect(signedIn.canRefresh)
        #expect(await session.currentSession() == signedIn)
        #expect(await place.names(session.states, 1) == ["signed in: sandbox-user-1"])
        #expect(try await session.signOut())
        #expect(await session.currentSession() == nil)
        #expect(await place.names(one, 4) == expected)
        #expect(await place.names(two, 4) == expected)
        provider.stop()
    }

    @Test("a sign-in that the stored session will do for asks nobody, and says so")
    func signedInAlready() async throws {
        let provider = try RecordingProvider()
        let browser = try ProgramBrowser(.loopback)
        let session = try place.session(provider, browser)
        let first = try await session.signIn()
        let states = session.states
        #expect(try await session.signIn() == first)
        #expect(browser.presented == 1)
        let more: [String: Value] = ["scopes": .list(["openid", "email", "address"].map(Value.string))]
        let wider = try await session.signIn(inputs: more)
        #expect(browser.presented == 2)
        #expect(wider.scopes.contains("address"))
        try await session.signOut()
        #expect(
            await place.names(states, 4) == [
                "signed in: sandbox-user-1", "signing in", "signed in: sandbox-user-1", "signed out",
            ])
        provider.stop()
    }

    @Test("a browser that brings the answer back itself needs no listener")
    func returning() async throws {
        let uri = "com.example.app:/oauth"
        let client = SandboxClient(id: "flowrun-sandbox", name: "App", redirectURIs: [uri])
        let provider = try RecordingProvider(clients: [client])
        let browser = try ProgramBrowser(.returning, redirectURI: uri)
        let session = try place.session(provider, browser)
        #expect(try await session.signIn().subject == "sandbox-user-1")
        #expect(provider.grants("authorization_code").map { $0.value("redirect_uri") } == [uri])
        #expect(browser.dismissed == 1)
        provider.stop()
    }

    @Test("a person who closes the page has not signed in, and nothing has changed")
    func closing() async throws {
        let uri = "com.example.app:/oauth"
        let client = SandboxClient(id: "flowrun-sandbox", name: "App", redirectURIs: [uri])
        let provider = try RecordingProvider(clients: [client])
        let session = try place.session(provider, ProgramBrowser(.closing, redirectURI: uri))
        let states = session.states
        #expect(await session.currentSession() == nil)
        let failure = await place.failure { () async throws(SignInFailure) in try await session.signIn() }
        #expect(failure?.failureClass == .cancelled)
        #expect(await place.names(states, 3) == ["signed out", "signing in", "signed out"])
        provider.stop()
    }

    @Test(
        "a page that brings back something else fails the state's check, and one that cannot be shown is told at once",
        arguments: [
            (
                ProgramBrowser.Manner.straying(to: "com.example.app:/oauth?code=x&state=foreign"),
                "state_mismatch"
            ),
            (.straying(to: "com.example.app:/oauth?code=x"), "state_mismatch"),
            (.straying(to: "https://elsewhere.example/?code=x"), "state_mismatch"),
            (.straying(to: ""), "state_mismatch"),
            (.blind, "headless"),
        ])
    func straying(manner: ProgramBrowser.Manner, code: String) async throws {
        let uri = "com.example.app:/oauth"
        let client = SandboxClient(id: "flowrun-sandbox", name: "App", redirectURIs: [uri])
        let provider = try RecordingProvider(clients: [client])
        let session = try place.session(provider, ProgramBrowser(manner, redirectURI: uri))
        let states = session.states
        #expect(await session.currentSession() == nil)
        let failure = await place.failure { () async throws(SignInFailure) in try await session.signIn() }
        #expect(failure?.code == code)
        #expect(code != "headless" || failure?.detail?.contains("no window") == true)
        #expect(await place.names(states, 3) == ["signed out", "signing in", "error: \(code)"])
        provider.stop()
    }

    @Test(
        "a client proves itself as the program says it registered",
        arguments: [ClientAuthenticationMethod.clientSecretBasic, .clientSecretPost])
    func registeredMethod(method: ClientAuthenticationMethod) async throws {
        let secret = Secret("a secret of this test", kind: .clientSecret)
        let uri = "com.example.app:/oauth"
        let known = SandboxClient(id: "app", name: "App", secret: secret, redirectURIs: [uri])
        let provider = try RecordingProvider(clients: [known])
        let client = ClientRegistration(clientID: "app", secret: secret, authenticationMethod: method)
        let session = try place.session(
            provider, ProgramBrowser(.returning, redirectURI: uri), client: client)
        try await session.signIn()
        let exchange = provider.grants("authorization_code").first
        #expect((exchange?.authorization != nil) == (method == .clientSecretBasic))
        #expect((exchange?.value("client_secret") != nil) == (method == .clientSecretPost))
        provider.stop()
    }

    @Test("tasks that sign in at once share one page; it is taken away when the last of them is cancelled")
    func cancellation() async throws {
        let uri = "com.example.app:/oauth"
        let client = SandboxClient(id: "flowrun-sandbox", name: "App", redirectURIs: [uri])
        let provider = try RecordingProvider(clients: [client])
        let browser = try ProgramBrowser(.idle, redirectURI: uri)
        let session = try place.session(provider, browser)
        let states = session.states
        #expect(await session.currentSession() == nil)
        let tasks = (0..<2).map { _ in
            Task { await place.failure { () async throws(SignInFailure) in try await session.signIn() } }
        }
        await browser.isShown()
        tasks[0].cancel()
        #expect(await tasks[0].value?.failureClass == .cancelled)
        #expect(browser.dismissed == 0)
        tasks[1].cancel()
        #expect(await tasks[1].value?.failureClass == .cancelled)
        #expect(await place.names(states, 3) == ["signed out", "signing in", "signed out"])
        #expect(browser.presented == 1)
        #expect(browser.dismissed == 1)
        provider.stop()
    }

    @Test("signing out ends a sign-in that is under way")
    func signOutMeanwhile() async throws {
        let uri = "com.example.app:/oauth"
        let client = SandboxClient(id: "flowrun-sandbox", name: "App", redirectURIs: [uri])
        let provider = try RecordingProvider(clients: [client])
        let browser = try ProgramBrowser(.idle, redirectURI: uri)
        let session = try place.session(provider, browser)
        let task = Task {
            await place.failure { () async throws(SignInFailure) in try await session.signIn() }
        }
        await browser.isShown()
        #expect(try await session.signOut() == false)
        #expect(await task.value?.failureClass == .cancelled)
        #expect(await place.names(session.states, 1) == ["signed out"])
        provider.stop()
    }

    @Test("a sign-in that stores its session as the person signs out leaves none behind")
    func signOutAtStore() async throws {
        let provider = try RecordingProvider()
        let store = HeldStore(.save)
        let session = try place.session(provider, ProgramBrowser(.loopback), store: store)
        let signingIn = Task {
            await place.failure { () async throws(SignInFailure) in try await session.signIn() }
        }
        await store.hold.value()
        let signingOut = Task { try await session.signOut() }
        while await session.isSigningOut == false { await Task.yield() }
        store.release.set(())
        #expect(try await signingOut.value)
        #expect(await signingIn.value?.failureClass == .cancelled)
        #expect(await store.rows.isEmpty)
        #expect(await place.names(session.states, 1) == ["signed out"])
        #expect(provider.hits("/revoke").count == 2)
        provider.stop()
    }

    @Test("who signs in, or wants a token, while a sign-out goes on comes after it")
    func signInAtSignOut() async throws {
        let provider = try RecordingProvider()
        let store = HeldStore(.delete)
        let browser = try ProgramBrowser(.loopback)
        let session = try place.session(provider, browser, store: store)
        try await session.signIn()
        let signingOut = Task { try await session.signOut() }
        await store.hold.value()
        let token = Task.immediate {
            await place.failure { () async throws(SignInFailure) in try await session.validAccessToken() }
        }
        let given = Task.immediate {
            await place.failure { () async throws(SignInFailure) in try await session.signIn() }
        }
        given.cancel()
        #expect(await given.value?.code == "cancelled")
        store.release.set(())
        #expect(try await signingOut.value)
        #expect(await token.value?.failureClass == .session)
        #expect(try await session.signIn().subject == "sandbox-user-1")
        #expect(browser.presented == 2)
        #expect(await session.currentSession() != nil)
        provider.stop()
    }

    @Test("runs of one program fetch the provider's documents once, as long as they are good")
    func documents() async throws {
        let provider = try RecordingProvider(["access:expires=30"])
        let session = try place.session(provider, ProgramBrowser(.loopback), store: MemoryStore())
        try await session.signIn()
        _ = try await session.validAccessToken()
        try await session.signOut()
        try await session.signIn()
        #expect(provider.hits("/.well-known/openid-configuration").count == 1)
        #expect(provider.hits("/jwks").count == 1)
        provider.stop()
    }
}
