import JOSE
import OAuthProtocol
import Testing

@Suite("Discovery (OIDC Discovery §4, RFC 8414 §3)")
struct MetadataTests {
    private func document(_ changes: [(String, JSONValue?)] = []) -> String {
        var object: JSONObject = [
            "issuer": .string(Fixture.issuer), "authorization_endpoint": "https://op.example/authorize",
            "token_endpoint": "https://op.example/token", "jwks_uri": "https://op.example/jwks",
            "scopes_supported": ["openid"], "authorization_response_iss_parameter_supported": true,
            "unknown": ["a": 1],
        ]
        for (name, value) in changes { object[name] = value }
        return JSONValue.object(object).serialize()
    }

    private func validate(
        _ response: HTTPResponse, issuer: String = Fixture.issuer, accepted: [String] = []
    ) -> (error: ProtocolError?, log: CheckLog) {
        failure { log throws(ProtocolError) in
            try DiscoveredMetadata.validate(response, issuer: issuer, acceptedIssuers: accepted, log: &log)
        }
    }

    @Test(
        "the well-known part is appended, or inserted before the path [rules 10, 11]",
        arguments: [
            (
                "https://op.example",
                "https://op.example/.well-known/openid-configuration",
                "https://op.example/.well-known/oauth-authorization-server"
            ),
            (
                "https://op.example/",
                "https://op.example/.well-known/openid-configuration",
                "https://op.example/.well-known/oauth-authorization-server"
            ),
            (
                "https://op.example/a/b/",
                "https://op.example/a/b/.well-known/openid-configuration",
                "https://op.example/.well-known/oauth-authorization-server/a/b"
            ),
        ])
    func locations(issuer: String, oidc: String, oauth: String) {
        #expect(Discovery.plans(issuer: issuer, metadataURL: nil).map(\.url).prefix(2) == [oidc, oauth])
    }

    @Test("for an issuer with a path a third place is asked, which puts OpenID's name before the path")
    func thirdLocation() {
        func third(_ issuer: String) -> String? {
            let plans = Discovery.plans(issuer: issuer, metadataURL: nil)
            return plans.count == 2 ? nil : plans.last?.url
        }
        #expect(
            third("https://op.example/tenant") == "https://op.example/.well-known/openid-configuration/tenant"
        )
        #expect(
            third("https://op.example/a/b/") == "https://op.example/.well-known/openid-configuration/a/b")
        #expect(third("https://op.example") == nil)
        #expect(third("https://op.example/") == nil)
    }

    @Test("an explicit URL is the only location")
    func explicit() throws {
        let plans = Discovery.plans(issuer: Fixture.issuer, metadataURL: "https://op.example/meta")
        #expect(plans.map(\.url) == ["https://op.example/meta"])
        #expect(try plans[0].encoded().field("Accept") == "application/json")
    }

    @Test("a document of the right issuer is read, unknown members kept aside [rule 20]")
    func read() throws {
        var log = CheckLog()
        let metadata = try DiscoveredMetadata.validate(
            Fixture.response(document()), issuer: Fixture.issuer, acceptedIssuers: [], log: &log)
        #expect(metadata.fields.issuer == Fixture.issuer)
        #expect(metadata.fields.jwksURI == "https://op.example/jwks")
        #expect(metadata.fields.scopesSupported == ["openid"])
        #expect(metadata.fields.authorizationResponseIssParameterSupported == true)
        #expect(metadata.fields.userinfoEndpoint == nil)
        #expect(metadata.document["unknown"] == ["a": 1])
        #expect(log.results.allSatisfy { $0.verdict == .passed })
    }

    @Test(
        "another issuer is refused: no slash, case or normal form is forgiven [rule 12]",
        arguments: [
            "https://op.example/", "https://OP.example", "https://op.example.evil",
            "https://op.\u{65}xample\u{301}",
        ])
    func otherIssuer(issuer: String) {
        let result = validate(Fixture.response(document([("issuer", .string(issuer))])))
        #expect(
            result.error == .failed(Checks.metadataIssuer, expected: Fixture.issuer, actual: issuer))
    }

    @Test("canonically equivalent issuers are different issuers [rule 12]")
    func normalForms() {
        let response = Fixture.response(document([("issuer", "https://op.example/e\u{301}")]))
        #expect(
            validate(response, issuer: "https://op.example/\u{E9}").error
                == .failed(
                    Checks.metadataIssuer, expected: "https://op.example/\u{E9}",
                    actual: "https://op.example/e\u{301}"))
    }

    @Test("a document without issuer is refused")
    func noIssuer() {
        for value in [nil, JSONValue.null, 1] {
            #expect(
                validate(Fixture.response(document([("issuer", value)]))).error
                    == .failed(Checks.metadataIssuer, expected: Fixture.issuer, actual: "no issuer"))
        }
    }

    @Test("a literal that the descriptor allows is accepted, and the configured issuer kept")
    func acceptedIssuer() throws {
        var log = CheckLog()
        let metadata = try DiscoveredMetadata.validate(
            Fixture.response(document([("issuer", "https://op.example/{tenantid}/v2.0")])),
            issuer: Fixture.issuer,
            acceptedIssuers: ["https://op.example/{tenantid}/v2.0"], log: &log)
        #expect(metadata.fields.issuer == Fixture.issuer)
        #expect(metadata.documentIssuer == "https://op.example/{tenantid}/v2.0")
    }

    @Test("what the descriptor replaces or removes is neither read nor checked in the document")
    func amended() throws {
        let wrong = document([
            ("token_endpoint", "http://op.example/token"), ("scopes_supported", 1),
            ("claims_parameter_supported", "yes"), ("userinfo_endpoint", "https://op.example/dead"),
            (
                "mtls_endpoint_aliases",
                [
                    "token_endpoint": "http://mtls.op.example/token",
                    "revocation_endpoint": "https://mtls.op.example/revoke",
                ]
            ),
        ])
        let amended: Set<String> = [
            "token_endpoint", "scopes_supported", "claims_parameter_supported", "userinfo_endpoint",
            "mtls_endpoint_aliases.token_endpoint",
        ]
        var log = CheckLog()
        let metadata = try DiscoveredMetadata.validate(
            Fixture.response(wrong), issuer: Fixture.issuer, acceptedIssuers: [], amended: amended, log: &log)
        #expect(metadata.fields.tokenEndpoint == nil)
        #expect(metadata.fields.scopesSupported == nil)
        #expect(metadata.fields.claimsParameterSupported == nil)
        #expect(metadata.fields.userinfoEndpoint == nil)
        #expect(
            metadata.fields.mtlsEndpointAliases == ["revocation_endpoint": "https://mtls.op.example/revoke"])
        #expect(metadata.fields.authorizationEndpoint == "https://op.example/authorize")
        #expect(metadata.amended == amended)
        #expect(
            failure { log throws(ProtocolError) in
                try DiscoveredMetadata.validate(
                    Fixture.response(wrong), issuer: Fixture.issuer, acceptedIssuers: [],
                    amended: amended.subtracting(["token_endpoint"]), log: &log)
            }.error
                == .failed(
                    Checks.metadataEndpointSecure, expected: "token_endpoint is an https URL",
                    actual: "http://op.example/token is not https"))
    }

    @Test("aliases are of endpoints that the client itself calls, and may be removed as one")
    func aliases() throws {
        func aliases(_ value: JSONValue, amended: Set<String> = []) throws(ProtocolError) -> [String: String]
        {
            var log = CheckLog()
            return try DiscoveredMetadata.validate(
                Fixture.response(document([("mtls_endpoint_aliases", value)])), issuer: Fixture.issuer,
                acceptedIssuers: [], amended: amended, log: &log
            ).fields.mtlsEndpointAliases
        }
        #expect(
            try aliases([
                "token_endpoint": "https://mtls.op.example/token", "userinfo_endpoint": .null,
                "authorization_endpoint": 5, "jwks_uri": "http://op.example", "unknown": 5,
            ]) == ["token_endpoint": "https://mtls.op.example/token"])
        #expect(
            throws: ProtocolError.failed(
                Checks.metadataMember, expected: "token_endpoint is a string", actual: "another type")
        ) { try aliases(["token_endpoint": 5]) }
        #expect(
            throws: ProtocolError.failed(
                Checks.metadataEndpointSecure, expected: "the alias of token_endpoint is an https URL",
                actual: "http://op.example is not https")
        ) { try aliases(["token_endpoint": "http://op.example", "userinfo_endpoint": "http://op.example"]) }
        #expect(
            throws: ProtocolError.failed(
                Checks.metadataMember, expected: "mtls_endpoint_aliases is an object", actual: "another type")
        ) { try aliases(5) }
        #expect(try aliases(5, amended: ["mtls_endpoint_aliases"]) == [:])
    }

    @Test("the issuer is no member that anything can amend [rule 12]")
    func issuerStays() {
        let result = failure { log throws(ProtocolError) in
            try DiscoveredMetadata.validate(
                Fixture.response(document([("issuer", "https://evil.example")])), issuer: Fixture.issuer,
                acceptedIssuers: [], amended: ["issuer"], log: &log)
        }
        #expect(
            result.error
                == .failed(Checks.metadataIssuer, expected: Fixture.issuer, actual: "https://evil.example"))
    }

    @Test("only 200 is an answer [rule 13]", arguments: [201, 301, 404, 500])
    func status(status: Int) {
        #expect(validate(Fixture.response(document(), status: status)).error == .status(status))
    }

    @Test(
        "every endpoint is https when the issuer is [rule 16]",
        arguments: ServerMetadataFields.urls.map(\.name))
    func insecure(name: String) {
        let result = validate(Fixture.response(document([(name, "http://op.example/x")])))
        #expect(
            result.error
                == .failed(
                    Checks.metadataEndpointSecure, expected: "\(name) is an https URL",
                    actual: "http://op.example/x is not https"))
    }

    @Test("a loopback endpoint over http is refused for an https issuer, allowed for a loopback issuer")
    func loopback() {
        let url = "http://127.0.0.1:9/token"
        #expect(
            validate(Fixture.response(document([("token_endpoint", .string(url))]))).error
                == .failed(
                    Checks.metadataEndpointSecure, expected: "token_endpoint is an https URL",
                    actual: "\(url) is not https"))
        let issuer = "http://127.0.0.1:9"
        let response = Fixture.response(
            document([("issuer", .string(issuer)), ("token_endpoint", .string(url))]))
        #expect(validate(response, issuer: issuer).error == nil)
    }

    @Test("an endpoint with user information or a fragment is refused [rule 18]")
    func endpointURL() {
        for (url, words) in [
            ("https://a@op.example", "holds user information"), ("https://op.example#f", "has a fragment"),
        ] {
            #expect(
                validate(Fixture.response(document([("token_endpoint", .string(url))]))).error
                    == .failed(
                        Checks.metadataEndpointURL, expected: "token_endpoint is an https URL",
                        actual: "\(url) \(words)"))
        }
    }

    @Test("a member of the wrong type is refused, null is no member [rule 15]")
    func types() {
        for (name, value, type) in [
            ("token_endpoint", 1, "a string"), ("scopes_supported", "openid", "an array of strings"),
            ("scopes_supported", ["openid", 1], "an array of strings"),
            ("authorization_response_iss_parameter_supported", "true", "true or false"),
        ] as [(String, JSONValue, String)] {
            #expect(
                validate(Fixture.response(document([(name, value)]))).error
                    == .failed(Checks.metadataMember, expected: "\(name) is \(type)", actual: "another type"))
        }
        #expect(validate(Fixture.response(document([("token_endpoint", .null)]))).error == nil)
    }

    @Test("a duplicate member is refused [rule 26]")
    func duplicates() {
        let body = #"{"issuer":"https://op.example","issuer":"https://op.example"}"#
        let detail = "application/json, not JSON: member issuer is there twice at byte 31"
        let result = validate(Fixture.response(body))
        #expect(result.error == .malformed("metadata", detail: detail))
        #expect(result.log.verdict(Checks.metadataJSON) == .failed(expected: "metadata", actual: detail))
    }

    @Test("a page is named by its type and title [rule 14]")
    func page() {
        let response = Fixture.response(
            "<html><Title>Sign\u{1B} in\n</title>", type: "text/html; charset=utf-8")
        #expect(
            validate(response).error
                == .malformed("metadata", detail: "text/html, not JSON: a page with the title 'Sign in'"))
    }

    @Test("a byte order mark before it is ignored")
    func mark() {
        #expect(validate(Fixture.response("\u{FEFF}" + document())).error == nil)
    }

    @Test("an array is no document [rule 13]")
    func array() {
        #expect(
            validate(Fixture.response("[]")).error
                == .malformed("metadata", detail: "the body is not a JSON object"))
    }

    @Test("the other's members win, missing ones do not erase")
    func overlay() {
        var low = ServerMetadataFields()
        low.issuer = "a"
        low.tokenEndpoint = "b"
        low.scopesSupported = ["c"]
        low.authorizationResponseIssParameterSupported = true
        var high = ServerMetadataFields()
        high.issuer = "x"
        high.scopesSupported = []
        high.authorizationResponseIssParameterSupported = false
        let result = low.overlaid(by: high)
        #expect(result.issuer == "x")
        #expect(result.tokenEndpoint == "b")
        #expect(result.scopesSupported == [])
        #expect(result.authorizationResponseIssParameterSupported == false)
    }

    @Test("no prefix of a document traps")
    func truncations() {
        let bytes = Array(document().utf8)
        for end in 0..<bytes.count {
            let response = HTTPResponse(status: 200, body: Array(bytes[..<end]))
            #expect(validate(response).error != nil)
        }
    }
}

@Suite("Key sets (RFC 7517 §5)")
struct JWKSTests {
    private func read(_ response: HTTPResponse) -> ProtocolError? {
        failure { log throws(ProtocolError) in try JWKSResponse.read(response, log: &log) }.error
    }

    @Test("a key that cannot be used is skipped [rule 115]")
    func unusable() throws {
        let key = try Fixture.es256Key().publicJWK(kid: "k1").serialize()
        var log = CheckLog()
        let keys = try JWKSResponse.read(
            Fixture.response("{\"keys\":[{\"kty\":\"oct\",\"k\":\"AA\"},\(key)]}"), log: &log)
        #expect(keys.keys.count == 1)
        #expect(log.passedNames == ["jwks-status", "jwks"])
    }

    @Test("a document without keys is no key set")
    func missing() {
        for body in ["{}", #"{"keys":{}}"#] {
            #expect(read(Fixture.response(body)) == .malformed("key set", detail: "keys is not an array"))
        }
    }

    @Test("a byte order mark before it is ignored")
    func mark() {
        #expect(read(Fixture.response("\u{FEFF}{\"keys\":[]}")) == nil)
    }

    @Test("only 200 is an answer")
    func status() {
        #expect(read(Fixture.response(#"{"keys":[]}"#, status: 302)) == .status(302))
    }

    @Test("the request asks for a key set")
    func request() throws {
        let request = try JWKSRequest.plan("https://op.example/jwks").encoded()
        #expect(request.method == .get)
        #expect(request.field("Accept") == "application/jwk-set+json, application/json")
    }
}
