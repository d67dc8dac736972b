import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Tokens that are bound to a key (RFC 9449): the machine makes the key and every proof, whatever the step.
@Suite("Proof of possession")
struct ProofOfPossessionTests {
    private static let provider = ProviderText.standard.replacing(
        "client: {", with: "client: { dpop_bound_access_tokens: true,")

    private static let newKey = ScriptedEffect("new key", .key(Secret(TestKey.pem, kind: .other)))

    private static let authorize = [Scripts.authorize[0], Scripts.authorize[1], newKey, Scripts.authorize[2]]

    private static let demand = Answers.json(
        400, ["error": "use_dpop_nonce"], [HTTPField("DPoP-Nonce", "nonce-1")])

    private static func bound() throws -> InputEvent {
        Answers.tokens(["token_type": "DPoP", "id_token": .string(try TestKey.idToken())])
    }

    /// The claims of the proof that a request bears.
    private static func proof(_ request: EffectRequest) throws -> JSONObject {
        guard case .http(let exchange) = request.effect else { throw FixtureError(description: "no request") }
        let text = try #require(exchange.request.value("DPoP"))
        let jws = try JWS.split(text)
        return try #require(try JSON.parse(jws.payload).objectValue)
    }

    @Test(
        "the authorization names the key, the exchange proves it, UserInfo gets a proof for its token [rule 84]"
    )
    func signIn() async throws {
        let script =
            Self.authorize + [Scripts.callback(), ScriptedEffect("http token", try Self.bound())]
            + [try Scripts.keys(), Scripts.userinfo, Scripts.save, Scripts.goodEnd]
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: Self.provider), script)
        #expect(run.end == "done")
        guard case .present(let presentation) = run.performed[3].effect else {
            throw FixtureError(description: "nothing was presented")
        }
        let thumbprint = try DPoPKey(PrivateKey(pem: TestKey.pem)).thumbprint
        #expect(presentation.url.contains("dpop_jkt=\(thumbprint)"))
        let token = try Self.proof(run.performed[5])
        #expect(token["htm"] == "POST")
        #expect(token["htu"] == "https://p.example/token")
        #expect(token["ath"] == nil)
        let userinfo = try Self.proof(run.performed[7])
        #expect(
            userinfo["ath"]?.stringValue
                == DPoPProof.hash(of: Secret(Markers.accessToken, kind: .accessToken)))
        #expect(userinfo["jti"] != token["jti"])
        guard case .http(let exchange) = run.performed[7].effect else { return notFound() }
        #expect(exchange.request.value("Authorization") == "DPoP \(Markers.accessToken)")
        // The key is kept with the tokens, or they could never be used again.
        #expect(run.saved[0].contains("dpop_key"))
    }

    @Test(
        "a new key and its proofs are of an algorithm that the server names, ES256 where it may be (RFC 9449 §5.1)",
        arguments: [
            ("[RS256, ES256]", .ec(.p256), "ES256"), ("[HS256, EdDSA, RS256]", .ed25519, "EdDSA"),
            ("[Ed25519]", .ed25519, "Ed25519"), ("[PS256]", .rsa, "PS256"), ("[none]", .ec(.p256), "ES256"),
        ] as [(String, KeyType, String)])
    func algorithm(names: String, type: KeyType, expected: String) async throws {
        let key = Secret(try PrivateKey.generate(type).privatePEM(), kind: .other)
        var script = Self.authorize
        script[2] = ScriptedEffect("new key", .key(key))
        script += [Scripts.callback(), ScriptedEffect("http token", try Self.bound())]
        script += [try Scripts.keys(), Scripts.userinfo, Scripts.save, Scripts.goodEnd]
        let provider = Self.provider + "\ndpop_signing_alg_values_supported: \(names)\n"
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: provider), script)
        #expect(run.end == "done")
        guard case .newKey(type) = run.performed[2].effect else { return notFound() }
        guard case .http(let exchange) = run.performed[5].effect else { return notFound() }
        #expect(try JWS.split(try #require(exchange.request.value("DPoP"))).header.alg == expected)
    }

    @Test("a nonce that a server asks for is sent once, with a fresh proof of the same request [rule 84]")
    func nonce() async throws {
        let script =
            Self.authorize + [
                Scripts.callback(), ScriptedEffect("http token", Self.demand),
                ScriptedEffect("http token", try Self.bound()), try Scripts.keys(),
                ScriptedEffect(
                    "http userinfo",
                    Answers.json(
                        401, [:],
                        [
                            HTTPField("WWW-Authenticate", "dPoP error=\"use_dpop_nonce\""),
                            HTTPField("DPoP-Nonce", "nonce-2"),
                        ])), Scripts.userinfo, Scripts.save, Scripts.goodEnd,
            ]
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: Self.provider), script)
        #expect(run.end == "done")
        let (first, second) = (try Self.proof(run.performed[5]), try Self.proof(run.performed[6]))
        #expect(first["nonce"] == nil)
        #expect(second["nonce"] == "nonce-1")
        #expect(first["jti"] != second["jti"])
        #expect(try Self.proof(run.performed[9])["nonce"] == "nonce-2")
    }

    @Test("a server that asks a second time is not asked a third")
    func loop() async throws {
        let script =
            Self.authorize + [
                Scripts.callback(), ScriptedEffect("http token", Self.demand),
                ScriptedEffect("http token", Self.demand), Scripts.badEnd,
            ]
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: Self.provider), script)
        #expect(run.outcomes(of: "exchange") == ["rejected"])
        #expect(run.lastEnd(of: "exchange")?.error == "use_dpop_nonce")
    }

    @Test("a bearer token in the place of a bound one is refused")
    func downgrade() async throws {
        let script =
            Self.authorize + [
                Scripts.callback(), ScriptedEffect("http token", try Answers.signedIn()), Scripts.badEnd,
            ]
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: Self.provider), script)
        #expect(run.outcomes(of: "exchange") == ["insecure"])
        #expect(run.lastEnd(of: "exchange")?.error == "token_type")
    }

    @Test("a machine that makes no key asks for nothing")
    func noKey() async throws {
        let script = [
            Scripts.authorize[0], Scripts.authorize[1], ScriptedEffect("new key", .randomness([])),
            Scripts.badEnd,
        ]
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: Self.provider), script)
        #expect(run.outcome.end.error?.code == .randomness)
    }
}

extension HTTPRequest {
    func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}
