import FlowEngine
import FlowFoundation
import FlowLanguage
import FlowLive
import FlowTesting
import FoundationEssentials
import OAuthProtocol
import Testing
import YAMLText

/// A store that has nothing to give but its trouble.
private struct TroubledStore: SessionStore {
    let error: SessionStoreError

    func load(_ key: String) async throws(SessionStoreError) -> StoredBytes? { throw error }
    func save(
        _ bytes: [UInt8], _ key: String, expecting: StoreExpectation
    ) async throws(SessionStoreError) -> Int64 { throw error }
    func delete(_ key: String) async throws(SessionStoreError) { throw error }
}

@Suite("The embedding interface")
struct EmbeddingTests {
    private let folder = TemporaryDirectory()

    private func runner(
        _ flow: String, clientID: String = "client", texts: FailureTexts = .english,
        _ change: (inout LiveConfiguration) -> Void = { _ in }
    ) throws(SignInFailure) -> FlowRunner {
        var configuration = LiveConfiguration(
            storeDirectory: folder.path + "/store", stateDirectory: folder.path + "/state")
        change(&configuration)
        return try FlowRunner(
            flow: SourceFile(path: "a.flow.yaml", text: flow),
            provider: SourceFile(path: "p.yaml", text: ProviderText.standard),
            client: ClientRegistration(clientID: clientID, authenticationMethod: .none),
            configuration: configuration, texts: texts)
    }

    // MARK: Clients

    @Test("a client without an identifier is refused where a step would speak for it")
    func namelessClient() throws {
        let failure = #expect(throws: SignInFailure.self) {
            try runner(FlowTexts.single("{ do: client_credentials, next: done }"), clientID: "")
        }
        #expect(failure?.code == "file_invalid")
        #expect(failure?.diagnostics.map(\.message) == ["the client of the provider \"p\" has no identifier"])
        _ = try runner(FlowTexts.single("{ do: choose, next: done }"), clientID: "")
    }

    @Test("an environment that the descriptor does not have is refused, and not taken for none")
    func unknownEnvironment() throws {
        let folder = folder.path
        func runner(_ environment: String, _ environments: String) throws(SignInFailure) -> FlowRunner {
            try FlowRunner(
                flow: SourceFile(path: "a.flow.yaml", text: FlowTexts.single("{ do: choose, next: done }")),
                provider: SourceFile(path: "p.yaml", text: ProviderText.standard + environments),
                client: ClientRegistration(clientID: "client"), environment: environment,
                configuration: LiveConfiguration(
                    storeDirectory: folder + "/store", stateDirectory: folder + "/state"))
        }
        let environments = "\nenvironments: { staging: { issuer: \"https://staging.p.example\" } }\n"
        _ = try runner("staging", environments)
        for (name, environments, message, hint) in [
            (
                "stagign", environments,
                "provider \"p\" has no environment \"stagign\"; did you mean \"staging\"?",
                "environments: staging"
            ), ("staging", "", "provider \"p\" has no environment \"staging\"", "it has none"),
        ] {
            let failure = #expect(throws: SignInFailure.self) { try runner(name, environments) }
            #expect(failure?.code == "file_invalid")
            #expect(failure?.diagnostics.map(\.message) == [message])
            #expect(failure?.diagnostics.map(\.hint) == [hint])
        }
    }

    // MARK: Folders and stores

    @Test(
        "a folder that can be none is refused before anything runs, unless nothing is kept there",
        arguments: [("", "is empty"), ("/tmp/a\0b", "has a NUL byte")])
    func folders(path: String, problem: String) throws {
        let refusals = [
            "storeDirectory": try #require(throws: SignInFailure.self) {
                try runner(Self.flow) { $0.storeDirectory = path }
            },
            "stateDirectory": try #require(throws: SignInFailure.self) {
                try runner(Self.flow) { $0.stateDirectory = path }
            },
        ]
        for (name, failure) in refusals {
            #expect(failure.code == "setup_failed")
            #expect(failure.failureClass == .configuration)
            #expect(
                failure.errorDescription == "a folder of the configuration can be none: \(name) \(problem)")
        }
        _ = try runner(Self.flow) { configuration in
            configuration.storeDirectory = path
            configuration.store = TroubledStore(error: .conflict)
        }
        _ = try runner(Self.flow) { configuration in
            configuration.storeDirectory = path
            configuration.savesSessions = false
        }
    }

    @Test(
        "what is wrong with a store of the program is told of that, and not of a database with its folder",
        arguments: [
            (SessionStoreError.damaged(reason: "cut"), "corrupt"),
            (.unavailable(reason: "off"), "store_failed"),
        ])
    func troubledStore(error: SessionStoreError, code: String) async throws {
        func failure(_ texts: FailureTexts) async throws -> SignInFailure? {
            let flow = FlowTexts.single("{ do: restore, next: done }")
            return try await runner(flow, texts: texts) { $0.store = TroubledStore(error: error) }.run()
                .failure
        }
        let failed = try #require(await failure(.english))
        #expect(failed.code == code)
        #expect(failed.failureClass == .storage)
        let words = [failed.text.headline, failed.failureReason, failed.recoverySuggestion]
            .compactMap(\.self).joined(separator: "\n")
        #expect(words.contains("the program's store"))
        for word in ["flowrun", "0700", "permissions"] { #expect(!words.contains(word), "\(words)") }
        let german = FailureTexts([code: FailureText("kein Speicher", why: [], fix: [])])
        #expect(try await failure(german)?.text.headline == "kein Speicher")
    }

    // MARK: Hooks

    private static func hooked(_ hooks: String) -> String {
        FlowTexts.single("{ do: choose, next: done }", extra: "hooks: [\(hooks)]")
    }

    private static let server =
        "at: flow.start, http: { url: \"https://hooks.example/\", auth: { hmac_sha256: HOOK_KEY } }"

    private static let programs = [
        (
            "{ id: tell, at: flow.start, exec: { argv: [./not-there] } }",
            "hook \"tell\" needs the program ./not-there, which is not there or cannot be run"
        ),
        (
            "{ id: tell, at: flow.start, exec: { argv: [not-there] } }",
            "hook \"tell\" needs the program not-there, which PATH does not have"
        ),
    ]

    @Test("a port that nobody answers for is named before any run, unless the flow says where that leads")
    func missingPort() throws {
        func flow(_ port: String, _ next: String) -> String {
            FlowTexts.single(
                "{ do: call, with: { port: find }, next: { ok: done\(next) } }",
                extra: "calls: { find: { \(port) } }")
        }
        for (port, detail) in [
            ("outcomes: [ok]", "port \"find\" needs a closure, and none is registered for it"),
            (
                "exec: { argv: [./not-there] }",
                "port \"find\" needs the program ./not-there, which is not there or cannot be run"
            ),
        ] {
            let failure = #expect(throws: SignInFailure.self) { try runner(flow(port, "")) }
            #expect(failure?.code == "port_failed")
            #expect(failure?.hook == nil)
            #expect(failure?.detail == detail)
            _ = try runner(flow(port, ", port_failed: failed"))
        }
        _ = try runner(flow("outcomes: [ok]", "")) { configuration in
            configuration.ports.register("find") { _ in PortReply() }
        }
    }

    @Test(
        "a hook that the run cannot do without and that lacks its key or its closure is named before any run",
        arguments: [
            (
                "{ id: tell, \(server) }",
                "hook \"tell\" needs the environment variable HOOK_KEY, which is not set"
            ),
            (
                "{ id: tell, at: flow.start, native: { name: teller } }",
                "hook \"tell\" needs a closure, and none is registered as \"teller\""
            ),
        ] + programs)
    func missingPart(hook: String, detail: String) throws {
        do throws(SignInFailure) {
            _ = try runner(Self.hooked(hook)) { $0.environment = ["HOOK_KEY": ""] }
            Issue.record("it was taken")
        } catch {
            #expect(error.code == "hook_failed")
            #expect(error.failureClass == .configuration)
            #expect(error.hook == "tell")
            #expect(error.detail == detail)
            #expect(error.text.headline == "the flow asks for something that is not there")
            #expect(error.recoverySuggestion?.contains("{") == false)
        }
        let fit = try runner(Self.flow)
        let failure = #expect(throws: SignInFailure.self) {
            try fit.running(SourceFile(path: "b.flow.yaml", text: Self.hooked(hook)))
        }
        #expect(failure?.hook == "tell")
        guard !hook.contains("exec") else { return }
        _ = try runner(Self.hooked(hook)) { configuration in
            configuration.environment = ["HOOK_KEY": "k"]
            configuration.hooks.register("teller") { _ in HookReply() }
        }
    }

    @Test(
        "a hook that may fail, or that is asked under a condition, may lack its parts",
        arguments: ["on_failure: continue", "if: \"run.dry_run\""])
    func dispensablePart(key: String) throws {
        _ = try runner(Self.hooked("{ id: tell, \(Self.server), \(key) }"))
    }

    private static let flow = FlowTexts.single(
        "{ do: choose, next: [ { if: \"inputs.name == 'Bob'\", to: done }, failed ] }",
        extra: "inputs: { name: { type: string } }",
        ends: "  done: { result: success }\n  failed: { result: failure, error: closed, message: not today }")

    @Test("mistakes of files are one failure, for a program and for Foundation")
    func files() throws {
        do throws(SignInFailure) {
            _ = try runner("language: flow/1\nflow: a\nstart: nowhere\n")
            Issue.record("it was taken")
        } catch {
            #expect(error.code == "file_invalid")
            #expect(error.failureClass == .configuration)
            #expect(!error.diagnostics.isEmpty)
            let localized: any LocalizedError = error
            #expect(localized.errorDescription?.hasPrefix("a file has mistakes: a.flow.yaml:1:1: ") == true)
            #expect(error.errorDescription?.hasSuffix("(and \(error.diagnostics.count - 1) more)") == true)
            #expect(localized.recoverySuggestion?.contains("flowrun lint") == true)
        }
    }

    @Test("a flow that asks for what the provider does not have is refused before any run")
    func unfit() throws {
        let flow = FlowTexts.stored("{ do: device_authorize, next: done }")
        do throws(SignInFailure) {
            _ = try runner(flow)
            Issue.record("it was taken")
        } catch {
            #expect(error.code == "file_invalid")
            #expect(error.diagnostics.filter { $0.severity == .error }.map(\.code) == ["FL090"])
            #expect(error.detail?.contains("a device authorization endpoint") == true)
        }
        let fit = try runner(Self.flow)
        let failure = #expect(throws: SignInFailure.self) {
            try fit.running(SourceFile(path: "b.flow.yaml", text: flow))
        }
        #expect(failure?.diagnostics.map(\.file) == ["b.flow.yaml"])
    }

    @Test("an input that is missing is a failure in the program's language")
    func inputs() async throws {
        let german = FailureTexts(["input_invalid": FailureText("eine Eingabe fehlt", why: [], fix: [])])
        let runner = try runner(Self.flow, texts: german)
        do throws(SignInFailure) {
            _ = try await runner.run()
            Issue.record("it was run")
        } catch {
            #expect(error.code == "input_invalid")
            #expect(error.errorDescription?.hasPrefix("eine Eingabe fehlt: ") == true)
            #expect(error.recoverySuggestion == nil)
        }
    }

    @Test("a flow that ends without success returns its failure")
    func failure() async throws {
        let result = try await runner(Self.flow).run(inputs: ["name": .string("Ada")])
        #expect(!result.isSuccess)
        #expect(result.failure?.code == "closed")
        #expect(result.failure?.detail == "not today")
        #expect(result.message == "not today")
    }
}
