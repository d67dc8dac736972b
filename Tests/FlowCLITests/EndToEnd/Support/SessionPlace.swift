import FlowEngine
import FlowLanguage
import FlowSandbox
import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLive

/// A folder of a test's own, and sessions of a program in it.
struct SessionPlace {
    let folder = ScratchFolder()

    func session(
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

    func flow(_ name: String) -> SourceFile {
        SourceFile(path: "\(name).flow.yaml", text: text("flows/\(name).flow.yaml"))
    }

    func text(_ path: String) -> String { ScratchFolder.read(Project.path(path)).utf8Text }

    /// The next states, by their names.
    func names(_ states: some AsyncSequence<SessionState, Never>, _ count: Int) async -> [String] {
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

    func failure(_ body: () async throws(SignInFailure) -> some Sendable) async -> SignInFailure? {
        do throws(SignInFailure) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }
}
