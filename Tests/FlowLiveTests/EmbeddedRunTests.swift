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

    /// Shows pages in its own way, and keeps what it was asked.
    private final class OwnBrowser: BrowserPresenter {
        let redirectURI: String?
        private let answer: @Sendable () async -> BrowserPresentation
        let pages = Mutex<[BrowserPage]>([])
        let dismissals = Mutex(0)

        init(
            redirectURI: String? = "com.example.app:/cb",
            _ answer: @escaping @Sendable () async -> BrowserPresentation
        ) {
            self.redirectURI = redirectURI
            self.answer = answer
        }

        func present(_ page: BrowserPage) async -> BrowserPresentation {
            pages.withLock { $0.append(page) }
            return await answer()
        }

        func dismiss() async { dismissals.withLock { $0 += 1 } }
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

    @Test("all that is wrong with the inputs is told at once")
    func manyWrong() async throws {
        let flow = FlowTexts.single("{ do: choose, next: done }", extra: Self.inputs)
        do throws(SignInFailure) {
            _ = try await run(flow, inputs: ["nam": .string("Bob"), "age": .string("old")])
            Issue.record("it was run")
        } catch {
            #expect(
                error.detail == "the flow has no input \"nam\"; did you mean \"name\"?; "
                    + "the value of the input \"age\" is no optional int"
            )
        }
    }

    @Test("an address that may not be asked is told with what is wrong with it")
    func unsafeURL() async throws {
        let flow = FlowTexts.single("{ do: choose, next: done }", extra: Self.inputs)
        do throws(SignInFailure) {
            _ = try await run(flow, inputs: ["page": .string("http://p.example/")])
            Issue.record("it was run")
        } catch {
            #expect(
                error.detail == "the value of the input \"page\" is no optional url: it is not https")
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
            WebSignIn.Turn.redirect(to: "https://p.example/?state=\(secret)"),
            PortableSignIn.Turn.redirect(
                to: "https://p.example/?state=\(secret)", ticket: SignInTicket(text: secret, expiresAt: 0)),
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

    // MARK: Browsers

    private static let signIn = FlowTexts.flow(
        """
          authorize: { timeout: 300ms, next: callback }
          callback: { timeout: 300ms, next: done }
        """, start: "authorize")

    @Test("a presenter that does not return is waited for as long as the step has time")
    func silentBrowser() async throws {
        let browser = OwnBrowser {
            await OwnStore.forever()
            return .shown(by: "nobody")
        }
        let result = try await run(Self.signIn) { $0.presenter = browser }
        #expect(result.failure?.code == "headless")
        #expect(result.failure?.detail == "the program did not show the address in time")
    }

    @Test("the words of a presenter lose their control characters")
    func words() async throws {
        let browser = OwnBrowser { .unavailable(reason: "no\nwindow\u{1b}[31m") }
        let result = try await run(Self.signIn) { $0.presenter = browser }
        #expect(result.failure?.detail == "the program does not show the address: no window[31m")
    }

    @Test(
        "a presenter with what can be no redirect URI is refused before anything runs",
        arguments: [
            "", "javascript:alert(1)", "com.example.app:/cb#x", "com.example.app:/cb\r\nX: y",
            "http://evil.example/cb", "/cb",
        ])
    func redirectURI(uri: String) async throws {
        let browser = OwnBrowser(redirectURI: uri) { .shown(by: "nobody") }
        do throws(SignInFailure) {
            _ = try await run(Self.signIn) { $0.presenter = browser }
            Issue.record("it was run")
        } catch {
            #expect(error.code == "setup_failed")
            #expect(error.failureClass == .configuration)
            #expect(error.detail?.hasPrefix("it ") == true)
            #expect(error.text.headline == "no sign-in can come back to that redirect URI")
        }
        #expect(browser.pages.withLock { $0.isEmpty })
    }

    @Test("a presenter that only shows the page leaves the answer to whoever brings it to this process")
    func relayed() async throws {
        let browser = OwnBrowser { .shown(by: "a window") }
        let flow = FlowTexts.flow(
            "  authorize: { next: callback }\n  callback: { next: done }", start: "authorize")
        let directory = folder.path + "/state/callbacks"
        let task = Task { try await run(flow) { $0.presenter = browser } }
        while browser.pages.withLock({ $0.isEmpty }) { await Task.yield() }
        let url = try #require(browser.pages.withLock { $0.first?.url })
        let state = try #require(url.firstMatch(of: /[?&]state=([^&]+)/).map { String($0.1) })
        var delivery = CallbackRelay.Delivery.nobody
        while delivery == .nobody {
            delivery = await CallbackRelay.deliver(
                "com.example.app:/cb?error=access_denied&state=\(state)", state: state, directory: directory)
        }
        #expect(delivery == .taken)
        #expect(try await task.value.failure?.code == "access_denied")
    }

    @Test("where nothing shows the address to anybody the step ends at once, with the obstacle")
    func unheard() async throws {
        let flow = FlowTexts.flow(
            "  authorize: { next: callback }\n  callback: { next: done }", start: "authorize")
        let remote = try await run(flow) { $0.environment = ["SSH_CONNECTION": "a 1 b 22"] }
        #expect(remote.failure?.code == "headless")
        #expect(remote.failure?.detail?.contains("SSH session without a display") == true)
        let broken = try await run(flow) { $0.browserCommand = ["/bin/false"] }
        #expect(broken.failure?.code == "headless")
        #expect(broken.failure?.detail?.contains("exit status 1") == true)
        let unwanted = try await run(flow) { $0.opensBrowser = false }
        #expect(unwanted.failure?.code == "headless")
    }

    @Test("a page to sign out at is one for that, and stays until the person has left it")
    func signOut() async throws {
        let left = FirstValue<Void>()
        let browser = OwnBrowser {
            .session {
                await left.value()
                return .closed
            }
        }
        let store = OwnStore(
            found: .success(
                StoredBytes(generation: 1, bytes: StoredTokens().with { $0.expiresAt = nil }.bytes)))
        let task = Task {
            try await run(
                FlowTexts.stored("{ do: logout, next: done }"),
                provider: ProviderText.make(extra: "end_session_endpoint: https://p.example/logout\n")
            ) {
                $0.presenter = browser
                $0.store = store
            }
        }
        while browser.pages.withLock({ $0.isEmpty }) { await Task.yield() }
        #expect(browser.dismissals.withLock { $0 } == 0)
        left.set(())
        #expect(try await task.value.isSuccess)
        #expect(browser.pages.withLock { $0.map(\.errand) } == [.signOut])
        #expect(browser.pages.withLock { $0.map(\.redirectURI) } == [nil])
        #expect(browser.dismissals.withLock { $0 } == 1)
    }
}
