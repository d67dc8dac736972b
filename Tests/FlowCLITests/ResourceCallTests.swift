import FlowEngine
import OAuthProtocol
import Synchronization
import Testing

@testable import FlowCLI
@testable import FlowLive

/// What `http` sends, when it asks for another token, and what it writes of the answer.
@Suite("A request that bears the token")
struct ResourceCallTests {
    /// Gives out the tokens t1, t2 and so on, and takes those of a path alone.
    private final class Resource: Sendable {
        private let asked = Mutex<[ServerRequest]>([])

        /// What came to the resource, in order.
        var calls: [ServerRequest] { asked.withLock { $0.filter { $0.path != "/token" } } }

        func answer(_ request: ServerRequest) -> HTTPResponse {
            let count = asked.withLock { asked in
                asked.append(request)
                return asked.count { $0.path == "/token" }
            }
            let json = HTTPField("Content-Type", "application/json")
            func refusal(_ status: Int, _ error: String) -> HTTPResponse {
                let challenge = HTTPField("WWW-Authenticate", "Bearer realm=\"r\", Other error=\"\(error)\"")
                return HTTPResponse(status: status, fields: [challenge], body: Array("refused\n".utf8))
            }
            let token = request.field("Authorization") ?? ""
            switch request.path {
            case "/token":
                let body = "{\"access_token\":\"t\(count)\",\"token_type\":\"Bearer\",\"expires_in\":3600}"
                return HTTPResponse(status: 200, fields: [json], body: Array(body.utf8))
            case "/second" where token == "Bearer t1": return refusal(401, "invalid_token")
            case "/never": return refusal(401, "invalid_token")
            case "/scope": return refusal(401, "insufficient_scope")
            case "/level": return refusal(401, "insufficient_user_authentication")
            case "/forbidden": return refusal(403, "invalid_token")
            case "/told":
                let body = "{\"error\":{\"message\":\"revoked at noon\"}}"
                return HTTPResponse(status: 401, fields: [json], body: Array(body.utf8))
            case "/unknown" where token == "Bearer t1", "/unknowable":
                return HTTPResponse(status: 403, body: Array("refused\n".utf8))
            default:
                return HTTPResponse(status: 200, fields: [HTTPField("X-A", "b")], body: Array("{}\n".utf8))
            }
        }
    }

    private let resource = Resource()

    /// - Parameter lines: Further ones of the provider's file.
    private func call(
        _ line: String, input: String = "", lines: String = ""
    ) async throws -> (Workplace.Result, Workplace) {
        let resource = resource
        let server = try HTTPServer(port: 0) { request, reply in _ = reply.send(resource.answer(request)) }
        defer { server.stop() }
        let address = "http://127.0.0.1:\(server.port)"
        let place = try Workplace(Workplace.provider(at: address).mapValues { $0 + lines })
        let words = line.replacing("ADDRESS", with: address)
        let result = await Workplace.run(
            "http \(words) -p ./p.provider.yaml --client-id c --client-secret-env S --client-credentials",
            place.surroundings(["S": "a secret of some length"], input: input))
        return (result, place)
    }

    @Test(
        "another token is asked for once, and only where one may help",
        arguments: [
            ("first", ["t1"], 0), ("second", ["t1", "t2"], 0), ("never", ["t1", "t2"], 4),
            ("scope", ["t1"], 4),
            ("level", ["t1"], 4), ("forbidden", ["t1"], 6),
        ])
    func tokens(path: String, tokens: [String], status: Int32) async throws {
        let (result, _) = try await call("GET ADDRESS/\(path)?secret=x")
        #expect(resource.calls.map { $0.field("Authorization") ?? "" } == tokens.map { "Bearer \($0)" })
        #expect(result.status == status, "\(result.error)")
        #expect(result.output == (status == 0 ? "{}\n" : "refused\n"))
        // A query may hold anything.
        #expect(!result.error.contains("secret=x"))
    }

    @Test(
        "what the provider's file takes for a dead token asks for another too",
        arguments: [("unknown", ["t1", "t2"], 0), ("unknowable", ["t1", "t2"], 6)])
    func takenForDead(path: String, tokens: [String], status: Int32) async throws {
        let (result, _) = try await call(
            "GET ADDRESS/\(path)", lines: "classify: [{ if: status == 403, outcome: unauthorized }]\n")
        #expect(resource.calls.map { $0.field("Authorization") ?? "" } == tokens.map { "Bearer \($0)" })
        #expect(result.status == status, "\(result.error)")
    }

    @Test("a file that says nothing of 403 asks for no other token")
    func notTaken() async throws {
        let (result, _) = try await call("GET ADDRESS/unknown")
        #expect(resource.calls.count == 1)
        #expect(result.status == 6, "\(result.error)")
    }

    @Test("what a server says in its body is told")
    func told() async throws {
        let (result, _) = try await call("GET ADDRESS/told -o answer")
        #expect(result.error.contains("/told refuses the token: revoked at noon\n"), "\(result.error)")
    }

    @Test(
        "fields that somebody writes are sent in place of what is usual",
        arguments: [
            ("GET ADDRESS/a", "*/*", nil, ""), ("GET ADDRESS/a -H accept:text/plain", "text/plain", nil, ""),
            ("POST ADDRESS/a --data a=b", "*/*", "application/x-www-form-urlencoded", "a=b"),
            ("POST ADDRESS/a --data a=b -H content-type:text/csv", "*/*", "text/csv", "a=b"),
            ("PUT ADDRESS/a --json-body {\"a\":1}", "*/*", "application/json", "{\"a\":1}"),
            ("PATCH ADDRESS/a --json-body -", "*/*", "application/json", "[2]"),
        ])
    func fields(line: String, accept: String, type: String?, body: String) async throws {
        let (result, _) = try await call(line, input: "[2]")
        #expect(result.status == 0, "\(result.error)")
        let request = try #require(resource.calls.first)
        #expect(request.fields.filter { $0.name.lowercased() == "accept" }.map(\.value) == [accept])
        let types = request.fields.filter { $0.name.lowercased() == "content-type" }.map(\.value)
        #expect(types == (type.map { [$0] } ?? []))
        #expect(String(decoding: request.body, as: UTF8.self) == body)
    }

    @Test("a body that is no JSON is not sent as one, and nothing of it is repeated")
    func noJSON() async throws {
        let (result, _) = try await call("POST ADDRESS/a --json-body {CANARY")
        #expect(result.status == 2)
        #expect(result.error.contains("the body of --json-body is no JSON"))
        #expect(!result.error.contains("CANARY"))
        #expect(resource.calls.isEmpty)
    }

    @Test("status and fields are written where they are asked for, and the body where it is to go")
    func written() async throws {
        let (shown, _) = try await call("GET ADDRESS/a -i")
        #expect(shown.output.hasPrefix("HTTP/1.1 200\n"))
        #expect(shown.output.contains("\nX-A: b\n"))
        #expect(shown.output.hasSuffix("\n\n{}\n"))
        let (kept, place) = try await call("GET ADDRESS/a -o answer")
        #expect(kept.output == "")
        #expect(try place.read("answer") == "{}\n")
        let (lost, _) = try await call("GET ADDRESS/a -o /dev/full")
        #expect(lost.status == 9, "\(lost.error)")
    }
}
