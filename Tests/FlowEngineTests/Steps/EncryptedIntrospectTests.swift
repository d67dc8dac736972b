import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Answers about tokens that the provider signs and then encrypts to the client's key (RFC 9701 §5 and §6).
@Suite("introspect, encrypted")
struct EncryptedIntrospectTests {
    private static let key = Result { () throws(KeyError) in try PrivateKey.generate(.ec(.p256)) }
    private static let provider = ProviderText.complete.replacing(
        "client: {",
        with: """
            client: { introspection_signed_response_alg: ES256, introspection_encrypted_response_alg: ECDH-ES+A256KW, \
            introspection_encrypted_response_enc: A256GCM,
            """)

    private static func signed(_ spoil: Bool = false) throws -> String {
        let claims: JSONObject = [
            "iss": "https://p.example", "aud": .string(Markers.clientID),
            "iat": .int(ManualClock.start / 1000),
            "token_introspection": ["active": true, "sub": "person-1"],
        ]
        let token = try TestKey.sign(
            claims, ["kid": .string(TestKey.kid), "typ": "token-introspection+jwt"])
        return spoil ? String(token.dropLast(8)) + "AAAAAAAA" : token
    }

    private static func encrypted(
        _ text: String, _ algorithm: KeyManagementAlgorithm = .ecdhESA256KW, to key: PublicKey? = nil
    ) throws -> String {
        try JWE.encrypt(
            Array(text.utf8), header: ["cty": "JWT"], to: key ?? Self.key.get().publicKey,
            algorithm: algorithm, encryption: .a256GCM)
    }

    static func cases() throws -> [Case] {
        let stranger = try PrivateKey.generate(.ec(.p256)).publicKey
        let claims = #"{"iss":"https://p.example","token_introspection":{"active":true}}"#
        return [
            Case("signed, then encrypted", text(try encrypted(signed())), "ok"),
            Case("signed only", text(try signed()), "signature_invalid", error: "encryption"),
            Case("encrypted only", text(try encrypted(claims)), "signature_invalid", error: "nested-jws"),
            Case(
                "a broken signature within", text(try encrypted(signed(true))), "signature_invalid",
                error: "signature"),
            Case(
                "for another key", text(try encrypted(signed(), to: stranger)), "signature_invalid",
                error: "decryption"),
            Case(
                "by another algorithm", text(try encrypted(signed(), .ecdhES)), "signature_invalid",
                error: "jwe-alg"),
            Case(
                "neither", Answers.json(200, ["active": true]), "signature_invalid",
                error: "introspection-signed"),
        ]
    }

    private static func text(_ token: String) -> InputEvent {
        .answered(
            HTTPResponse(
                status: 200, fields: [HTTPField("Content-Type", "application/token-introspection+jwt")],
                body: Array(token.utf8)),
            ExchangeTiming(total: 12))
    }

    @Test(
        "takes nothing but what is signed for this client and encrypted to it [rule 158]",
        arguments: try cases())
    func outcomes(_ given: Case) async throws {
        let flow = FlowTexts.stored("{ do: introspect, next: done }")
        let plan = try Compiled.plan(
            flow, provider: Self.provider, privateKey: Self.key.get().privatePEM())
        let run = await Conversation.run(
            plan,
            [
                Scripts.load(), ScriptedEffect("http introspection", given.event),
                try Scripts.keys(isForced: true),
            ])
        #expect(run.outcomes(of: "work") == [given.outcome])
        if let error = given.error { #expect(run.lastEnd(of: "work")?.error == error) }
    }
}
