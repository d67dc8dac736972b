import FlowEngine
import FlowLanguage
import FlowSandbox
import JOSE
import OAuthProtocol
import Synchronization
import Testing
import YAMLText

@testable import FlowLive

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

@Suite("a session of several processes")
struct SharedSessionTests {
    private let place = SessionPlace()

    /// Renews the session in a process that dies: after a number of records nothing of it reaches the disk.
    private func die(_ provider: RecordingProvider, afterRecords count: Int) async throws {
        let descriptor = try #require(
            ProviderReader.read(SourceFile(path: "sandbox.yaml", text: place.text("providers/sandbox.yaml")))
                .descriptor)
        let bound = BoundProvider(
            descriptor: descriptor, bound: try descriptor.bind(variables: ["issuer": provider.issuer]),
            registration: ClientRegistration(clientID: "flowrun-sandbox", authenticationMethod: .none))
        let program = try #require(FlowCompiler.compile(place.flow("refresh")).program)
        let inputs = try program.inputValues(["min_ttl": .duration(60_000)])
        let effects = try LiveEffects(
            LiveConfiguration(
                storeDirectory: place.folder.path + "/store", stateDirectory: place.folder.path + "/state"))
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
        let session = try place.session(provider, ProgramBrowser(.loopback))
        try await session.signIn()
        try await die(provider, afterRecords: 1)
        #expect(provider.grants("refresh_token").count == 1)
        let failure = await place.failure { () async throws(SignInFailure) in
            try await session.validAccessToken()
        }
        #expect(failure?.failureClass == .session)
        #expect(provider.grants("refresh_token").count == 1)
        #expect(await place.names(session.states, 1) == ["expired"])
        provider.stop()
    }

    @Test("a rotated token that only the journal of a dead process knows is taken from there")
    func deadAfterTheAnswer() async throws {
        let provider = try RecordingProvider(["access:expires=30"])
        let session = try place.session(provider, ProgramBrowser(.loopback))
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
        let one = try place.session(provider, ProgramBrowser(.loopback))
        let two = try place.session(provider, ProgramBrowser(.loopback))
        let signedIn = try await one.signIn()
        #expect(await two.currentSession() == signedIn)
        #expect(try await two.signIn() == signedIn)
        #expect(provider.hits("/authorize").count == 1)
        try await two.signOut()
        #expect(await one.currentSession() == nil)
        #expect(await place.names(one.states, 1) == ["signed out"])
        provider.stop()
    }
}
