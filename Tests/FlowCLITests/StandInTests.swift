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

/// A world whose provider is played by a stand-in, at the provider's own addresses; the rest is rehearsed.
private final class StandInEffects: EffectHandler {
    private let standIn: StandIn
    private let planned: PlannedEffects
    private let location = Mutex("")
    /// What was asked and answered.
    let log = Mutex("")

    init(_ standIn: StandIn, _ plan: RunPlan) {
        self.standIn = standIn
        planned = PlannedEffects(plan)
    }

    func now() -> Int64 { planned.now() }

    func begin() -> RunIdentity { planned.begin() }

    func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent {
        let rehearsed = await planned.perform(request, events: events)
        switch request.effect {
        case .http(let exchange):
            let sent = exchange.request
            let asked = Self.received(sent.url, sent.method.rawValue, sent.fields, sent.body ?? [])
            let answer = standIn.respond(to: asked, now: now()).response
            note(sent.url, String(decoding: answer?.body ?? [], as: UTF8.self))
            return .answered(answer ?? HTTPResponse(status: 599), nil)
        case .present(let presentation):
            let asked = Self.received(presentation.url, "GET", [], [])
            let destination = Self.destination(of: standIn.respond(to: asked, now: now()).response)
            location.withLock { $0 = destination }
            note(presentation.url, destination)
            return rehearsed
        case .awaitCallback:
            let query = location.withLock {
                $0.split(separator: "?", maxSplits: 1).last.map(String.init) ?? ""
            }
            return .callback(QueryItems.received(query), channel: "loopback")
        default: return rehearsed
        }
    }

    private func note(_ url: String, _ answer: String) {
        log.withLock { $0 += "\n\(url.prefix(900))\n  \(answer.prefix(300))" }
    }

    private static func received(
        _ url: String, _ method: String, _ fields: [HTTPField], _ body: [UInt8]
    ) -> ServerRequest {
        let parts = url.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1).map(String.init)
        let place = parts[0].firstRange(of: "://").map { "/" + parts[0][$0.upperBound...] } ?? parts[0]
        // Served there, and not at the provider's own addresses.
        let path = place.hasPrefix("/127.0.0.1:9400") ? String(place.dropFirst(15)) : place
        return ServerRequest(
            method: method, path: path, query: parts.count > 1 ? parts[1] : nil, fields: fields, body: body)
    }

    /// Where a redirect leads, or where a form takes the answer.
    private static func destination(of answer: HTTPResponse?) -> String {
        guard let answer else { return "" }
        if let location = answer.fields.first(where: { $0.name == "Location" })?.value { return location }
        let page = String(decoding: answer.body, as: UTF8.self)
        let fields = page.matches(of: /name="([^"]*)" value="([^"]*)"/).map {
            (name: String($0.output.1), value: String($0.output.2))
        }
        return fields.isEmpty ? "page of status \(answer.status)" : "?" + QueryItems.encode(fields)
    }
}

@Suite("A stand-in for a provider")
struct StandInTests {
    private func standIn(
        _ provider: BoundProvider, at base: String? = nil, faults: [String] = []
    ) throws -> StandIn {
        let bytes = SplitBytes()
        return StandIn(
            provider, at: base, redirectURI: "http://127.0.0.1:PORT/callback",
            SandboxConfiguration(issuer: "", mode: .automatic, faults: try faults.map(Fault.parse)),
            keys: try sharedKeys.get(), random: { bytes.next($0) })
    }

    /// One that makes addresses of the access token itself, one that takes requests where no server sees them, and the
    /// sandbox itself.
    private static let unplayed = ["etsy", "sandbox", "shopline"]

    @Test(
        "every shipped provider's signs somebody in",
        arguments: try Shipped.providers().filter { !unplayed.contains($0) })
    func signIn(_ name: String) async throws {
        let provider = try Shipped.provider(name, clientID: "client-1")
        let plan = try Compiled.rehearsal(Shipped.program("login"), provider)
        try await expectSignIn(plan, StandInEffects(try standIn(provider), plan))
    }

    private func expectSignIn(_ plan: RunPlan, _ world: StandInEffects) async throws {
        let recorder = EventRecorder()
        let outcome = await FlowRun(plan: plan, handler: world, sinks: [recorder]).run()
        let rehearsed = await FlowRun(plan: plan, handler: PlannedEffects(plan), sinks: []).run()
        let failed = recorder.events.compactMap { event -> String? in
            guard case .check(let check) = event.body, case .failed(let expected, let actual) = check.verdict
            else { return nil }
            return "\(check.name): expected \(expected), got \(actual)"
        }
        #expect(outcome.end.name == rehearsed.end.name, "\(world.log.withLock(\.self))\n\(failed)")
    }

    /// Those of which an answer says where they are asked.
    private static let wandering = ["echosign", "questrade", "zoho"]

    @Test(
        "the descriptor of every stand-in signs in there",
        arguments: try Shipped.providers().filter { !unplayed.contains($0) })
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
        let descriptor = try Compiled.descriptor(written.text, path: "here.yaml")
        let secrets = descriptor.variables.filter(\.isSecret).map { ($0.name, TestKey.pem) }
        let provider = BoundProvider(
            descriptor: descriptor,
            bound: try descriptor.bind(variables: Dictionary(uniqueKeysWithValues: secrets)),
            registration: original.registration, isRehearsal: true)
        let plan = try Compiled.rehearsal(Shipped.program("login"), provider)
        try await expectSignIn(plan, StandInEffects(try standIn(original, at: base), plan))
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
        "a code is good with its own verifier and redirect URI alone, and the refusal has the provider's form",
        arguments: ["code_verifier", "redirect_uri", "code"])
    func refused(parameter: String) throws {
        let answer = try redeem([parameter: .string(String(repeating: "w", count: 43))])
        #expect(answer?["why"]?.stringValue == "invalid_grant")
        #expect(answer?["ok"]?.boolValue == false)
        #expect(answer?["data"] == nil)
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
