import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Synchronization
import Testing
import YAMLText

@testable import FlowLive

/// What a program brings of its own may be wrong, slow or not there at all.
@Suite("Runs of an embedding program")
struct EmbeddedRunTests {
    /// Gives one answer to every question, or none at all.
    private struct OwnStore: SessionStore {
        var found: Result<StoredBytes?, SessionStoreError>? = .success(nil)

        func load(_ key: String) async throws(SessionStoreError) -> StoredBytes? {
            guard let found else {
                await Self.forever()
                return nil
            }
            return try found.get()
        }
        func save(
            _ bytes: [UInt8], _ key: String, expecting: StoreExpectation
        ) async throws(SessionStoreError) -> Int64 { 1 }
        func delete(_ key: String) async throws(SessionStoreError) {}

        /// Whatever is cancelled.
        static func forever() async {
            let never = FirstValue<Void>()
            await Task.detached { await never.value() }.value
        }
    }

    private let folder = TemporaryDirectory()

    private func run(
        _ flow: String, provider: String = ProviderText.standard, inputs: [String: Value] = [:],
        _ change: (inout LiveConfiguration) -> Void = { _ in }
    ) async throws(SignInFailure) -> FlowResult {
        var configuration = LiveConfiguration(
            storeDirectory: folder.path + "/store", stateDirectory: folder.path + "/state")
        change(&configuration)
        return try await FlowRunner(
            flow: SourceFile(path: "a.flow.yaml", text: flow),
            provider: SourceFile(path: "p.yaml", text: provider),
            client: ClientRegistration(clientID: Markers.clientID, authenticationMethod: .none),
            configuration: configuration
        ).run(inputs: inputs)
    }

    // MARK: Inputs

    private static let inputs = """
        inputs:
          name: { type: string, default: Ada }
          age: { type: optional int }
          page: { type: optional url }
          key: { type: optional secret }
          many: { type: optional list<string> }
        """

    @Test(
        "a value that is not of the input's type is refused before anything runs, and not repeated",
        arguments: [
            ("name", .int(5)), ("name", .null), ("name", .secret(Secret("value-of-mine", kind: .other))),
            ("age", .string("value-of-mine")), ("page", .string("javascript:value-of-mine")),
            ("key", .int(1)), ("many", .list([.string("a"), .int(1)])), ("many", .string("value-of-mine")),
        ] as [(String, Value)])
    func wrongType(name: String, value: Value) async throws {
        let flow = FlowTexts.single("{ do: choose, next: done }", extra: Self.inputs)
        do throws(SignInFailure) {
            _ = try await run(flow, inputs: [name: value])
            Issue.record("it was run")
        } catch {
            #expect(error.code == "input_invalid")
            #expect(error.detail?.contains("the value of the input \"\(name)\" is no ") == true)
            #expect(error.detail?.contains("value-of-mine") == false)
        }
    }

    @Test("values of the types, and none for what is optional, are taken")
    func rightType() async throws {
        let flow = FlowTexts.single("{ do: choose, next: done }", extra: Self.inputs)
        let inputs: [String: Value] = [
            "name": .string("Bob"), "age": .null, "page": .string("https://p.example/"),
            "key": .string("as a text"), "many": .list([.string("a")]),
        ]
        #expect(try await run(flow, inputs: inputs).isSuccess)
    }

    // MARK: Results

    @Test("a run without success gives no tokens, and nothing of its result shows a secret")
    func refused() async throws {
        let script =
            try Scripts.untilTokens(Answers.signedIn(nonce: "foreign")) + [Scripts.keys(), Scripts.badEnd]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), script)
        #expect(run.outcome.tokens.contains { $0 != nil })
        let result = FlowResult(run.outcome, .english)
        #expect(result.failure?.failureClass == .security)
        #expect(result.tokens == nil && result.tokenSets.isEmpty)
        let good = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), try Scripts.signIn())
        #expect(FlowResult(good.outcome, .english).tokens?.accessToken.reveal() == Markers.accessToken)
    }

    @Test("descriptions of what holds secrets show none")
    func descriptions() {
        let secret = "value-of-mine"
        var configuration = LiveConfiguration(
            storeDirectory: "/store", stateDirectory: "/state", environment: ["KEY": secret])
        configuration.answer = Secret(secret, kind: .other)
        let values: [any Sendable] = [
            configuration, HTTPField("Authorization", secret),
            StoredBytes(generation: 3, bytes: Array(secret.utf8)),
            BrowserPage(url: "https://p.example/?state=\(secret)", redirectURI: nil, errand: .signIn),
        ]
        for value in values {
            var text = "\(value) \(String(reflecting: value))"
            dump(value, to: &text)
            #expect(!text.contains(secret))
            // A description of bytes shows them as numbers.
            #expect(!text.contains("118"))
        }
    }

    // MARK: Stores

    private static let restoring = FlowTexts.flow(
        "  restore: { timeout: 300ms, next: done }", start: "restore")

    @Test(
        "a store that cannot say what is there has failed, whatever it throws",
        arguments: [
            (.conflict, "store_failed"), (.unavailable(reason: "on\nfire\u{1b}"), "store_failed"),
            (.damaged(reason: "torn"), "corrupt"),
        ] as [(SessionStoreError, String)])
    func brokenStore(error: SessionStoreError, code: String) async throws {
        let result = try await run(Self.restoring) { $0.store = OwnStore(found: .failure(error)) }
        #expect(result.failure?.code == code)
        #expect(result.failure?.detail?.contains { $0.isNewline || $0 == "\u{1b}" } == false)
    }

    @Test("a store that does not answer is waited for as long as the step has time, whatever it does")
    func silentStore() async throws {
        let result = try await run(Self.restoring) { $0.store = OwnStore(found: nil) }
        #expect(result.failure?.code == "store_failed")
        #expect(result.failure?.detail == "the program's store of sessions does not answer in time")
    }

    @Test("a run that is cancelled while its store does not answer ends cancelled")
    func cancelledStore() async throws {
        let flow = FlowTexts.flow("  restore: { timeout: 10m, next: done }", start: "restore")
        let task = Task { try await run(flow) { $0.store = OwnStore(found: nil) } }
        task.cancel()
        #expect(try await task.value.failure?.failureClass == .cancelled)
    }

    @Test("a closure of a hook that does not return is waited for as long as the hook has time")
    func silentClosure() async throws {
        let flow = FlowTexts.single(
            "{ do: choose, next: done }",
            extra: "hooks: [{ id: h, at: flow.start, timeout: 200ms, native: { name: h } }]")
        let result = try await run(flow) {
            $0.hooks.register("h") { _ in
                await OwnStore.forever()
                return HookReply()
            }
        }
        #expect(result.failure?.code == "hook_failed")
        #expect(result.failure?.detail == "hook \"h\" failed: it took longer than 200 ms")
    }
}
