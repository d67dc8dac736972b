import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Authorization responses that the provider signs and then encrypts to the client's key (JARM §2.2).
@Suite("Encrypted authorization responses")
struct EncryptedAuthorizationTests {
    private static let key = Result { () throws(KeyError) in try PrivateKey.generate(.ec(.p256)) }
    private static let provider = ProviderText.standard
        .replacing(
            "client: {",
            with: """
                client: { authorization_signed_response_alg: ES256, \
                authorization_encrypted_response_alg: ECDH-ES+A256KW, authorization_encrypted_response_enc: A256GCM,
                """
        )
        .replacing("authorization: {", with: "authorization: { response_mode: jwt,")

    private static func signed(state: String = Markers.state) throws -> String {
        let claims: JSONObject = [
            "iss": "https://p.example", "aud": .string(Markers.clientID),
            "exp": .int(ManualClock.start / 1000 + 600), "code": .string(Markers.code),
            "state": .string(state),
        ]
        return try TestKey.sign(claims, ["kid": .string(TestKey.kid)])
    }

    private static func encrypted(_ text: String, to key: PublicKey? = nil) throws -> String {
        try JWE.encrypt(
            Array(text.utf8), header: ["cty": "JWT"], to: key ?? Self.key.get().publicKey,
            algorithm: .ecdhESA256KW, encryption: .a256GCM)
    }

    private func run(_ token: String, _ rest: [ScriptedEffect]) async throws -> Conversation {
        let answer = InputEvent.callback([("response", token)], channel: "loopback")
        return await Conversation.run(
            try Compiled.plan(
                FlowTexts.signIn(), provider: Self.provider, privateKey: Self.key.get().privatePEM()),
            Scripts.authorize + [
                ScriptedEffect("await callback", answer), try Scripts.keys(isForced: true),
            ] + rest)
    }

    @Test("one that is signed within is taken like any other [rule 72]")
    func taken() async throws {
        let rest = [
            try Scripts.exchange(), try Scripts.keys(), Scripts.userinfo, Scripts.save, Scripts.goodEnd,
        ]
        let run = try await run(try Self.encrypted(try Self.signed()), rest)
        #expect(run.end == "done")
    }

    @Test("whoever waits for it opens it to find its state, and passes by what is not for this run [rule 55]")
    func state() async throws {
        let run = try await run(try Self.encrypted("{}"), [Scripts.badEnd])
        let shown = run.performed.compactMap { request in
            if case .present(let presentation) = request.effect { presentation } else { nil }
        }
        let presentation = try #require(shown.first)
        func states(_ token: String) -> [String] {
            presentation.dialect.states(in: [("response", token)], seal: presentation.seal)
        }
        #expect(states(try Self.encrypted(try Self.signed())) == [Markers.state])
        #expect(states(try Self.encrypted(try Self.signed(state: "other"))) == ["other"])
        let stranger = try PrivateKey.generate(.ec(.p256)).publicKey
        #expect(states(try Self.encrypted(try Self.signed(), to: stranger)) == [])
        #expect(states(try Self.signed()) == [])
        #expect(states("a.b.c.d.e") == [])
    }

    static func cases() throws -> [Case] {
        let stranger = try PrivateKey.generate(.ec(.p256)).publicKey
        func event(_ token: String) -> InputEvent { .callback([("response", token)], channel: "loopback") }
        let spoilt = String(try signed().dropLast(8)) + "AAAAAAAA"
        return [
            Case("signed only", event(try signed()), "signature_invalid", error: "encryption"),
            Case(
                "encrypted only", event(try encrypted("{\"code\":\"x\"}")), "signature_invalid",
                error: "nested-jws"),
            Case(
                "a broken signature within", event(try encrypted(spoilt)), "signature_invalid",
                error: "signature"),
            Case(
                "for another key", event(try encrypted(try signed(), to: stranger)), "signature_invalid",
                error: "decryption"),
        ]
    }

    @Test("one that is not both is refused [rule 72]", arguments: try cases())
    func refused(_ given: Case) async throws {
        guard case .callback(let parameters, _) = given.event else { return notFound() }
        let run = try await run(parameters[0].value, [Scripts.badEnd])
        #expect(run.outcomes(of: "callback") == [given.outcome])
        #expect(run.lastEnd(of: "callback")?.error == given.error)
        #expect(run.outcome.exitStatus == 7)
    }
}
