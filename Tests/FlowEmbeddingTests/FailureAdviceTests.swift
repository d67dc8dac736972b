import FlowEngine
import FlowFiles
import Foundation
import OAuthProtocol
import Testing

@testable import FlowLive

/// Shows every page to somebody who never answers.
private struct DeafWindow: BrowserPresenter {
    let redirectURI: String?
    private let answer = FirstValue<BrowserAnswer>()

    init(_ redirectURI: String) { self.redirectURI = redirectURI }

    func present(_ page: BrowserPage) async -> BrowserPresentation {
        .session { await answer.value() ?? .closed }
    }

    func dismiss() async {}
}

/// What is known of the run stands in the texts, as in those of the command.
@Suite("What a program is told that a run has failed")
struct FailureAdviceTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/flowadvice-\(UUID())"

    private func failure(
        of flow: String, at issuer: String, _ client: ClientRegistration = .init(clientID: Sandbox.clientID),
        presenter: (any BrowserPresenter)? = nil
    ) async throws -> SignInFailure {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var configuration = LiveConfiguration(
            storeDirectory: folder + "/store", stateDirectory: folder + "/state", wait: 0)
        configuration.presenter = presenter
        let runner = try FlowRunner(
            flow: FlowLibrary.shipped.flow(flow), provider: FlowLibrary.shipped.provider("sandbox"),
            client: client, variables: ["issuer": issuer], configuration: configuration)
        return try #require(try await runner.run().failure)
    }

    @Test("a failure that a program makes for its own tests has the class and the text of its code")
    func made() {
        let failure = SignInFailure(code: "state_mismatch", step: "sign_in", detail: "another state")
        #expect(failure.failureClass == .security)
        #expect(failure.step == "sign_in")
        #expect(failure.errorDescription == "\(failure.text.headline): another state")
        #expect(failure.recoverySuggestion != nil)
        #expect(SignInFailure(code: "network").isRetryable)
        #expect(SignInFailure(code: "of_our_own").failureClass == .configuration)
    }

    @Test("a secret that the provider file does not send is not said to be wrong")
    func unsentSecret() async throws {
        let sandbox = try Sandbox()
        let client = ClientRegistration(
            clientID: "flowrun-sandbox-confidential",
            secret: Secret("sandbox-secret-that-everybody-knows", kind: .clientSecret))
        let failure = try await failure(of: "client-credentials", at: sandbox.issuer, client)
        #expect(failure.code == "invalid_client")
        #expect(failure.failureReason?.contains("this run has sent none") == true)
        sandbox.stop()
    }

    @Test("a server that cannot be reached is named")
    func unreachable() async throws {
        let sandbox = try Sandbox()
        sandbox.stop()
        let failure = try await failure(of: "login", at: sandbox.issuer)
        let host = sandbox.issuer.dropFirst("http://".count)
        #expect(failure.errorDescription?.hasPrefix("\(host) cannot be reached") == true)
        #expect(failure.recoverySuggestion?.hasPrefix("curl -v \(sandbox.issuer)/ ") == true)
    }

    @Test("where nobody comes back, the redirect URI is named that the provider may not know")
    func redirectURI() async throws {
        let sandbox = try Sandbox()
        let uri = "http://127.0.0.1:9/callback"
        let failure = try await failure(of: "login", at: sandbox.issuer, presenter: DeafWindow(uri))
        #expect(failure.code == "timeout")
        #expect(failure.failureReason?.contains("a scope or \(uri)") == true)
        sandbox.stop()
    }

    @Test("an assertion that somebody else issues is not said to be signed by a key of the client")
    func issuedAssertion() async throws {
        let sandbox = try Sandbox()
        let client = ClientRegistration(
            clientID: "flowrun-sandbox-confidential", assertion: Secret("e30.e30.e30", kind: .clientAssertion)
        )
        let failure = try await failure(of: "client-credentials", at: sandbox.issuer, client)
        #expect(failure.failureReason?.contains("the provider trusts no assertion of this issuer") == true)
        sandbox.stop()
    }
}
