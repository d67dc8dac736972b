import FlowSandbox
import JOSE
import OAuthProtocol
import Testing

@Suite("Snapshots")
struct SnapshotTests {
    private let first: Visitor

    init() throws {
        first = try Visitor()
    }

    private func restored(_ bytes: [UInt8]) throws -> Visitor {
        let snapshot = try SandboxSnapshot(decoding: bytes)
        #expect(snapshot.issuer == Visitor.issuer)
        let random = CountingBytes(seed: "second")
        return Visitor(
            provider: SandboxProvider(
                configuration: first.provider.configuration, restoring: snapshot, random: { random.next($0) })
        )
    }

    @Test("a restored sandbox has the same keys and takes the tokens of the first")
    func restoring() throws {
        let tokens = try first.tokens()
        let second = try restored(try first.provider.snapshot().encoded())
        #expect(second.get("/jwks") == first.get("/jwks"))
        #expect(try second.userInfo(tokens.text("access_token")).status == 200)
        let renewed = try second.refresh(tokens.text("refresh_token")).json()
        let verified = try JWS.verify(
            try JWS.split(try renewed.text("id_token")), keys: try first.keySet(), allowed: [.es256])
        let claims = try JSON.parse(verified.payload)
        #expect(claims["sub"] == "sandbox-user-1")
        #expect(claims["auth_time"] == .int(Visitor.now / 1000))
    }

    @Test("a restored sandbox still notices a refresh token that was rotated away")
    func reuse() throws {
        let old = try first.tokens().text("refresh_token")
        let live = try first.refresh(old).json().text("refresh_token")
        let second = try restored(try first.provider.snapshot().encoded())
        #expect(try second.refresh(old).errorCode() == "invalid_grant")
        #expect(try second.refresh(live).errorCode() == "invalid_grant")
    }

    @Test("a refresh token of a user who is gone is an invalid grant")
    func missingUser() throws {
        let token = try first.tokens(["login_hint": "chloe"]).text("refresh_token")
        var configuration = first.provider.configuration
        configuration.users.removeLast()
        let random = CountingBytes(seed: "third")
        let second = Visitor(
            provider: SandboxProvider(
                configuration: configuration, restoring: first.provider.snapshot(),
                random: { random.next($0) }))
        #expect(try second.refresh(token).errorCode() == "invalid_grant")
    }

    @Test("a snapshot holds no token and no code")
    func noTokens() throws {
        let code = try first.code()
        let tokens = try first.tokens()
        let text = String(decoding: try first.provider.snapshot().encoded(), as: UTF8.self)
        #expect(!text.contains(code))
        #expect(!text.contains(try tokens.text("access_token")))
        #expect(!text.contains(try tokens.text("refresh_token")))
        #expect(text.contains("BEGIN PRIVATE KEY"))
    }

    /// Texts that are no snapshot, and the member that is to blame.
    static let broken: [(text: String, member: String)] = [
        ("", ""), ("{\"version\":2}", "version"), ("{\"version\":1}", "issuer"),
        ("{\"version\":1,\"issuer\":\"x\"}", "keys"),
        ("{\"version\":1,\"issuer\":\"x\",\"keys\":[{\"alg\":\"none\"}]}", "alg"),
    ]

    @Test("bytes that are no snapshot are refused by the member that is wrong", arguments: broken)
    func refusal(text: String, member: String) throws {
        #expect(throws: SandboxError.snapshot(member: member)) {
            try SandboxSnapshot(decoding: Array(text.utf8))
        }
    }

    @Test("a snapshot without keys is refused")
    func noKeys() throws {
        #expect(throws: SandboxError.keys("the snapshot has no RS256 key")) {
            try SandboxSnapshot(decoding: Array("{\"version\":1,\"issuer\":\"x\",\"keys\":[]}".utf8))
        }
    }
}
