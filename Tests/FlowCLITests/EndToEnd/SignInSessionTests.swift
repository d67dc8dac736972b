import FlowEngine
import FlowLanguage
import FlowSandbox
import Glibc
import JOSE
import OAuthProtocol
import Synchronization
import Testing
import YAMLText

@testable import FlowLive

/// Sessions in memory.
private actor MemoryStore: SessionStore {
    private(set) var rows: [String: StoredBytes] = [:]
    private var generation: Int64 = 0

    func load(_ key: String) async throws(SessionStoreError) -> StoredBytes? { rows[key] }

    func save(
        _ bytes: [UInt8], _ key: String, expecting: StoreExpectation
    ) async throws(SessionStoreError) -> Int64 {
        switch expecting {
        case .any: break
        case .absent: if rows[key] != nil { throw .conflict }
        case .generation(let expected): if rows[key]?.generation != expected { throw .conflict }
        }
        generation += 1
        rows[key] = StoredBytes(generation: generation, bytes: bytes)
        return generation
    }

    func delete(_ key: String) async throws(SessionStoreError) { rows[key] = nil }
}

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

/// A journal of a process that dies: after so many appends nothing is written.
private final class DyingJournal: RunJournal {
    private let journal: any RunJournal
    private let left: Mutex<Int>

    init(_ journal: any RunJournal, records: Int) {
        self.journal = journal
        left = Mutex(records)
    }

    var isDead: Bool { left.withLock { $0 <= 0 } }

    func append(_ entries: [JournalEntry], _ standing: RunStanding) async throws(JournalFailure) {
        guard !isDead else { return }
        try await journal.append(entries, standing)
        left.withLock { $0 -= 1 }
    }
}

/// The effects of that process: once it is dead the world still answers what it was sent, and nothing is kept.
private struct DyingEffects: EffectHandler {
    private let effects: LiveEffects
    private let journal: DyingJournal

    init(_ effects: LiveEffects, _ journal: DyingJournal) {
        self.effects = effects
        self.journal = journal
    }

    func now() -> Int64 { effects.now() }
    func begin() -> RunIdentity { effects.begin() }

    func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent {
        switch request.effect {
        case .saveSession where journal.isDead: .saved(generation: 1_000_000)
        case .deleteSession where journal.isDead: .done
        default: await effects.perform(request, events: events)
        }
    }
}

@Suite("a session of a program")
struct SignInSessionTests {
    private let folder = ScratchFolder()

    private func session(
        _ provider: RecordingProvider, _ browser: ProgramBrowser, store: (any SessionStore)? = nil,
        client: ClientRegistration = ClientRegistration(clientID: "flowrun-sandbox"),
        storePatience: Int64 = 15_000
    ) throws -> SignInSession {
        var configuration = LiveConfiguration(
            storeDirectory: folder.path + "/store", stateDirectory: folder.path + "/state", wait: 600_000)
        configuration.presenter = browser
        configuration.store = store
        configuration.storePatience = storePatience
        let runner = try FlowRunner(
            flow: flow("login"),
            provider: SourceFile(path: "sandbox.yaml", text: text("providers/sandbox.yaml")),
            client: client, variables: ["issuer": provider.issuer], configuration: configuration)
        return try SignInSession(signIn: runner, refresh: flow("refresh"), signOut: flow("logout"))
    }

    private func flow(_ name: String) -> SourceFile {
        SourceFile(path: "\(name).flow.yaml", text: text("flows/\(name).flow.yaml"))
    }

    private func text(_ path: String) -> String { ScratchFolder.read(Project.path(path)).utf8Text }

    /// The next states, by their names.
    private func names(_ states: some AsyncSequence<SessionState, Never>, _ count: Int) async -> [String] {
        var names: [String] = []
        for await state in states.prefix(count) {
            switch state {
            case .signedOut: names.append("signed out")
            case .signingIn: names.append("signing in")
            case .signedIn(let session): names.append("signed in: \(session.subject ?? "nobody")")
            case .expired: names.append("expired")
            case .error(let failure): names.append("error: \(failure.code)")
            }
        }
        return names
    }

    private func failure(_ body: () async throws(SignInFailure) -> some Sendable) async -> SignInFailure? {
        do throws(SignInFailure) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test("every observer sees every state in order, and begins with the present one")
    func states() async throws {
        let provider = try RecordingProvider()
        let session = try session(provider, ProgramBrowser(.loopback))
        let expected = ["signed out", "signing in", "signed in: sandbox-user-1", "signed out"]
        let (one, two) = (session.states, session.states)
        #expect(await session.currentSession() == nil)
        let signedIn = try await session.signIn()
        #expect(signedIn.subject == "sandbox-user-1")
        #expect(signedIn.canRefresh)
        #expect(await session.currentSession() == signedIn)
        #expect(await names(session.states, 1) == ["signed in: sandbox-user-1"])
        #expect(try await session.signOut())
        #expect(await session.currentSession() == nil)
        #expect(await names(one, 4) == expected)
        #expect(await names(two, 4) == expected)
        provider.stop()
    }

    @Test("a sign-in that the stored session will do for asks nobody, and says so")
    func signedInAlready() async throws {
        let provider = try RecordingProvider()
        let browser = try ProgramBrowser(.loopback)
        let session = try session(provider, browser)
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
            await names(states, 4) == [
                "signed in: sandbox-user-1", "signing in", "signed in: sandbox-user-1", "signed out",
            ])
        provider.stop()
    }

    @Test("of many tasks that need a token one refreshes, and all have the same")
    func oneRefresh() async throws {
        let provider = try RecordingProvider(["access:expires=30"])
        let session = try session(provider, ProgramBrowser(.loopback))
        try await session.signIn()
        let tokens = await withTaskGroup(of: Secret?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try? await session.validAccessToken(minimumLifetime: .seconds(60)).accessToken
                }
            }
            return await group.reduce(into: Set<Secret?>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(tokens.first != .some(nil))
        #expect(provider.grants("refresh_token").count == 1)
        provider.stop()
    }

    @Test("a token that lasts long enough is given without asking anybody")
    func fresh() async throws {
        let provider = try RecordingProvider()
        let session = try session(provider, ProgramBrowser(.loopback))
        try await session.signIn()
        let before = provider.hits.count
        let tokens = try await session.validAccessToken()
        #expect(tokens.tokenType == "Bearer")
        #expect(tokens.subject == "sandbox-user-1")
        #expect(provider.hits.count == before)
        let longer = try await session.validAccessToken(minimumLifetime: .seconds(86_400))
        #expect(longer.accessToken != tokens.accessToken)
        for lifetime in [Duration.seconds(Int64.max), .seconds(Int64.min), .milliseconds(-1)] {
            let tokens = try await session.validAccessToken(minimumLifetime: lifetime)
            #expect(tokens.subject == "sandbox-user-1")
        }
        provider.stop()
    }

    @Test("a token for less is asked for once, beside the one for everything, and by many tasks at a time")
    func narrower() async throws {
        let provider = try RecordingProvider()
        let session = try session(provider, ProgramBrowser(.loopback))
        try await session.signIn()
        let whole = try await session.validAccessToken()
        let tokens = await withTaskGroup(of: Secret?.self) { group in
            for index in 0..<20 {
                let scopes = index % 2 == 0 ? ["openid", "email"] : ["email", "openid"]
                group.addTask { try? await session.validAccessToken(scopes: scopes).accessToken }
            }
            return await group.reduce(into: Set<Secret?>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(!tokens.contains(nil) && !tokens.contains(whole.accessToken))
        #expect(provider.grants("refresh_token").count == 1)
        let elsewhere = try await session.validAccessToken(resources: ["https://api.example/"])
        #expect(elsewhere.scopes == whole.scopes)
        #expect(provider.grants("refresh_token").count == 2)
        #expect(try await session.validAccessToken().accessToken == whole.accessToken)
        #expect(try await tokens.contains(session.validAccessToken(scopes: ["email", "openid"]).accessToken))
        #expect(provider.grants("refresh_token").count == 2)
        provider.stop()
    }

    @Test("a scope that nobody granted needs a person, and the session stays as it is")
    func beyondTheGrant() async throws {
        let provider = try RecordingProvider()
        let session = try session(provider, ProgramBrowser(.loopback))
        let signedIn = try await session.signIn()
        let failure = await #expect(throws: SignInFailure.self) {
            try await session.validAccessToken(scopes: ["admin"])
        }
        #expect(failure?.failureClass == .session)
        #expect(failure?.detail?.contains("admin") == true)
        #expect(await session.currentSession() == signedIn)
        #expect(provider.grants("refresh_token").isEmpty)
        provider.stop()
    }

    @Test("where nobody is signed in a person is needed, and none is asked")
    func nobody() async throws {
        let provider = try RecordingProvider()
        let browser = try ProgramBrowser(.loopback)
        let session = try session(provider, browser)
        let failure = await failure { () async throws(SignInFailure) in try await session.validAccessToken() }
        #expect(failure?.failureClass == .session)
        #expect(browser.presented == 0)
        #expect(await names(session.states, 1) == ["signed out"])
        provider.stop()
    }

    @Test("a refresh token that was revoked makes the session expired")
    func expired() async throws {
        let provider = try RecordingProvider(["access:expires=30", "token:invalid_grant@2"])
        let session = try session(provider, ProgramBrowser(.loopback))
        let states = session.states
        #expect(await session.currentSession() == nil)
        try await session.signIn()
        let failure = await failure { () async throws(SignInFailure) in try await session.validAccessToken() }
        #expect(failure?.failureClass == .session)
        #expect(await session.currentSession() == nil)
        #expect(
            await names(states, 4) == ["signed out", "signing in", "signed in: sandbox-user-1", "expired"])
        provider.stop()
    }

    @Test("a browser that brings the answer back itself needs no listener")
    func returning() async throws {
        let uri = "com.example.app:/oauth"
        let client = SandboxClient(id: "flowrun-sandbox", name: "App", redirectURIs: [uri])
        let provider = try RecordingProvider(clients: [client])
        let browser = try ProgramBrowser(.returning, redirectURI: uri)
        let session = try session(provider, browser)
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
        let session = try session(provider, ProgramBrowser(.closing, redirectURI: uri))
        let states = session.states
        #expect(await session.currentSession() == nil)
        let failure = await failure { () async throws(SignInFailure) in try await session.signIn() }
        #expect(failure?.failureClass == .cancelled)
        #expect(await names(states, 3) == ["signed out", "signing in", "signed out"])
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
        let session = try session(provider, ProgramBrowser(manner, redirectURI: uri))
        let states = session.states
        #expect(await session.currentSession() == nil)
        let failure = await failure { () async throws(SignInFailure) in try await session.signIn() }
        #expect(failure?.code == code)
        #expect(code != "headless" || failure?.detail?.contains("no window") == true)
        #expect(await names(states, 3) == ["signed out", "signing in", "error: \(code)"])
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
        let session = try session(provider, ProgramBrowser(.returning, redirectURI: uri), client: client)
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
        let session = try session(provider, browser)
        let states = session.states
        #expect(await session.currentSession() == nil)
        let tasks = (0..<2).map { _ in
            Task { await failure { () async throws(SignInFailure) in try await session.signIn() } }
        }
        await browser.isShown()
        tasks[0].cancel()
        #expect(await tasks[0].value?.failureClass == .cancelled)
        #expect(browser.dismissed == 0)
        tasks[1].cancel()
        #expect(await tasks[1].value?.failureClass == .cancelled)
        #expect(await names(states, 3) == ["signed out", "signing in", "signed out"])
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
        let session = try session(provider, browser)
        let task = Task { await failure { () async throws(SignInFailure) in try await session.signIn() } }
        await browser.isShown()
        #expect(try await session.signOut() == false)
        #expect(await task.value?.failureClass == .cancelled)
        #expect(await names(session.states, 1) == ["signed out"])
        provider.stop()
    }

    @Test("runs of one program fetch the provider's documents once, as long as they are good")
    func documents() async throws {
        let provider = try RecordingProvider(["access:expires=30"])
        let session = try session(provider, ProgramBrowser(.loopback), store: MemoryStore())
        try await session.signIn()
        _ = try await session.validAccessToken()
        try await session.signOut()
        try await session.signIn()
        #expect(provider.hits("/.well-known/openid-configuration").count == 1)
        #expect(provider.hits("/jwks").count == 1)
        provider.stop()
    }

    @Test("a store of the program keeps the session, and nothing is on the disk")
    func ownStore() async throws {
        let provider = try RecordingProvider(["access:expires=30"])
        let store = MemoryStore()
        let session = try session(provider, ProgramBrowser(.loopback), store: store)
        try await session.signIn()
        #expect(await store.rows.count == 1)
        let first = await store.rows.values.first?.generation ?? 0
        _ = try await session.validAccessToken()
        #expect(await store.rows.values.first?.generation ?? 0 > first)
        #expect(!folder.files().contains { $0.contains("/store/") })
        #expect(try await session.signOut())
        #expect(await store.rows.isEmpty)
        provider.stop()
    }

    @Test("a store that cannot be read is an error that says so")
    func brokenStore() async throws {
        let provider = try RecordingProvider()
        let session = try session(provider, ProgramBrowser(.loopback), store: BrokenStore())
        let failure = await failure { () async throws(SignInFailure) in try await session.validAccessToken() }
        #expect(failure?.code == "store_failed")
        #expect(failure?.detail == "on fire")
        #expect(await session.currentSession() == nil)
        #expect(await names(session.states, 1) == ["error: store_failed"])
        provider.stop()
    }

    @Test("a store that does not answer is an error that says so, and waited for no longer than a while")
    func silentStore() async throws {
        let provider = try RecordingProvider()
        let session = try session(
            provider, ProgramBrowser(.loopback), store: SilentStore(), storePatience: 50)
        let failure = await failure { () async throws(SignInFailure) in try await session.validAccessToken() }
        #expect(failure?.code == "store_failed")
        #expect(failure?.detail == "the program's store of sessions does not answer in time")
        #expect(await session.currentSession() == nil)
        #expect(await names(session.states, 1) == ["error: store_failed"])
        provider.stop()
    }

    @Test("a task that is cancelled while the store does not answer waits no more for a token")
    func cancelledAtStore() async throws {
        let provider = try RecordingProvider()
        let session = try session(
            provider, ProgramBrowser(.loopback), store: SilentStore(), storePatience: 3_600_000)
        let task = Task {
            await failure { () async throws(SignInFailure) in try await session.validAccessToken() }
        }
        task.cancel()
        #expect(await task.value?.code == "cancelled")
        provider.stop()
    }

    // MARK: A process that dies

    /// Renews the session in a process that dies: after a number of records nothing of it reaches the disk.
    private func die(_ provider: RecordingProvider, afterRecords count: Int) async throws {
        let descriptor = try #require(
            ProviderReader.read(SourceFile(path: "sandbox.yaml", text: text("providers/sandbox.yaml")))
                .descriptor)
        let bound = BoundProvider(
            descriptor: descriptor, bound: try descriptor.bind(variables: ["issuer": provider.issuer]),
            registration: ClientRegistration(clientID: "flowrun-sandbox", authenticationMethod: .none))
        let program = try #require(FlowCompiler.compile(flow("refresh")).program)
        let inputs = try program.inputValues(["min_ttl": .duration(60_000)])
        let effects = try LiveEffects(
            LiveConfiguration(storeDirectory: folder.path + "/store", stateDirectory: folder.path + "/state"))
        let journal = DyingJournal(try #require(effects.journal()), records: count)
        let run = FlowRun(
            plan: RunPlan(program: program, providers: [bound], inputs: inputs),
            handler: DyingEffects(effects, journal), sinks: [], journal: journal)
        _ = await run.run()
        await effects.shutDown()
    }

    @Test(
        "a refresh token that a process sent before it died is not sent again: a person is needed [rule 143]")
    func deadBeforeTheAnswer() async throws {
        let provider = try RecordingProvider(["access:expires=30"])
        let session = try session(provider, ProgramBrowser(.loopback))
        try await session.signIn()
        try await die(provider, afterRecords: 1)
        #expect(provider.grants("refresh_token").count == 1)
        let failure = await failure { () async throws(SignInFailure) in try await session.validAccessToken() }
        #expect(failure?.failureClass == .session)
        #expect(provider.grants("refresh_token").count == 1)
        #expect(await names(session.states, 1) == ["expired"])
        provider.stop()
    }

    @Test("a rotated token that only the journal of a dead process knows is taken from there")
    func deadAfterTheAnswer() async throws {
        let provider = try RecordingProvider(["access:expires=30"])
        let session = try session(provider, ProgramBrowser(.loopback))
        try await session.signIn()
        try await die(provider, afterRecords: 2)
        #expect(provider.grants("refresh_token").count == 1)
        #expect(try await session.validAccessToken().subject == "sandbox-user-1")
        let sent = provider.grants("refresh_token").compactMap { $0.value("refresh_token") }
        #expect(Set(sent).count == sent.count)
        provider.stop()
    }

    @Test("what another process does is seen when the session is asked for")
    func otherProcess() async throws {
        let provider = try RecordingProvider()
        let one = try session(provider, ProgramBrowser(.loopback))
        let two = try session(provider, ProgramBrowser(.loopback))
        let signedIn = try await one.signIn()
        #expect(await two.currentSession() == signedIn)
        #expect(try await two.signIn() == signedIn)
        #expect(provider.hits("/authorize").count == 1)
        try await two.signOut()
        #expect(await one.currentSession() == nil)
        #expect(await names(one.states, 1) == ["signed out"])
        provider.stop()
    }

    private func runner(_ provider: RecordingProvider) throws(SignInFailure) -> FlowRunner {
        try FlowRunner(
            flow: flow("login"),
            provider: SourceFile(path: "sandbox.yaml", text: text("providers/sandbox.yaml")),
            client: ClientRegistration(clientID: "flowrun-sandbox", authenticationMethod: .none),
            variables: ["issuer": provider.issuer],
            configuration: LiveConfiguration(storeDirectory: folder.path, stateDirectory: folder.path))
    }

    @Test("a flow that does not take what it is given, or needs more, is refused at once")
    func inputs() async throws {
        let provider = try RecordingProvider()
        let runner = try runner(provider)
        let demanding = SourceFile(
            path: "a.flow.yaml",
            text: flow("refresh").text.replacing("inputs:\n", with: "inputs:\n  tenant: { type: string }\n"))
        let rows: [(refresh: SourceFile, signOut: SourceFile, detail: String)] = [
            (flow("logout"), flow("logout"), "logout.flow.yaml: the flow has no input \"min_ttl\""),
            (flow("refresh"), flow("refresh"), "refresh.flow.yaml: the flow has no input \"everywhere\""),
            (demanding, flow("logout"), "a.flow.yaml: the flow needs the input \"tenant\" (string)"),
        ]
        for row in rows {
            let failure = #expect(throws: SignInFailure.self) {
                try SignInSession(signIn: runner, refresh: row.refresh, signOut: row.signOut)
            }
            #expect(failure?.code == "input_invalid")
            #expect(failure?.detail == row.detail)
        }
        provider.stop()
    }

    @Test("a flow with mistakes is refused with all of them")
    func mistakes() async throws {
        let provider = try RecordingProvider()
        let runner = try runner(provider)
        let broken = SourceFile(path: "a.flow.yaml", text: "language: flow/1\nflow: a\nstart: nowhere\n")
        do throws(SignInFailure) {
            _ = try SignInSession(signIn: runner, refresh: broken, signOut: flow("logout"))
            Issue.record("it was taken")
        } catch {
            #expect(error.code == "file_invalid")
            #expect(!error.diagnostics.isEmpty)
        }
        provider.stop()
    }
}
