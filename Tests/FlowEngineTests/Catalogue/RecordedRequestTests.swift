import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// What is sent to 191 providers, beside what another client was recorded sending.
@Suite("Recorded requests")
struct RecordedRequestTests {
    @Test("ours are the same, or differ by name", arguments: try RecordedScenario.all())
    func same(_ scenario: RecordedScenario) async throws {
        let ours = try await Self.ours(scenario)
        var expected = Exchange(recordingOf: scenario)
        for rule in RecordedDifference.all where rule.providers.contains(scenario.provider) {
            rule.apply(&expected, scenario)
        }
        #expect(ours.authorization == expected.authorization)
        #expect(ours.token == expected.token)
        #expect(ours.userinfo == expected.userinfo)
    }

    @Test("no difference is listed that is none", arguments: RecordedDifference.all.map(\.reason))
    func used(_ reason: String) throws {
        let rule = try #require(RecordedDifference.all.first { $0.reason == reason })
        let scenarios = try RecordedScenario.all()
        for provider in rule.providers.sorted() {
            let isUsed = scenarios.filter { $0.provider == provider }.contains { scenario in
                let before = Exchange(recordingOf: scenario)
                var after = before
                rule.apply(&after, scenario)
                return after != before
            }
            #expect(isUsed, "\(provider) needs no rule that says: \(reason)")
        }
    }

    /// The three requests of a sign-in, with what is random replaced.
    struct Exchange: Equatable {
        var authorization: Wire
        var token: Wire
        var userinfo: Wire?

        init(authorization: Wire, token: Wire, userinfo: Wire?) {
            self.authorization = authorization
            self.token = token
            self.userinfo = userinfo
        }

        init(recordingOf scenario: RecordedScenario) {
            authorization = Wire(url: scenario.authorize)
            authorization[query: "redirect_uri"] = scenario.redirectURI
            token = scenario.token.wire
            if token[body: "redirect_uri"] != nil { token[body: "redirect_uri"] = scenario.redirectURI }
            if token[query: "redirect_uri"] != nil { token[query: "redirect_uri"] = scenario.redirectURI }
            userinfo = scenario.userinfo?.wire
            hideRandom()
        }

        mutating func hideRandom() {
            for name in ["state", "nonce", "code_challenge"] where authorization[query: name] != nil {
                authorization[query: name] = "random"
            }
            if token[body: "client_secret"]?.hasPrefix("eyJ") == true {
                token[body: "client_secret"] = "made"
            }
            if token[body: "state"] != nil { token[body: "state"] = "random" }
            if token[body: "code_verifier"] != nil { token[body: "code_verifier"] = "random" }
            if token[query: "code_verifier"] != nil { token[query: "code_verifier"] = "random" }
        }
    }

    // MARK: Our side

    private static func ours(_ scenario: RecordedScenario) async throws -> Exchange {
        let provider = try CatalogueRun.bind(scenario.descriptor, client(scenario))
        let run = try await CatalogueRun.signIn(
            provider, flow: flow(scenario), answers: answers(scenario, issuer: provider.declared.issuer))
        var exchange = Exchange(
            authorization: run.authorization, token: try run.sent(.token),
            userinfo: scenario.userinfo == nil ? nil : run.world.sent.first { $0.purpose == .userinfo }?.wire)
        let verifier = exchange.token[body: "code_verifier"] ?? exchange.token[query: "code_verifier"]
        if let verifier {
            let challenge = exchange.authorization[query: "code_challenge"].map(ParameterValue.text)
            let method = provider.descriptor.authorization.challengeMethod
            let proof = PKCE(verifier: Secret(verifier, kind: .codeVerifier), method: method)
            #expect(challenge == proof.challenge)
        }
        if !scenario.wantsPKCE { exchange.dropProofKey() }
        exchange.takeStateOutOfRedirect()
        exchange.dropAccept()
        exchange.hideRandom()
        return exchange
    }

    private static func client(_ scenario: RecordedScenario) -> CatalogueRun.Client {
        var client = CatalogueRun.Client(id: scenario.clientID, secret: scenario.clientSecret)
        client.variables["private_key"] = TestKey.pem
        if let subdomain = scenario.subdomain {
            for name in ["subdomain", "host", "shop", "account"] { client.variables[name] = subdomain }
            client.variables["domain"] = "\(subdomain).auth0.com"
        }
        if scenario.provider == "uber" { client.variables["subdomain"] = "api" }
        client.variables["api_key"] = scenario.parameters.first { $0.name == "api_key" }?.value
        let own = scenario.parameters.map(\.name)
        client.changes = """
            authorization:
              \(scenario.scopes.isEmpty ? "scope: []" : "scope: [unused]")
              nonce: \(scenario.wantsNonce ? "required" : "off")
              allow_params: [\(own.joined(separator: ", "))]
            id_token: { required: false }

            """
        return client
    }

    private static func flow(_ scenario: RecordedScenario) -> String {
        let scopes = scenario.scopes.map { "'\($0)'" }.joined(separator: ", ")
        let extra = scenario.parameters.filter { $0.name != "api_key" }.map { "\($0.name): \($0.value)" }
        let parts = [
            scopes.isEmpty ? nil : "scopes: \"${[\(scopes)]}\"",
            extra.isEmpty ? nil : "extra: { \(extra.joined(separator: ", ")) }",
        ]
        let with = parts.compactMap(\.self).joined(separator: ", ")
        return FlowTexts.signIn(["authorize": "{ with: { \(with) }, next: callback }"])
    }

    private static func answers(_ scenario: RecordedScenario, issuer: String?) -> CatalogueWorld.Answers {
        var answers = CatalogueWorld.Answers()
        let response = CatalogueWorld.text(scenario.tokenResponse, "application/json")
        answers.token = { _ in response }
        answers.callback = [("code", scenario.code)]
        if scenario.provider == "echosign" {
            answers.callback.append(("api_access_point", "https://api.na1.adobesign.com/"))
        }
        answers.redirectURI = scenario.redirectURI
        let secret = scenario.clientSecret
        if scenario.provider == "shopify" { answers.seal = { ShopSignature.seal($0, secret: secret) } }
        answers.metadata = [
            "issuer": .string(issuer ?? ""),
            "authorization_endpoint": .string(Wire(url: scenario.authorize).endpoint),
            "token_endpoint": .string(scenario.token.wire.endpoint),
            "jwks_uri": "https://client.example/keys",
        ]
        answers.metadata["userinfo_endpoint"] = scenario.userinfo.map { .string($0.wire.endpoint) }
        return answers
    }
}

extension RecordedRequestTests.Exchange {
    /// Our own protection where the recording has none.
    fileprivate mutating func dropProofKey() {
        authorization[query: "code_challenge"] = nil
        authorization[query: "code_challenge_method"] = nil
        token[body: "code_verifier"] = nil
        token[query: "code_verifier"] = nil
    }

    /// The random part of a redirect URI that bears the state.
    fileprivate mutating func takeStateOutOfRedirect() {
        for part in [\Self.authorization.query, \Self.token.body] {
            for index in self[keyPath: part].indices where self[keyPath: part][index].name == "redirect_uri" {
                let whole = self[keyPath: part][index].value
                guard let mark = whole.firstRange(of: "state=") else { continue }
                self[keyPath: part][index].value = String(whole[..<mark.lowerBound].dropLast())
            }
        }
    }

    /// We say that we read JSON and who we are, and that nobody may keep an answer to a URL with a token in it
    /// (RFC 6750 §2.3), which that client does not.
    fileprivate mutating func dropAccept() {
        for name in ["accept", "user-agent", "cache-control"] {
            token.headers[name] = nil
            userinfo?.headers[name] = nil
        }
    }
}

/// The signature of the callbacks of one provider, as its documentation describes it.
enum ShopSignature {
    static func seal(
        _ parameters: [(name: String, value: String)], secret: String, time: Int64 = ManualClock.start / 1000
    ) -> [(name: String, value: String)] {
        let all = parameters + [("shop", "acme.myshopify.com"), ("timestamp", String(time))]
        return all + [("hmac", signature(all, secret))]
    }

    /// For Shopline, which has names of its own for the state and the signature.
    static func sealLine(
        _ parameters: [(name: String, value: String)], secret: String
    ) -> [(name: String, value: String)] {
        let all = parameters.map { (name: $0.name == "state" ? "customField" : $0.name, value: $0.value) }
        return all + [("sign", signature(all, secret))]
    }

    private static func signature(_ parameters: [(name: String, value: String)], _ secret: String) -> String {
        let message = parameters.sorted { $0.name < $1.name }.map { "\($0.name)=\($0.value)" }
            .joined(separator: "&")
        return Hexadecimal.encode(
            HMAC.authenticate(Array(message.utf8), key: Array(secret.utf8), .sha256))
    }
}
