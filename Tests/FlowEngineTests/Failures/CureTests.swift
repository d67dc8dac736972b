import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Failures whose texts name the key of the provider file that cures them.
@Suite("Cures for failures")
struct CureTests {
    private func fixes(_ run: Conversation) -> String {
        (run.outcome.failure(.english)?.text.fixes ?? []).joined(separator: "\n")
    }

    @Test("an ID token by the client secret names the key that says so")
    func secretSignature() async throws {
        let parts = try TestKey.idToken().split(separator: ".")
        let header = Base64URL.encode(Array(#"{"alg":"HS256"}"#.utf8))
        let answer = Answers.tokens(["id_token": .string("\(header).\(parts[1]).\(parts[2])")])
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn()),
            try Scripts.untilTokens(answer) + [try Scripts.keys(), Scripts.badEnd])
        #expect(run.outcomes(of: "verify") == ["signature_invalid"])
        #expect(fixes(run).contains("client.id_token_signed_response_alg"))
        #expect(fixes(run).contains("HS256"))
    }

    @Test("an ID token that is encrypted unawaited names the keys that await it")
    func encrypted() async throws {
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn()),
            try Scripts.untilTokens(Answers.tokens(["id_token": "a.b.c.d.e"]))
                + [try Scripts.keys(), Scripts.badEnd])
        #expect(run.outcomes(of: "verify") == ["signature_invalid"])
        #expect(fixes(run).contains("say so by the encrypted_response members of client"))
    }

    @Test("a token that is called inactive may be one that the client may not ask about")
    func inactive() async throws {
        let answer = ScriptedEffect("http introspection", Answers.json(200, ["active": false]))
        let run = await Conversation.run(
            try Compiled.plan(
                FlowTexts.stored("{ do: introspect, next: { ok: done, inactive: failed } }"),
                provider: ProviderText.complete),
            [Scripts.load(), answer])
        #expect(run.outcomes(of: "work") == ["inactive"])
        #expect(fixes(run).contains("allow the client to introspect"))
    }

    @Test("an ID token that lost its nonce names the key for providers that return none")
    func lostNonce() async throws {
        let token = try TestKey.idToken(nonce: nil)
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn()),
            try Scripts.untilTokens(Answers.tokens(["id_token": .string(token)]))
                + [try Scripts.keys(), Scripts.badEnd])
        #expect(run.outcomes(of: "verify") == ["nonce_mismatch"])
        #expect(fixes(run).contains("id_token.nonce: when_present"))
    }

    @Test("a signed UserInfo answer that nobody asked for names the key that asks for it")
    func signedUserInfo() async throws {
        let jwt = Answers.text(200, "a.b.c", [HTTPField("Content-Type", "application/jwt")])
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.ask()), [Scripts.load(), ScriptedEffect("http userinfo", jwt)])
        #expect(run.lastEnd(of: "userinfo")?.error == "userinfo-content-type")
        #expect(fixes(run).contains("client.userinfo_signed_response_alg"))
    }

    @Test("metadata with a placeholder for its issuer names issuer_aliases")
    func placeholder() async throws {
        let answer = Answers.metadata(["issuer": "https://p.example/{tenantid}"])
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: ProviderText.discovered),
            [
                ScriptedEffect("recall metadata", .nothingKept), ScriptedEffect("http discovery", answer),
            ])
        #expect(run.outcomes(of: "authorize") == ["metadata_untrusted"])
        #expect(fixes(run).contains("issuer_aliases"))
        #expect(fixes(run).contains("id_token.issuer"))
    }

    @Test("metadata that is nowhere is told with every address that was asked")
    func missingMetadata() async throws {
        let missing = ScriptedEffect("http discovery", Answers.text(404, ""))
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: ProviderText.located),
            [ScriptedEffect("recall metadata", .nothingKept), missing, missing])
        #expect(run.outcomes(of: "authorize") == ["unsupported"])
        #expect(run.lastEnd(of: "authorize")?.error == "metadata_missing")
        #expect(
            run.lastEnd(of: "authorize")?.description
                == "there is nothing at https://p.example/.well-known/openid-configuration, nor at "
                + "https://p.example/.well-known/oauth-authorization-server")
        #expect(fixes(run).contains("server_metadata_url"))
        #expect(
            run.outcome.failure(.english)?.text.headline
                == "there is no metadata at the place the issuer says")
    }
}
