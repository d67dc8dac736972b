import FlowFiles
import FlowLive
import Foundation
import JOSE
import OAuthProtocol
import Testing

@Suite("What to call the person of a session")
struct SessionNameTests {
    @Test("the name is what the flow has noted of the person, also after a refresh")
    func stored() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/flowname-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let sandbox = try Sandbox()
        defer { sandbox.stop() }
        var configuration = LiveConfiguration(
            storeDirectory: folder + "/store", stateDirectory: folder + "/state")
        configuration.presenter = sandbox.browser
        let library = FlowLibrary.shipped
        let session = try SignInSession(
            signIn: FlowRunner(
                flow: library.flow("login"), provider: library.provider("sandbox"),
                client: ClientRegistration(clientID: Sandbox.clientID),
                variables: ["issuer": sandbox.issuer], configuration: configuration),
            refresh: library.flow("refresh"), signOut: library.flow("logout"), profile: "home")
        #expect(session.profile == "home")
        #expect(session.with(profile: "work").profile == "work")
        let first = try await session.signIn()
        #expect(first.name == "Alice Example")
        #expect(first.meta["profile"]?.objectValue?["email"]?.stringValue == "alice@example.com")
        let before = try await session.validAccessToken().accessToken
        // No token lives so long: it is refreshed.
        let after = try await session.validAccessToken(minimumLifetime: .seconds(1_000_000)).accessToken
        #expect(after != before)
        #expect(await session.currentSession()?.name == "Alice Example")
    }

    @Test(
        "the first claim that says something is taken",
        arguments: [
            (["name": "Ada", "email": "ada@example.com"], "Ada"),
            (["name": " ", "preferred_username": "ada"], "ada"),
            (["name": "\u{202E}\u{200B}", "nickname": "a\u{1B}[31mda"], "a[31mda"),
            (["email": "ada@example.com"], "ada@example.com"), (["sub": "1"], nil), ([:], nil),
        ] as [([String: String], String?)])
    func claims(_ claims: [String: String], _ name: String?) {
        let profile = JSONObject(claims.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
        #expect(Session(subject: "1", meta: ["profile": .object(profile)]).name == name)
    }

    @Test("without a profile there is no name")
    func none() {
        #expect(Session(subject: "1").name == nil)
        #expect(Session(subject: "1", meta: ["profile": .null]).name == nil)
        #expect(Session(subject: "1", meta: ["profile": .object(["name": .int(1)])]).name == nil)
    }
}
