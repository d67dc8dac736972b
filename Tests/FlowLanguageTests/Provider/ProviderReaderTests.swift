import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLanguage

@Suite("Reading provider descriptors")
struct ProviderReaderTests {
    static let mistakes: [(lines: String, report: String)] = [
        ("isuer: x", "FL010 4:1: unknown key \"isuer\" in provider; did you mean \"issuer\"?"),
        (
            "token: {respons: {}}",
            "FL010 4:9: unknown key \"respons\" in \"token\"; did you mean \"response\"?"
        ),
        (
            "authorization: {params: {state: x}}",
            "FL058 4:26: \"state\" belongs to the engine and cannot be set"
        ),
        (
            "logout: {params: {a: \"${client.secret}\"}}",
            "FL061 4:32: the client's secret may only go into requests to the provider"
        ),
        (
            "logout: {params: {a: \"${token.access_token}\"}}",
            "FL061 4:31: \"token.access_token\" may only go into requests to the provider"
        ),
        (
            "token: {query: {code_challenge: x}}",
            "FL058 4:17: \"code_challenge\" belongs to the engine and cannot be set"
        ),
        (
            "authorization: {rename: {login_hint: state}}",
            "FL058 4:38: \"state\" belongs to the engine, which has a value of its own for it"
        ),
        (
            "authorization: {rename: {prompt: c, resource: c}}",
            "FL058 4:47: \"prompt\" is called \"c\" already"
        ),
        (
            "token: {params: {b: x}, rename: {code: b}}",
            "FL058 4:40: \"b\" is a parameter already"
        ),
        (
            "callback: {rename: {state: x}}",
            "FL058 4:21: the engine reads \"state\" itself; nothing else takes its place"
        ),
        (
            "token: {headers: {Host: a.example}}",
            "FL058 4:19: \"Host\" is written by the transport (RFC 9112 §6.3)"
        ),
        (
            "token: {headers: {\"X Y\": a}}",
            "FL016 4:19: \"X Y\" is not the name of a header field (RFC 9110 §5.1)"
        ),
        (
            "userinfo: {headers: {X: \"a\\r\\nY: b\"}}",
            "FL016 4:25: a header field holds printable ASCII in one line (RFC 9110 §5.5)"
        ),
        (
            "userinfo: {token_placement: \"header:Content-Length\"}",
            "FL016 4:29: \"token_placement\" in \"userinfo\" must be header, header:NAME, query:NAME, body:NAME or none, not \"header:Content-Length\""
        ),
        (
            "userinfo: {method: GET, body_format: json}",
            "FL016 4:38: a GET has no body to be written as JSON (RFC 9110 §9.3.1)"
        ),
        (
            "userinfo: {also: [{name: a, endpoint: \"https://a.example\"}, {name: a, endpoint: \"https://b.example\"}]}",
            "FL016 4:68: another answer is called \"a\" already"
        ),
        (
            "authorization: {scope: [\"openid email\"]}",
            "FL016 4:25: \"openid email\" is not the name of a scope (RFC 6749 §3.3)"
        ),
        (
            "token: {response: {success_status: abc}}",
            "FL016 4:36: \"success_status\" in \"response\" must be 2xx or a status from 200 to 299, not \"abc\""
        ),
        (
            "redirect: {schemes: [javascript]}",
            "FL016 4:22: the elements of \"schemes\" in \"redirect\" must be URI schemes of programs, such as com.example.app, not \"javascript\""
        ),
        (
            "redirect: {https: [\"http://a.example\"]}",
            "FL016 4:20: the elements of \"https\" in \"redirect\" must be https URLs, not \"http://a.example\""
        ),
        (
            "redirect: {loopback: {ports: [80, x]}}",
            "FL016 4:35: the elements of \"ports\" in \"loopback\" must be port numbers from 1 to 65535, not \"x\""
        ),
        (
            "redirect: {loopback: {hosts: [10.0.0.1]}}",
            "FL016 4:31: the elements of \"hosts\" in \"loopback\" must be some of 127.0.0.1, [::1], localhost, not \"10.0.0.1\""
        ),
        (
            "errors: [{match: a, cause: b, url: here}]",
            "FL016 4:36: \"here\" is not an absolute URL"
        ),
        (
            "client: {token_endpoint_auth_method: private_key_jwt, token_endpoint_auth_signing_alg: HS256}",
            "FL068 4:88: private_key_jwt signs with a key, and HS256 takes a secret"
        ),
        (
            "client: {token_endpoint_auth_method: client_secret_jwt, token_endpoint_auth_signing_alg: RS256}",
            "FL068 4:90: client_secret_jwt takes a secret, and RS256 signs with a key"
        ),
        (
            "client: {assertion: {header: {alg: none}}}",
            "FL058 4:31: \"alg\" in the header of a JWS belongs to the engine"
        ),
        (
            "authorization: {allow_params: [code_challenge]}",
            "FL058 4:31: \"code_challenge\" belongs to the engine and no flow may set it"
        ),
        ("authorization: {omit: [state]}", "FL068 4:23: \"state\" protects the user and cannot be left out"),
        (
            "authorization: {pkce: {method: plain}}",
            "FL068 4:32: the only method of PKCE here is S256 (RFC 9700 §2.1.1)"
        ),
        (
            "client: {id_token_signed_response_alg: HS256}",
            "FL068 4:40: \"HS256\" needs a client with a secret (OIDC Core §10.1)"
        ),
        (
            "client: {userinfo_encrypted_response_alg: ECDH-ES}",
            "FL068 4:43: encrypted userinfo must be signed as well"
        ),
        (
            "client: {introspection_signed_response_alg: HS256}",
            "FL068 4:45: \"HS256\" needs a client with a secret (OIDC Core §10.1)"
        ),
        (
            "client: {introspection_encrypted_response_enc: A128GCM}",
            "FL016 4:48: introspection_encrypted_response_enc needs introspection_encrypted_response_alg beside it"
        ),
        (
            "client: {id_token_encrypted_response_enc: A128GCM}",
            "FL016 4:43: id_token_encrypted_response_enc needs id_token_encrypted_response_alg beside it"
        ),
        (
            "client: {id_token_encrypted_response_alg: RSA1_5}",
            "FL016 4:43: \"id_token_encrypted_response_alg\" in \"client\" must be one of RSA-OAEP, RSA-OAEP-256, ECDH-ES, ECDH-ES+A128KW, ECDH-ES+A256KW, not \"RSA1_5\""
        ),
        ("token_endpoint: http://p.example/token", "FL067 4:17: \"http://p.example/token\" is not https"),
        (
            "token_endpoint: http://${client.id}/token",
            "FL067 4:17: \"http://${client.id}/token\" is not https"
        ),
        (
            "token_endpoint: http://127.0.0.1.p.example/${client.id}",
            "FL067 4:17: \"http://127.0.0.1.p.example/${client.id}\" is not https"
        ),
        ("token_endpoint: /token", "FL016 4:17: \"/token\" is not an absolute URL"),
        ("token: {params: {api_key: abc}}", "FL066 4:27: \"api_key\" is written out here"),
        (
            "token: {headers: {X-Key: eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2ln}}",
            "FL066 4:26: a key or token is written out here"
        ),
        (
            "token: {headers: {x-api-key: 3f9a, X-CSRF-Token: Fetch, Accept: a/b}}",
            "FL066 4:30: header field \"x-api-key\" is written out here"
        ),
        (
            "userinfo: {headers: {Authorization: Bearer x}}",
            "FL066 4:37: \"Authorization\" is written out here"
        ),
        ("protocol: oidc", "FL004 4:1: duplicate key \"protocol\""),
        (
            "discovery: off",
            "FL011 1:1: provider needs the key \"token_endpoint\""
        ),
        ("sandbox: 1", "FL016 4:10: \"sandbox\" in provider must be true or false, not the number 1"),
        (
            "refresh: {rotation: once}",
            "FL016 4:21: \"rotation\" in \"refresh\" must be one of single_use, reusable, unknown, not \"once\""
        ),
        (
            "authorization: {scope: openid}",
            "FL016 4:24: \"scope\" in \"authorization\" must be a list, not \"openid\""
        ),
        ("claims: {sub: a..b}", "FL016 4:15: expected a path, found \"a..b\""),
        (
            "claims: {sub: {path: id, type: text}}",
            "FL016 4:32: \"type\" in claim \"sub\" must be one of string, boolean, integer, number, timestamp, timestamp_ms, not \"text\""
        ),
        (
            "token: {response: {error_when: [{path: ok}]}}",
            "FL016 4:33: a rule of error_when has exactly one of exists, equals, not_equals"
        ),
        (
            "token: {response: {types: {scope: csv}}}",
            "FL016 4:35: \"scope\" in \"types\" must be one of seconds, milliseconds, duration, epoch, epoch_ms, iso8601, list, space, comma, not \"csv\""
        ),
        (
            "redirect: {loopback: {ports: [0]}}",
            "FL016 4:31: the elements of \"ports\" in \"loopback\" must be port numbers from 1 to 65535, not the number 0"
        ),
        (
            "redirect: {loopback: {hosts: [0.0.0.0]}}",
            "FL016 4:31: the elements of \"hosts\" in \"loopback\" must be some of 127.0.0.1, [::1], localhost, not \"0.0.0.0\""
        ),
        (
            "variables: {t: {default: A, pattern: '[a-z]'}}",
            "FL016 4:26: the default of variable \"t\" must match [a-z], which \"A\" does not"
        ),
        ("variables: {t: {pattern: '^a|b)$'}}", "FL057 4:31: this ')' closes no group"),
        (
            "variables: {T-1: {default: a}}",
            "FL014 4:13: a variable's name is lower-case letters, digits and '_', not \"T-1\""
        ),
        ("jwks_uri: https://p.example/${vars.tenant}", "FL046 4:36: unknown variable \"tenant\""),
        (
            "authorization: {params: {x: '${client.secret}'}}",
            "FL061 4:39: the client's secret may only go into requests to the provider"
        ),
        (
            "authorization: {params: {x: '${userinfo.id}'}}",
            "FL046 4:32: unknown name here \"userinfo\""
        ),
        (
            "userinfo: {also: [{name: e, endpoint: 'https://p.example', when: '!userinfo.email'}]}",
            "FL055 4:68: \"userinfo.email\" is optional json and may be unset"
        ),
    ]

    @Test(
        "a template where none is read is reported with its place, and not sent as it is written",
        arguments: [
            ("authorization: {scope: ['a:${vars.v}']}", "4:25"),
            ("authorization: {scope_delimiter: '${vars.v}'}", "4:34"),
            ("authorization: {fragment: '${vars.v}'}", "4:27"),
            ("authorization: {response_type: '${vars.v}'}", "4:32"),
            ("authorization: {claims: {userinfo: {email: {value: '${vars.v}'}}}}", "4:52"),
            ("token: {endpoint: 'https://p.example', allowed_hosts: ['${vars.v}']}", "4:56"),
            ("token: {rename: {code: '${vars.v}'}}", "4:24"),
            ("token: {rename: {'${vars.v}': x}}", "4:18"),
            ("token: {omit: ['${vars.v}']}", "4:16"), ("token: {raw: ['${vars.v}']}", "4:15"),
            ("token: {params: {'${vars.v}': x}}", "4:18"),
            ("token: {response: {unwrap: '${vars.v}'}}", "4:28"),
            ("token: {response: {defaults: {scope: '${vars.v}'}}}", "4:38"),
            ("token: {response: {error_when: [{path: a, equals: '${vars.v}'}]}}", "4:51"),
            ("userinfo: {token_scheme: '${vars.v}'}", "4:26"),
            ("display_name: '$${vars.v}'", "4:15"),
            ("variables: {v: {default: '${vars.v}'}}", "4:26"),
        ])
    func strayTemplates(_ lines: String, _ place: String) {
        let variables = lines.hasPrefix("variables") ? "" : "variables: {v: {default: x}}\n"
        let (descriptor, found) = DescriptorFixture.read("\(lines)\n\(variables)")
        #expect(found == ["FL016 \(place): no ${...} may stand here: this text is used as it is written"])
        #expect(descriptor == nil)
    }

    @Test("where another thing is wrong with a template, or none is meant, nothing is added to that")
    func noStrayTemplates() {
        let (_, wrong) = DescriptorFixture.read("jwks_uri: http://${vars.v}.example\n")
        #expect(wrong == ["FL067 4:11: \"http://${vars.v}.example\" is not https"])
        let (_, fine) = DescriptorFixture.read(
            """
            variables: {v: {default: a, pattern: '[^${]*'}}
            x-note: ${vars.v}
            errors: [{match: 'a[${]b', cause: c}]
            environments: {test: {issuer: 'https://${vars.v}.example'}}
            token: {params: {a: "${vars.v}", x-b: "${vars.v}"}}
            """)
        #expect(fine == [])
    }

    @Test(
        "metadata that nobody has an issuer for is reported, for it would never be fetched",
        arguments: [
            ("discovery: required", "FL011 3:12: \"discovery\""),
            ("server_metadata_url: https://p.example/m", "FL011 3:22: \"server_metadata_url\""),
        ])
    func metadataWithoutIssuer(_ line: String, _ place: String) {
        let text = "provider: p\nprotocol: oauth2\n\(line)\ntoken_endpoint: https://p.example/token\n"
        let reading = ProviderReader.read(SourceFile(path: "p.yaml", text: text))
        #expect(
            reading.diagnostics.map { "\($0.code) \($0.span.start): \($0.message)" } == [
                place + " needs the key \"issuer\": without it no metadata is ever fetched"
            ])
        let named = ProviderReader.read(
            SourceFile(path: "p.yaml", text: text + "issuer: https://p.example\n"))
        #expect(named.diagnostics == [])
    }

    @Test(
        "plain OAuth 2.0 uses the metadata whose address the file names",
        arguments: [
            ("", ProviderDescriptor.DiscoveryMode.off),
            ("server_metadata_url: https://p.example/m\n", .auto),
            ("server_metadata_url: https://p.example/m\ndiscovery: required\n", .required),
        ])
    func standardDiscovery(_ lines: String, _ mode: ProviderDescriptor.DiscoveryMode) {
        let ground = "provider: p\nprotocol: oauth2\nissuer: https://p.example\n"
        let endpoint = lines.isEmpty ? "token_endpoint: https://p.example/token\n" : ""
        let reading = ProviderReader.read(SourceFile(path: "p.yaml", text: ground + endpoint + lines))
        #expect(reading.diagnostics == [])
        #expect(reading.descriptor?.discovery == mode)
        #expect(reading.descriptor?.userinfo.isSupported == (mode != .off))
    }

    private static let whole = """
        authorization_endpoint: https://p.example/authorize
        token_endpoint: https://p.example/token
        userinfo_endpoint: https://p.example/me
        jwks_uri: https://p.example/keys

        """
    private static let neverFetched =
        "no sign-in fetches the metadata: the file names every endpoint that one needs"

    @Test(
        "metadata that the file speaks of and that no sign-in fetches is warned of",
        arguments: [
            ("discovery: auto\n" + whole, "FL088 4:12: \(neverFetched)"),
            ("server_metadata_url: https://p.example/m\n" + whole, "FL088 4:22: \(neverFetched)"),
            (
                "discovery: off\nserver_metadata_url: https://p.example/m\n" + whole,
                "FL088 5:22: with discovery: off no metadata is ever fetched"
            ),
            ("discovery: required\n" + whole, nil),
            ("discovery: off\n" + whole, nil),
            (whole, nil),
            (
                "discovery: auto\nauthorization_endpoint: https://p.example/a\n"
                    + "token_endpoint: https://p.example/t\nuserinfo_endpoint: https://p.example/me\n", nil
            ),
        ] as [(String, String?)])
    func unusedMetadata(_ lines: String, _ expected: String?) {
        let (descriptor, report) = DescriptorFixture.read(lines)
        #expect(report == (expected.map { [$0] } ?? []))
        #expect(descriptor != nil)
    }

    @Test("an optional variable without a value is none where that is asked, and empty elsewhere")
    func unsetVariables() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            variables: {v: {required: false}, w: {required: false}}
            token:
              params:
                a: ${vars.v ?? 'x'}
                b: ${vars.v ?? vars.w ?? 'y'}
                c: ${if(has(vars.v), 'set', 'unset')}
                d: ${vars.v}
                e: p${vars.v}
                f: ${default(vars.v, 'z')}
                g: ${if(vars.v == '', 'empty', 'full')}

            """)
        #expect(report == [])
        let open = try #require(descriptor)
        func texts(_ variables: [String: String]) throws -> [String] {
            let dialect = try open.bind(variables: variables).dialect(open.token.request)
            return dialect.parameters.map { "\($0.name)=\($0.value.plain)" }
        }
        #expect(try texts([:]) == ["a=x", "b=y", "c=unset", "e=p", "f=z", "g=empty"])
        #expect(
            try texts(["v": "1", "w": "2"]) == ["a=1", "b=1", "c=set", "d=1", "e=p1", "f=1", "g=full"])
        #expect(try texts(["w": "2"]) == ["a=x", "b=2", "c=unset", "e=p", "f=z", "g=empty"])
    }

    @Test("every rule is reported with its place", arguments: mistakes)
    func reports(_ lines: String, _ report: String) {
        let (descriptor, found) = DescriptorFixture.read(lines)
        #expect(found.joined(separator: "\n") == report)
        #expect(descriptor == nil)
    }

    @Test("all mistakes of a file are reported at once")
    func allAtOnce() {
        let (_, found) = DescriptorFixture.read(
            "displayname: x\ntoken: {method: PUT}\nclaims: []\nx-note: kept\n")
        #expect(
            found == [
                "FL010 4:1: unknown key \"displayname\" in provider; did you mean \"display_name\"?",
                "FL016 5:17: \"method\" in \"token\" must be one of GET, POST, not \"PUT\"",
                "FL016 6:9: \"claims\" must be a mapping, not a list",
            ])
    }

    @Test("a file must say which provider and protocol it is about")
    func required() {
        let reading = ProviderReader.read(
            SourceFile(path: "e.yaml", text: "display_name: E\n"))
        #expect(reading.descriptor == nil)
        #expect(
            Set(reading.diagnostics.map(\.message)) == [
                "provider needs the key \"provider\"", "provider needs the key \"protocol\"",
            ])
        // What else it needs depends on the protocol.
        let text = "provider: e\nprotocol: oidc\n"
        #expect(
            ProviderReader.read(SourceFile(path: "e.yaml", text: text)).diagnostics.map(\.message) == [
                "provider needs the key \"issuer\""
            ])
    }

    @Test("requests are written with what the registration and the answers hold")
    func dialect() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            token:
              method: GET
              body_format: query
              params: {app: "${client.id}", fixed: 3}
              query: {cb: "${urlencode(client.redirect_uri)}"}
              headers: {X-User: "${string(callback.user) ?? ''}"}
              omit: [redirect_uri]
              rename: {client_id: appid}
            callback: {capture: {user: id}}

            """)
        #expect(report == [])
        let bound = try #require(descriptor).bind(variables: [:])
        let dialect = bound.dialect(
            bound.descriptor.token.request,
            DescriptorInputs(clientID: "c1", redirectURI: "http://127.0.0.1/cb").with(.callback, ["user": 7]))
        #expect(
            dialect
                == RequestDialect(
                    method: .get, bodyFormat: .query,
                    parameters: [
                        RequestParameter("app", .text("c1"), .descriptor("p.yaml:7")),
                        RequestParameter("fixed", .text("3"), .descriptor("p.yaml:7")),
                    ],
                    query: [
                        RequestParameter("cb", .text("http%3A%2F%2F127.0.0.1%2Fcb"), .descriptor("p.yaml:8"))
                    ],
                    fields: [RequestParameter("X-User", .text("7"), .descriptor("p.yaml:9"))],
                    omit: ["redirect_uri"], rename: ["client_id": "appid"]))
    }

    private static func paths(_ texts: String...) -> [ValuePath] { texts.compactMap { ValuePath($0) } }

    @Test("answers are read as the file says, and a refresh like the first request")
    func response() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            token:
              response:
                success_status: 2xx
                unwrap: [data, result]
                map: {access_token: [token, accessToken]}
                types: {expires_at: iso8601}
                defaults: {expires_in: 3600}
                error: {code: ["errors[0].type", code], description: message}
                error_when: [{path: code, not_equals: 0}]

            """)
        #expect(report == [])
        let facts = try #require(descriptor)
        let expected = ResponseDialect(
            successStatus: 200...299,
            errorWhen: [.init(path: try #require(ValuePath("code")), test: .notEquals(0))],
            errorCode: Self.paths("errors[0].type", "code"), errorDescription: Self.paths("message"),
            unwrap: Self.paths("data", "result"), map: ["access_token": Self.paths("token", "accessToken")],
            types: ["expires_at": .iso8601], defaults: ["expires_in": 3600])
        #expect(facts.token.response == expected)
        #expect(facts.refresh.operation.response == expected)
    }
}

@Suite("Large numbers of people")
struct LargeNumberTests {
    @Test("a number that no 64 bits hold keeps every digit where a text is made of it")
    func profile() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            claims:
              sub: userinfo.id
              name: n${userinfo.id}
              email: {path: userinfo.id, type: string}
              zoneinfo: {path: userinfo.id, type: integer}
              locale: {path: userinfo.id, type: timestamp}

            """)
        #expect(report == [])
        let userinfo = try #require(try JSON.parse(#"{"id":12345678901234567890}"#).objectValue)
        let bound = try #require(descriptor).bind(variables: [:])
        #expect(
            bound.profile(claims: nil, userinfo: userinfo, token: nil) == [
                "sub": "12345678901234567890", "name": "n12345678901234567890",
                "email": "12345678901234567890", "zoneinfo": .bigInteger("12345678901234567890"),
            ])
    }
}

@Suite("Binding variables")
struct BindingTests {
    private func descriptor() throws -> ProviderDescriptor {
        let (descriptor, report) = DescriptorFixture.read(
            """
            variables:
              tenant: {pattern: '[a-z0-9-]+', description: the directory}
              region: {default: eu, enum: [eu, us]}
              base: {default: 'https://p.example'}
            jwks_uri: ${vars.base}/${vars.tenant}/keys

            """)
        #expect(report == [])
        return try #require(descriptor)
    }

    @Test("values fill in the texts")
    func values() throws {
        let bound = try descriptor().bind(variables: ["tenant": "acme"])
        #expect(bound.serverFields().jwksURI == "https://p.example/acme/keys")
    }

    @Test("all that is missing, unknown or misfitting is named")
    func problems() throws {
        let error = #expect(throws: BindingError.self) {
            try descriptor().bind(variables: ["tenat": "x", "region": "asia"])
        }
        #expect(
            error?.problems == [
                VariableProblem(
                    variable: "tenat", message: "provider \"p\" has no variable \"tenat\"",
                    hint: "did you mean \"tenant\"?"),
                VariableProblem(
                    variable: "tenant", message: "variable \"tenant\" has no value", hint: "the directory"),
                VariableProblem(
                    variable: "region", message: "variable \"region\" must be one of eu, us, not \"asia\"",
                    hint: nil),
            ])
    }

    @Test("a value cannot turn an endpoint insecure or leave its host")
    func endpoints() throws {
        let error = #expect(throws: BindingError.self) {
            try descriptor().bind(variables: ["tenant": "acme", "base": "http://p.example"])
        }
        #expect(
            error?.problems == [
                VariableProblem(
                    variable: "jwks_uri", message: "jwks_uri \"http://p.example/acme/keys\" is not https",
                    hint: "see p.yaml:8")
            ])
        let other = #expect(throws: BindingError.self) {
            try descriptor().bind(variables: ["tenant": "a/../b"])
        }
        #expect(
            other?.problems.map(\.message) == [
                "variable \"tenant\" must match [a-z0-9-]+, which \"a/../b\" does not"
            ])
    }
}

extension ParameterValue {
    fileprivate var plain: String {
        if case .text(let text) = self { text } else { "no text" }
    }
}
