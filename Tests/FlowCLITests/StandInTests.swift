@testable import FlowCLI
import FlowEngine
import FlowLanguage
import FlowLive
import FlowSandbox
import FlowTesting
import JOSE
import OAuthProtocol
import Synchronization
import Testing
import YAMLText

/// One set of keys for all tests: an RSA key takes its time.
private let sharedKeys = Result { () throws(SandboxError) in try SandboxKeys.generate() }

@Suite("A stand-in for a provider")
struct StandInTests {
    private func standIn(
        _ provider: BoundProvider, at base: String? = nil, faults: [String] = []
    ) throws -> StandIn {
        let bytes = SplitBytes()
        return StandIn(
            provider, at: base, redirectURI: "http://127.0.0.1:PORT/callback", client: "client-1",
            SandboxConfiguration(issuer: "", mode: .automatic, faults: try faults.map(Fault.parse)),
            keys: try sharedKeys.get(), random: { bytes.next($0) })
    }

    @Test("every shipped provider's signs somebody in", arguments: try Shipped.providers())
    func signIn(_ name: String) async throws {
        let provider = try Shipped.provider(name, clientID: "client-1")
        let plan = try Compiled.rehearsal(Shipped.program("login"), provider)
        // One makes the address of the person of a part of the access token.
        try await expectSame(plan, try standIn(provider), madeUp: name == "etsy" ? 1 : 0)
    }

    @Test("every shipped provider's shows a code on another device", arguments: try Shipped.providers())
    func device(_ name: String) async throws {
        let provider = try Shipped.provider(name, clientID: "client-1")
        let plan = try Compiled.rehearsal(Shipped.program("device-login"), provider)
        try await expectSame(plan, try standIn(provider))
    }

    @Test("every environment's does both", arguments: try Shipped.environments())
    func environment(_ given: Shipped.Environment) async throws {
        let provider = try Shipped.provider(
            given.provider, environment: given.name, clientID: "client-1")
        for flow in ["login", "device-login"] {
            let plan = try Compiled.rehearsal(Shipped.program(flow), provider)
            try await expectSame(plan, try standIn(provider))
        }
    }

    @Test(
        "every shipped provider's knows the tokens of a session that is stored",
        arguments: try Shipped.providers())
    func stored(_ name: String) async throws {
        let provider = try Shipped.provider(name, clientID: "client-1")
        for (flow, outcome) in [("refresh", "expired"), ("revoke", "ok"), ("logout", "ok")] {
            let assumption = try #require(Assumption("restore=\(outcome)"))
            let plan = try Compiled.rehearsal(Shipped.program(flow), provider, [assumption])
            try await expectSame(plan, try standIn(provider))
        }
    }

    /// The run at the stand-in ends as it does when everything is made up; of requests that it knows nothing of, so many
    /// are made up there too.
    private func expectSame(_ plan: RunPlan, _ standIn: StandIn, madeUp: Int = 0) async throws {
        let recorder = EventRecorder()
        let counterpart = SandboxCounterpart([(plan.providers[0], standIn)])
        let played = PlannedEffects(plan, counterpart: counterpart)
        let outcome = await FlowRun(plan: plan, handler: played, sinks: [recorder]).run()
        let rehearsed = await FlowRun(plan: plan, handler: PlannedEffects(plan), sinks: []).run()
        let told = recorder.events.compactMap { event -> String? in
            switch event.body {
            case .check(let check):
                guard case .failed(let expected, let actual) = check.verdict else { return nil }
                return "\(check.name): expected \(expected), got \(actual)"
            case .note(let text) where text.contains("the sandbox"): return text
            default: return nil
            }
        }
        #expect(outcome.end.name == rehearsed.end.name, "\(told)")
        #expect(told.filter { $0.hasSuffix("the answer is made up") }.count == madeUp)
    }

    /// One that takes requests where no server sees them, and the sandbox itself, of which no stand-in is served.
    private static let unserved = ["etsy", "sandbox", "shopline"]

    /// Those of which an answer says where they are asked.
    private static let wandering = ["echosign", "questrade", "zoho"]

    @Test(
        "the descriptor of every stand-in signs in there",
        arguments: try Shipped.providers().filter { !unserved.contains($0) })
    func written(_ name: String) async throws {
        let original = try Shipped.provider(name, clientID: "client-1")
        let base = "http://127.0.0.1:9400"
        let fields = DescriptorFields(try Shipped.file(name), environment: nil) { try? Shipped.file($0) }
        let open = original.descriptor.variables.filter { !$0.isSecret }
        let variables = open.reduce(into: [:]) { values, variable in
            values[variable.name] =
                variable.standard ?? variable.example ?? "https://\(variable.name).example"
        }
        let written = StandInDescriptor(fields, id: "here", base: base, variables: variables)
        guard !Self.wandering.contains(name) else {
            return #expect(!written.strayKeys.isEmpty)
        }
        #expect(written.strayKeys == [])
        #expect(!written.text.contains("allowed_hosts"))
        let descriptor = try Compiled.descriptor(written.text, path: "here.yaml")
        let secrets = descriptor.variables.filter(\.isSecret).map { ($0.name, TestKey.pem) }
        let provider = BoundProvider(
            descriptor: descriptor,
            bound: try descriptor.bind(variables: Dictionary(uniqueKeysWithValues: secrets)),
            registration: original.registration, isRehearsal: true)
        let plan = try Compiled.rehearsal(Shipped.program("login"), provider)
        try await expectSame(plan, try standIn(original, at: base))
    }

    private static let odd = """
        provider: odd
        display_name: Odd
        protocol: oauth2
        authorization_endpoint: https://odd.example/go
        token_endpoint: https://odd.example/token
        client: { token_endpoint_auth_method: client_secret_post }
        authorization: { scope: [a, b], scope_delimiter: ",", rename: { client_id: app }, pkce: { mode: required } }
        token:
          body_format: json
          rename: { client_id: app }
          response:
            error_when: [{ path: ok, equals: false }]
            error: { code: why }
            unwrap: [data]
        """

    /// What is redeemed by an app that asked for scopes with commas, and by no other.
    private func redeem(_ changes: JSONObject = [:]) throws -> JSONValue? {
        let standIn = try standIn(try Compiled.provider(Self.odd))
        let verifier = String(repeating: "v", count: 43)
        let query: [(name: String, value: String)] = [
            ("app", "one"), ("redirect_uri", "http://localhost:3000/cb"), ("scope", "a,b"), ("state", "s"),
            ("response_type", "code"), ("code_challenge_method", "S256"),
            ("code_challenge", Base64URL.encode(Digest.sha256(verifier.utf8))),
        ]
        let asked = ServerRequest(
            method: "GET", path: "/odd.example/go", query: QueryItems.encode(query))
        let location = try #require(standIn.respond(to: asked, now: 0).response?.field("Location"))
        let parts = location.split(separator: "?").map(String.init)
        #expect(parts.first == "http://localhost:3000/cb")
        let answer = QueryItems.received(parts.last ?? "")
        #expect(answer.map(\.name) == ["code", "state"])
        var body: JSONObject = [
            "app": "one", "client_secret": "any", "code": .string(answer.first?.value ?? ""),
            "redirect_uri": "http://localhost:3000/cb", "code_verifier": .string(verifier),
        ]
        for (name, value) in changes { body[name] = value }
        let request = ServerRequest(
            method: "POST", path: "/odd.example/token",
            fields: [HTTPField("Content-Type", "application/json")], body: body.serializedBytes)
        let response = try #require(standIn.respond(to: request, now: 1000).response)
        #expect(response.status == 200)
        return response.json
    }

    @Test("a program of any kind redeems its code, in the provider's form")
    func redeemed() throws {
        let answer = try redeem()
        #expect(answer?["data"]?["access_token"]?.stringValue?.isEmpty == false)
        #expect(answer?["data"]?["scope"]?.stringValue == "a b")
        #expect(answer?["data"]?["id_token"] == nil)
    }

    @Test(
        "a code is good with its own verifier, redirect URI and client, and the refusal has the provider's form",
        arguments: ["code_verifier", "redirect_uri", "code", "app"])
    func refused(parameter: String) throws {
        let answer = try redeem([parameter: .string(String(repeating: "w", count: 43))])
        #expect(answer?["why"]?.stringValue == "invalid_grant")
        #expect(answer?["ok"]?.boolValue == false)
        #expect(answer?["data"] == nil)
    }

    private static let plain = """
        provider: plain
        protocol: oauth2
        authorization_endpoint: https://plain.example/go
        token_endpoint: https://plain.example/token
        userinfo_endpoint: https://plain.example/me
        authorization: { scope: [a] }
        """

    private static let asked =
        "response_type=code&client_id=one&redirect_uri=http://localhost:3000/cb&state=s&scope=a"

    private static let challenge = "code_challenge=\(String(repeating: "c", count: 43))"

    @Test("each of its addresses is told under a name of its own")
    func names() throws {
        let several = """
            provider: several
            protocol: oauth2
            authorization_endpoint: https://several.example/go
            token_endpoint: https://several.example/token
            userinfo_endpoint: https://several.example/me
            authorization: { scope: [a] }
            refresh: { endpoint: https://several.example/again }
            userinfo: { also: [{ name: mails, endpoint: https://several.example/me/mails }] }
            """
        let places = try standIn(try Compiled.provider(several)).places
        #expect(
            places.map(\.name) == [
                "authorization_endpoint", "token_endpoint", "refresh.endpoint", "userinfo_endpoint",
                "userinfo.also.mails",
            ])
        #expect(places.last?.path == "/several.example/me/mails")
    }

    @Test(
        "an authorization request that no provider takes is refused, with what is wrong with it",
        arguments: [
            (plain, "\(asked)&code_challenge=%zz", "an escape is broken"),
            (plain, "\(asked)&client_id=two", "client_id came more than once"),
            (plain, "\(asked)&state=two", "state came more than once"),
            (plain, asked.replacing("http://localhost:3000/cb", with: "cb"), "“cb” is not absolute"),
            (plain, asked.replacing("/cb", with: "/cb%23a"), "has a fragment"),
            (plain, asked.replacing("=code", with: "=token"), "unsupported_response_type"),
            (plain, "\(asked)&\(challenge)", "code_challenge_method must be S256"),
            (plain, "\(asked)&\(challenge)&code_challenge_method=S512", "code_challenge_method must be S256"),
            (odd, asked, "code_challenge is missing"),
        ])
    func refusedQuery(descriptor: String, query: String, words: String) throws {
        let provider = try Compiled.provider(descriptor)
        let path = descriptor == Self.odd ? "/odd.example/go" : "/plain.example/go"
        let request = ServerRequest(method: "GET", path: path, query: query)
        let response = try #require(try standIn(provider).respond(to: request, now: 0).response)
        let location = response.field("Location") ?? ""
        let told = QueryItems.received(location.drop { $0 != "?" }.dropFirst())
        #expect(!told.contains { $0.name == "code" })
        let text = told.map(\.value).joined(separator: " ") + (ErrorPage.reason(of: response) ?? "")
        #expect(text.contains(words), "\(text)")
    }

    @Test(
        "a request for tokens that no provider takes is refused, with what is wrong with it",
        arguments: [
            (FormBody.contentType, "code=x&code=y", "the parameter code came more than once"),
            (FormBody.contentType, "code=%zz", "an escape is broken"),
            (FormBody.contentType, #"{"code":"x"}"#, "the body is JSON"),
            ("application/json", "code=x", "the body is not one JSON object"),
            ("text/plain", "code=x", "the body must be application/x-www-form-urlencoded"),
        ])
    func refusedBody(type: String, body: String, words: String) throws {
        let request = ServerRequest(
            method: "POST", path: "/plain.example/token", fields: [HTTPField("Content-Type", type)],
            body: Array(body.utf8))
        let standIn = try standIn(try Compiled.provider(Self.plain))
        let response = try #require(standIn.respond(to: request, now: 0).response)
        #expect(response.status == 400)
        #expect(response.json?["error"]?.stringValue == "invalid_request")
        #expect(response.json?["error_description"]?.stringValue?.contains(words) == true)
    }

    @Test("tokens are asked for by POST alone", arguments: ["GET", "HEAD", "OPTIONS", "PUT"])
    func otherMethod(method: String) throws {
        let request = ServerRequest(method: method, path: "/plain.example/token", query: "code=x")
        let standIn = try standIn(try Compiled.provider(Self.plain))
        let response = try #require(standIn.respond(to: request, now: 0).response)
        #expect(response.status == 405)
        #expect(response.field("Allow") == "POST")
    }

    @Test("who brings no token is asked for one, and told of no mistake")
    func noToken() throws {
        let request = ServerRequest(method: "GET", path: "/plain.example/me")
        let standIn = try standIn(try Compiled.provider(Self.plain))
        let response = try #require(standIn.respond(to: request, now: 0).response)
        #expect(response.status == 401)
        #expect(response.field("WWW-Authenticate") == #"Bearer realm="flowrun sandbox""#)
    }

    @Test("tokens are not to be kept by what lies between")
    func noStore() throws {
        let standIn = try standIn(try Compiled.provider(Self.plain))
        let asked = ServerRequest(method: "GET", path: "/plain.example/go", query: Self.asked)
        let location = try #require(standIn.respond(to: asked, now: 0).response?.field("Location"))
        let code = QueryItems.received(location.drop { $0 != "?" }.dropFirst()).first?.value ?? ""
        let form = [
            (name: "grant_type", value: "authorization_code"), ("code", code), ("client_id", "one"),
            ("redirect_uri", "http://localhost:3000/cb"),
        ]
        let request = ServerRequest(
            method: "POST", path: "/plain.example/token",
            fields: [HTTPField("Content-Type", FormBody.contentType)], body: FormBody.encode(form))
        let response = try #require(standIn.respond(to: request, now: 0).response)
        #expect(response.status == 200)
        #expect(response.field("Cache-Control") == "no-store")
    }
}

/// Unpredictable only in that no value comes twice.
private final class SplitBytes: Sendable {
    private let count = Mutex(0)

    func next(_ length: Int) -> [UInt8] {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return Array(Digest.sha256("\(number)".utf8).prefix(length))
    }
}
