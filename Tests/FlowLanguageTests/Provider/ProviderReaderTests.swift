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
            "device_authorization: {omit: [code_challenge], pkce: {mode: required}}",
            "FL068 4:30: \"code_challenge\" protects the user and cannot be left out"
        ),
        (
            "authorization: {pkce: {method: plain, challenge_encoding: hex}}",
            "FL068 4:59: with the method plain there is no digest to be written"
        ),
        (
            "authorization: {pkce: {method: plain}}\ncode_challenge_methods_supported: [plain, S256]",
            "FL068 5:43: the server takes S256, so that the weaker plain may not be used (RFC 7636 §4.2)"
        ),
        (
            "code_challenge_methods_supported: [plain]",
            "FL068 4:35: without S256 here no sign-in starts: PKCE is used, and with no other method"
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
            "client: {request_object_encryption_alg: ECDH-ES}",
            "FL068 4:41: a request that is encrypted must be signed as well"
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
            "FL016 4:35: \"scope\" in \"types\" must be one of seconds, minutes, milliseconds, duration, epoch, epoch_ms, iso8601, jwt, list, space, comma, not \"csv\""
        ),
        (
            "token: {response: {types: {expires_at: jwt}}}",
            "FL016 4:40: \"expires_at\" in \"types\" must be another type: jwt is for expires_in alone, not \"jwt\""
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
            "jwks_uri: https://p.example/{realm}/keys",
            "FL016 4:11: \"https://p.example/{realm}/keys\" holds a character that a URL may not hold"
        ),
        (
            "variables: {realm: {default: a}}\njwks_uri: https://p.example/${realm}",
            "FL046 5:31: unknown name here \"realm\"; did you mean \"vars.realm\"?"
        ),
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
                "FL016 6:9: \"claims\" must be a mapping, not an empty list",
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
        let misspelt = SourceFile(path: "e.yaml", text: "provider: e\nprotocol: oicd\n")
        #expect(
            ProviderReader.read(misspelt).diagnostics.map(\.message) == [
                "\"protocol\" in provider must be one of oidc, oauth2, not \"oicd\""
            ])
    }
}
