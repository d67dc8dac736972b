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
            let answer = standIn.respond(
                to: Self.received(sent.url, sent.method.rawValue, sent.fields, sent.body ?? []), now: now())
            note(
                sent.url
                    + " \(sent.fields.map { "\($0.name): \($0.value)" }) \(String(decoding: sent.body ?? [], as: UTF8.self))",
                answer.response)
            return .answered(answer.response ?? HTTPResponse(status: 599), nil)
        case .present(let presentation):
            let answer = standIn.respond(to: Self.received(presentation.url, "GET", [], []), now: now())
            location.withLock { $0 = Self.destination(of: answer.response) }
            note(presentation.url, answer.response)
            return rehearsed
        case .awaitCallback:
            let query = location.withLock {
                $0.split(separator: "?", maxSplits: 1).last.map(String.init) ?? ""
            }
            return .callback(QueryItems.received(query), channel: "loopback")
        default: return rehearsed
        }
    }

    private func note(_ url: String, _ answer: HTTPResponse?) {
        let body = String(decoding: answer?.body ?? [], as: UTF8.self)
        let shown =
            url.contains("response_type") ? "to \(Self.destination(of: answer))" : "\(body.suffix(300))"
        log.withLock { $0 += "\n\(url.prefix(900))\n  \(answer?.status ?? 0) \(shown)" }
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
        return fields.isEmpty
            ? "PAGE \(answer.status) \(page.matches(of: /<p[^>]*>([^<]*)/).map { String($0.output.1) })"
            : "?" + QueryItems.encode(fields)
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
