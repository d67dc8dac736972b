import Testing
import YAMLText

@testable import FlowLanguage

@Suite("What descriptors say for nothing")
struct DescriptorWarningTests {
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
                "authorization: {scope_delimiter: ',', repeat_scope: true}",
                "FL103 4:34: with repeat_scope every scope is a parameter of its own, and nothing stands between"
            ),
            (
                "device_authorization_endpoint: https://p.example/device\n"
                    + "authorization: {scope_delimiter: ',', repeat_scope: true}", ""
            ),
            (
                "authorization: {rename: {client_id: appid}, order: [appid, client_id, scoope]}",
                "FL103 4:60: no parameter is sent as \"client_id\": it is called \"appid\" there\n"
                    + "FL103 4:71: no request has a parameter \"scoope\"; did you mean \"scope\"?"
            ),
            (
                "authorization: {raw: [scop]}",
                "FL103 4:23: no request has a parameter \"scop\"; did you mean \"scope\"?"
            ),
            (
                "authorization: {order: [scop]}",
                "FL103 4:25: no request has a parameter \"scop\"; did you mean \"scope\"?"
            ),
            (
                "authorization: {rename: {scop: x}}",
                "FL103 4:26: no request has a parameter \"scop\"; did you mean \"scope\"?"
            ),
            (
                "authorization: {rename: {client_id: appid}, raw: [appid, client_id]}",
                "FL103 4:58: no parameter is sent as \"client_id\": it is called \"appid\" there"
            ),
            (
                "token: {response: {types: {birthdate: iso8601}}}",
                "FL103 4:28: nothing reads a member \"birthdate\""
            ),
            (
                "token: {response: {types: {birthdate: iso8601}}}\nclaims: {source: userinfo}",
                "FL103 4:28: nothing reads a member \"birthdate\""
            ),
            (
                "token: {response: {types: {birthdate: iso8601}}}\nclaims: {source: token, sub: id}",
                "FL103 4:28: nothing reads a member \"birthdate\""
            ),
            (
                "token: {response: {types: {born_on: iso8601}}}\nclaims: {source: token}",
                "FL103 4:28: nothing reads a member \"born_on\""
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
            "authorization: {rename: {client_id: appid}, omit: [client_id]}",
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
            (
                "claims: {sub: '${nothing.id}', name: login}",
                "FL046 6:18: unknown name here \"nothing\""
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
}
