import FlowEngine
import FlowFiles
import FlowLanguage
import Foundation
import OAuthProtocol
import Testing

@testable import FlowLive

/// Keeps the code that a person is to enter.
private final class CodeSink: TraceSink {
    let code = FirstValue<String>()

    func receive(_ event: TraceEvent) {
        guard case .actionRequired(let action) = event.body, case .enterCode(let code) = action.errand
        else { return }
        self.code.set(code)
    }
}

/// Programs that show a code, or have a token of their own.
@Suite("Programs without a browser")
struct BrowserlessTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/flowcodes-\(UUID())"
    private let library = FlowLibrary.shipped

    private func runner(
        _ flow: String, _ issuer: String, _ client: ClientRegistration = .init(clientID: Sandbox.clientID)
    ) throws -> FlowRunner {
        try FlowRunner(
            flow: library.flow(flow), provider: library.provider("sandbox"), client: client,
            variables: ["issuer": issuer],
            configuration: LiveConfiguration(
                storeDirectory: folder + "/store", stateDirectory: folder + "/state"))
    }

    @Test("a session that signs in by a code tells it to the sinks of the sign-in")
    func code() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let sandbox = try Sandbox(answer: .page)
        let session = try SignInSession(
            signIn: runner("device-login", sandbox.issuer), refresh: library.flow("refresh"),
            signOut: library.flow("logout"))
        let sink = CodeSink()
        let signingIn = Task { try await session.signIn(sinks: [sink]) }
        #expect(await sink.code.value()?.count == 9)
        signingIn.cancel()
        let end = await signingIn.result
        #expect(throws: SignInFailure.self) { try end.get() }
        sandbox.stop()
    }

    @Test("fifty tasks that want a program's own token have one and the same")
    func machine() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let sandbox = try Sandbox()
        let machine = try runner("client-credentials", sandbox.issuer, Sandbox.confidentialClient)
        let session = try SignInSession(
            signIn: machine, refresh: library.flow("client-credentials"), signOut: library.flow("logout"))
        let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
            for _ in 0..<50 { group.addTask { try await session.validAccessToken().accessToken } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(try await machine.run().tokens?.accessToken == tokens.first)
        sandbox.stop()
    }
}
