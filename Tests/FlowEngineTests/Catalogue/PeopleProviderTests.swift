import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// The providers that people sign in with, as their documentation describes requests and answers.
@Suite("Providers of people")
struct PeopleProviderTests {
    typealias Answers = CatalogueWorld.Answers

    @Test("Google gives a refresh token for offline access, and calls its issuer by two names")
    func google() async throws {
        let claims: JSONObject = [
            "iss": "accounts.google.com", "sub": "110169484474386276334", "hd": "example.com",
            "email_verified": true,
        ]
        let run = try await CatalogueRun.signIn(
            "google",
            answers: .openID(
                "https://accounts.google.com", claims: claims,
                userinfo: ["sub": "110169484474386276334", "name": "Ada Lovelace"]))
        #expect(run.outcome.isSuccess)
        #expect(run.authorization[query: "access_type"] == "offline")
        #expect(run.authorization[query: "prompt"] == "consent")
        #expect(try run.sent(.token)[body: "client_secret"] == "CLIENT-SECRET-1")
        #expect(
            run.profile == [
                "sub": "110169484474386276334", "name": "Ada Lovelace", "email_verified": true,
                "hosted_domain": "example.com",
            ])
    }

    @Test("Google keeps the refresh token that a renewal does not bring again")
    func googleRenewal() async throws {
        var answers = Answers.openID("https://accounts.google.com")
        answers.refresh = CatalogueWorld.json(Answers.tokens(["refresh_token": .null]))
        let run = try await CatalogueRun.renew("google", answers: answers)
        #expect(run.outcome.isSuccess)
        try run.expectSaved(["access_token": "AT-1", "refresh_token": "RT-0"])
    }

    @Test("Apple's client secret is a JWT that the team signs; the name comes with a POST, once")
    func apple() async throws {
        let claims: JSONObject = [
            "sub": "001999.0123", "email": "ada@privaterelay.appleid.com", "email_verified": "true",
        ]
        let user = #"{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"ada@example.com"}"#
        let run = try await CatalogueRun.signIn(
            "apple", CatalogueRun.Client(secret: nil, variables: ["private_key": TestKey.pem]),
            answers: .openID("https://appleid.apple.com", claims: claims, callback: [("user", user)]))
        #expect(run.outcome.isSuccess)
        #expect(run.authorization[query: "response_mode"] == "form_post")
        #expect(run.authorization[query: "code_challenge"] == nil)
        let secret = try #require(try run.sent(.token)[body: "client_secret"])
        let parts = try secret.split(separator: ".").prefix(2).map { part in
            try JSON.parse(try #require(Base64URL.decode(part)))
        }
        #expect(parts[0]["kid"] == "F6G7H8I9J0")
        #expect(parts[0]["alg"] == "ES256")
        #expect(parts[1]["iss"] == "A1B2C3D4E5")
        #expect(parts[1]["sub"] == "CLIENT-ID-1")
        #expect(parts[1]["aud"] == "https://appleid.apple.com")
        let now = ManualClock.start / 1000
        #expect(parts[1]["iat"] == .int(now))
        #expect(parts[1]["exp"] == .int(now + 300))
    }

    @Test("Apple's profile is made of the ID token and of what the browser brought")
    func appleProfile() throws {
        let bound = try CatalogueRun.bind(
            "apple", CatalogueRun.Client(variables: ["private_key": TestKey.pem])
        ).bound
        let profile = bound.profile(
            claims: ["sub": "001999.0123", "email": "ada@example.com", "email_verified": "true"],
            userinfo: nil, token: nil,
            callback: ["user": ["name": ["firstName": "Ada", "lastName": "Lovelace"]]])
        #expect(
            profile == [
                "sub": "001999.0123", "given_name": "Ada", "family_name": "Lovelace",
                "email": "ada@example.com", "email_verified": true,
            ])
    }

    @Test("Facebook separates scopes by commas, takes no PKCE, and wants the app's proof with every call")
    func facebook() async throws {
        let run = try await CatalogueRun.signIn(
            "facebook",
            answers: .plain(
                token: [
                    "expires_in": .null, "refresh_token": .null, "token_type": "bearer", "expires": 5183944,
                ],
                userinfo: [
                    "id": "10220000000000000", "name": "Ada Lovelace", "first_name": "Ada",
                    "last_name": "Lovelace", "email": "ada@example.com",
                    "picture": ["data": ["url": "https://images.example/ada.png"]],
                ]))
        #expect(run.outcome.isSuccess)
        #expect(run.authorization[query: "scope"] == "email,public_profile")
        #expect(run.authorization[query: "code_challenge"] == nil)
        #expect(try run.sent(.token)[body: "code_verifier"] == nil)
        #expect(
            try run.sent(.userinfo)[query: "appsecret_proof"]
                == Hexadecimal.encode(
                    HMAC.authenticate(Array("AT-1".utf8), key: Array("CLIENT-SECRET-1".utf8), .sha256)))
        #expect(
            run.profile == [
                "sub": "10220000000000000", "name": "Ada Lovelace", "given_name": "Ada",
                "family_name": "Lovelace", "email": "ada@example.com",
                "picture": "https://images.example/ada.png",
            ])
        try run.expectSaved(["expires_at": .int(ManualClock.start + 5_183_944_000)])
    }

    @Test("Facebook renews the access token by the access token, with a GET")
    func facebookRenewal() async throws {
        var answers = Answers.plain()
        answers.refresh = CatalogueWorld.json(
            ["access_token": "AT-1", "token_type": "bearer", "expires_in": 5_184_000])
        let run = try await CatalogueRun.renew(
            "facebook", session: ["refresh_token": .null], answers: answers)
        #expect(run.outcome.isSuccess)
        let request = try run.sent(.refresh)
        #expect(request.method == "GET")
        #expect(request.body == [])
        #expect(
            request.query.map(\.description) == [
                "client_id=CLIENT-ID-1", "client_secret=CLIENT-SECRET-1", "fb_exchange_token=AT-0",
                "grant_type=fb_exchange_token",
            ])
        try run.expectSaved(["access_token": "AT-1"])
    }

    @Test("LinkedIn sends no nonce back and takes no PKCE")
    func linkedIn() async throws {
        let run = try await CatalogueRun.signIn(
            "linkedin",
            answers: .openID(
                "https://www.linkedin.com/oauth", claims: ["sub": "782bbtaQ"],
                userinfo: [
                    "sub": "782bbtaQ", "name": "Ada Lovelace", "email": "ada@example.com",
                    "email_verified": true,
                    "locale": ["country": "GB", "language": "en"],
                ], sendsNonce: false))
        #expect(run.outcome.isSuccess)
        #expect(run.authorization[query: "code_challenge"] == nil)
        #expect(run.authorization[query: "scope"] == "openid profile email")
        #expect(run.profile?["email"] == "ada@example.com")
    }

    @Test("X wants PKCE, Basic and the client's id in the body, and wraps people in data")
    func x() async throws {
        let run = try await CatalogueRun.signIn(
            "x",
            answers: .plain(
                token: ["scope": "users.read tweet.read offline.access"],
                userinfo: ["data": ["id": "2244994945", "name": "Ada Lovelace", "username": "ada"]]))
        #expect(run.outcome.isSuccess)
        #expect(run.authorization[query: "code_challenge_method"] == "S256")
        let token = try run.sent(.token)
        #expect(token[body: "client_id"] == "CLIENT-ID-1")
        #expect(
            token.headers["authorization"] == "Basic \(Base64.encode("CLIENT-ID-1:CLIENT-SECRET-1".utf8))")
        #expect(token[body: "code_verifier"] != nil)
        #expect(run.profile == ["sub": "2244994945", "name": "Ada Lovelace", "preferred_username": "ada"])
    }

    @Test("TikTok calls the client's id client_key, and tells errors within a success")
    func tikTok() async throws {
        var answers = Answers.plain(
            token: [
                "scope": "user.info.basic,video.list", "open_id": "O-1", "refresh_expires_in": 31_536_000,
            ],
            userinfo: [
                "data": ["user": ["open_id": "O-1", "union_id": "U-1", "display_name": "Ada"]],
                "error": ["code": "ok", "message": "", "log_id": "1"],
            ])
        let run = try await CatalogueRun.signIn("tiktok", answers: answers)
        #expect(run.outcome.isSuccess)
        #expect(run.authorization[query: "client_key"] == "CLIENT-ID-1")
        #expect(run.authorization[query: "client_id"] == nil)
        #expect(try run.sent(.token)[body: "client_key"] == "CLIENT-ID-1")
        #expect(run.profile == ["sub": "O-1", "union_id": "U-1", "name": "Ada"])
        try run.expectSaved([
            "scopes": ["user.info.basic", "video.list"],
            "kept": ["open_id": "O-1", "refresh_expires_in": 31_536_000],
        ])

        answers.userinfo = CatalogueWorld.json([
            "data": [:], "error": ["code": "scope_not_authorized", "message": "not authorized"],
        ])
        let refused = try await CatalogueRun.signIn("tiktok", answers: answers)
        #expect(!refused.outcome.isSuccess)
        #expect(refused.error(of: "userinfo") == "scope_not_authorized")
    }

    @Test("TikTok on the desktop takes the challenge in hexadecimal")
    func tikTokDesktop() async throws {
        let run = try await CatalogueRun.signIn(
            "tiktok", CatalogueRun.Client(environment: "desktop"), answers: .plain())
        let verifier = try #require(try run.sent(.token)[body: "code_verifier"])
        #expect(
            run.authorization[query: "code_challenge"]
                == Hexadecimal.encode(Digest.sha256(Array(verifier.utf8))))
    }

    @Test("MyAnimeList takes the verifier for a challenge, and none but that")
    func myAnimeList() async throws {
        let person: JSONObject = ["id": 583231, "name": "ada", "picture": "https://images.example/ada.jpg"]
        let run = try await CatalogueRun.signIn("myanimelist", answers: .plain(userinfo: person))
        let verifier = try #require(try run.sent(.token)[body: "code_verifier"])
        #expect(run.authorization[query: "code_challenge"] == verifier)
        #expect(run.authorization[query: "code_challenge_method"] == "plain")
        #expect(run.profile?["sub"] == "583231")
    }

    @Test("Discord's picture has an address that is put together, unless there is none")
    func discord() async throws {
        let person: JSONObject = [
            "id": "80351110224678912", "username": "ada", "global_name": .null, "avatar": "8342729096",
            "email": "ada@example.com", "verified": true, "locale": "en-GB",
        ]
        let run = try await CatalogueRun.signIn("discord", answers: .plain(userinfo: person))
        #expect(
            run.profile == [
                "sub": "80351110224678912", "name": "ada", "preferred_username": "ada",
                "email": "ada@example.com", "email_verified": true, "locale": "en-GB",
                "picture": "https://cdn.discordapp.com/avatars/80351110224678912/8342729096.png",
            ])
        var without = person
        without["avatar"] = .null
        let plain = try await CatalogueRun.signIn("discord", answers: .plain(userinfo: without))
        #expect(plain.outcome.isSuccess)
        #expect(plain.profile?["picture"] == nil)
    }

    @Test("Spotify's picture is the first of a list")
    func spotify() async throws {
        let run = try await CatalogueRun.signIn(
            "spotify",
            answers: .plain(userinfo: [
                "id": "ada", "display_name": "Ada Lovelace", "email": "ada@example.com",
                "images": [
                    ["url": "https://images.example/ada.png"], ["url": "https://images.example/small.png"],
                ],
            ]))
        #expect(try run.sent(.token).headers["authorization"]?.hasPrefix("Basic ") == true)
        #expect(
            run.profile == [
                "sub": "ada", "name": "Ada Lovelace", "email": "ada@example.com",
                "picture": "https://images.example/ada.png",
            ])
    }

    @Test("LINE signs ID tokens with the client's secret")
    func line() async throws {
        var answers = Answers.openID("https://access.line.me", userinfo: ["sub": "U-1", "name": "Ada"])
        answers.token = { nonce in
            var claims: JSONObject = [
                "iss": "https://access.line.me", "sub": "U-1", "aud": "CLIENT-ID-1", "name": "Ada",
                "email": "ada@example.com",
                "iat": .int(ManualClock.start / 1000), "exp": .int(ManualClock.start / 1000 + 3600),
            ]
            claims["nonce"] = nonce.map { .string($0) }
            let parts = [#"{"alg":"HS256","typ":"JWT"}"#, JSONValue.object(claims).serialize()]
                .map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
            let mac = HMAC.authenticate(Array(parts.utf8), key: Array(Self.lineSecret.utf8), .sha256)
            return CatalogueWorld.json(
                Answers.tokens(["id_token": .string("\(parts).\(Base64URL.encode(mac))")]))
        }
        let run = try await CatalogueRun.signIn(
            "line", CatalogueRun.Client(secret: Self.lineSecret), answers: answers)
        #expect(run.outcomes(of: "verify") == ["ok"])
        #expect(run.profile == ["sub": "U-1", "name": "Ada", "email": "ada@example.com"])

        let another = try await CatalogueRun.signIn(
            "line", CatalogueRun.Client(secret: "another secret, of the same length"), answers: answers)
        #expect(another.outcomes(of: "verify") == ["signature_invalid"])
    }

    /// As long as the key of HS256 must be (RFC 7518 §3.2).
    private static let lineSecret = "0123456789abcdef0123456789abcdef"
}
