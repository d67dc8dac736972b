import FlowTesting
import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLanguage

/// Mistakes of descriptors that are told together with what cures them.
@Suite("Cures for mistakes of descriptors")
struct DescriptorHintTests {
    private static let plain = """
        provider: p
        protocol: oauth2
        authorization_endpoint: https://p.example/authorize?v=5.1
        token_endpoint: https://p.example/token?k=1

        """

    private func found(_ lines: String, after base: String = plain) -> [String] {
        ProviderReader.read(SourceFile(path: "p.yaml", text: base + lines + "\n")).diagnostics.map {
            "\($0.code) \($0.span.start): \($0.message)" + ($0.hint.map { " | \($0)" } ?? "")
        }
    }

    // MARK: Keys

    @Test(
        "a key that is good elsewhere is told where",
        arguments: [
            ("scope: [a]", "write it as authorization: {scope: ...}"),
            (
                "pkce: {mode: off}",
                "write it as authorization: {pkce: ...} or device_authorization: {pkce: ...}"
            ),
            ("token_endpoint_auth_method: none", "write it as client: {token_endpoint_auth_method: ...}"),
            ("introspection_url: https://p.example/i", "here it is \"introspection_endpoint\""),
            (
                "client_id: c",
                "it belongs to a registration in flowrun.yaml, as flowrun provider add writes it"
            ),
            (
                "redirect_uri: https://p.example/c",
                "it belongs to a registration in flowrun.yaml, as flowrun provider add writes it"
            ),
            ("authorize_url: https://p.example/a", "here it is \"authorization_endpoint\""),
            ("userInfoUrl: https://p.example/u", "here it is \"userinfo_endpoint\""),
            ("well-known: https://p.example/w", "here it is \"server_metadata_url\""),
            ("name: P", "here it is \"display_name\""),
            ("scopes: [a]", "write it as authorization: {scope: ...}"),
            ("auth_method: none", "write it as client: {token_endpoint_auth_method: ...}"),
        ])
    func misplaced(line: String, hint: String) throws {
        let key = try #require(line.split(separator: ":").first)
        #expect(found(line) == ["FL010 5:1: unknown key \"\(key)\" in provider | \(hint)"])
    }

    @Test(
        "a key of a part that is good elsewhere is told where",
        arguments: [
            ("authorization", "endpoint", "at the top of the file there is \"authorization_endpoint\""),
            ("authorization", "url", "at the top of the file there is \"authorization_endpoint\""),
            ("authorization", "extraParams", "here it is \"params\""),
            (
                "authorization", "client_id",
                "it belongs to a registration in flowrun.yaml, as flowrun provider add writes it"
            ),
            ("token", "uri", "here it is \"endpoint\""),
            ("token", "auth_method", "write it as client: {token_endpoint_auth_method: ...}"),
            ("token", "token_endpoint", "at the top of the file there is \"token_endpoint\""),
            ("userinfo", "claims", "at the top of the file there is \"claims\""),
            ("userinfo", "mapping", "at the top of the file there is \"claims\""),
            (
                "refresh", "pkce",
                "write it as authorization: {pkce: ...} or device_authorization: {pkce: ...}"
            ),
        ])
    func misplacedInPart(part: String, key: String, hint: String) {
        let report = "FL010 5:\(part.count + 4): unknown key \"\(key)\" in \"\(part)\" | \(hint)"
        #expect(found("\(part): {\(key): {}}").contains(report))
    }

    @Test("what says who a provider is, is meant by nobody in a part", arguments: ["label", "id", "type"])
    func title(key: String) {
        let hint = found("authorization: {\(key): a}").first?.split(separator: "|").last
        #expect(hint?.hasPrefix(" keys here: scope, ") == true)
    }

    @Test("a secret belongs to a registration, though a descriptor may say how one is made")
    func secret() {
        let reports = found("client_secret: s")
        let hint = "it belongs to a registration in flowrun.yaml, as flowrun provider add writes it"
        let report = "FL010 5:1: unknown key \"client_secret\" in provider | \(hint)"
        #expect(reports.contains(report), "\(reports)")
    }

    @Test(
        "one that is known nowhere, or nearly everywhere, is told the keys that there are",
        arguments: ["qwertz", "headers"])
    func unknown(key: String) {
        let hint = found("\(key): {}").first?.split(separator: "|").last
        #expect(hint?.hasPrefix(" keys here: provider, display_name, ") == true)
        let rest = ", issuer_aliases; all \(ProviderReader.keys.count): flowrun schema provider"
        #expect(hint?.hasSuffix(rest) == true)
    }

    @Test("of very many keys those are told that have a word of the unknown one")
    func alike() {
        let hint = found("token_place: {}").first?.split(separator: "|").last.map(String.init) ?? ""
        #expect(hint.hasPrefix(" keys here that are like it: token_endpoint, "))
        #expect(hint.contains(", token_lifetime; all ") && !hint.contains("issuer"))
    }

    @Test(
        "a path in another language is told how it is written here",
        arguments: [
            ("/rsp/auth", "JSON pointer", "rsp.auth"), ("$.data", "JSONPath", "data"),
            ("/a.b/0/c~1d", "JSON pointer", "[\"a.b\"][0].c/d"), ("$", "JSONPath", "a.b or a[0].b"),
        ])
    func foreignPath(text: String, form: String, cure: String) {
        let report =
            "FL016 5:40: \"\(text)\" is a \(form), and paths are written another way | write \(cure)"
        let reports = found("token: {response: {map: {access_token: \(text)}}}")
        #expect(reports.contains(report), "\(reports)")
    }

    // MARK: Parameters

    @Test(
        "parameters that have keys of their own are refused with the key",
        arguments: [
            (
                "authorization: {scope: [a], params: {scope: b}}",
                "FL058 5:38: \"scope\" belongs to the engine and cannot be set | authorization.scope says what is asked "
                    + "for; rename: {scope: NAME} sends that under another name"
            ),
            (
                "authorization: {rename: {scope: user_scope}, params: {scope: \"\"}}",
                "FL058 5:55: \"scope\" belongs to the engine and cannot be set | authorization.scope says what is asked "
                    + "for; rename: {scope: NAME} sends that under another name"
            ),
            (
                "authorization: {allow_params: [scope]}",
                "FL058 5:31: \"scope\" belongs to the engine and no flow may set it | a flow asks for scopes by itself, "
                    + "and --scope adds one"
            ),
            (
                "authorization: {params: {request: authorize}}",
                "FL058 5:26: \"request\" stands for the whole request (RFC 9101) | for a signed one say "
                    + "client.request_object_signing_alg; where the server means something else by it, write it into "
                    + "authorization_endpoint"
            ),
            (
                "device_authorization: {params: {scope: a}}",
                "FL058 5:33: \"scope\" belongs to the engine and cannot be set | authorization.scope says what is asked "
                    + "for; rename: {scope: NAME} sends that under another name"
            ),
            (
                "token: {params: {grant_type: x}}",
                "FL058 5:18: \"grant_type\" belongs to the engine and cannot be set | write it beside params: "
                    + "token: {grant_type: ...}"
            ),
            (
                "refresh: {params: {grant_type: x}}",
                "FL058 5:20: \"grant_type\" belongs to the engine and cannot be set | write it beside params: "
                    + "refresh: {grant_type: ...}"
            ),
            (
                "token: {params: {state: x}}",
                "FL058 5:18: \"state\" belongs to the engine and cannot be set | no such request has it; for a server "
                    + "that wants it all the same: params: {x: \"${state}\"}, rename: {x: state}"
            ),
            (
                "callback: {rename: {tenant: code}, capture: {tenant: tenant}}",
                "FL046 5:54: no \"tenant\" is left to capture: callback.rename calls it \"code\" | capture it by that "
                    + "name: tenant: {from: code}"
            ),
            (
                "callback: {capture: {sellerId: sellerId}}",
                "FL014 5:22: what is captured has a name of lower-case letters, digits and '_', not \"sellerId\" | give "
                    + "it one, and say which parameter it is: my_name: sellerId"
            ),
            (
                "refresh: {params: {redirect_uri: x}}",
                "FL058 5:20: \"redirect_uri\" belongs to the engine and cannot be set | no such request has it; for a "
                    + "server that wants it all the same: params: {x: \"${client.redirect_uri}\"}, "
                    + "rename: {x: redirect_uri}"
            ),
            (
                "authorization: {scope: [a], omit: [scope]}",
                "FL058 5:24: scopes are named here and left out of the request: none is sent, and all count as granted | "
                    + "drop them, or scope from authorization.omit"
            ),
            (
                "token: {params: {code: x}}",
                "FL058 5:18: \"code\" belongs to the engine and cannot be set | give it another name by rename, or "
                    + "leave it out by omit"
            ),
        ])
    func ownKeys(lines: String, report: String) {
        #expect(found(lines) == [report])
    }

    @Test("what those hints name is accepted")
    func cures() {
        #expect(found("authorization: {scope: [a], rename: {scope: user_scope}}") == [])
        #expect(found("token: {grant_type: x, params: {s: \"${state}\"}, rename: {s: state}}") == [])
        // Requests of the provider's own have no grant but what they say.
        #expect(
            found("operations: {long: {endpoint: https://p.example/x, params: {grant_type: x, scope: y}}}")
                == [])
        #expect(found("refresh: {params: {scope: a}}") == [])
        #expect(found("authorization: {omit: [scope]}") == [])
    }

    @Test(
        "a parameter that stands in the address already is refused at its place",
        arguments: [
            (
                "authorization: {params: {v: \"5.2\"}}",
                "FL058 5:26: \"v\" stands in the query of authorization_endpoint already"
            ),
            (
                "authorization: {params: {w: a}, rename: {w: v}}",
                "FL058 5:26: \"v\" stands in the query of authorization_endpoint already"
            ),
            ("token: {query: {k: a}}", "FL058 5:17: \"k\" stands in the query of token_endpoint already"),
            (
                "token: {method: GET, params: {k: a}}",
                "FL058 5:31: \"k\" stands in the query of token_endpoint already"
            ),
            (
                "operations: {x: {endpoint: 'https://p.example/x?k=1&l=2', query: {l: a}}}",
                "FL058 5:67: \"l\" stands in the query of endpoint already"
            ),
        ])
    func repeated(lines: String, report: String) {
        #expect(
            found(lines) == [
                "\(report) | leave it out here or there: a parameter is sent once (RFC 6749 §3.1)"
            ])
    }

    @Test(
        "what the engine sends stands in no address of its own",
        arguments: [
            ("response_type=code", "", ["response_type"]),
            ("a=1&client_id=c&redirect_uri=x", "", ["client_id", "redirect_uri"]),
            ("client=c", "authorization: {rename: {client_id: client}}", ["client"]),
            ("client_id=c", "authorization: {rename: {client_id: client}}", []),
            ("response_type=code", "authorization: {omit: [response_type]}", []),
            ("response_type=code", "authorization: {fragment: /}", []), ("type=code", "", []),
        ] as [(String, String, [String])])
    func ownQuery(query: String, lines: String, names: [String]) {
        let base = """
            provider: p
            protocol: oauth2
            authorization_endpoint: https://p.example/authorize?\(query)
            token_endpoint: https://p.example/token

            """
        let words = "stands in this query, and the engine sends it"
        let hint = "leave it out: a parameter is sent once (RFC 6749 §3.1)"
        #expect(found(lines, after: base) == names.map { "FL058 3:25: \"\($0)\" \(words) | \(hint)" })
    }

    @Test(
        "a parameter of the body is no parameter of the address",
        arguments: [
            "token: {params: {k: a}}", "authorization: {params: {u: a}}",
            "token: {endpoint: https://p.example/other, query: {k: a}}",
        ])
    func elsewhere(lines: String) {
        #expect(found(lines) == [])
    }

    // MARK: Other keys

    @Test("an address of the server that reads an answer names the keys that may")
    func earlyAnswer() {
        #expect(
            found("userinfo_endpoint: https://p.example/me/${token.user_id}") == [
                "FL046 5:43: \"token\" is not known here, before any request is made | an address of one request may "
                    + "read it: token.endpoint, userinfo.endpoint and the like"
            ])
        #expect(found("userinfo: {endpoint: \"https://p.example/me/${token.user_id}\"}") == [])
    }

    @Test("a misspelt protocol is told alone")
    func protocolKey() {
        let text = "provider: p\nprotocl: oauth2\ntoken_endpoint: https://p.example/token\n"
        #expect(
            found("", after: text) == [
                "FL010 2:1: unknown key \"protocl\" in provider; did you mean \"protocol\"?"
            ])
    }

    @Test("a relaxed check of iss says what the file says, and no more")
    func issuer() {
        let base = "provider: p\nprotocol: oidc\nissuer: https://p.example\n"
        let lines = "callback: {iss: ignore}\n"
        #expect(found(lines, after: base).first?.contains("even where the metadata says") == true)
        let announced = lines + "authorization_response_iss_parameter_supported: true"
        #expect(found(announced, after: base).first?.contains("although the file says") == true)
    }

    @Test("a name of the wire that YAML 1.1 takes for a boolean is quoted")
    func booleanNames() {
        #expect(
            found("authorization: {params: {n: a}}") == [
                "FL005 5:26: key \"n\" is a YAML 1.1 boolean; other tools read it as false | write \"n\" with the quotes, "
                    + "or give it another name where that is yours to choose"
            ])
        #expect(found("authorization: {params: {\"n\": a}}") == [])
    }

    // MARK: Claims

    private static let profile =
        plain
        + "userinfo_endpoint: https://p.example/me\n"
        + "userinfo: {example: {id: 7, team: null, mails: [{at: a}], \"https://p.example/group\": x}}\n"

    @Test(
        "a claim that finds nothing in the example is warned of with what is there",
        arguments: [
            (
                "claims: {sub: id, name: nmae}",
                "FL106 7:25: claim \"name\" finds nothing in userinfo.example, which has no \"nmae\""
            ),
            (
                "claims: {sub: id, email: ['mails[0].x', userinfo.mail]}",
                "FL106 7:26: claim \"email\" finds nothing in userinfo.example, which has no \"mails[0].x\", \"userinfo.mail\""
            ),
            (
                "claims: {sub: id, nickname: {path: login}}",
                "FL106 7:29: claim \"nickname\" finds nothing in userinfo.example, which has no \"login\""
            ),
            (
                "claims: {source: token, sub: id, name: userinfo.nmae}",
                "FL106 7:40: claim \"name\" finds nothing in userinfo.example, which has no \"userinfo.nmae\""
            ),
            (
                "claims: {sub: id, name: userinfo.nmae}\njwks_uri: https://p.example/keys",
                "FL106 7:25: claim \"name\" finds nothing in userinfo.example, which has no \"userinfo.nmae\""
            ),
        ])
    func lostClaim(lines: String, report: String) {
        let hint = "members there: id, team, mails, https://p.example/group"
        #expect(found(lines, after: Self.profile) == ["\(report) | \(hint)"])
    }

    @Test(
        "a claim that finds something, or looks elsewhere, is not",
        arguments: [
            "name: [nmae, id]", "name: team.name", "email: 'mails[0].at'", "email: 'mails[*].at'",
            "name: token.name", "name: 'n${userinfo.nmae}'", "zoneinfo: '[\"https://p.example/group\"]'",
            "zoneinfo: 'userinfo[\"https://p.example/group\"]'",
        ])
    func foundClaim(claim: String) {
        #expect(found("claims: {sub: id, \(claim)}", after: Self.profile) == [])
    }

    @Test("a claim whose source is misspelt is told that alone")
    func misspeltSource() {
        #expect(
            found("claims: {sub: id, name: usrinfo.nmae}", after: Self.profile) == [
                "FL103 7:25: no source is called \"usrinfo\"; did you mean \"userinfo\"? | if it is a member of the "
                    + "answer, say of which: userinfo.usrinfo.nmae"
            ])
    }

    @Test(
        "what rules make of the answer, a further answer or an empty list may hold more than the example",
        arguments: [
            ("", "[login]", true), ("response: {map: {login: id}}", "[login]", false),
            ("response: {defaults: {login: a}}", "[login]", false),
            ("response: {defaults: {name: a}}", "[login]", true),
            ("also: [{name: more, endpoint: 'https://p.example/2'}]", "[more.login]", false),
            ("also: [{name: more, endpoint: 'https://p.example/2'}]", "[login]", true),
            ("also: [{name: team, endpoint: 'https://p.example/2'}]", "[team.login]", true),
            ("", "['none[0].login', 'none[*].login']", false), ("supported: false", "[login]", false),
        ])
    func elsewhereInAnswers(userinfo: String, paths: String, isWarned: Bool) {
        let example = "example: {id: 7, team: {id: 1}, none: []}"
        let base = Self.plain + "userinfo_endpoint: https://p.example/me\n"
        let lines = "userinfo: {\(example), \(userinfo)}\nclaims: {sub: id, name: \(paths)}"
        #expect(found(lines, after: base).filter { $0.hasPrefix("FL106") }.count == (isWarned ? 1 : 0))
    }

    @Test(
        "a name that nothing reads is told those that are, unless it is near to one or they are many",
        arguments: [
            (
                "device_authorization: {response: {map: {qwertz: a}}}",
                " | read are device_code, expires_in, interval, user_code, verification_uri, "
                    + "verification_uri_complete"
            ),
            ("device_authorization: {response: {map: {intervall: a}}}", "; did you mean \"interval\"?"),
            ("authorization: {omit: [qwertz]}", "no request has a parameter \"qwertz\""),
        ])
    func unreadName(lines: String, end: String) {
        let reports = found(lines)
        #expect(reports.count == 1 && reports.allSatisfy { $0.hasSuffix(end) }, "\(reports)")
    }

    @Test(
        "what a request is made of claims is warned of where no ID token brings any",
        arguments: [
            ("refresh: {params: {user: '${claims.sub}'}}", true),
            ("refresh: {headers: {X: \"${string(claims.sub) ?? 'x'}\"}}", true),
            ("refresh: {params: {user: '${token.uid}'}}", false),
            ("jwks_uri: https://p.example/keys\nrefresh: {params: {user: '${claims.sub}'}}", false),
        ] as [(String, Bool)])
    func claimsOfNobody(lines: String, isWarned: Bool) {
        let told = found(lines).filter { $0.contains("claims are those of an ID token") }
        #expect(told.count == (isWarned ? 1 : 0), "\(found(lines))")
    }

    @Test("a path that is a URL is warned of with the way to write it")
    func urlPath() throws {
        let lines = "claims: {sub: sub, email: \"https://ns.example/email\"}\n"
        let (descriptor, report) = DescriptorFixture.read(lines)
        #expect(
            report == [
                "FL106 4:27: the dots of \"https://ns.example/email\" part it into members, and no answer has them"
            ])
        let answer: JSONObject = ["sub": "1", "https://ns.example/email": "a@ns.example"]
        let lost = try #require(descriptor).bind(variables: [:])
        #expect(lost.profile(claims: answer, userinfo: nil, token: nil) == ["sub": "1"])
        for path in [
            "'[\"https://ns.example/email\"]'", "'id_token[\"https://ns.example/email\"]'",
            "\"${get(claims, '/https:~1~1ns.example~1email')}\"",
        ] {
            let (descriptor, report) = DescriptorFixture.read("claims: {sub: sub, email: \(path)}\n")
            #expect(report == [])
            let bound = try #require(descriptor).bind(variables: [:])
            #expect(
                bound.profile(claims: answer, userinfo: nil, token: nil) == [
                    "sub": "1", "email": "a@ns.example",
                ],
                "\(path)")
        }
    }
}
