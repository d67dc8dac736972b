import FlowEngine
import FlowFiles
import FlowFoundation
import FlowLanguage
import FlowLive
import Foundation
import JOSE
import OAuthProtocol
import Testing
import YAMLText

// What the guide to embedding and the README show, so that it is compiled. `EmbeddingDocumentationTests` compares.

/// What the samples take for granted of the program around them.
struct SampleProgram {
    struct Directory {
        func contains(_ subject: String) async -> Bool { true }
        func account(of subject: String) async -> String? { nil }
    }

    let home = "/home/me"
    let folder = "/tmp"
    let clientID = "my-app"
    let clientSecret = "value-of-mine"
    let api = "https://api.example/"
    let directory = Directory()
    var request = URLRequestStandIn()

    struct URLRequestStandIn {
        func setValue(_ value: String, forHTTPHeaderField name: String) {}
    }

    func call(_ url: String, bearer: String) async {}
    func show(_ text: String) async {}
    func greet(_ name: String?) async {}
    func show(_ state: SessionState) async {}
    func show(_ description: String?, _ suggestion: String?) {}
}

func log(_ text: String) {}
func display(_ text: String) {}

/// A window of the program's own.
struct SampleWindow {
    func open(_ url: String) async -> Bool { true }
    func close() async {}
}

let window = SampleWindow()

/// Whoever bears a cookie.
struct Visitor {
    let id: String
    func redirect(to url: String) async {}
    func welcome(_ subject: String?) async {}
    func show(_ text: String) async {}
}

/// The sign-ins that are under way.
actor Visits {
    private var visits: [String: WebSignIn] = [:]
    func of(_ visitor: Visitor) -> WebSignIn? { visits[visitor.id] }
    func of(_ visitor: Visitor, orBegin begin: () -> WebSignIn) -> WebSignIn {
        if let visit = visits[visitor.id], !visit.isOver { return visit }
        let visit = begin()
        visits[visitor.id] = visit
        return visit
    }
    func forget(_ visitor: Visitor) { visits[visitor.id] = nil }
}

// MARK: Guide

/// Routes of a web server.
struct SampleRoutes {
    let runner: FlowRunner
    let visits = Visits()

    func login(_ visitor: Visitor) async {
        let visit = await visits.of(visitor) {
            WebSignIn(runner, redirectURI: "https://app.example/callback", profile: visitor.id)
        }
        await respond(to: visitor) { try await visit.next() }
    }

    func callback(_ visitor: Visitor, url: String) async {
        guard let visit = await visits.of(visitor) else { return await visitor.redirect(to: "/login") }
        await respond(to: visitor) { try await visit.answer(with: url) }
    }

    func respond(to visitor: Visitor, _ turn: () async throws -> WebSignIn.Turn) async {
        do {
            switch try await turn() {
            case .redirect(let url): return await visitor.redirect(to: url)
            case .ended(let result) where result.isSuccess: await visitor.welcome(result.tokens?.subject)
            case .ended(let result): await visitor.show(result.failure?.errorDescription ?? result.end)
            }
        } catch {
            await visitor.show((error as? SignInFailure)?.errorDescription ?? "\(error)")
        }
        await visits.forget(visitor)
    }
}

/// What any instance finds of a visitor, such as in a database.
actor Tickets {
    private var tickets: [String: String] = [:]
    func keep(_ ticket: String, of visitor: Visitor, until end: Int64) { tickets[visitor.id] = ticket }
    func take(_ visitor: Visitor) -> String? { tickets.removeValue(forKey: visitor.id) }
}

/// Routes of a web server of which several instances run.
struct SamplePortableRoutes {
    let signIn: PortableSignIn
    let tickets = Tickets()

    init(_ runner: FlowRunner, key: Secret) throws {
        signIn = try PortableSignIn(runner, redirectURI: "https://app.example/callback", keys: [key])
    }

    func begin(_ visitor: Visitor) async {
        await respond(to: visitor) { try await signIn.begin(profile: visitor.id) }
    }

    func end(_ visitor: Visitor, url: String) async {
        guard let ticket = await tickets.take(visitor) else { return await visitor.redirect(to: "/login") }
        await respond(to: visitor) { try await signIn.answer(with: url, to: ticket) }
    }

    func respond(to visitor: Visitor, _ turn: () async throws -> PortableSignIn.Turn) async {
        do {
            switch try await turn() {
            case .redirect(let url, let ticket):
                await tickets.keep(ticket.text, of: visitor, until: ticket.expiresAt)
                await visitor.redirect(to: url)
            case .ended(let result) where result.isSuccess: await visitor.welcome(result.tokens?.subject)
            case .ended(let result): await visitor.show(result.failure?.errorDescription ?? result.end)
            }
        } catch {
            await visitor.show((error as? SignInFailure)?.errorDescription ?? "\(error)")
        }
    }
}

extension SampleProgram {
    func signIn() async throws {
        let library = FlowLibrary.shipped
        var configuration = LiveConfiguration(
            storeDirectory: home + "/.local/share/my-app", stateDirectory: home + "/.local/state/my-app",
            environment: ProcessInfo.processInfo.environment)
        configuration.onSecurityEvent = { event in log("\(event)") }

        let runner = try FlowRunner(
            flow: library.flow("login"), provider: library.provider("google"),
            client: ClientRegistration(clientID: clientID, secret: Secret(clientSecret, kind: .clientSecret)),
            configuration: configuration, sources: library.sources, parent: library.parent)

        let result = try await runner.run(inputs: ["login_hint": .string("ada@example.com")])
        if let tokens = result.tokens {
            await call(api, bearer: tokens.accessToken.reveal())
        }
        if case .json(let profile)? = result.outputs["profile"] { await greet(profile["name"]?.stringValue) }
    }

    func stay(_ runner: FlowRunner, _ library: FlowLibrary) async throws {
        let session = try SignInSession(
            signIn: runner, refresh: library.flow("refresh"), signOut: library.flow("logout"), profile: "ada")
        let states = session.states
        let watching = Task {
            for await state in states {
                switch state {
                case .signedOut, .expired: await show("Sign in")
                case .signingIn: await show("Waiting for the browser")
                case .signedIn(let session):
                    await show("Signed in as \(session.name ?? session.subject ?? "somebody")")
                case .error(let failure): await show(failure.errorDescription ?? failure.code)
                }
            }
        }
        if await session.currentSession() == nil { try await session.signIn() }
        let tokens = try await session.validAccessToken(minimumLifetime: .seconds(60))
        await call(api, bearer: tokens.accessToken.reveal())
        watching.cancel()
    }

    /// Runs: against the sandbox's API.
    static func order(_ session: SignInSession, _ url: String, _ client: SampleClient) async throws {
        let tokens = try await session.validAccessToken()
        var answer = try await client.get(url, tokens.headerFields(for: "GET", url))
        if answer.status == 401, let nonce = answer.fields["DPoP-Nonce"] {
            answer = try await client.get(url, tokens.headerFields(for: "GET", url, nonce: nonce))
        }
    }

    func tell(_ session: SignInSession) async {
        do {
            try await session.signIn()
        } catch {
            switch error.failureClass {
            case .cancelled where error.code == "cancelled": break
            case .session: await show("Sign in again")
            case .network where error.isRetryable: await show("Try again later")
            case .cancelled, .denied, .configuration, .provider, .network, .security, .storage:
                await show(
                    [error.errorDescription, error.recoverySuggestion].compactMap(\.self).joined(
                        separator: "\n"))
            }
            log("\(error.code) step: \(error.step ?? "-") hook: \(error.hook ?? "-")")
        }
    }

    func bring(_ configuration: inout LiveConfiguration) {
        configuration.hooks.register("department") { call in
            var profile = call.values["steps.userinfo.profile"]?.objectValue ?? [:]
            profile["nickname"] = profile["department"]
            return HookReply(set: ["steps.userinfo.profile": .object(profile)])
        }
        configuration.hooks.register("staff-only") { call in
            let subject = call.values["steps.verify.subject"]?.stringValue ?? ""
            return await directory.contains(subject)
                ? HookReply() : HookReply(.abort(message: "not on the list"))
        }
        configuration.ports.register("account.find") { call in
            guard case .string(let subject)? = call.arguments["subject"],
                let account = await directory.account(of: subject)
            else { return PortReply("unknown") }
            return PortReply("found", fields: ["user_id": .string(account)])
        }
    }
}

actor MemoryStore: SessionStore {
    private var rows: [String: StoredBytes] = [:]
    private var generation: Int64 = 0

    func load(_ key: String) async throws(SessionStoreError) -> StoredBytes? { rows[key] }

    func save(
        _ bytes: [UInt8], _ key: String, expecting: StoreExpectation
    ) async throws(SessionStoreError) -> Int64 {
        switch expecting {
        case .any: break
        case .absent: guard rows[key] == nil else { throw .conflict }
        case .generation(let expected): guard rows[key]?.generation == expected else { throw .conflict }
        }
        generation += 1
        rows[key] = StoredBytes(generation: generation, bytes: bytes)
        return generation
    }

    func delete(_ key: String) async throws(SessionStoreError) { rows[key] = nil }
}

struct OwnWindow: BrowserPresenter {
    var redirectURI: String? { nil }

    func present(_ page: BrowserPage) async -> BrowserPresentation {
        await window.open(page.url) ? .shown(by: "my window") : .unavailable(reason: "there is no window")
    }

    func dismiss() async { await window.close() }
}

struct CodeOnScreen: TraceSink {
    func receive(_ event: TraceEvent) {
        guard case .actionRequired(let action) = event.body, case .enterCode(let code) = action.errand else {
            return
        }
        display("Enter \(code) at \(action.url)")
    }
}

struct Timings: TraceSink {
    func receive(_ event: TraceEvent) {
        guard case .runEnd(let end) = event.body else { return }
        log("\(end.end) after \(end.duration) ms: \(end.errorCode ?? "no error")")
    }
}

func greeting(_ result: FlowResult) -> String {
    guard let failure = result.failure else { return "Hello, \(result.tokens?.subject ?? "somebody")" }
    return failure.failureClass == .network ? "Try again later" : "Not signed in"
}

extension SampleProgram {
    func enterCode(_ runner: FlowRunner, _ library: FlowLibrary) async throws {
        let session = try SignInSession(
            signIn: runner.running(library.flow("device-login")), refresh: library.flow("refresh"),
            signOut: library.flow("logout"))
        try await session.signIn(sinks: [CodeOnScreen()])
    }

    func ownToken(_ runner: FlowRunner, _ library: FlowLibrary) async throws {
        let machine = try runner.running(library.flow("client-credentials"))
        let result = try await machine.run(inputs: ["scopes": .list([.string("reports.read")])])
        log(result.end)
    }

    func trace(_ runner: FlowRunner) async throws {
        let traced = try await runner.run(sinks: [Timings()], tracing: .failure)
        log(traced.end)
    }

    /// Runs as well.
    static func testWithoutNetwork(_ staffOnly: HookRegistry.Closure) async throws {
        let ada = FlowResult.Tokens(accessToken: Secret("token", kind: .accessToken), subject: "ada")
        #expect(greeting(FlowResult(end: "signed_in", tokens: ada)) == "Hello, ada")
        let unreachable = FlowResult(end: "unavailable", failure: SignInFailure(code: "network"))
        #expect(greeting(unreachable) == "Try again later")
        let call = HookCall(
            "staff-only", at: .stepAfter, values: ["steps.verify.subject": .string("eve")])
        #expect(try await staffOnly(call).decision == .abort(message: "not on the list"))
    }

    /// Runs: it is what the guide promises of a test.
    static func test(in folder: String) async throws -> FlowResult {
        let sandbox = try Sandbox(faults: ["access:expires=30"])
        var configuration = LiveConfiguration(
            storeDirectory: folder + "/store", stateDirectory: folder + "/state")
        configuration.presenter = sandbox.browser
        configuration.store = MemoryStore()
        let runner = try FlowRunner(
            flow: FlowLibrary.shipped.flow("login"), provider: FlowLibrary.shipped.provider("sandbox"),
            client: ClientRegistration(clientID: Sandbox.clientID), variables: ["issuer": sandbox.issuer],
            configuration: configuration)
        let result = try await runner.run()
        sandbox.stop()
        return result
    }

    /// Runs too.
    static func testAtStandIn(_ given: LiveConfiguration) async throws -> FlowResult {
        var configuration = given
        let standIn = try ProviderStandIn(for: FlowLibrary.shipped.provider("gitlab"))
        configuration.presenter = standIn.browser
        let runner = try FlowRunner(
            flow: FlowLibrary.shipped.flow("login"), providers: ["main": standIn.provider],
            configuration: configuration)
        let result = try await runner.run()
        standIn.stop()
        return result
    }
}

// MARK: README

extension SampleProgram {
    func department(_ hooks: inout HookRegistry) {
        hooks.register("department") { call in
            var profile = call.values["steps.userinfo.profile"]?.objectValue ?? [:]
            profile["nickname"] = profile["preferred_username"]
            return .init(.continue, set: ["steps.userinfo.profile": .object(profile)])
        }
    }

    func embed() async throws {
        var hooks = HookRegistry()
        hooks.register("tenant") { call in
            .init(.continue, set: ["vars.tenant": "acme"])
        }

        let library = FlowLibrary.shipped
        let runner = try FlowRunner(
            flow: library.flow("login"), provider: library.provider("google"),
            client: ClientRegistration(
                clientID: "my-app", secret: Secret(clientSecret, kind: .clientSecret)),
            configuration: LiveConfiguration(
                storeDirectory: home + "/.local/share/my-app", stateDirectory: home + "/.local/state/my-app",
                environment: ProcessInfo.processInfo.environment,
                hooks: hooks),
            sources: library.sources, parent: library.parent)

        let result = try await runner.run()
        if let failure = result.failure {
            show(failure.errorDescription, failure.recoverySuggestion)
        } else if let tokens = result.tokens {
            request.setValue("Bearer \(tokens.accessToken.reveal())", forHTTPHeaderField: "Authorization")
        }
    }

    func bind(_ runner: FlowRunner, _ library: FlowLibrary) async throws {
        let session = try SignInSession(
            signIn: runner, refresh: library.flow("refresh"), signOut: library.flow("logout"))
        let states = session.states
        Task {
            for await state in states {
                await show(state)
            }
        }
        if await session.currentSession() == nil { try await session.signIn() }
        let tokens = try await session.validAccessToken(minimumLifetime: .seconds(60))
        let reading = try await session.validAccessToken(
            scopes: ["read"], resources: ["https://api.acme.example/"])
        try await session.signOut(revoke: true)
        _ = (tokens, reading)
    }
}
