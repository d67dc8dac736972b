import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing
import YAMLText

/// ID tokens and UserInfo answers that are encrypted to the client's key (OIDC Core §10.2).
@Suite("Encrypted answers")
struct EncryptedAnswerTests {
    private static let key = Result { () throws(KeyError) in try PrivateKey.generate(.ec(.p256)) }
    private static let registered = "id_token_encrypted_response_alg: ECDH-ES"
    private static let registeredUserInfo = """
        userinfo_signed_response_alg: ES256, userinfo_encrypted_response_alg: ECDH-ES+A128KW, \
        userinfo_encrypted_response_enc: A256GCM
        """

    private static func run(
        _ client: String, idToken: @escaping @Sendable (String) throws -> String = { $0 },
        userinfo: @escaping (String) throws -> String = { $0 }, hasKey: Bool = true
    ) async throws -> CatalogueRun {
        let file = SourceFile(
            path: "encrypted.yaml",
            text: """
                provider: encrypted
                protocol: oidc
                discovery: off
                issuer: https://op.example
                authorization_endpoint: https://op.example/authorize
                token_endpoint: https://op.example/token
                userinfo_endpoint: https://op.example/userinfo
                jwks_uri: https://op.example/jwks
                client: {token_endpoint_auth_method: none, id_token_signed_response_alg: ES256, \(client)}
                claims: {name: userinfo.name}
                """)
        let descriptor = try Shipped.descriptor(file)
        let pem = try key.get().privatePEM()
        let provider = BoundProvider(
            descriptor: descriptor, bound: try descriptor.bind(variables: [:]),
            registration: ClientRegistration(
                clientID: "CLIENT-ID-1", authenticationMethod: .none,
                privateKey: hasKey ? Secret(pem, kind: .other) : nil))
        let claims: JSONObject = ["iss": "https://op.example", "aud": "CLIENT-ID-1"]
        var answers = CatalogueWorld.Answers.plain()
        answers.token = { nonce in
            let token = try idToken(try TestKey.idToken(claims, nonce: nonce))
            return CatalogueWorld.json(CatalogueWorld.Answers.tokens(["id_token": .string(token)]))
        }
        var person = claims
        person["name"] = "Ada"
        person["sub"] = "person-1"
        let body = try userinfo(try TestKey.idToken(person, nonce: nil))
        let isSigned = client.contains("userinfo_signed_response_alg")
        answers.userinfo =
            isSigned
            ? CatalogueWorld.text(body, "application/jwt") : CatalogueWorld.json(person)
        return try await CatalogueRun.signIn(provider, answers: answers)
    }

    @Sendable private static func encrypted(_ text: String) throws -> String {
        try encrypted(text, .ecdhES, .a128CBCHS256)
    }

    @Sendable private static func encryptedUserInfo(_ text: String) throws -> String {
        try encrypted(text, .ecdhESA128KW, .a256GCM)
    }

    private static func encrypted(
        _ text: String, _ algorithm: KeyManagementAlgorithm, _ encryption: ContentEncryption
    ) throws -> String {
        try JWE.encrypt(
            Array(text.utf8), header: ["cty": "JWT"], to: key.get().publicKey, algorithm: algorithm,
            encryption: encryption)
    }

    @Test("an encrypted ID token is opened with the registration's key, and what it says is believed")
    func idToken() async throws {
        let run = try await Self.run(Self.registered, idToken: Self.encrypted)
        #expect(run.outcomes(of: "verify") == ["ok"])
        #expect(run.outcome.isSuccess)
        #expect(run.profile?["name"] == "Ada")
        let plain = try await Self.run("userinfo_signed_response_alg: ES256")
        let verdicts = [run, plain].map { $0.events.checks.first { $0.name == "encryption" }?.verdict }
        #expect(verdicts == [.passed, .notApplicable(reason: "this client registers no encryption key")])
    }

    @Test("an encrypted UserInfo answer is opened the same way")
    func userInfo() async throws {
        let run = try await Self.run(Self.registeredUserInfo, userinfo: Self.encryptedUserInfo)
        #expect(run.outcomes(of: "userinfo") == ["ok"])
        #expect(run.profile?["name"] == "Ada")
    }

    @Test("what is not encrypted, or encrypted without registration, is refused")
    func mismatch() async throws {
        let plain = try await Self.run(Self.registered)
        #expect(plain.outcomes(of: "verify") == ["signature_invalid"])
        #expect(plain.error(of: "verify") == "encryption")
        let surprising = try await Self.run(
            "userinfo_signed_response_alg: ES256", idToken: Self.encrypted)
        #expect(surprising.outcomes(of: "verify") == ["signature_invalid"])
        let person = try await Self.run(Self.registeredUserInfo)
        #expect(person.outcomes(of: "userinfo") == ["insecure"])
        let unasked = try await Self.run(
            "userinfo_signed_response_alg: ES256", userinfo: Self.encryptedUserInfo)
        #expect(unasked.outcomes(of: "userinfo") == ["insecure"])
    }

    @Test("claims that are encrypted and not signed are refused, however well they are encrypted")
    func unsigned() async throws {
        let token = try await Self.run(Self.registered) { _ in
            try Self.encrypted(#"{"iss":"https://op.example","sub":"admin","aud":"CLIENT-ID-1"}"#)
        }
        #expect(token.outcomes(of: "verify") == ["signature_invalid"])
        #expect(token.error(of: "verify") == "nested-jws")
        let forged = try await Self.run(Self.registered) { text in
            try Self.encrypted(String(text.dropLast(8)) + "AAAAAAAA")
        }
        #expect(forged.outcomes(of: "verify") == ["signature_invalid"])
        #expect(forged.error(of: "verify") == "signature")
    }

    @Test("without the key, or with another encryption, nothing is opened")
    func undecryptable() async throws {
        let keyless = try await Self.run(Self.registered, idToken: Self.encrypted, hasKey: false)
        #expect(keyless.outcomes(of: "verify") == ["signature_invalid"])
        #expect(keyless.error(of: "verify") == "decryption")
        let other = try await Self.run(Self.registered, idToken: Self.encryptedUserInfo)
        #expect(other.error(of: "verify") == "jwe-alg")
    }

    @Test(
        "the provider gets an encrypted ID token back as the signed one inside, for it cannot open its own",
        arguments: [
            ("{ do: logout, next: done }", ScriptedEffect("present", .presented(how: ""))),
            (
                "{ do: token_exchange, with: { into: other, subject: id_token }, next: done }",
                ScriptedEffect("http token_exchange", Answers.text(503, ""))
            ),
        ])
    func handedBack(step: String, effect: ScriptedEffect) async throws {
        let signed = try TestKey.idToken()
        let encrypted = try Self.encrypted(signed)
        let provider = ProviderText.complete.replacing(
            "client: {", with: "client: { \(Self.registered),")
        func sent(_ idToken: String, _ provider: String, _ script: [ScriptedEffect]) async throws -> String? {
            var session = StoredTokens()
            session.idToken = idToken
            let run = await Conversation.run(
                try Compiled.plan(
                    FlowTexts.stored(step), provider: provider, privateKey: try Self.key.get().privatePEM()),
                [Scripts.load(session)] + script)
            let parameters =
                switch run.performed.last?.effect {
                case .present(let presentation)?: presentation.plan.query
                case .http(let exchange)?: exchange.plan.body
                default: [] as [RequestParameter]
                }
            let value = parameters.first { ["id_token_hint", "subject_token"].contains($0.name) }?.value
            guard case .secret(let secret)? = value else { return nil }
            return secret.reveal()
        }
        #expect(try await sent(encrypted, provider, [effect]) == signed)
        #expect(try await sent(signed, ProviderText.complete, [effect]) == signed)
        // One that cannot be opened any more is no hint, and nothing to exchange.
        let isHint = effect.name == "present"
        #expect(
            try await sent(String(encrypted.dropLast(4)) + "AAAA", provider, isHint ? [effect] : []) == nil)
    }

    @Test("a signed UserInfo answer may end with a line break")
    func lineBreak() async throws {
        let run = try await Self.run("userinfo_signed_response_alg: ES256", userinfo: { "\($0)\r\n" })
        #expect(run.outcomes(of: "userinfo") == ["ok"])
        #expect(run.profile?["name"] == "Ada")
    }
}
