import JOSE
import OAuthProtocol
import Testing

@testable import FlowEngine

@Suite("stored sessions without a run")
struct SessionRecordTests {
    private let bytes: [UInt8]

    init() {
        var set = TokenSet(
            TokenSet.Parts(
                origin: .code, issuer: "https://op.example", clientID: "client-1",
                accessToken: Secret("at-1", kind: .accessToken), tokenType: "Bearer", expiresAt: 5_000,
                refreshToken: Secret("rt-1", kind: .refreshToken), scopes: ["openid"], subject: "alice",
                obtainedAt: 1_000))
        set.kept = ["more": 1]
        set.meta = ["note": "x"]
        bytes = SessionRecord.encode(
            set, label: SessionLabel(provider: "acme", profile: "work", key: "k"))
    }

    @Test("each server that a descriptor describes has sessions of its own")
    func servers() throws {
        func place(
            _ provider: String, _ variables: [String: String], _ environment: String? = nil
        ) throws -> String {
            let client = CatalogueRun.Client(variables: variables, environment: environment)
            return try CatalogueRun.bind(provider, client).sessionIssuer
        }
        let shops = try ["acme", "other"].map { try place("shopify", ["shop": $0]) }
        #expect(
            shops[0] == "provider:shopify https://acme.myshopify.com/admin/oauth/access_token")
        #expect(shops[0] != shops[1])
        let servers = try ["one.example", "two.example"].map { try place("mastodon", ["host": $0]) }
        #expect(servers[0] != servers[1])
        #expect(try place("reddit", ["user_agent": "a"]) == "provider:reddit")
        let environments = try [nil, "sandbox"].map { try place("square", [:], $0) }
        #expect(environments == ["provider:square", "provider:square/sandbox"])
    }

    @Test("what stands in place of an issuer is none")
    func issuer() throws {
        #expect(SessionRecord.summary(bytes)?.issuer == "https://op.example")
        var record = try #require(try JSON.parse(bytes).objectValue)
        let place = try CatalogueRun.bind("reddit", CatalogueRun.Client(variables: ["user_agent": "a"]))
        record["issuer"] = .string(place.sessionIssuer)
        let summary = try #require(SessionRecord.summary(Array(record.serialize().utf8)))
        #expect(summary.issuer == nil)
        #expect(summary.place == place.sessionIssuer)
    }

    @Test("a session knows with which variables and environment the provider was bound")
    func settings() throws {
        var label = SessionLabel(provider: "acme", profile: "work", key: nil)
        label.variables = ["host": "id.acme.example", "area": "eu"]
        label.environment = "sandbox"
        let set = try #require(
            SessionRecord.decode(
                bytes, issuer: "https://op.example", clientID: "client-1",
                place: TokenSet.StoredPlace(
                    key: SessionKey(issuer: "", clientID: "", profile: "", key: nil), generation: 1)))
        #expect(SessionRecord.summary(SessionRecord.encode(set, label: label))?.label == label)
        #expect(SessionRecord.summary(bytes)?.label.variables == [:])
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
        let doubtful = try #require(SessionRecord.withoutAccessToken(bytes, isInDoubt: true))
        #expect(SessionRecord.summary(doubtful)?.hasRefreshToken == false)
        #expect(SessionRecord.summary(bytes, isInDoubt: true)?.hasRefreshToken == false)
    }

    @Test("a token that the session does not have changes nothing")
    func otherToken() {
        #expect(SessionRecord.withoutAccessToken(bytes, ifItIs: "at-0") == nil)
        #expect(SessionRecord.withoutAccessToken(Array("{}".utf8)) == nil)
    }

    private func set(_ change: (inout TokenSet) -> Void) -> [UInt8] {
        var set = TokenSet(
            TokenSet.Parts(
                origin: .code, issuer: "https://op.example", clientID: "client-1",
                accessToken: Secret("at-1", kind: .accessToken), tokenType: "Bearer", expiresAt: 5_000,
                scopes: ["openid", "files"], obtainedAt: 1_000))
        change(&set)
        return SessionRecord.encode(set, label: SessionLabel(provider: "acme", profile: "work", key: nil))
    }

    @Test("everything that a session holds is written, and read again without loss")
    func everything() throws {
        let bytes = set { set in
            set.refreshToken = Secret("rt-1", kind: .refreshToken)
            set.refreshExpiresAt = 9_000
            set.isInDoubt = true
            set.idToken = Secret("it-1", kind: .idToken)
            (set.tokenIssuer, set.subject, set.isSubjectAsserted) = ("https://op.example/1", "alice", true)
            set.proofKey = Secret("pem", kind: .other)
            set.nonce = Secret("n-1", kind: .nonce)
            (set.authTime, set.acr, set.refreshedAt) = (500, "high", 2_000)
            (set.audiences, set.authorizedParty) = (["client-1", "api"], "client-1")
            set.grantedScopes = ["openid", "files", "mail"]
            set.held = [Self.held("at-2", AccessTarget(scopes: ["files"]))]
            (set.kept, set.captured, set.meta) = (["more": 1], ["realm": "a"], ["note": "x"])
            set.others = ["team": Secret("{}", kind: .other)]
            set.destinations = ["https://op.example"]
        }
        let names = try #require(try JSON.parse(bytes).objectValue).map(\.key)
        #expect(
            Set(names) == [
                "version", "provider", "profile", "client_id", "access_token", "token_type", "scopes",
                "obtained_at", "meta", "destinations", "issuer", "expires_at", "refresh_token",
                "refresh_expires_at", "in_doubt",
                "id_token", "iss", "subject", "subject_asserted", "dpop_key", "nonce", "auth_time", "acr",
                "aud", "azp", "refreshed_at", "granted", "held", "kept", "captured", "others",
            ])
        let label = SessionLabel(provider: "acme", profile: "work", key: nil)
        #expect(SessionRecord.encode(try read(bytes), label: label) == bytes)
        #expect(SessionRecord.summary(bytes)?.label.destinations == ["https://op.example"])
        #expect(SessionRecord.summary(bytes)?.refreshExpiresAt == 9_000)
        var earlier = try #require(try JSON.parse(bytes).objectValue)
        earlier["refresh_expires_at"] = nil
        #expect(try read(earlier.serializedBytes).refreshExpiresAt == nil)
        let least = try #require(
            try JSON.parse(
                set {
                    ($0.isInDoubt, $0.refreshExpiresAt) = (true, 9_000)
                }
            ).objectValue)
        #expect(
            Set(least.map(\.key)) == [
                "version", "provider", "profile", "client_id", "access_token", "token_type", "scopes",
                "obtained_at", "meta", "issuer", "expires_at",
            ])
    }

    @Test("there is no doubt about a refresh token that is not there, and no session of another version")
    func withoutRefreshToken() throws {
        let bytes = set { _ in }
        let summary = try #require(SessionRecord.summary(bytes, isInDoubt: true))
        #expect(!summary.hasRefreshToken && !summary.isInDoubt)
        #expect(SessionRecord.summary(bytes)?.hasRefreshToken == false)
        let left = try #require(SessionRecord.withoutAccessToken(bytes, isInDoubt: true))
        #expect(try JSON.parse(left)["in_doubt"] == nil && JSON.parse(left)["held"] == nil)
        var later = try #require(try JSON.parse(bytes).objectValue)
        later["version"] = 2
        #expect(SessionRecord.summary(later.serializedBytes) == nil)
    }

    static let summaries: [(scopes: [String], asked: [String], isFull: Bool, words: String)] = [
        (["a"], ["a"], false, "Bearer access token, no refresh token, scope as asked"),
        (
            ["a", "c"], ["a", "b"], true,
            "Bearer access token, expires in 60 s, refresh token, ID token, also tokens for team, "
                + "scope without b, scope also c"
        ),
        (["a"], [], false, "Bearer access token, no refresh token, scope as asked"),
    ]

    @Test("what an answer brought is told in few words", arguments: summaries)
    func summary(row: (scopes: [String], asked: [String], isFull: Bool, words: String)) throws {
        var received = try read(set { $0.scopes = row.scopes })
        if row.isFull {
            received.refreshToken = Secret("rt-1", kind: .refreshToken)
            received.idToken = Secret("it-1", kind: .idToken)
            received.others = ["team": Secret("{}", kind: .other)]
        }
        let words = ReceivedTokens.summary(received, expiresIn: row.isFull ? 60 : nil, asked: row.asked)
        #expect(words == row.words)
    }

    @Test("sessions are filed under what names them, each part apart from the next")
    func keys() {
        func key(_ parts: String...) -> String {
            SessionKey(issuer: parts[0], clientID: parts[1], profile: parts[2], key: parts.last).digest
        }
        // Stores are read again by later versions.
        #expect(
            SessionKey(issuer: "https://op.example", clientID: "c", profile: "default", key: nil).digest
                == "\(Hexadecimal.encode(Digest.sha256("18:https://op.example1:c7:default0:".utf8)))")
        #expect(
            Set([key("ab", "c", "d", "e"), key("a", "bc", "d", "e"), key("a", "b", "cd", "e")]).count == 3)
    }

    private static func held(
        _ token: String, _ target: AccessTarget, type: String = "Bearer", until end: Int64? = 9_000
    ) -> HeldToken {
        HeldToken(
            target: target, accessToken: Secret(token, kind: .accessToken), tokenType: type,
            expiresAt: end, scopes: target.scopes ?? ["openid", "files"])
    }

    private func read(_ bytes: [UInt8]) throws -> TokenSet {
        try #require(
            SessionRecord.decode(
                bytes, issuer: "https://op.example", clientID: "client-1",
                place: .init(
                    key: SessionKey(issuer: "", clientID: "", profile: "", key: nil), generation: 1)))
    }

    @Test("the access tokens of a session are told apart by scopes and resources, whichever was in use")
    func targets() throws {
        let api = AccessTarget(resources: ["https://api.example/"])
        let files = AccessTarget(scopes: ["files"], resources: ["https://api.example/"])
        let bytes = set { set in
            set.held = [Self.held("at-2", api, type: "N_A"), Self.held("at-3", files, until: nil)]
            set.held[0].lifetime = 7_000
            set.lifetime = 4_000
            set.use(files)
        }
        var found = try read(bytes)
        #expect(found.accessToken.reveal() == "at-1")
        #expect(found.granted == ["openid", "files"])
        let expected = [
            (api, "at-2", ["openid", "files"], Int64?.some(9_000)), (files, "at-3", ["files"], nil),
            (.whole, "at-1", ["openid", "files"], 5_000),
        ]
        for (target, token, scopes, end) in expected {
            found.use(target)
            #expect(found.accessToken.reveal() == token)
            #expect(found.scopes == scopes)
            #expect(found.expiresAt == end)
            #expect(found.lifetime == (target == files ? nil : target == api ? 7_000 : 4_000))
            #expect(found.tokenType == (target == api ? "N_A" : "Bearer"))
            #expect(found.accessTokens.count == 3)
        }
        #expect(SessionRecord.summary(bytes)?.held.map(\.target) == [api, files])
        #expect(AccessTarget(scopes: []) == .whole, "no request can ask for none")
    }

    @Test("a target that was never asked for has no token, and counts as expired")
    func missing() throws {
        var found = try read(set { _ in })
        found.use(AccessTarget(scopes: ["files"]))
        #expect(!found.hasAccessToken)
        #expect(found.isExpired(at: 0, margin: 0))
        #expect(found.granted == ["openid", "files"])
        #expect(found.accessTokens.map { $0.accessToken.reveal() } == ["at-1"])
        let stored = try #require(
            try JSON.parse(
                SessionRecord.encode(found, label: SessionLabel(provider: "", profile: "", key: nil))
            ).objectValue)
        #expect(stored["access_token"]?.stringValue == "at-1")
        #expect(stored["held"] == nil)
    }

    @Test("a token is past its time at its very end, and one without an end never")
    func stale() throws {
        var found = try read(set { _ in })
        found.held = [1_000, 1_001, nil].map { Self.held("t", AccessTarget(scopes: ["s"]), until: $0) }
        found.dropStaleTokens(now: 1_000)
        #expect(found.held.map(\.expiresAt) == [1_001, nil])
    }

    @Test("tokens past their time are dropped, then those that end first, so that a session does not grow")
    func bound() throws {
        var found = try read(set { _ in })
        found.held = (1...40).map { $0 * 7 % 41 }.map { number in
            Self.held("t\(number)", AccessTarget(scopes: ["s\(number)"]), until: Int64(number) * 100)
        }
        found.dropStaleTokens(now: 1_000)
        let left = found.held.map { $0.accessToken.reveal() }
        #expect(Set(left) == Set((25...40).map { "t\($0)" }))
    }

    @Test("a token for less that is refused leaves the others as they are")
    func withoutHeldToken() throws {
        let api = AccessTarget(resources: ["https://api.example/"])
        let bytes = set { $0.held = [Self.held("at-2", api), Self.held("at-3", AccessTarget(scopes: []))] }
        let left = try read(try #require(SessionRecord.withoutAccessToken(bytes, ifItIs: "at-2")))
        #expect(left.accessTokens.map { $0.accessToken.reveal() } == ["at-1", "at-3"])
        #expect(left.expiresAt == 5_000)
        let none = try read(try #require(SessionRecord.withoutAccessToken(bytes)))
        #expect(none.held.isEmpty && none.expiresAt == 0)
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
