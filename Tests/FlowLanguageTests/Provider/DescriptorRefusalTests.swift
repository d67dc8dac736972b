import Testing
import YAMLText

@testable import FlowLanguage

@Suite("What no descriptor may say")
struct DescriptorRefusalTests {
    @Test(
        "what has one cure names it, and is told once",
        arguments: [
            ("refresh: {supported: no}", ["write false"]),
            ("variables: {v: {required: True}}", ["write true"]),
            ("refresh: {supported: 'false'}", ["write false"]),
            ("token_endpoint: http://p.example/t", ["write https://; http:// is only for this machine"]),
            ("token_endpoint: p.example/t", ["write all of it, from https:// on"]),
            ("client: {token_endpoint_auth_method: basic}", ["did you mean \"client_secret_basic\"?"]),
            ("claims: {sub: {path: id, type: str}}", ["did you mean \"string\"?"]),
            ("token_lifetime: 1h", ["in seconds it is 3600"]),
            ("token_lifetime: '60'", ["drop the quotes"]),
            ("authorization: {pkce: off}", ["write {mode: off}"]),
            ("authorization: {pkce: false}", ["write {mode: off}"]),
            ("authorization: {pkce: true}", ["write {mode: required}"]),
            ("authorization: {pkce: S256}", ["write {method: S256}"]),
            ("authorization: {pkce: plain}", ["write {method: plain}"]),
            ("authorization: {scope_delimiter: comma}", ["write \",\" or \" \" as they are"]),
            (
                "authorization:\n  scope_delimiter: “,”",
                ["typographic quotes are letters here: write \" or '"]
            ),
            (
                "token:\n\u{A0} auth: none",
                [
                    "indent what belongs to it, or leave the key out",
                    "line 5 begins with U+00A0, which only looks like a space: indent with spaces",
                ]
            ),
            ("authorization: {scope_delimiter: ''}", ["write \",\" or \" \" as they are"]),
            ("authorization: {scope_delimiter: '+'}", []),
            ("refresh: false", ["write {supported: false}"]),
            ("token: {response: {error_when: [{path: ok, equal: false}]}}", [nil]),
            ("token: {response: {error_when: [{path: ok, exists: yes}]}}", ["write true"]),
            ("token: {response: {types: {expires_in: ms}}}", ["did you mean \"milliseconds\"?"]),
            ("token: {response: {format: text/xml}}", ["did you mean \"xml\"?"]),
            ("userinfo: {token_placement: body}", ["write body:access_token"]),
            ("userinfo: {method: POST, body: x}", ["here it is \"params\""]),
            (
                "callback: {verify: {param: h, expect: '${hmac_sha256(client.secret, message)}'}}",
                [
                    "write hex(hmac_sha256(client.secret, message)), base64(hmac_sha256(client.secret, message)) "
                        + "or base64url(hmac_sha256(client.secret, message))"
                ]
            ),
            ("display_name: #1", ["leave the key out, or write a text; one with a \"#\" in it is quoted"]),
            ("client:", ["indent what belongs to it, or leave the key out"]),
            ("scopes_supported:", []),
            (
                "authorization: {scope: {a: b}}",
                ["write [a, b], or each element on a line of its own behind \"- \""]
            ),
            ("token: {headers: ['A: b']}", ["write each of them under its name"]),
            ("refresh: *c", [nil]),
            ("display_name: !text", [nil]),
            ("refresh:\n  <<: *c", [nil]),
        ])
    func cures(lines: String, hints: [String?]) {
        let text = "provider: p\nprotocol: oidc\nissuer: https://p.example\n" + lines + "\n"
        let found = ProviderReader.read(SourceFile(path: "x/p.yaml", text: text)).diagnostics
        #expect(found.map(\.hint) == hints, "\(found)")
    }

    @Test("a needed key that is there under another name is not missing too")
    func otherName() {
        let text = "provider: p\nprotocol: oauth2\ntoken_url: https://p.example/t\n"
        let found = ProviderReader.read(SourceFile(path: "x/p.yaml", text: text)).diagnostics
        #expect(found.map(\.code) == ["FL010"])
        #expect(found.map(\.hint) == ["here it is \"token_endpoint\""])
    }

    @Test("a client secret that is written out is told as that alone")
    func writtenSecret() {
        let text = "provider: p\nprotocol: oidc\nissuer: https://p.example\nclient: {client_secret: abc}\n"
        let found = ProviderReader.read(SourceFile(path: "x/p.yaml", text: text)).diagnostics
        #expect(found.map(\.code) == ["FL066"])
    }

    @Test(
        "a registration says where its keys belong",
        arguments: [
            (
                "  a:\n  client_id: x\n",
                "\"client_id\" is a key of a registration: indent it below the provider's name"
            ),
            ("  a: {tenant: x}\n", "a variable of the provider stands under variables"),
        ])
    func registrations(lines: String, hint: String) {
        let file = SourceFile(path: "flowrun.yaml", text: "registrations:\n" + lines)
        #expect(RegistrationReader.read(file).diagnostics.last?.hint?.hasSuffix(hint) == true)
    }

    @Test(
        "names and functions of other programs are taken for ours",
        arguments: [
            ("${hex(hmac_sha256(client_secret, message))}", "\"client.secret\""),
            ("${hex(hmac(client.secret, message))}", "\"hmac_sha256\""),
        ])
    func expressions(expect: String, meant: String) {
        let (_, report) = DescriptorFixture.read("callback: {verify: {param: h, expect: '\(expect)'}}\n")
        #expect(report.count == 1)
        #expect(report.first?.hasSuffix("; did you mean \(meant)?") == true, "\(report)")
    }

    @Test("an empty file says how one begins")
    func empty() {
        let found = ProviderReader.read(SourceFile(path: "x/p.yaml", text: "# nothing\n")).diagnostics
        #expect(found.map(\.hint) == [FileLikeness.beginnings])
    }

    @Test(
        "what no descriptor may say is refused at its place",
        arguments: [
            (
                "authorization: {state: {mode: off}}",
                "FL068 4:31: without state only PKCE with S256 keeps a foreign answer out (RFC 9700 §4.7.1)"
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
            (
                "callback: {decode: {code: urldecode, state: base64}}",
                "FL016 4:45: the only decoding is urldecode"
            ),
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
                "FL068 4:63: the code is sent for the tokens, and no code is sent twice (RFC 6749 §4.1.2)"
            ),
            (
                "userinfo: {query: {c: '${code}'}}",
                "FL068 4:23: the code is sent for the tokens, and no code is sent twice (RFC 6749 §4.1.2)"
            ),
            (
                "revocation: {params: {c: '${code}'}}",
                "FL046 4:29: \"code\" is not known in a revocation"
            ),
            (
                "userinfo: {method: PUT}",
                "FL016 4:20: \"method\" in \"userinfo\" must be one of GET, POST, not \"PUT\""
            ),
            (
                "device_authorization: {params: {x: '${claims.sub}'}}",
                "FL046 4:39: \"claims\" is not known in the start of a sign-in on another device"
            ),
            (
                "refresh: {params: {x: '${device.user_code}'}}",
                "FL046 4:26: \"device\" is not known in a renewal"
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
                "variables: {key: {secret: true}}\nclaims: {sub: id, of: '${vars.key}'}",
                "FL061 5:26: \"vars.key\" is a secret, which may only go into requests to the provider"
            ),
            (
                "variables: {key: {secret: true}}\nauthorization: {params: {a: '${vars.key}'}}",
                "FL061 5:32: \"vars.key\" is a secret, which may only go into requests to the provider"
            ),
            (
                "variables: {key: {secret: true}}\nlogout: {params: {a: '${vars.key}'}}",
                "FL061 5:25: \"vars.key\" is a secret, which may only go into requests to the provider"
            ),
            (
                "variables: {key: {secret: true}}\nvalues: {a: \"${lower(vars.key)}\"}",
                "FL061 5:22: \"vars.key\" is a secret, which may only go into requests to the provider"
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
                "authorization: {scope: [a], omit: [scope]}",
                "FL058 4:24: scopes are named here and left out of the request: none is sent, and all count as granted"
            ),
            (
                "authorization: {claims: {id_token: {acr: gold}}}",
                "FL016 4:25: \"id_token.acr\" is no request for claims (OpenID Connect Core §5.5)"
            ),
            (
                "authorization: {authorization_details: {type: a}}",
                "FL016 4:40: authorization details are a list of mappings with a type (RFC 9396 §2)"
            ),
            (
                "callback: {capture: {Shop: shop}}",
                "FL014 4:22: what is captured has a name of lower-case letters, digits and '_', not \"Shop\""
            ),
            (
                "redirect: {loopback: {hosts: [], path: callback, ports: []}}",
                """
                FL016 4:30: "hosts" in "loopback" must be a list of 127.0.0.1, [::1], localhost, not an empty list
                FL016 4:40: "path" in "loopback" must be a path such as /callback, not "callback"
                FL016 4:57: "ports" in "loopback" must be any, or a list of port numbers, not an empty list
                """
            ),
            (
                "endpoints: {issuer: 'https://a.example'}\nvalues: {No-Name: a}",
                """
                FL014 4:13: "issuer" is a name that every provider has
                FL014 5:10: a name here is lower-case letters, digits and '_', not "No-Name"
                """
            ),
            (
                "operations: {No-Name: {endpoint: 'https://p.example/a'}}",
                "FL014 4:14: an operation's name is lower-case letters, digits and '_', not \"No-Name\""
            ),
            (
                "api_key: {placement: 'body:key', value: '${vars.key}'}\nvariables: {key: {}}",
                "FL016 4:22: \"placement\" in \"api_key\" must be header:NAME or query:NAME, not \"body:key\""
            ),
            (
                "environments: {Sandbox: {}}",
                "FL014 4:16: an environment's name is lower-case letters, digits and '-', not \"Sandbox\""
            ),
            (
                "authorization: {endpoint_when: [{authorization_endpoint: 'https://p.example/b'}]}",
                "FL011 4:33: a rule of endpoint_when needs the key \"if\""
            ),
            (
                "userinfo: {also: [{endpoint: 'https://p.example/b'}]}",
                "FL011 4:19: a request under \"also\" needs the key \"name\""
            ),
            (
                "userinfo: {also: [{name: userinfo, endpoint: 'https://p.example/b'}]}",
                "FL016 4:26: another answer is called \"userinfo\" already"
            ),
            (
                "userinfo: {also: [{name: a, endpoint: 'https://p.example/b', auth: client_secret_basic}]}",
                "FL016 4:68: the access token is in the header field that this needs: Authorization"
            ),
            (
                "token: {body_format: json, params: {a: {b: c}}}\nrefresh: {body_format: form, params: {a: {b: c}}}",
                "FL016 5:42: a list or mapping can only stand in a JSON body"
            ),
            (
                "authorization: {response_type: id_token code}",
                "FL068 4:32: the name of the hybrid flow is \"code id_token\""
            ),
            (
                "authorization: {rename: {login_hint: redirect_uri}}",
                "FL058 4:38: \"redirect_uri\" belongs to the engine, which has a value of its own for it"
            ),
            ("callback: {rename: {a: code, b: code}}", "FL058 4:33: \"a\" is called \"code\" already"),
            (
                "callback: {error: {code: {a: b}}}",
                "FL016 4:26: \"code\" in \"error\" must be text, not a mapping"
            ),
            ("callback: {rename: {a: ''}}", "FL016 4:24: expected the new name of \"a\", found \"\""),
            ("claims: {sub: {type: string}}", "FL011 4:15: claim \"sub\" needs the key \"path\""),
            (
                "userinfo: {example: 5}",
                "FL016 4:21: \"example\" in \"userinfo\" must be a mapping, not the number 5"
            ),
            (
                "callback: {method: [GET]}\nauthorization: {response_mode: form_post.jwt}",
                "FL016 4:20: with response_mode form_post.jwt the callback comes by POST"
            ),
            (
                "callback: {method: POST}\nauthorization: {response_mode: query}",
                "FL016 4:20: \"method\" in \"callback\" must be a list, not \"POST\""
            ),
            (
                "redirect: {loopback: {path: /a b}}",
                "FL016 4:29: \"path\" in \"loopback\" must be a path such as /callback, not \"/a b\""
            ),
            (
                "redirect: {loopback: {path: /callback-1.~_/é}}",
                "FL016 4:29: \"path\" in \"loopback\" must be a path such as /callback, not \"/callback-1.~_/é\""
            ),
            (
                "redirect: {schemes: [1a]}",
                "FL016 4:22: the elements of \"schemes\" in \"redirect\" must be URI schemes of programs, such as com.example.app, not \"1a\""
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

    @Test(
        "a credential is refused wherever it stands, once",
        arguments: [
            ("token: {params: {password: abc}}", "FL066 4:28: \"password\" is written out here"),
            ("token: {params: {private_key: abc}}", "FL066 4:31: \"private_key\" is written out here"),
            (
                "token: {params: {client_assertion: abc}}",
                "FL058 4:18: \"client_assertion\" belongs to the engine and cannot be set\n"
                    + "FL066 4:36: \"client_assertion\" is written out here"
            ),
            (
                "token: {params: {client_assertion_type: abc}}",
                "FL058 4:18: \"client_assertion_type\" belongs to the engine and cannot be set"
            ),
            (
                "token: {headers: {x-api-key: eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2ln}}",
                "FL066 4:30: a key or token is written out here"
            ),
            ("token: {params: {x: eyJhIjoxfQ.eyJ9.}}", "FL066 4:21: a key or token is written out here"),
            (
                "token: {params: {x: \"-----BEGIN EC PRIVATE KEY-----\\nMHc=\"}}",
                "FL066 4:21: a key or token is written out here"
            ),
        ])
    func credentials(lines: String, report: String) {
        let (descriptor, found) = DescriptorFixture.read(lines + "\n")
        #expect(descriptor == nil)
        #expect(found.joined(separator: "\n") == report)
    }

    @Test(
        "what has the name of a credential only, or a part of the form of one, is none",
        arguments: [
            "token: {rename: {client_secret: password, api_key: key}, params: {api_key: '${vars.k}'}}",
            "token: {params: {api_key: \"\"}}", "token: {params: {key: abc, value: abc}}",
            "userinfo: {headers: {X-Auth: Bearer, X-Token: '${vars.k}'}}",
            "userinfo: {query: {x-api-key: abc}}",
            "authorization: {params: {x: eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ}}",
            "authorization: {params: {x: eyJhbGciOiJIUzI1NiJ9.abc.eyJhIjoxfQ}}",
            "authorization: {params: {x: eabcbGciOiJIUzI1NiJ9.eyJhIjoxfQ.abc}}",
            "authorization: {params: {x: -----BEGIN PUBLIC KEY-----}}",
            "authorization: {params: {x: no PRIVATE KEY-----}}",
        ])
    func harmless(lines: String) {
        let found = DescriptorFixture.read("variables: {k: {secret: true}}\n\(lines)\n").report
        #expect(found.filter { !$0.hasPrefix("FL103") } == [])
    }

    @Test(
        "before a template a host of this machine is the whole host",
        arguments: [
            ("http://127.0.0.1:${vars.port}/t", true), ("http://localhost/${vars.port}", true),
            ("http://[::1]:8080/${vars.port}", true), ("http://localhost?p=${vars.port}", true),
            ("http://localhost${vars.port}/t", false), ("http://localhost.p.example/${vars.port}", false),
            ("http://localhost-p.example/${vars.port}", false),
            ("http://127.0.0.1@p.example/${vars.port}", false), ("http://[::1]0/${vars.port}", false),
            ("http://p.example/${vars.port}", false), ("https://p.example/${vars.port}", true),
        ])
    func localTemplates(address: String, isAccepted: Bool) {
        let lines = "variables: {port: {default: \"80\"}}\ntoken_endpoint: \"\(address)\"\n"
        let report = "FL067 5:17: \"\(address)\" is not https"
        #expect(DescriptorFixture.read(lines).report == (isAccepted ? [] : [report]))
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
