import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLanguage

@Suite("Descriptors on top of each other")
struct DescriptorLayersTests {
    private static let acme = """
        provider: acme
        display_name: Acme
        protocol: oauth2
        variables: {host: {default: acme.example}}
        authorization_endpoint: https://${vars.host}/authorize
        token_endpoint: https://${vars.host}/token
        authorization:
          scope: [read, write]
          params: {access_type: offline, prompt: consent}
        refresh: {supported: false}
        environments:
          sandbox:
            variables: {host: {default: sandbox.acme.example}}
            authorization: {params: {prompt: null, mode: test}}

        """

    private static func read(
        _ text: String, environment: String? = nil, others: [String: String] = [:]
    ) -> ProviderReading {
        ProviderReader.read(SourceFile(path: "p/child.yaml", text: text), environment: environment) { id in
            (others[id] ?? (id == "acme" ? acme : nil)).map { SourceFile(path: "lib/\(id).yaml", text: $0) }
        }
    }

    private static func report(_ reading: ProviderReading) -> [String] {
        reading.diagnostics.map { "\($0.file):\($0.span.start): \($0.code) \($0.message)" }
    }

    private static let child = """
        provider: child
        extends: acme
        authorization:
          scope: [read]
          params: {prompt: null, audience: api}
        refresh: null

        """

    @Test("mappings are joined key by key, lists replace, nothing removes, and each value keeps its place")
    func merged() throws {
        let reading = Self.read(Self.child)
        #expect(Self.report(reading) == [])
        let descriptor = try #require(reading.descriptor)
        #expect(descriptor.id == "child")
        #expect(descriptor.displayName == "Acme")
        #expect(descriptor.authorization.scopes.map(\.literal) == ["read"])
        #expect(descriptor.refresh.isSupported)
        #expect(reading.sources.map(\.path) == ["p/child.yaml", "lib/acme.yaml"])
        let bound = try descriptor.bind(variables: [:])
        #expect(
            bound.dialect(descriptor.authorization.dialect).parameters == [
                RequestParameter("access_type", .text("offline"), .descriptor("acme.yaml:9")),
                RequestParameter("audience", .text("api"), .descriptor("child.yaml:5")),
            ])
    }

    @Test("an environment lies on top of everything, and says so")
    func environment() throws {
        let reading = Self.read(Self.child, environment: "sandbox")
        #expect(Self.report(reading) == [])
        let descriptor = try #require(reading.descriptor)
        #expect(descriptor.environments == ["sandbox"])
        #expect(descriptor.environment == "sandbox")
        let bound = try descriptor.bind(variables: [:])
        #expect(bound.serverFields().tokenEndpoint == "https://sandbox.acme.example/token")
        #expect(
            bound.dialect(descriptor.authorization.dialect).parameters.last
                == RequestParameter("mode", .text("test"), .descriptor("acme.yaml:14 (sandbox)")))
        #expect(Self.read(Self.child, environment: "nowhere").descriptor?.environment == nil)
    }

    @Test("nothing after its name removes a member of the metadata, until an upper layer has a word on it")
    func removals() throws {
        let parent = """
            provider: acme
            protocol: oidc
            issuer: https://acme.example
            userinfo_endpoint: null
            scopes_supported: [a]
            code_challenge_methods_supported:
            environments:
              sandbox: {userinfo_endpoint: "https://acme.example/me", jwks_uri: null}

            """
        let alone = ProviderReader.read(SourceFile(path: "acme.yaml", text: parent))
        #expect(alone.diagnostics == [])
        let descriptor = try #require(alone.descriptor)
        #expect(descriptor.server.removed == ["userinfo_endpoint", "code_challenge_methods_supported"])
        #expect(
            try descriptor.bind(variables: [:]).amendedMembers() == [
                "userinfo_endpoint", "code_challenge_methods_supported", "scopes_supported",
            ])
        let child = """
            provider: child
            extends: acme
            scopes_supported: null
            code_challenge_methods_supported: [S256]

            """
        let reading = Self.read(child, others: ["acme": parent])
        #expect(Self.report(reading) == [])
        #expect(reading.descriptor?.server.removed == ["userinfo_endpoint", "scopes_supported"])
        #expect(reading.descriptor?.server.members.codeChallengeMethodsSupported == ["S256"])
        let sandbox = Self.read(child, environment: "sandbox", others: ["acme": parent])
        #expect(Self.report(sandbox) == [])
        #expect(sandbox.descriptor?.server.removed == ["jwks_uri", "scopes_supported"])
    }

    @Test("an environment of several files names the one that each value stands in")
    func mixedEnvironment() throws {
        let child = """
            provider: child
            extends: acme
            environments:
              sandbox:
                authorization: {params: {audience: api}}

            """
        let reading = Self.read(child, environment: "sandbox")
        #expect(Self.report(reading) == [])
        let descriptor = try #require(reading.descriptor)
        #expect(
            try descriptor.bind(variables: [:]).dialect(descriptor.authorization.dialect).parameters == [
                RequestParameter("access_type", .text("offline"), .descriptor("acme.yaml:9")),
                RequestParameter("mode", .text("test"), .descriptor("acme.yaml:14 (sandbox)")),
                RequestParameter("audience", .text("api"), .descriptor("child.yaml:5 (sandbox)")),
            ])
        let broken = Self.acme.replacing("mode: test", with: "state: x")
        #expect(
            Self.report(Self.read(child, environment: "sandbox", others: ["acme": broken])) == [
                "lib/acme.yaml:14:44: FL058 \"state\" belongs to the engine and cannot be set"
            ])
    }

    @Test("a mistake is reported in the file that it stands in")
    func places() {
        let broken = Self.acme.replacing("supported: false", with: "suported: false")
        let reading = Self.read("provider: child\nextends: acme\nclaim: {}\n", others: ["acme": broken])
        #expect(reading.descriptor == nil)
        #expect(
            Self.report(reading) == [
                "lib/acme.yaml:10:11: FL010 unknown key \"suported\" in \"refresh\"; did you mean \"supported\"?",
                "p/child.yaml:3:1: FL010 unknown key \"claim\" in provider; did you mean \"claims\"?",
            ])
    }

    @Test("a mistake of an environment is found without choosing it")
    func environmentMistake() {
        let text = Self.acme.replacing("mode: test", with: "state: x")
        let reading = ProviderReader.check(SourceFile(path: "acme.yaml", text: text))
        #expect(
            Self.report(reading) == [
                "acme.yaml:14:44: FL058 \"state\" belongs to the engine and cannot be set"
            ])
    }

    private static func checked(_ text: String, others: [String: String] = [:]) -> [String] {
        report(
            ProviderReader.check(SourceFile(path: "p/child.yaml", text: text)) { id in
                (others[id] ?? (id == "acme" ? acme : nil)).map {
                    SourceFile(path: "lib/\(id).yaml", text: $0)
                }
            })
    }

    @Test("mistakes of environments are told beside those of the file, each once")
    func environmentMistakesBesideOthers() {
        let text = Self.acme.replacing("mode: test", with: "state: x").replacing("refresh", with: "refrsh")
            .replacing("environments:", with: "environments:\n  other: 3\n  sandbox2: {tokn: {}}")
        #expect(
            Self.checked(text) == [
                "p/child.yaml:10:1: FL010 unknown key \"refrsh\" in provider; did you mean \"refresh\"?",
                "p/child.yaml:12:10: FL016 environment \"other\" must be a mapping, not the number 3",
                "p/child.yaml:13:14: FL010 unknown key \"tokn\" in environment \"sandbox2\"; did you mean \"token\"?",
                "p/child.yaml:16:44: FL058 \"state\" belongs to the engine and cannot be set",
            ])
    }

    @Test("a mistake that only an environment makes names the environment, unless it stands there")
    func explainedByEnvironment() {
        let text = Self.acme.replacing(
            "    variables",
            with: "    token_endpoint: null\n    authorization_endpoint: http://a.example\n    variables"
        )
        .replacing("refresh:", with: "callback: {method: [POST]}\nrefresh:")
        .replacing("mode: test}", with: "mode: test}, response_mode: query")
        #expect(
            Self.checked(text) == [
                "p/child.yaml:10:20: FL016 with response_mode query the callback comes by GET, in environment \"sandbox\"",
                "p/child.yaml:14:5: FL011 provider needs the key \"token_endpoint\", in environment \"sandbox\"",
                "p/child.yaml:15:29: FL067 \"http://a.example\" is not https",
            ])
    }

    @Test("a mistake that only a file and what it extends make together names the other of the two")
    func explainedByParent() {
        let parent = Self.acme.replacing("refresh:", with: "callback: {method: [POST]}\nrefresh:")
        let child = "provider: child\nextends: acme\nauthorization: {response_mode: query}\n"
        #expect(
            Self.checked(child, others: ["acme": parent]) == [
                "lib/acme.yaml:10:20: FL016 with response_mode query the callback comes by GET, as \"child\" extends it"
            ])
        let other = Self.acme.replacing("scope: [", with: "response_mode: query\n  scope: [")
        #expect(
            Self.checked(
                "provider: child\nextends: acme\ncallback: {method: [POST]}\n", others: ["acme": other])
                == [
                    "p/child.yaml:3:20: FL016 with response_mode query the callback comes by GET, together with \"acme\", which it extends"
                ])
    }

    @Test("a credential in a file below, or in an environment, is marked as one, so that no report shows it")
    func credentialsBelow() {
        let secret = "variables: {key: {secret: true, required: true, default: abc}}\n"
        let parent = Self.acme.replacing("variables: {host: {default: acme.example}}\n", with: "")
            .replacing("${vars.host}", with: "acme.example")
        let below = Self.read("provider: child\nextends: acme\n", others: ["acme": parent + secret])
        #expect(below.diagnostics.map(\.isCredential) == [true])
        let chosen = ProviderReader.read(
            SourceFile(
                path: "a.yaml",
                text: Self.acme.replacing(
                    "    variables: {", with: "    variables: {key: {secret: true, default: abc}, ")),
            environment: "sandbox")
        #expect(chosen.diagnostics.map(\.isCredential) == [true])
    }

    @Test("what is extended must be there, and may not lead in a circle")
    func chains() {
        #expect(
            Self.report(
                Self.read(
                    "provider: child\nextends: nobody\nprotocol: oauth2\ntoken_endpoint: https://a.example\n")
            )
                == ["p/child.yaml:2:10: FL016 there is no descriptor \"nobody\" to extend"])
        let misspelt = ProviderReader.read(
            SourceFile(
                path: "c.yaml",
                text: "provider: c\nextends: gogle\nprotocol: oauth2\ntoken_endpoint: https://a.example\n"),
            known: { ["acme", "google"] })
        #expect(
            Self.report(misspelt)
                == ["c.yaml:2:10: FL016 there is no descriptor \"gogle\" to extend; did you mean \"google\"?"]
        )
        let circle = ["a": "provider: a\nextends: b\n", "b": "provider: b\nextends: a\n"]
        let reading = Self.read("provider: child\nextends: a\n", others: circle)
        #expect(
            Self.report(reading).contains(
                "p/child.yaml:2:10: FL016 a descriptor cannot extend itself: child → a → b → a"))
        let deep = Dictionary(
            uniqueKeysWithValues: (1...5).map { ("d\($0)", "provider: d\($0)\nextends: d\($0 + 1)\n") })
        #expect(
            Self.report(Self.read("provider: child\nextends: d1\n", others: deep)) == [
                "p/child.yaml:2:10: FL016 descriptors extend each other at most 4 deep: child → d1 → d2 → d3 → d4 → d5"
            ])
    }

    @Test("what is missing with a file that is extended is not asked of the one that extends it")
    func missingParent() {
        let text = """
            provider: child
            extends: nobody
            client: {methd: none}
            authorization: {omit: [nothing]}
            refresh: {params: {user: '${claims.sub}'}}
            userinfo: {example: {id: 7}}
            claims: {name: lgin, email: usrinfo.email, locale: callback.locale}

            """
        let found = Self.report(Self.read(text))
        #expect(found.count == 2)
        #expect(found.allSatisfy { $0.contains("there is no descriptor") || $0.contains("unknown key") })
    }

    @Test("grandparents count, the nearest first")
    func generations() throws {
        let middle =
            "provider: middle\nextends: acme\ndisplay_name: Middle\nrefresh: {rotation: reusable, supported: true}\n"
        let reading = Self.read(
            "provider: child\nextends: middle\nrefresh: {rotation: single_use}\n", others: ["middle": middle])
        let descriptor = try #require(reading.descriptor)
        #expect(descriptor.displayName == "Middle")
        #expect(descriptor.refresh.rotation == .singleUse)
        #expect(descriptor.refresh.isSupported)
        #expect(descriptor.authorization.scopes.map(\.literal) == ["read", "write"])
    }
}
