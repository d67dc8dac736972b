import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("Requests that are encrypted to the provider (RFC 9101, OpenID Connect Core §10.2)")
struct EncryptedRequestTests {
    private static let own = Result { () throws(KeyError) in try PrivateKey.generate(.x25519) }
    private static let registered = RegisteredEncryption(.ecdhESA256KW, .a256GCM)

    private static func provider(extra: String = "") -> String {
        ProviderText.make(extra: extra).replacing(
            "client: {",
            with:
                "client: { request_object_signing_alg: ES256, request_object_encryption_alg: ECDH-ES+A256KW, "
                + "request_object_encryption_enc: A256GCM,")
    }

    /// What the provider publishes: a key to verify with and one to encrypt to.
    private static func keys() throws -> JSONObject {
        let signing = try TestKey.set().objectValue?["keys"]?.arrayValue ?? []
        return [
            "keys": .array(signing + [try own.get().publicJWK(kid: "enc-1", encryptingBy: .ecdhESA256KW)])
        ]
    }

    private static func fetched() throws -> [ScriptedEffect] {
        [ScriptedEffect("http jwks", Answers.json(200, try keys())), ScriptedEffect("keep keys")]
    }

    private func run(
        _ between: [ScriptedEffect], provider: String = provider(), good: Bool = true
    ) async throws -> Conversation {
        let rest = good ? [Scripts.authorize[2]] + (try Scripts.signIn()).dropFirst(3) : [Scripts.badEnd]
        return await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: provider, privateKey: TestKey.pem),
            [Scripts.authorize[0], Scripts.authorize[1]] + between + rest)
    }

    private func object(_ run: Conversation) throws -> JSONObject {
        for request in run.performed {
            guard case .present(let presentation) = request.effect else { continue }
            let parameters = presentation.plan.query
            #expect(
                parameters.map(\.name) == ["client_id", "response_type", "redirect_uri", "scope", "request"])
            guard case .secret(let secret)? = parameters.last?.value else { break }
            let jwe = try JWE.split(secret.reveal())
            #expect(jwe.header.kid == "enc-1")
            #expect(jwe.header.cty == "JWT")
            let opened = try JWE.decrypt(
                jwe, keys: [DecryptionKey(try Self.own.get(), kid: "enc-1")],
                algorithm: Self.registered.algorithm, encryption: Self.registered.encryption)
            let inner = try JWS.split(String(decoding: opened.plaintext, as: UTF8.self))
            #expect(inner.header.typ == RequestObject.type)
            return try #require(try JSON.parse(inner.payload).objectValue)
        }
        throw FixtureError(description: "no request object was presented")
    }

    @Test("the signed object is encrypted to the published key, kept or fetched")
    func encrypted() async throws {
        let kept = ScriptedEffect(
            "recall keys",
            .keys(
                try JWKSet.parse(.object(try Self.keys())),
                DocumentOrigin(url: "", fetchedAt: ManualClock.start)))
        let nothing = ScriptedEffect("recall keys", .nothingKept)
        for between in [
            [kept], [nothing] + (try Self.fetched()), [try Scripts.keys()] + (try Self.fetched()),
        ] {
            let run = try await run(between)
            #expect(run.end == "done")
            let claims = try object(run)
            #expect(claims["state"]?.stringValue == Markers.state)
            #expect(claims["aud"]?.stringValue == "https://p.example")
        }
    }

    @Test("without such a key, or without an answer, nothing is presented")
    func noKey() async throws {
        let nothing = ScriptedEffect("recall keys", .nothingKept)
        let others: [ScriptedEffect] = [
            ScriptedEffect("http jwks", Answers.json(200, try TestKey.set().objectValue ?? [:])),
            ScriptedEffect("keep keys"),
        ]
        let cases: [([ScriptedEffect], String, String?)] = [
            ([nothing] + others, "unsupported", "encryption_key"),
            ([try Scripts.keys()] + others, "unsupported", "encryption_key"),
            ([nothing, ScriptedEffect("http jwks", Answers.text(503, ""))], "server_error", nil),
            ([nothing, ScriptedEffect("http jwks", Answers.text(404, ""))], "unsupported", nil),
            ([nothing, ScriptedEffect("http jwks", Answers.text(200, "<html>"))], "malformed", nil),
        ]
        for (between, outcome, error) in cases {
            let run = try await run(between, good: false)
            #expect(run.outcomes(of: "authorize") == [outcome])
            if let error { #expect(run.lastEnd(of: "authorize")?.error == error) }
        }
    }

    @Test("a pushed object comes with nothing but what proves the client (RFC 9126 §3)")
    func pushed() async throws {
        let pushed = ScriptedEffect(
            "http pushed_authorization", Answers.json(201, ["request_uri": "urn:x", "expires_in": 60]))
        let run = try await run(
            [ScriptedEffect("recall keys", .nothingKept)] + (try Self.fetched()) + [pushed],
            provider: Self.provider(extra: "pushed_authorization_request_endpoint: https://p.example/par\n"))
        #expect(run.end == "done")
        let bodies = run.performed.compactMap { request -> [String]? in
            guard case .http(let exchange) = request.effect, exchange.purpose == .pushedAuthorization else {
                return nil
            }
            return exchange.request.body.flatMap { FormBody.parse($0) }?.map(\.name)
        }
        #expect(bodies == [["client_id", "request"]], "the client proves itself with Basic")
    }

    @Test("a dry run fetches the keys and says what would be done, and encrypts nothing")
    func rehearsal() async throws {
        let bound = try Compiled.provider(Self.provider(), isRehearsal: true)
        let plan = try Compiled.rehearsal(Compiled.program(FlowTexts.signIn()), bound)
        let recorder = EventRecorder()
        let outcome = await FlowRun(
            plan: plan, handler: PlannedEffects(assumptions: []), sinks: [recorder]
        ).run()
        #expect(outcome.end.name == "done")
        #expect(recorder.events.requests.prefix(2).map(\.purpose) == ["jwks", "authorization"])
        #expect(
            recorder.events.notes.contains(
                "the request would be encrypted to the provider's key: ECDH-ES+A256KW with A256GCM"))
    }
}
