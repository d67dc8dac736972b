import FlowEngine
import FlowFiles
import Foundation
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLive

/// Whatever a program calls APIs with.
actor SampleClient {
    private(set) var statuses: [Int] = []

    func get(
        _ url: String, _ fields: [String: Secret]
    ) async throws -> (status: Int, fields: [String: String]) {
        let loop = try CurlLoop()
        defer { loop.shutDown() }
        let answer = try await CurlTransport(loop: loop).send(
            HTTPRequest(
                method: .get, url: url, fields: fields.map { HTTPField($0.key, $0.value.reveal()) })
        ).get()
        statuses.append(answer.status)
        return (answer.status, answer.field("DPoP-Nonce").map { ["DPoP-Nonce": $0] } ?? [:])
    }
}

@Suite("Requests of a program's own")
struct TokenFieldsTests {
    private static let proved = """
        provider: proved
        extends: sandbox
        client: { token_endpoint_auth_method: none, dpop_bound_access_tokens: true }

        """

    /// What the sandbox's API answers to the fields of the sample, and how often it was asked.
    private func ask(
        _ provider: SourceFile, faults: [String]
    ) async throws -> (tokens: FlowResult.Tokens, statuses: [Int]) {
        let folder = FileManager.default.temporaryDirectory.path + "/flowfields-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let sandbox = try Sandbox(faults: faults)
        defer { sandbox.stop() }
        let library = FlowLibrary.shipped
        var configuration = LiveConfiguration(
            storeDirectory: folder + "/store", stateDirectory: folder + "/state")
        configuration.presenter = sandbox.browser
        let session = try SignInSession(
            signIn: FlowRunner(
                flow: library.flow("login"), provider: provider,
                client: ClientRegistration(clientID: Sandbox.clientID),
                variables: ["issuer": sandbox.issuer], configuration: configuration,
                parent: library.parent),
            refresh: library.flow("refresh"), signOut: library.flow("logout"))
        try await session.signIn()
        let client = SampleClient()
        try await SampleProgram.order(session, sandbox.issuer + "/resource?q=1", client)
        return (try await session.validAccessToken(), await client.statuses)
    }

    @Test("a bearer token is borne as it is")
    func bearer() async throws {
        let (tokens, statuses) = try await ask(FlowLibrary.shipped.provider("sandbox"), faults: [])
        #expect(statuses == [200])
        let fields = try tokens.headerFields(for: "GET", "https://a.example/")
        #expect(
            fields.mapValues { $0.reveal() } == ["Authorization": "Bearer \(tokens.accessToken.reveal())"])
        #expect(!"\(fields)".contains(tokens.accessToken.reveal()))
    }

    @Test(
        "a bound token goes with a proof, and with the nonce that the server asks for",
        arguments: [([], [200]), (["resource:dpop_nonce"], [401, 200])] as [([String], [Int])])
    func bound(_ faults: [String], _ statuses: [Int]) async throws {
        let (tokens, answers) = try await ask(
            SourceFile(path: "proved.yaml", text: Self.proved), faults: faults)
        #expect(tokens.tokenType == "DPoP")
        #expect(answers == statuses)
        let one = try tokens.headerFields(for: "POST", "https://a.example/", nonce: "n")
        let other = try tokens.headerFields(for: "POST", "https://a.example/", nonce: "n")
        #expect(one["Authorization"]?.reveal() == "DPoP \(tokens.accessToken.reveal())")
        #expect(one["DPoP"] != other["DPoP"])
        #expect(!"\(tokens)\(one)".contains("PRIVATE"))
    }

    @Test(
        "what no request can bear, and where none may go, is refused",
        arguments: [
            ("Bearer", "OPTIONS", "https://a.example/", "input_invalid"),
            ("Bearer", "get", "https://a.example/", "input_invalid"),
            ("Bearer", "GET", "http://a.example/", "input_invalid"),
            ("Bearer", "GET", "/orders", "input_invalid"),
            ("N_A", "GET", "https://a.example/", "unsupported"),
            ("DPoP", "GET", "https://a.example/", "unsupported"),
        ])
    func refused(_ type: String, _ method: String, _ url: String, _ code: String) {
        let tokens = FlowResult.Tokens(
            accessToken: Secret("marker-token", kind: .accessToken), tokenType: type)
        let failure = #expect(throws: SignInFailure.self) { try tokens.headerFields(for: method, url) }
        #expect(failure?.code == code)
        #expect(failure?.detail?.contains("marker") == false)
    }
}
