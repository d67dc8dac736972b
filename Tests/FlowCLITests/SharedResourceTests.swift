import FlowTesting
import JOSE
import OAuthProtocol
import Synchronization
import Testing

@testable import FlowCLI
@testable import FlowLive

/// `provider discover` of an address whose whole host is protected as one, as servers of the Model Context Protocol do it.
@Suite("A resource that is part of another")
struct SharedResourceTests {
    private static let wellKnown = "/.well-known/oauth-protected-resource"

    /// - Parameters:
    ///   - named: What the document of the host says that it is about, behind the address.
    ///   - refusal: Where the resource says that its document is, behind the address; `nil` where it does not say.
    private func discover(
        named: String, refusal: String? = nil
    ) async throws -> (status: Int32, output: String, error: String, address: String, paths: [String]) {
        let asked = AskedPaths()
        let server = try HTTPServer(port: 0) { request, reply in
            asked.paths.withLock { $0.append(request.path) }
            _ = reply.send(Self.answer(request, named, refusal))
        }
        defer { server.stop() }
        let address = "http://127.0.0.1:\(server.port)"
        let place = try Workplace()
        let result = await place.run("provider discover \(address)/mcp --write -")
        return (result.status, result.output, result.error, address, asked.paths.withLock { $0 })
    }

    private final class AskedPaths: Sendable {
        let paths = Mutex<[String]>([])
    }

    private static func answer(_ request: ServerRequest, _ named: String, _ refusal: String?) -> HTTPResponse
    {
        let address = "http://\(request.field("Host") ?? "")"
        func json(_ members: JSONObject) -> HTTPResponse {
            HTTPResponse(
                status: 200, fields: [HTTPField("Content-Type", "application/json")],
                body: members.serializedBytes)
        }
        switch request.path {
        case wellKnown:
            return json([
                "resource": .string(named.hasPrefix("http") ? named : address + named),
                "authorization_servers": [.string(address + "/as")], "scopes_supported": ["notes"],
            ])
        case "/.well-known/openid-configuration/as":
            return json([
                "issuer": .string(address + "/as"), "authorization_endpoint": .string(address + "/authorize"),
                "token_endpoint": .string(address + "/token"),
            ])
        case "/mcp":
            let words =
                refusal.map { "Bearer resource_metadata=\"\(address)\($0)\", scope=\"notes_read\"" }
                ?? "Bearer"
            return HTTPResponse(status: 401, fields: [HTTPField("WWW-Authenticate", words)])
        default: return HTTPResponse(status: 404)
        }
    }

    @Test(
        "its document may be that of the host, about the host or about the very resource",
        arguments: [("", nil), ("/mcp", nil), ("", wellKnown), ("/mcp", wellKnown)] as [(String, String?)])
    func found(named: String, refusal: String?) async throws {
        let result = try await discover(named: named, refusal: refusal)
        #expect(result.status == 0, "\(result.error)")
        let identifier = result.address + named
        #expect(result.output.contains("issuer: \(result.address)/as\n"))
        #expect(result.output.contains("resources: [\(identifier)]"), "\(result.output)")
        let isOther = result.error.contains("calls itself \(identifier): tokens are asked for by that name")
        #expect(isOther == named.isEmpty)
        #expect(result.paths.contains(Self.wellKnown + "/mcp"))
        // What the refusal asks for is less than what the whole host knows.
        let scope = refusal == nil ? "notes" : "notes_read"
        #expect(result.output.contains("scope: [\(scope)]"), "\(result.output)")
    }

    @Test(
        "a document about something else is not believed, wherever it is [rule 12]",
        arguments: [("/other", nil), ("https://evil.example", nil), ("https://evil.example", wellKnown)]
            as [(String, String?)])
    func refused(named: String, refusal: String?) async throws {
        let result = try await discover(named: named, refusal: refusal)
        #expect(result.status == 7, "\(result.error)")
        #expect(!result.paths.contains("/.well-known/openid-configuration/as"))
    }

    @Test("where there is nothing at the host either, its own place is told")
    func missing() async throws {
        let result = try await discover(named: "", refusal: "/nowhere")
        #expect(result.status == 6, "\(result.error)")
    }
}
