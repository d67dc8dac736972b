import FlowLanguage
import Testing
import YAMLText

/// Rules of the security page about what a descriptor may say.
@Suite("Security rules of descriptors")
struct SecurityRuleTests {
    /// A plain descriptor of this issuer.
    private func read(issuer: String) -> [String] {
        let text = "provider: p\nprotocol: oidc\nissuer: \(issuer)\n"
        return ProviderReader.read(SourceFile(path: "x/p.yaml", text: text)).diagnostics.map {
            "\($0.code): \($0.message)"
        }
    }

    @Test(
        "an issuer is an absolute https URL without query and fragment [rule 1]",
        arguments: [
            (
                "https://p.example/a?b=c",
                "FL016: \"https://p.example/a?b=c\" has a query, which no issuer may have"
            ),
            ("https://p.example/#a", "FL016: \"https://p.example/#a\" has a fragment"),
            ("http://p.example", "FL067: \"http://p.example\" is not https"),
            ("http://127.1", "FL016: \"http://127.1\" has no valid host"),
            ("p.example", "FL016: \"p.example\" is not an absolute URL"),
            (
                "https://p.example/.well-known/openid-configuration",
                "FL016: \"https://p.example/.well-known/openid-configuration\" is where metadata is published, "
                    + "not who publishes it"
            ),
        ])
    func issuer(text: String, report: String) {
        #expect(read(issuer: "\"\(text)\"") == [report])
    }

    @Test("http is only for an issuer on this machine that is written out [rule 1]")
    func loopbackIssuer() {
        #expect(read(issuer: "http://127.0.0.1:8080") == [])
        #expect(read(issuer: "\"http://[::1]:8080/a\"") == [])
    }

    @Test("a variable cannot give the issuer a query [rule 1]")
    func boundIssuer() throws {
        let text = """
            provider: p
            protocol: oidc
            variables: {tenant: {}}
            issuer: https://p.example/${vars.tenant}

            """
        let descriptor = try #require(
            ProviderReader.read(SourceFile(path: "x/p.yaml", text: text)).descriptor)
        #expect(throws: Never.self) { try descriptor.bind(variables: ["tenant": "a"]) }
        let error = #expect(throws: (any Error).self) { try descriptor.bind(variables: ["tenant": "a?b"]) }
        #expect("\(String(describing: error))".contains("has a query, which no issuer may have"))
    }

    @Test(
        "a key that is misspelt is an error, not a check that is silently off [rule 2]",
        arguments: [
            ("verify_nonce: true", "FL010 4:1: unknown key \"verify_nonce\" in provider"),
            (
                "id_token: {nonces: off}",
                "FL010 4:12: unknown key \"nonces\" in \"id_token\"; did you mean \"nonce\"?"
            ),
            (
                "authorization: {pkce: {modes: off}}",
                "FL010 4:24: unknown key \"modes\" in \"pkce\"; did you mean \"mode\"?"
            ),
        ])
    func unknownKey(lines: String, report: String) {
        #expect(DescriptorFixture.read(lines).report == [report])
    }

    @Test(
        "what leaves out state, nonce, PKCE or a signature is refused, and so are keys that would [rule 3]",
        arguments: [
            ("authorization: {omit: [state]}", "FL068"), ("authorization: {omit: [nonce]}", "FL068"),
            ("authorization: {omit: [code_challenge]}", "FL068"),
            ("authorization: {state: {mode: off}}", "FL068"),
            ("authorization: {pkce: {method: none}}", "FL016"),
            ("authorization: {pkce: {mode: required, method: plain}, state: {mode: off}}", "FL068"),
            ("client: {id_token_signed_response_alg: none}", "FL068"),
            ("authorization: {params: {state: x}}", "FL058"),
            ("token: {query: {code_challenge: x}}", "FL058"),
            ("id_token: {signature: off}", "FL010"), ("id_token: {verify: false}", "FL010"),
            ("tls: {verify: false}", "FL010"), ("insecure: true", "FL010"),
        ])
    func relaxation(lines: String, code: String) {
        let (descriptor, report) = DescriptorFixture.read(lines)
        #expect(descriptor == nil)
        #expect(report.map { $0.prefix(5) } == [code[...]])
    }

    @Test(
        "response types that bring tokens through the browser are refused [rule 6]",
        arguments: [
            "token", "id_token", "none", "code token", "id_token token", "code id_token token",
        ])
    func responseType(type: String) {
        #expect(
            DescriptorFixture.read("authorization: {response_type: \(type)}").report == [
                "FL068 4:32: \"\(type)\" is not the code flow, the only one spoken here (RFC 9700 §2.1.2)"
            ])
        let flow = FlowText.login.replacing(
            "authorize: {", with: "authorize: { with: { response_type: \"\(type)\" },")
        #expect(FlowText.codes(flow) == ["FL068"])
    }

    @Test("an ID token may come beside the code, in a form that reaches a listener [rule 6]")
    func hybrid() {
        let read = { (lines: String) in DescriptorFixture.read("authorization: {\(lines)}").report }
        let type = "response_type: code id_token"
        #expect(read("\(type), response_mode: form_post") == [])
        #expect(read("\(type), response_mode: form_post.jwt") == [])
        let fragment =
            "the answer to \"code id_token\" comes in a fragment unless it is asked for otherwise, and a fragment never "
            + "leaves the browser"
        #expect(read(type) == ["FL068 4:32: \(fragment)"])
        #expect(read("\(type), response_mode: jwt") == ["FL068 4:62: \(fragment)"])
        #expect(
            read("\(type), response_mode: fragment") == [
                "FL068 4:62: a fragment never leaves the browser, so no listener can read the answer"
            ])
        #expect(read("\(type), response_mode: query").map { $0.prefix(10) } == ["FL105 4:62"])
        #expect(
            read("response_type: id_token code, response_mode: form_post") == [
                "FL068 4:32: the name of the hybrid flow is \"code id_token\""
            ])
    }

    @Test("what an ID token beside the code is checked by cannot be turned off [rule 6]")
    func hybridChecks() {
        let hybrid = "response_type: code id_token, response_mode: form_post"
        #expect(
            DescriptorFixture.read("authorization: {\(hybrid), nonce: off}").report == [
                "FL068 4:80: only a nonce binds the ID token of the answer to the request (OpenID Connect Core "
                    + "§3.3.2.11)"
            ])
        #expect(
            DescriptorFixture.read("authorization: {\(hybrid)}\nid_token: {ignore: true}").report == [
                "FL068 5:20: the ID token is asked for beside the code and cannot be ignored"
            ])
        let plain = "provider: p\nprotocol: oauth2\nauthorization: {\(hybrid)}\n"
        let reading = ProviderReader.read(SourceFile(path: "x/p.yaml", text: plain))
        #expect(
            reading.diagnostics.map { "\($0.code) \($0.span.start)" }.contains("FL068 3:32"))
    }

    @Test("a flow cannot ask for the hybrid flow by itself [rule 6]")
    func hybridFlow() {
        let flow = FlowText.login.replacing(
            "authorize: {", with: "authorize: { with: { response_type: \"code id_token\" },")
        #expect(FlowText.codes(flow) == ["FL068"])
    }

    @Test("a word of a provider's own for the code flow is no other response type [rule 6]")
    func ownResponseType() {
        #expect(DescriptorFixture.read("authorization: {response_type: Assertion}").report == [])
    }

    @Test(
        "the grant type password is refused [rule 7]",
        arguments: [("token: {grant_type: password}", "4:21"), ("refresh: {grant_type: password}", "4:23")])
    func password(lines: String, place: String) {
        let (descriptor, report) = DescriptorFixture.read(lines)
        #expect(descriptor == nil)
        #expect(
            report == [
                "FL068 \(place): a person's password is for the provider's own page alone (RFC 9700 §2.4)"
            ])
        #expect(!StepKind.allCases.contains { $0.rawValue.contains("password") })
    }

    @Test("nothing in the keys of a descriptor speaks of tokens for logout from behind [rule 161]")
    func backChannelLogout() {
        #expect(
            DescriptorFixture.read("backchannel_logout_uri: https://p.example/out").report == [
                "FL010 4:1: unknown key \"backchannel_logout_uri\" in provider"
            ])
    }
}
