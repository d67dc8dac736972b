import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Interfaces that want every request signed over its sorted parameters.
@Suite("Signatures over parameters")
struct SignedParameterTests {
    private static let rsaKey = Result { () throws(KeyError) in try PrivateKey.generate(.rsa) }

    private static func provider(_ token: String) -> String {
        ProviderText.plain.replacing(
            "token:\n",
            with: """
                variables: { private_key: { secret: true, required: false } }
                token:
                \(token)

                """)
    }

    private func plan(_ provider: String, _ key: String?) throws -> RunPlan {
        try Compiled.plan(
            FlowTexts.signIn(),
            bound: Compiled.provider(provider, variables: key.map { ["private_key": $0] } ?? [:]))
    }

    private func sent(_ provider: String, key: String? = nil) async throws -> (
        request: HTTPRequest, run: Conversation
    ) {
        let script =
            Scripts.authorize + [
                Scripts.callback([("iss", "https://q.example")]),
                try Scripts.exchange(Answers.tokens(["refresh_token": .null, "scope": .null])),
                ScriptedEffect("http userinfo", Answers.json(200, ["id": 7, "email": "a@q.example"])),
                Scripts.save, Scripts.goodEnd,
            ]
        let run = await Conversation.run(try plan(provider, key), script)
        #expect(run.end == "done")
        let found = run.performed.lazy.compactMap { request -> HTTPExchange? in
            if case .http(let exchange) = request.effect, request.name == "http token" {
                exchange
            } else {
                nil
            }
        }.first
        return (try #require(found).request, run)
    }

    private func form(_ request: HTTPRequest) throws -> [(name: String, value: String)] {
        try #require(FormBody.parse(request.body ?? []))
    }

    /// `name=value` of all but the signature, sorted, as the receiver makes it.
    private func text(
        _ items: [(name: String, value: String)], _ sign: String, _ separator: String
    ) -> String {
        items.filter { $0.name != "sign" && !$0.value.isEmpty }.sorted { $0.name < $1.name }
            .map { $0.name + sign + $0.value }.joined(separator: separator)
    }

    @Test("an RSA key signs over body and query, as sorted pairs before encoding", arguments: [true, false])
    func rsa(isArmored: Bool) async throws {
        let key = try Self.rsaKey.get()
        let pem = try key.privatePEM()
        let digits = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        let provider = Self.provider(
            """
              body_format: form
              omit: [client_id, client_secret, redirect_uri, code_verifier]
              params:
                app_id: "${client.id}"
                method: system.oauth.token
                sign_type: RSA2
                timestamp: "${prefix(replace(string(time(now + 28800)) ?? '', 'T', ' '), 19)}"
                sign: "${base64(rsa_sha256(vars.private_key, pairs(parameters, '=', '&')))}"
              query: { charset: utf-8 }
            """)
        let (request, _) = try await sent(provider, key: isArmored ? pem : digits)
        #expect(request.url == "https://q.example/token?charset=utf-8")
        let items = try form(request)
        #expect(items.last?.name == "sign")
        #expect(items.first { $0.name == "timestamp" }?.value.count == 19)
        let message = text(items + [("charset", "utf-8")], "=", "&")
        #expect(message.contains("code=\(Markers.code)"))
        let signature = try #require(Base64.decode(items.last?.value ?? ""))
        let keys = try JWKSet.parse(["keys": [key.publicJWK(kid: "k", alg: .rs256)]])
        #expect(
            keys.keys.contains {
                $0.key.verify(signature: signature, of: message.utf8, algorithm: .rs256)
            })
    }

    @Test("a key that signs nothing ends the run before anything is sent")
    func badKey() async throws {
        let provider = Self.provider(
            """
              params: { sign: "${base64(rsa_sha256(vars.private_key, pairs(parameters, '=', '&')))}" }
            """)
        let script =
            Scripts.authorize + [
                Scripts.callback([("iss", "https://q.example")]), ScriptedEffect("conclude badly"),
            ]
        let run = await Conversation.run(try plan(provider, "bm8ga2V5"), script)
        #expect(run.outcome.end.error?.code == .clientKey)
    }

    static let digests: [(expression: String, expected: @Sendable (String) -> [UInt8])] = [
        (
            "hmac_sha256(client.secret, join(['/auth/token/create', pairs(parameters, '', '')], ''))",
            { HMAC.sha256(key: Markers.clientSecret.utf8, message: "/auth/token/create\($0)".utf8) }
        ),
        (
            "md5(join([client.secret, pairs(parameters, '', ''), client.secret], ''))",
            { Digest.md5("\(Markers.clientSecret)\($0)\(Markers.clientSecret)".utf8) ?? [] }
        ),
    ]

    @Test("a secret signs over them too, by the digest that is asked for", arguments: digests.indices)
    func digest(row: Int) async throws {
        let (expression, expected) = Self.digests[row]
        let provider = Self.provider(
            """
              method: GET
              body_format: query
              omit: [client_secret, redirect_uri, code_verifier, grant_type]
              rename: { client_id: app_key }
              params: { timestamp: "${now_ms}" }
              query: { sign: "${upper(hex(\(expression)))}" }
            """)
        let (request, _) = try await sent(provider)
        #expect(request.method == .get)
        let query = String(try #require(request.url.split(separator: "?").last))
        let items = try #require(QueryItems.parse(query))
        #expect(items.map(\.name).sorted() == ["app_key", "code", "sign", "timestamp"])
        let sign = items.first { $0.name == "sign" }?.value
        #expect(sign == Hexadecimal.encode(expected(text(items, "", ""))).uppercased())
    }

    @Test(
        "a dry run shows where the signature stands, without a key",
        arguments: [
            "upper(hex(md5(pairs(parameters, '', ''))))",
            "base64(rsa_sha256(vars.private_key, pairs(parameters, '=', '&')))",
        ])
    func rehearsal(expression: String) async throws {
        let provider = Self.provider("  params: { sign: \"${\(expression)}\" }\n")
        let bound = try Compiled.provider(provider, isRehearsal: true)
        let flow = FlowTexts.signIn()
        let plan = try Compiled.rehearsal(Compiled.program(flow), bound)
        let effects = PlannedEffects(assumptions: [])
        let outcome = await FlowRun(plan: plan, handler: effects, sinks: []).run()
        #expect(outcome.end.name == "done")
        let token = try #require(effects.requests.first { $0.step == "exchange" })
        #expect(token.plan.body.last?.name == "sign")
    }
}
