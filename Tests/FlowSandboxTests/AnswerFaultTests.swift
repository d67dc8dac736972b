import FlowSandbox
import JOSE
import OAuthProtocol
import Testing

@Suite("Faults of an endpoint's answer")
struct AnswerFaultTests {
    /// One request to the target, with a fault or without.
    private func hit(_ target: Fault.Target, _ fault: String?) throws -> SandboxReply {
        let visitor = try Visitor(faults: fault.map { ["\(target.rawValue):\($0)"] } ?? [])
        switch target {
        case .discovery: return visitor.get("/.well-known/openid-configuration")
        case .jwks: return visitor.get("/jwks")
        case .token: return visitor.post("/token", Visitor.exchange(try visitor.code()))
        case .refresh:
            let token = try visitor.tokens().text("refresh_token")
            return visitor.post(
                "/token",
                [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", "flowrun-sandbox")])
        case .userinfo:
            let token = try visitor.tokens().text("access_token")
            return visitor.get("/userinfo", fields: [HTTPField("Authorization", "Bearer \(token)")])
        case .par: return visitor.post("/par", Visitor.request())
        case .resource:
            let token = try visitor.tokens().text("access_token")
            return visitor.get("/resource", fields: [HTTPField("Authorization", "Bearer \(token)")])
        case .revocation, .introspection:
            let path = target == .revocation ? "/revoke" : "/introspect"
            let token = try visitor.tokens().text("access_token")
            return visitor.post(path, [("token", token), ("client_id", "flowrun-sandbox")])
        case .device:
            return visitor.post(
                "/device_authorization", [("scope", "openid"), ("client_id", "flowrun-sandbox")])
        case .registration: return visitor.register(["redirect_uris": [.string(Visitor.redirectURI)]])
        case .callback, .jarm, .idtoken, .answer, .access, .logout:
            return .closeWithoutAnswer
        }
    }

    static let endpoints: [Fault.Target] = [
        .discovery, .jwks, .par, .token, .refresh, .userinfo, .resource, .revocation, .introspection, .device,
        .registration,
    ]
    static let withErrors: [Fault.Target] = [
        .par, .token, .refresh, .userinfo, .introspection, .device, .registration,
    ]

    @Test("500 is a page of text", arguments: endpoints)
    func internalError(target: Fault.Target) throws {
        let response = try #require(try hit(target, "500").response)
        #expect(response.status == 500)
        #expect(response.field("Content-Type") == "text/plain; charset=utf-8")
        #expect(response.field("Retry-After") == nil)
    }

    @Test("503 and 429 say when to come back", arguments: endpoints)
    func unavailable(target: Fault.Target) throws {
        for (fault, status, seconds) in [("503", 503, "1"), ("503=2", 503, "2"), ("429=7", 429, "7")] {
            let response = try #require(try hit(target, fault).response)
            #expect(response.status == status)
            #expect(response.field("Retry-After") == seconds)
        }
    }

    @Test("a slow answer is good and late", arguments: endpoints)
    func slow(target: Fault.Target) throws {
        guard case .delay(let milliseconds, let response) = try hit(target, "slow=5s") else {
            Issue.record("the answer is not delayed")
            return
        }
        #expect(milliseconds == 5000)
        #expect((200...201).contains(response.status))
    }

    @Test("HTML, text that is no JSON, and more than a MiB come with status 200", arguments: endpoints)
    func bodies(target: Fault.Target) throws {
        let html = try #require(try hit(target, "html").response)
        #expect(html.status == 200)
        #expect(html.field("Content-Type") == "text/html; charset=utf-8")
        let text = try #require(try hit(target, "notjson").response)
        #expect(text.field("Content-Type") == "application/json")
        #expect(throws: JSONError(kind: .syntax, offset: 1)) { try text.json() }
        let huge = try #require(try hit(target, "huge").response)
        #expect(huge.status == 200)
        #expect(huge.body.count > 1 << 20)
    }

    @Test("a redirect leads to another host", arguments: endpoints)
    func redirect(target: Fault.Target) throws {
        let response = try #require(try hit(target, "redirect").response)
        #expect(response.status == 302)
        #expect(response.field("Location") == "https://other.invalid/elsewhere")
    }

    @Test("a truncated answer stops in the middle of the good one", arguments: endpoints)
    func truncate(target: Fault.Target) throws {
        let good = try #require(try hit(target, nil).response)
        guard case .truncate(let response, let bytes) = try hit(target, "truncate") else {
            Issue.record("the answer is not truncated")
            return
        }
        #expect((200...201).contains(response.status))
        #expect(response.body.count == good.body.count)
        #expect(bytes == good.body.count / 2)
    }

    @Test("a closed connection gives no answer", arguments: endpoints)
    func close(target: Fault.Target) throws {
        #expect(try hit(target, "close") == .closeWithoutAnswer)
    }

    @Test("status 200 may carry an error", arguments: withErrors)
    func error200(target: Fault.Target) throws {
        let response = try #require(try hit(target, "error200").response)
        #expect(response.status == 200)
        #expect(try response.errorCode() == "bad_verification_code")
    }

    @Test("an OAuth error looks like a real one", arguments: [Fault.Target.token, .refresh])
    func oauthErrors(target: Fault.Target) throws {
        let grant = try #require(try hit(target, "invalid_grant").response)
        #expect(grant.status == 400)
        #expect(try grant.errorCode() == "invalid_grant")
        #expect(grant.field("Cache-Control") == "no-store")
        #expect(try hit(target, "invalid_client").response?.status == 401)
    }

    @Test("a bearer error looks like a real one")
    func bearerErrors() throws {
        let response = try #require(try hit(.userinfo, "invalid_token").response)
        #expect(response.status == 401)
        #expect(response.field("WWW-Authenticate")?.contains("error=\"invalid_token\"") == true)
    }

    @Test("a fault that replaces the answer leaves the code alone, one on the way spends it")
    func effect() throws {
        let replaced = try Visitor(faults: ["token:503@1"])
        let kept = try replaced.code()
        #expect(try replaced.redeem(kept).status == 503)
        #expect(try replaced.redeem(kept).status == 200)
        let lost = try Visitor(faults: ["token:close@1"])
        let spent = try lost.code()
        #expect(lost.post("/token", Visitor.exchange(spent)) == .closeWithoutAnswer)
        #expect(try lost.redeem(spent).errorCode() == "invalid_grant")
    }

    @Test("@N means the Nth hit only, xN the first N")
    func occurrences() throws {
        let only = try Visitor(faults: ["jwks:500@2"])
        #expect((1...3).map { _ in only.get("/jwks").response?.status } == [200, 500, 200])
        let first = try Visitor(faults: ["jwks:500x2"])
        #expect((1...3).map { _ in first.get("/jwks").response?.status } == [500, 500, 200])
        let several = try Visitor(faults: ["jwks:500@1", "jwks:429@2", "discovery:500"])
        #expect((1...3).map { _ in several.get("/jwks").response?.status } == [500, 429, 200])
    }

    @Test("a fault of refresh leaves the exchange alone")
    func refreshOnly() throws {
        let visitor = try Visitor(faults: ["refresh:500"])
        let tokens = try visitor.tokens()
        #expect(try visitor.refresh(tokens.text("refresh_token")).status == 500)
    }
}
