import FlowEngine
import FlowLanguage
import FlowSandbox
import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLive

@Suite("the flows of a session")
struct SessionFlowTests {
    private let place = SessionPlace()

    private func runner(_ provider: RecordingProvider) throws(SignInFailure) -> FlowRunner {
        try FlowRunner(
            flow: place.flow("login"),
            provider: SourceFile(path: "sandbox.yaml", text: place.text("providers/sandbox.yaml")),
            client: ClientRegistration(clientID: "flowrun-sandbox", authenticationMethod: .none),
            variables: ["issuer": provider.issuer],
            configuration: LiveConfiguration(
                storeDirectory: place.folder.path, stateDirectory: place.folder.path))
    }

    @Test("a flow that does not take what it is given, or needs more, is refused at once")
    func inputs() async throws {
        let provider = try RecordingProvider()
        let runner = try runner(provider)
        let demanding = SourceFile(
            path: "a.flow.yaml",
            text: place.flow("refresh").text.replacing(
                "inputs:\n", with: "inputs:\n  tenant: { type: string }\n"))
        let rows: [(refresh: SourceFile, signOut: SourceFile, detail: String)] = [
            (
                place.flow("logout"), place.flow("logout"),
                "logout.flow.yaml: the flow has no input \"min_ttl\""
            ),
            (
                place.flow("refresh"), place.flow("refresh"),
                "refresh.flow.yaml: the flow has no input \"everywhere\"; the flow has no input \"revoke\""
            ),
            (demanding, place.flow("logout"), "a.flow.yaml: the flow needs the input \"tenant\" (string)"),
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
            _ = try SignInSession(signIn: runner, refresh: broken, signOut: place.flow("logout"))
            Issue.record("it was taken")
        } catch {
            #expect(error.code == "file_invalid")
            #expect(!error.diagnostics.isEmpty)
        }
        provider.stop()
    }
}
