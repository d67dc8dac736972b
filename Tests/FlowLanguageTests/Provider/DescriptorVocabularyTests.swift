import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLanguage

@Suite("The vocabulary of descriptors")
struct DescriptorVocabularyTests {
    @Test(
        "what no descriptor may say is refused at its place",
        arguments: [
            (
                "authorization: {state: {mode: off}}",
                "FL068 4:31: without state only PKCE keeps a foreign answer out (RFC 9700 §4.7.1)"
            ),
            (
                "authorization: {response_mode: fragment}",
                "FL068 4:32: a fragment never leaves the browser, so no listener can read the answer"
            ),
            (
                "token: {endpoint: 'https://${callback.server}/token'}\ncallback: {capture: {server: s}}",
                "FL068 4:19: an answer chooses the host of this endpoint"
            ),
            (
                "callback: {capture: {shop: {trusted: true}}}",
                "FL068 4:38: nobody vouches for what comes through the browser"
            ),
            (
                "callback: {method: [PUT]}",
                "FL016 4:20: a browser brings a callback by GET or POST, not PUT"
            ),
            (
                "callback: {method: [GET]}\nauthorization: {response_mode: form_post}",
                "FL016 4:20: with response_mode form_post the callback comes by POST"
            ),
            (
                "callback: {method: [POST]}\nauthorization: {response_mode: query.jwt}",
                "FL016 4:20: with response_mode query.jwt the callback comes by GET"
            ),
            (
                "authorization: {fragment: /a, trailing_fragment: b}",
                "FL016 4:50: a URL has one fragment: leave out \"fragment\" or \"trailing_fragment\""
            ),
            (
                "authorization: {trailing_fragment: '#b'}",
                "FL016 4:36: \"#b\" holds a character that a fragment may not hold"
            ),
            ("callback: {decode: {code: base64}}", "FL016 4:20: the only decoding is urldecode"),
            (
                "callback: {verify: {param: hmac}}",
                "FL011 4:20: \"verify\" needs the key \"expect\""
            ),
            (
                "client: {client_secret: {jwt: {alg: ES256}}}",
                "FL011 4:31: \"jwt\" needs the key \"claims\"\nFL011 4:31: \"jwt\" needs the key \"key\""
            ),
            (
                "client: {id_token_signed_response_alg: HS256}",
                "FL068 4:40: \"HS256\" needs a client with a secret (OIDC Core §10.1)"
            ),
            (
                "claims: {sub: '${token.access_token}'}",
                "FL061 4:24: \"token.access_token\" may only go into requests to the provider"
            ),
            (
                "token: {headers: {X: '${callback.nope}'}}",
                "FL046 4:34: no \"nope\" is kept of the callback"
            ),
            (
                "callback: {capture: {realm: realmId}}\ntoken: {headers: {X: '${callback.relm ?? 1}'}}",
                "FL046 5:34: no \"relm\" is kept of the callback; did you mean \"realm\"?"
            ),
            (
                "token: {params: {x: '${token.id}'}}",
                "FL046 4:24: \"token\" is not known in the exchange of the code"
            ),
            (
                "userinfo: {query: {x: '${userinfo.id}'}}",
                "FL046 4:26: \"userinfo\" is not known in the question who signed in"
            ),
            (
                "operations: {x: {endpoint: 'https://p.example/x', params: {c: '${code}'}}}",
                "FL046 4:66: \"code\" is not known in an operation"
            ),
            (
                "device_authorization: {params: {x: '${claims.sub}'}}",
                "FL046 4:39: \"claims\" is not known in the start of a sign-in on another device"
            ),
            (
                "userinfo: {params: {a: {b: c}}}",
                "FL016 4:24: a list or mapping can only stand in a JSON body"
            ),
            (
                "token: {method: DELETE}",
                "FL016 4:17: \"method\" in \"token\" must be one of GET, POST, not \"DELETE\""
            ),
            (
                "userinfo: {auth: client_secret_basic}",
                "FL016 4:18: the access token is in the header field that this needs: Authorization"
            ),
            (
                "claims: {sub: callback.user.id}",
                "FL046 4:15: no \"user\" is kept of the callback"
            ),
            (
                "token: {params: {x: '${body}'}}",
                "FL046 4:24: unknown name here \"body\""
            ),
            (
                "userinfo: {token_placement: cookie}",
                "FL016 4:29: \"token_placement\" in \"userinfo\" must be header, header:NAME, query:NAME, body:NAME or none, not \"cookie\""
            ),
            ("operations: {x: {method: GET}}", "FL011 4:17: operation \"x\" needs the key \"endpoint\""),
            (
                "variables: {key: {secret: true, default: abc}}",
                "FL066 4:42: a secret variable has no default; its value comes from a registration"
            ),
            (
                "api_key: {placement: 'query:key', value: abc}",
                "FL066 4:42: \"value\" is written out here"
            ),
            (
                "client: {client_secret: {jwt: {alg: ES256, key: abc, claims: {}}}}",
                "FL066 4:49: \"key\" is written out here"
            ),
            (
                "environments: {Sandbox: {}}",
                "FL014 4:16: an environment's name is lower-case letters, digits and '-', not \"Sandbox\""
            ),
            (
                "errors: [{match: 'a(', cause: c}]",
                "FL057 4:18: "
            ),
            (
                "classify: [{if: 'status == 400', outcome: fine}]",
                "FL016 4:43: \"outcome\" in an entry of classify must be one of invalid_grant, rejected, invalid_client, rate_limited, server_error, unauthorized, access_denied, interaction_required, authorization_pending, slow_down, expired_token, not \"fine\""
            ),
        ])
    func refused(lines: String, report: String) {
        let (descriptor, found) = DescriptorFixture.read(lines + "\n")
        #expect(descriptor == nil)
        let text = found.joined(separator: "\n")
        // The wording of a pattern's mistake belongs to the patterns.
        #expect(report.hasSuffix(": ") ? text.hasPrefix(report) : text == report)
    }

    @Test(
        "a name that no request has and nothing reads is warned of, with the one that was meant",
        arguments: [
            (
                "token: {response: {types: {expires_inn: seconds}}}",
                "FL103 4:28: nothing reads a member \"expires_inn\"; did you mean \"expires_in\"?"
            ),
            (
                "refresh: {response: {map: {acess_token: data.token}}}",
                "FL103 4:28: nothing reads a member \"acess_token\"; did you mean \"access_token\"?"
            ),
            (
                "grants: {response: {defaults: {token_typ: Bearer}, absent: {lifetime: 0}}}",
                "FL103 4:32: nothing reads a member \"token_typ\"; did you mean \"token_type\"?\n"
                    + "FL103 4:61: nothing reads a member \"lifetime\""
            ),
            (
                "device_authorization: {response: {map: {verification_url: verification_url}}}",
                "FL103 4:41: nothing reads a member \"verification_url\"; did you mean \"verification_uri\"?"
            ),
            (
                "token: {omit: [redirect_url], raw: [scop]}",
                "FL103 4:16: no request has a parameter \"redirect_url\"; did you mean \"redirect_uri\"?\n"
                    + "FL103 4:37: no request has a parameter \"scop\"; did you mean \"scope\"?"
            ),
            (
                "authorization: {rename: {cliant_id: appid}, omit: [appid]}",
                "FL103 4:26: no request has a parameter \"cliant_id\"; did you mean \"client_id\"?\n"
                    + "FL103 4:52: no request has a parameter \"appid\""
            ),
            (
                "claims: {sub: tokn.id, email: [userinf.email, user.email]}",
                "FL103 4:15: no source is called \"tokn\"; did you mean \"token\"?\n"
                    + "FL103 4:32: no source is called \"userinf\"; did you mean \"userinfo\"?"
            ),
            (
                "userinfo: {grant_type: x, token_placement: 'query:t', token_scheme: OAuth}",
                "FL103 4:24: no such request has a grant_type that this could replace\n"
                    + "FL103 4:69: only a header field has a word before the token"
            ),
            (
                "authorization: {rename: {client_id: appid}, order: [appid, client_id, scoope]}",
                "FL103 4:60: no parameter is sent as \"client_id\": it is called \"appid\" there\n"
                    + "FL103 4:71: no request has a parameter \"scoope\"; did you mean \"scope\"?"
            ),
        ])
    func unreadNames(lines: String, report: String) {
        let (descriptor, found) = DescriptorFixture.read(lines + "\n")
        #expect(descriptor != nil)
        #expect(found.joined(separator: "\n") == report)
    }

    @Test(
        "a name that the file itself gives or reads, or that a flow may read, is none of those",
        arguments: [
            "token: {response: {map: {shop: data.shop}}}\nuserinfo: {query: {shop: '${token.shop}'}}",
            "token: {response: {map: {team: data.team}, keep: [team]}}",
            "token: {response: {types: {born: iso8601}}}\nclaims: {source: token, sub: id, birthdate: born}",
            "token: {response: {types: {updated_at: iso8601}}}\nclaims: {source: token}",
            "token: {response: {map: {user: a}, tokens: {main: user}}}",
            "userinfo: {response: {map: {whatever: a}, types: {whatever: iso8601}}}",
            "operations: {x: {endpoint: 'https://p.example/x', omit: [y], response: {map: {z: a}}}}",
            "token: {params: {app: x}, rename: {app: application}, raw: [application]}",
            "authorization: {allow_params: [hd], rename: {hd: domain}, omit: [ui_locales]}",
            "userinfo: {token_placement: 'query:oauth_token', rename: {oauth_token: t}}",
        ])
    func readNames(lines: String) {
        #expect(DescriptorFixture.read(lines + "\n").report == [])
    }

    private static let plain = """
        provider: p
        protocol: oauth2
        authorization_endpoint: https://p.example/authorize
        token_endpoint: https://p.example/token
        userinfo_endpoint: https://p.example/me

        """

    @Test(
        "a profile in which nobody is named is warned of where the file shows it",
        arguments: [
            ("claims: {name: login}", "FL104 6:9: nobody is named: the claims have no \"sub\""),
            (
                "userinfo: {example: {id: 7}}",
                "FL104 6:21: nobody is named: the answer has no \"sub\", and no claims say what stands for it"
            ),
            ("claims: {sub: id}", nil), ("claims: {source: userinfo}", nil),
            ("userinfo: {example: {sub: a}}", nil),
            ("userinfo: {example: {id: 7}, response: {map: {sub: id}}}", nil),
            ("userinfo: {supported: false}\nclaims: {name: login}", nil),
            ("id_token: {required: true}\nclaims: {name: login}", nil), ("", nil),
        ] as [(String, String?)])
    func nobody(lines: String, report: String?) {
        let reading = ProviderReader.read(SourceFile(path: "p.yaml", text: Self.plain + lines + "\n"))
        #expect(
            reading.diagnostics.map { "\($0.code) \($0.span.start): \($0.message)" }
                == (report.map { [$0] } ?? []))
    }

    @Test("a check that the file relaxes is named, and the file is used")
    func relaxedIssuer() {
        let (descriptor, found) = DescriptorFixture.read("callback: {iss: ignore}\n")
        #expect(descriptor?.callback.issuer == .ignore)
        #expect(
            found == [
                "FL105 4:17: an answer may do without iss even where the metadata says that the provider sends one (RFC 9207)"
            ])
    }

    @Test("where no issuer is known no check of it is relaxed")
    func nothingToRelax() {
        let text = Self.plain + "callback: {iss: ignore}\n"
        #expect(ProviderReader.read(SourceFile(path: "p.yaml", text: text)).diagnostics == [])
    }

    @Test("an example may be the whole answer, or what is inside of it")
    func examples() {
        for example in ["{ok: true, data: {user: {sub: a}}, emails: [b]}", "{sub: a, emails: [b]}"] {
            let (descriptor, found) = DescriptorFixture.read(
                """
                userinfo_endpoint: https://p.example/me
                userinfo:
                  response: {unwrap: data.user}
                  example: \(example)
                  also: [{name: emails, endpoint: "https://p.example/emails"}]
                token: {response: {unwrap: [body, data]}, example: {data: {team: t}}}

                """)
            #expect(found == [])
            #expect(descriptor?.userinfoExample == ["sub": "a", "emails": ["b"]])
            #expect(descriptor?.token.example == ["team": "t"])
        }
    }

    @Test("paths of conditions, of further tokens and of what is kept may be lists")
    func listsOfPaths() throws {
        let (descriptor, found) = DescriptorFixture.read(
            """
            token:
              response:
                error_when: [{path: [meta.code, code], not_equals: 0}]
                tokens: {user: [authed_user, data.user]}
                keep: [[instance_url, api], team]

            """)
        #expect(found == [])
        let response = try #require(descriptor).token.response
        #expect(response.errorWhen.map { $0.paths.map(\.text) } == [["meta.code", "code"]])
        #expect(response.tokens.mapValues { $0.map(\.text) } == ["user": ["authed_user", "data.user"]])
        #expect(response.keep.map { $0.map(\.text) } == [["instance_url", "api"], ["team"]])
        #expect(
            response.rules.suffix(2) == [
                "tokens user at authed_user or data.user", "keep instance_url or api, team",
            ])
    }

    @Test(
        "a host that variables or the text itself fix needs no list",
        arguments: [
            ("https://a.example/${callback.x}", true), ("https://${vars.shop}.a.example/${callback.x}", true),
            ("${vars.api}/me/${token.id}", true), ("https://${callback.x}", false),
            ("https://a.${callback.x}.example/", false), ("${callback.server}/token", false),
            ("https://${vars.shop}${callback.x}/", false), ("https://a.example", true),
        ])
    func fixedHosts(text: String, isFixed: Bool) {
        #expect((DescriptorSafety.start(ofEndpoint: text) != nil) == isFixed)
    }

    @Test("members of a JSON body keep their types, those of expressions too; a form has texts")
    func typedMembers() throws {
        func body(_ format: String, _ more: String = "") throws -> String {
            let (descriptor, report) = DescriptorFixture.read(
                """
                userinfo:
                  method: POST
                  body_format: \(format)
                  params:
                    five: 5
                    text: "5"
                    flag: true
                    half: 0.5
                    when: "${now}"
                    id: "${token.id}"
                    name: "n-${token.id}"
                    none: "${token.none}"
                    made: "${string(now)}"
                    either: "${token.none ?? token.id}"
                \(more)
                """)
            #expect(report == [])
            let bound = try #require(descriptor).bind(variables: [:])
            var inputs = DescriptorInputs(clientID: "c").with(.token, ["id": 7, "list": [1, "a"]])
            inputs[.now] = .int(12)
            let dialect = bound.dialect(bound.descriptor.userinfo.operation.request, inputs)
            let plan = RequestPlan(method: .post, endpoint: "https://p.example/me", bodyFormat: .form)
            return plan.assembled(with: dialect).bodyText.reveal()
        }
        let scalars =
            #""five":5,"text":"5","flag":true,"half":0.5,"when":12,"id":7,"name":"n-7","made":"12","either":7"#
        #expect(try body("json") == "{\(scalars)}")
        let form = "five=5&text=5&flag=true&half=0.5&when=12&id=7&name=n-7&made=12&either=7"
        #expect(try body("form") == form)
        let structure =
            "    variables: {id: \"${token.id}\", all: [\"${token.list}\", x], none: \"${token.none}\", count: 1}"
        #expect(
            try body("json", structure)
                == "{\(scalars),\"variables\":{\"all\":[[1,\"a\"],\"x\"],\"count\":1,\"id\":7}}")
    }

    @Test(
        "values of answers are encoded where they stand in an address, unless it begins with them",
        arguments: [
            ("https://a.example/${callback.x}", "https://a.example/..%2Fb%3Fc"),
            ("https://a.example/?x=${callback.x}", "https://a.example/?x=..%2Fb%3Fc"),
            ("https://a.example/${urlencode(string(callback.x) ?? '')}", "https://a.example/..%2Fb%3Fc"),
            ("https://a.example/${callback.none ?? callback.x}", "https://a.example/..%2Fb%3Fc"),
            ("https://a.example/${if(has(callback.none), 'n/n', 'a/b')}", "https://a.example/a/b"),
            ("https://a.example/${callback.none ?? vars.v}", "https://a.example/v/w"),
            ("https://a.example/${vars.v}", "https://a.example/v/w"),
            ("https://a.example/${token.n}", "https://a.example/7"),
            ("https://a.example/${token.access_token}", "https://a.example/t%2F%2B"),
            ("${token.url}", "https://b.example/c?d=1"),
            ("${token.url}&e=${callback.x}", "https://b.example/c?d=1&e=..%2Fb%3Fc"),
            ("${vars.base}/${callback.x}", "https://c.example/..%2Fb%3Fc"),
            ("https://${token.host}/f", "https://d.example:8443/f"),
            ("https://${callback.x}/f", "https://..%2Fb%3Fc/f"),
            ("https://a.example/${callback.none}", nil),
        ])
    func valuesInAddresses(template: String, address: String?) throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            variables: {v: {default: v/w}, base: {default: "https://c.example"}}
            callback: {capture: {x: {optional: true}, none: {optional: true}}}
            userinfo: {endpoint: "\(template)", allowed_hosts: ["*.example"]}

            """)
        #expect(report == [])
        let bound = try #require(descriptor).bind(variables: [:])
        var inputs = DescriptorInputs().with(.callback, ["x": "../b?c"])
        inputs = inputs.with(.token, ["n": 7, "url": "https://b.example/c?d=1", "host": "d.example:8443"])
        inputs[.accessToken] = .string("t/+")
        let endpoint = try #require(bound.descriptor.userinfo.operation.request.endpoint)
        #expect(bound.text(endpoint, inputs) == address)
    }

    @Test(
        "where answers fill in nothing but path and query, it is known where an address leads",
        arguments: [
            ("https://a.example/${callback.x}", "https://a.example"),
            ("https://${vars.shop}.example?x=${token.x}", "https://s.example"),
            ("${vars.base}/me/${token.x}", "https://c.example"),
        ])
    func knownDestinations(template: String, origin: String) throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            variables: {shop: {default: s}, base: {default: "https://c.example/v1"}}
            callback: {capture: {x: {optional: true}}}
            userinfo: {endpoint: "\(template)"}

            """)
        #expect(report == [])
        let destinations = try #require(descriptor).bind(variables: [:]).destinations()
        #expect(destinations.contains(origin))
        #expect(!destinations.contains(BoundDescriptor.anywhere))
    }

    @Test("a text that a secret flows into is a secret, hashed or not; others are shown")
    func secrets() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            variables: {key: {secret: true, required: true}}
            callback: {capture: {nothing: {optional: true}}}
            token:
              params:
                open: "${client.id}"
                hashed: "${hex(sha256(client.secret))}"
                variable: "${vars.key}"
                missing: "${callback.nothing}"
                number: "${now}"

            """)
        #expect(report == [])
        let bound = try #require(descriptor).bind(
            variables: [:], secrets: ["key": Secret("marker", kind: .other)])
        var inputs = DescriptorInputs(clientID: "c1").with(.callback, ["a": 1])
        inputs[.clientSecret] = .string("s")
        inputs[.now] = .int(7)
        let parameters = bound.dialect(bound.descriptor.token.request, inputs).parameters
        #expect(parameters.map(\.name) == ["open", "hashed", "variable", "number"])
        #expect(parameters[0].value == .text("c1"))
        #expect(parameters[3].value == .text("7"))
        for parameter in parameters[1...2] {
            guard case .secret = parameter.value else {
                Issue.record("\(parameter.name) would be shown")
                continue
            }
        }
    }

    @Test("a renewal is written like the first request where it says nothing itself")
    func inheritance() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            token:
              body_format: json
              headers: {X-App: a}
              rename: {client_id: appid}
              params: {first: only}
              omit: [redirect_uri]
              response: {unwrap: data}
            refresh:
              headers: {X-App: b}

            """)
        #expect(report == [])
        let facts = try #require(descriptor).refresh.operation
        #expect(facts.request.bodyFormat == .json)
        #expect(facts.request.rename == ["client_id": "appid"])
        #expect(facts.request.headers.map(\.text.content) == [.literal("b")])
        #expect(facts.request.parameters.isEmpty)
        #expect(facts.request.omit.isEmpty)
        #expect(facts.response.unwrap.map(\.text) == ["data"])
    }

    @Test("values that mean none are read as they are written, one or several")
    func absent() throws {
        let (descriptor, report) = DescriptorFixture.read(
            "token: {response: {absent: {expires_in: [0, -1], expires_at: never}}}\n")
        #expect(report == [])
        #expect(
            try #require(descriptor).token.response.absent == [
                "expires_in": [0, -1], "expires_at": ["never"],
            ])
        #expect(
            DescriptorFixture.read("token: {response: {absent: {a: {b: 1}, c: [null]}}}\n").report == [
                "FL016 4:32: expected a value that means none, found a mapping",
                "FL016 4:44: expected a value that means none, found nothing",
            ])
    }

    @Test("a captured parameter must come in the short form and the long one, unless it is optional")
    func captures() throws {
        let (descriptor, report) = DescriptorFixture.read(
            "callback: {capture: {a: x, b: {from: x}, c: {}, d: {from: x, optional: true}}}\n")
        #expect(report == [])
        let captures = try #require(descriptor).callback.captures
        #expect(captures.map(\.name) == ["a", "b", "c", "d"])
        #expect(captures.map(\.parameter) == ["x", "x", "c", "x"])
        #expect(captures.map(\.isOptional) == [false, false, false, true])
    }

    @Test(
        "a file that lists methods of PKCE without S256 starts no sign-in, unless PKCE is off",
        arguments: [
            ("[plain]", "", true), ("[]", "authorization: {pkce: {mode: required}}", true),
            ("[plain]", "authorization: {scope: [a]}", true), ("[plain, S256]", "", false),
            ("[plain]", "authorization: {pkce: {mode: off}}", false),
        ])
    func challengeMethods(_ methods: String, _ authorization: String, _ isRefused: Bool) {
        let lines = "code_challenge_methods_supported: \(methods)\n\(authorization)\n"
        let message = "without S256 here no sign-in starts: PKCE is used, and with no other method"
        #expect(DescriptorFixture.read(lines).report == (isRefused ? ["FL068 4:35: \(message)"] : []))
    }

    @Test("what was given is told by name: no default, nothing secret")
    func settings() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            variables:
              shop: {required: true, suffix: .shops.example}
              area: {default: eu}
              note: {required: false}
              key: {secret: true}
              code: {secret: true}
            token_endpoint: https://${vars.shop}/${vars.note}/token

            """)
        #expect(report == [])
        let open = try #require(descriptor)
        let secrets = ["key": Secret("marker", kind: .other)]
        let bound = try open.bind(
            variables: ["shop": "acme", "area": "eu", "code": "marker"], secrets: secrets)
        #expect(bound.settings == ["shop": "acme.shops.example"])
        let other = try open.bind(
            variables: ["shop": "acme", "area": "us", "note": "x", "code": "marker"], secrets: secrets)
        #expect(other.settings == ["shop": "acme.shops.example", "area": "us", "note": "x"])
        // What somebody keeps as a secret is one, whatever the descriptor says of it.
        let hidden = try open.bind(
            variables: ["shop": "acme", "code": "c"],
            secrets: ["key": Secret("k", kind: .other), "note": Secret("marker", kind: .other)])
        #expect(hidden.settings == ["shop": "acme.shops.example"])
        let server = try #require(hidden.variableServer)
        #expect(!server.contains("marker") && server != other.variableServer)
    }

    @Test("variables are completed by prefix and suffix before their pattern is looked at")
    func variables() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            variables:
              shop: {required: true, suffix: .shops.example, pattern: '[a-z]+\\.shops\\.example'}
            token: {endpoint: "https://${vars.shop}/token"}

            """)
        #expect(report == [])
        let open = try #require(descriptor)
        for value in ["acme", "acme.shops.example"] {
            let bound = try open.bind(variables: ["shop": value])
            let endpoint = try #require(open.token.request.endpoint)
            #expect(bound.text(endpoint) == "https://acme.shops.example/token")
        }
        #expect(throws: BindingError.self) { try open.bind(variables: ["shop": "evil.example/"]) }
    }

    @Test("an error has the advice of the first entry that matches code or description")
    func advice() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            errors:
              - {match: incorrect_client_credentials, cause: the secret is wrong, fix: make another}
              - {match: 'AADSTS5001[0-9]', cause: the address is not registered}

            """)
        #expect(report == [])
        let known = try #require(descriptor)
        #expect(known.advice(code: "incorrect_client_credentials", description: nil)?.fix == "make another")
        #expect(
            known.advice(code: "invalid_request", description: "AADSTS50011: The redirect URI")?.cause
                == "the address is not registered")
        #expect(known.advice(code: "other", description: nil) == nil)
    }
}

extension DescriptorVocabularyTests {
    @Test(
        "a header field whose name begins with x- is one, though keys of the file that begin so are not read")
    func foreignNames() throws {
        let (descriptor, report) = DescriptorFixture.read(
            "x-note: kept\ntoken: {x-why: because, headers: {x-kind: k, X-Other: o}, params: {x-p: 1}}\n")
        #expect(report == [])
        let request = try #require(descriptor).token.request
        #expect(request.headers.map(\.name) == ["x-kind", "X-Other"])
        #expect(request.parameters.map(\.name) == ["x-p"])
    }

    @Test(
        "no message repeats what may be a secret",
        arguments: [
            "client: {client_secret: canary}", "client: {client_secret: [canary]}", "api_key: canary",
            "variables: {k: {secret: true, default: canary, enum: [a]}}",
        ])
    func unrepeated(line: String) {
        let text = "provider: acme\nprotocol: oauth2\ntoken_endpoint: https://acme.example/token\n\(line)\n"
        let reading = ProviderReader.read(SourceFile(path: "acme.yaml", text: text))
        #expect(reading.diagnostics.hasErrors)
        for diagnostic in reading.diagnostics {
            #expect(!(diagnostic.message + (diagnostic.hint ?? "")).contains("canary"))
        }
    }
}
