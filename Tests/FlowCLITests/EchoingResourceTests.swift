import FlowEngine
import OAuthProtocol
import Testing

@testable import FlowCLI
@testable import FlowLive

/// `http` against a server that repeats the token in the words of its answer.
@Suite("A resource that repeats the token")
struct EchoingResourceTests {
    private static let token = "marker/access+token~0001"

    /// Gives out one token, and puts it into all that a command says of an answer.
    private static func answer(_ request: ServerRequest) -> HTTPResponse {
        func json(_ status: Int, _ body: String, _ fields: [HTTPField] = []) -> HTTPResponse {
            HTTPResponse(
                status: status, fields: [HTTPField("Content-Type", "application/json")] + fields,
                body: Array(body.utf8))
        }
        let challenge = HTTPField(
            "WWW-Authenticate", "Bearer error=\"invalid_token\", error_description=\"\(token) is dead\"")
        switch request.path {
        case "/token": return json(200, "{\"access_token\":\"\(token)\",\"token_type\":\"Bearer\"}")
        case "/moved":
            return json(
                302, "{}", [HTTPField("Location", "/at?token=\(PercentEncoding.encodeQuery(token))")])
        case "/refused": return json(401, "{}", [challenge])
        case "/scope":
            let words = "Bearer error=insufficient_scope, scope=\"notes:read a;b\""
            return json(403, "{}", [HTTPField("WWW-Authenticate", words)])
        case "/no-scope":
            let words = "Bearer error=insufficient_scope, scope=\"a\\\\b\""
            return json(403, "{}", [HTTPField("WWW-Authenticate", words)])
        case "/token-scope":
            let words = "Bearer error=insufficient_scope, scope=\"\(token)\""
            return json(403, "{}", [HTTPField("WWW-Authenticate", words)])
        case "/level":
            let words =
                "Bearer error=insufficient_user_authentication, acr_values=\"gold silver\", max_age=60"
            return json(401, "{}", [HTTPField("WWW-Authenticate", words)])
        default: return json(400, "{}", [challenge])
        }
    }

    @Test(
        "says nothing of it on standard error [rule 175]",
        arguments: [
            ("moved", 0, "redirects to /at?token=‹access_token›"),
            ("refused", 4, "refuses the token: invalid_token, ‹access_token› is dead"),
            ("wrong", 6, "answers 400: invalid_token, ‹access_token› is dead"),
            ("token-scope", 6, "answers 403: insufficient_scope"),
        ])
    func repeated(path: String, status: Int32, words: String) async throws {
        let result = try await Self.call(path)
        #expect(result.status == status, "\(result.error)")
        #expect(result.error.contains(words), "\(result.error)")
        #expect(!result.error.contains(Self.token))
    }

    @Test(
        "what the resource wants of another token is told, and what may be made of its words",
        arguments: [
            ("scope", 6, "--client-credentials --scope notes:read --scope 'a;b'", true),
            ("scope", 6, "flowrun login", false), ("no-scope", 6, "--scope", false),
            ("level", 4, "it wants a sign-in of the level gold silver, not older than 60 s (RFC 9470)", true),
            ("refused", 4, "leave out --client-credentials", true), ("refused", 4, "flowrun login", false),
        ])
    func demands(path: String, status: Int32, words: String, isTold: Bool) async throws {
        let result = try await Self.call(path)
        #expect(result.status == status, "\(result.error)")
        #expect(result.error.contains(words) == isTold, "\(result.error)")
    }

    private static func call(_ path: String) async throws -> (status: Int32, error: String) {
        let server = try HTTPServer(port: 0) { request, reply in _ = reply.send(answer(request)) }
        defer { server.stop() }
        let address = "http://127.0.0.1:\(server.port)"
        let place = try Workplace(Workplace.provider(at: address))
        let result = await Workplace.run(
            "http GET \(address)/\(path) -p ./p.provider.yaml --client-id c --client-secret-env S --client-credentials",
            place.surroundings(["S": "a secret of some length"]))
        return (result.status, result.error)
    }
}
