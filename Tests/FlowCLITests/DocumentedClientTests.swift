import FlowTesting
import JOSE
import Testing

@testable import FlowCLI

/// `register --document`: no provider is asked.
@Suite("A client that is known by a document")
struct DocumentedClientTests {
    private static let address = "https://app.example/client.json"

    private let place: Workplace

    init() throws {
        place = try Workplace([
            "flowrun.yaml": "# mine\n", "key.pem": TestKey.pem,
            "further.json": #"{"logo_uri":"https://app.example/l"}"#,
            "providers/acme.yaml": """
            provider: acme
            protocol: oidc
            issuer: https://acme.example
            redirect: { loopback: { ports: [21001, 21002] } }

            """,
        ])
    }

    private func register(_ rest: String) async -> Workplace.Result {
        await place.run("register acme --document \(rest)")
    }

    @Test("where a provider renews no tokens, a client does not register to have them renewed")
    func unrenewed() async throws {
        let file = "providers/acme.yaml"
        try place.write(file, try place.read(file) + "refresh: { supported: false }\n")
        let document = try JSON.parse(Array(await register(Self.address).output.utf8))
        #expect(document["grant_types"] == ["authorization_code"])
    }

    @Test("the document is printed, and the address is the identifier of a public client")
    func registered() async throws {
        let result = await register("\(Self.address) --name Tool --metadata further.json")
        #expect(result.status == 0)
        let document = try JSON.parse(Array(result.output.utf8))
        #expect(
            document == [
                "client_id": .string(Self.address),
                "redirect_uris": ["http://127.0.0.1:21001/callback", "http://127.0.0.1:21002/callback"],
                "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
                "token_endpoint_auth_method": "none", "client_name": "Tool", "scope": "openid",
                "logo_uri": "https://app.example/l", "application_type": "native",
            ])
        #expect(
            result.error == """
                publish it at \(Self.address) as application/json
                wrote flowrun.yaml; then: flowrun login acme

                """)
        #expect(
            try place.read("flowrun.yaml").hasSuffix(
                "  acme:\n    client_id: \"\(Self.address)\"\n    token_endpoint_auth_method: none\n"))
        let plan = await place.run("plan login -p acme")
        #expect(plan.output.contains(Self.address))
        let again = await register("\(Self.address)")
        #expect(again.status == 2 && again.output == "" && again.error.contains("--replace"))
        let moved = await register("https://app.example/other --replace")
        #expect(moved.status == 0 && moved.error.hasPrefix("it has no client_name"))
        #expect(try place.read("flowrun.yaml").contains("https://app.example/other"))
    }

    @Test("a key proves the client, and only its public half is in the document")
    func key() async throws {
        let result = await register("\(Self.address) --name Tool --private-key-file key.pem")
        #expect(result.status == 0, "\(result.error)")
        let document = try JSON.parse(Array(result.output.utf8))
        #expect(document["token_endpoint_auth_method"] == "private_key_jwt")
        let key = document["jwks"]?["keys"]?.arrayValue?.first
        #expect(key?["crv"] == "P-256" && key?["d"] == nil && key?["x"] != nil)
        #expect(try place.read("flowrun.yaml").contains("private_key: {file: key.pem}"))
    }

    @Test("a dry run writes nothing")
    func rehearsal() async throws {
        let result = await register("\(Self.address) --name Tool --dry-run")
        #expect(result.status == 0 && result.error == "")
        #expect(result.output.contains("\"client_name\": \"Tool\""))
        #expect(try place.read("flowrun.yaml") == "# mine\n")
    }

    @Test(
        "what cannot be is refused, and nothing is written",
        arguments: [
            ("http://app.example/c", "http://app.example/c is not https"),
            ("https://app.example/", "has no path"),
            ("\(address) --auth client_secret_post", "client_secret_post needs a secret"),
            ("\(address) --show", "no provider has made a client of --document"),
            ("\(address) --initial-access-token-env T", "nobody is asked to register"),
        ])
    func refused(rest: String, words: String) async throws {
        let result = await register(rest)
        #expect(result.status == 2 && result.output == "")
        #expect(result.error.contains(words), "\(result.error)")
        #expect(try place.read("flowrun.yaml") == "# mine\n")
    }

    @Test("a client that a provider made is ended first")
    func managed() async throws {
        let entry = """
            registrations:
              acme:
                client_id: theirs
                registration_client_uri: https://acme.example/c
                registration_access_token: { env: T }

            """
        try place.write("flowrun.yaml", entry)
        let result = await register("\(Self.address) --replace")
        #expect(result.status == 2)
        #expect(result.error.contains("end it first: flowrun register acme --delete"), "\(result.error)")
        #expect(try place.read("flowrun.yaml") == entry)
    }

    @Test("what the registration says of the client's proof holds in provider test too")
    func tested() async throws {
        try place.write(
            "providers/shop.yaml",
            """
            provider: shop
            protocol: oauth2
            authorization_endpoint: http://127.0.0.1:1/authorize
            token_endpoint: http://127.0.0.1:1/token
            client: { token_endpoint_auth_method: client_secret_post }

            """)
        let entry = "registrations:\n  shop:\n    client_id: c\n"
        for (method, words) in [
            ("", "the provider takes clients with a secret only, and none is registered"),
            ("    token_endpoint_auth_method: none\n", "not needed: none (flowrun.yaml:4)"),
        ] {
            try place.write("flowrun.yaml", entry + method)
            let report = try JSON.parse(Array(await place.run("provider test shop --json").output.utf8))
            let secret = report["checks"]?.arrayValue?.first { $0["check"] == "secret" }
            #expect(secret?["detail"] == .string(words))
        }
    }

    @Test(
        "a private key is neither published nor sent nor shown",
        arguments: ["--document \(address)", "", "--dry-run"])
    func privateKey(rest: String) async throws {
        try place.write(
            "keys.json",
            #"{"jwks":{"keys":[{"kty":"EC","crv":"P-256","x":"x","y":"y","d":"canary-private"}]}}"#)
        let result = await place.run("register acme --metadata keys.json \(rest)")
        #expect(result.status == 3 && result.output == "")
        #expect(!result.error.contains("canary-private"))
        let words = "jwks of keys.json holds a private key: its member \"d\""
        #expect(result.error.contains(words), "\(result.error)")
    }
}
