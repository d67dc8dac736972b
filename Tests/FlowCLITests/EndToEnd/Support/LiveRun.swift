import FlowEngine
import FlowLanguage
import JOSE
import OAuthProtocol
import Synchronization
import Testing
import YAMLText

@testable import FlowLive

/// One run of a shipped flow over real sockets, with a scripted browser.
struct LiveRun: Sendable {
    var flow = "login"
    let issuer: String
    let folder: ScratchFolder
    var inputs: [String: Value] = [:]
    var port: UInt16?
    var httpTimeout: Int64?
    /// How long the browser may take; short where no answer ever comes.
    var wait: Int64 = 20_000
    /// Whether a person can be asked.
    var isInteractive = true
    /// Wraps the effects of the run.
    var wrap: @Sendable (LiveEffects) -> any EffectHandler = { $0 }

    init(_ provider: RecordingProvider, _ folder: ScratchFolder, flow: String = "login") {
        self.init(issuer: provider.issuer, folder, flow: flow)
    }

    init(issuer: String, _ folder: ScratchFolder, flow: String = "login") {
        self.issuer = issuer
        self.folder = folder
        self.flow = flow
    }

    func run() async throws -> EndedRun {
        let effects = try LiveEffects(configuration)
        let recorder = Recorder()
        let browser = try ScriptedBrowser()
        let run = FlowRun(plan: try plan(), handler: wrap(effects), sinks: [recorder])
        async let pages = browser.visit(recorder.urls)
        let outcome = await run.run()
        await effects.shutDown()
        return EndedRun(outcome: outcome, events: recorder.events, pages: await pages)
    }

    private var configuration: LiveConfiguration {
        LiveConfiguration(
            storeDirectory: folder.path + "/store", stateDirectory: folder.path + "/state", port: port,
            opensBrowser: false, isInteractive: isInteractive, httpTimeout: httpTimeout, wait: wait)
    }

    private func plan() throws -> RunPlan {
        let program = try #require(
            FlowCompiler.compile(SourceFile(path: "\(flow).flow.yaml", text: text("flows/\(flow).flow.yaml")))
                .program)
        let reading = ProviderReader.read(
            SourceFile(path: "sandbox.yaml", text: text("providers/sandbox.yaml")))
        let descriptor = try #require(reading.descriptor)
        let provider = BoundProvider(
            descriptor: descriptor, bound: try descriptor.bind(variables: ["issuer": issuer]),
            registration: ClientRegistration(clientID: "flowrun-sandbox", authenticationMethod: .none))
        return RunPlan(program: program, providers: [provider], inputs: try program.inputValues(inputs))
    }

    private func text(_ path: String) -> String { ScratchFolder.read(Project.path(path)).utf8Text }
}

extension String {
    /// The text whose UTF-8 bytes were read as one character each.
    var utf8Text: String {
        String(decoding: unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }, as: UTF8.self)
    }
}

/// What came of a run.
struct EndedRun: Sendable {
    let outcome: RunOutcome
    let events: [TraceEvent]
    /// The last page of every visit of the browser.
    let pages: [SeenPage]

    var end: String { outcome.end.name }
    var exit: Int { outcome.exitStatus }

    /// Every step with its outcome, as `exchange=ok`.
    var path: [String] {
        events.compactMap { event in
            guard case .stepEnd(let end) = event.body, let step = event.step else { return nil }
            return "\(step)=\(end.outcome)"
        }
    }

    var failedChecks: [String] {
        events.compactMap { event in
            guard case .check(let check) = event.body, case .failed = check.verdict else { return nil }
            return check.name
        }
    }

    /// Reasons of the retries, in order.
    var retries: [String] {
        events.compactMap { event in
            guard case .retry(let outcome, _, _, let reason) = event.body else { return nil }
            return "\(outcome): \(reason)"
        }
    }

    func contains(note: String) -> Bool {
        events.contains { event in
            if case .note(let text) = event.body { text.contains(note) } else { false }
        }
    }
}

/// Keeps the events of a run and hands the URLs for a person to the browser.
private final class Recorder: TraceSink {
    let urls: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation
    private let kept = Mutex<[TraceEvent]>([])

    init() {
        (urls, continuation) = AsyncStream.makeStream(of: String.self)
    }

    var events: [TraceEvent] { kept.withLock { $0 } }

    func receive(_ event: TraceEvent) {
        kept.withLock { $0.append(event) }
        if case .actionRequired(let action) = event.body { continuation.yield(action.url) }
        if case .runEnd = event.body { continuation.finish() }
    }
}

/// The stored sessions of a folder, opened.
enum StoredSessions {
    /// Turns a bit of every sealed session.
    static func spoil(_ folder: ScratchFolder) async throws {
        let connection = try SQLiteConnection(folder.path + "/store/sessions.db")
        for row in try connection.rows("SELECT key, sealed FROM session") {
            guard case .text(let key) = row[0], case .blob(var sealed) = row[1] else { continue }
            sealed[sealed.count - 1] ^= 1
            _ = try connection.rows(
                "UPDATE session SET sealed = ? WHERE key = ?", [.blob(sealed), .text(key)])
        }
    }

    static func all(_ folder: ScratchFolder) async throws -> [JSONValue] {
        let store = try SQLiteSessionStore(directory: folder.path + "/store")
        var sessions: [JSONValue] = []
        for key in try await store.keys() {
            let row = try #require(try await store.load(key: key))
            sessions.append(try JSON.parse(row.bytes))
        }
        return sessions
    }
}
