import JOSE
import OAuthProtocol
import Testing

@testable import FlowEngine

@Suite("stored sessions without a run")
struct SessionRecordTests {
    private let bytes: [UInt8]

    init() {
        var set = TokenSet(
            origin: .code, issuer: "https://op.example", clientID: "client-1",
            accessToken: Secret("at-1", kind: .accessToken), tokenType: "Bearer", expiresAt: 5_000,
            refreshToken: Secret("rt-1", kind: .refreshToken), scopes: ["openid"], subject: "alice",
            obtainedAt: 1_000)
        set.kept = ["more": 1]
        set.meta = ["note": "x"]
        bytes = SessionRecord.encode(
            set, label: SessionLabel(provider: "acme", profile: "work", key: "k"))
    }

    @Test("a session whose access token is refused has another one only after a refresh")
    func withoutAccessToken() throws {
        let left = try #require(SessionRecord.withoutAccessToken(bytes, ifItIs: "at-1"))
        let before = try #require(try JSON.parse(bytes).objectValue)
        let after = try #require(try JSON.parse(left).objectValue)
        #expect(after["expires_at"] == 0)
        for name in before.keys where name != "expires_at" { #expect(after[name] == before[name]) }
        #expect(SessionRecord.summary(left)?.hasRefreshToken == true)
        #expect(SessionRecord.withoutAccessToken(bytes) == left)
    }

    @Test("a token that the session does not have changes nothing")
    func otherToken() {
        #expect(SessionRecord.withoutAccessToken(bytes, ifItIs: "at-0") == nil)
        #expect(SessionRecord.withoutAccessToken(Array("{}".utf8)) == nil)
    }

    @Test(
        "the end of an ID token is its own claim",
        arguments: [
            ("{\"exp\":1767225600}", Int64(1_767_225_600_000)), ("{\"exp\":1.5}", 1_500), ("{}", nil),
            ("{\"exp\":\"soon\"}", nil), ("[", nil), ("{\"exp\":1e300}", nil),
        ])
    func life(payload: String, end: Int64?) {
        let header = Base64URL.encode(Array("{\"alg\":\"ES256\"}".utf8))
        let token = Secret("\(header).\(Base64URL.encode(Array(payload.utf8))).AA", kind: .idToken)
        #expect(IDTokenLife.end(of: token) == end)
        #expect(IDTokenLife.end(of: Secret("opaque", kind: .idToken)) == nil)
    }
}
