@testable import FlowCLI
import FlowEngine
import FlowLanguage
import FoundationEssentials
import OAuthProtocol
import Synchronization
import Testing
import YAMLText

/// Keeps the events of a run.
private final class EventLog: TraceSink {
    private let stored = Mutex<[TraceEvent]>([])

    func receive(_ event: TraceEvent) { stored.withLock { $0.append(event) } }

    var events: [TraceEvent] { stored.withLock { $0 } }
}

@Suite("Plans of the shipped flows")
struct ShippedPlanTests {
    static func files(_ folder: String) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: RenderGolden.repository(folder))
        return names.filter { $0.hasSuffix(".yaml") }.sorted().map { "\(folder)/\($0)" }
    }

    /// Every flow with those that differ most, and every provider with the flow that signs in.
    static func pairs() throws -> [(flow: String, provider: String)] {
        let few = ["custom-oidc", "firebase", "github", "google", "microsoft", "sandbox"].map {
            "providers/\($0).yaml"
        }
        let login = "flows/login.flow.yaml"
        return try files("flows").filter { $0 != login }.flatMap { flow in few.map { (flow, $0) } }
            + files("providers").map { (login, $0) }
    }

    private func source(_ path: String) throws -> SourceFile {
        let data = try #require(FileManager.default.contents(atPath: RenderGolden.repository(path)))
        return SourceFile(path: path, bytes: Array(data))
    }

    private func rehearse(_ flow: String, _ provider: String) async throws -> [TraceEvent] {
        let program = try #require(FlowCompiler.compile(try source(flow)).program)
        let reading = ProviderReader.read(try source(provider)) { id in
            // A parent that is not there is a finding, and then there is no descriptor.
            try? source("providers/\(id).yaml")
        }
        let descriptor = try #require(reading.descriptor)
        let missing = descriptor.variables.filter { $0.standard == nil }
        let bound = try descriptor.bind(
            variables: Dictionary(
                uniqueKeysWithValues: missing.map { ($0.name, $0.example ?? "https://id.example.org") }))
        let registration = ClientRegistration(
            clientID: "client-1", secret: Secret("canary-secret-value", kind: .clientSecret),
            authenticationMethod: .clientSecretBasic)
        let provider = BoundProvider(
            descriptor: descriptor, bound: bound, registration: registration, isRehearsal: true)
        let providers = program.providers.map { _ in provider }
        let plan = RunPlan(
            program: program, providers: providers, inputs: SyntheticInputs.values(of: program, providers),
            isRehearsal: true)
        let log = EventLog()
        _ = await FlowRun(plan: plan, handler: PlannedEffects(assumptions: []), sinks: [log]).run()
        return log.events
    }

    private func text(_ events: [TraceEvent], width: Int = 400) -> String {
        var renderer = PlanRenderer(RenderOptions(width: width))
        return events.map { renderer.render($0) }.joined()
    }

    @Test(
        "each is the same bytes every time, says every parameter with its source and rule, and shows no secret",
        arguments: try pairs())
    func plan(flow: String, provider: String) async throws {
        let events = try await rehearse(flow, provider)
        let plan = text(events)
        #expect(plan == text(try await rehearse(flow, provider)))
        #expect(!plan.contains("canary-secret-value"))
        let lines = plan.split(separator: "\n")
        for event in events {
            switch event.body {
            case .request(let request):
                for parameter in request.query + request.fields + request.body {
                    #expect(
                        lines.contains { line in
                            line.contains(parameter.name) && line.contains(parameter.source)
                                && line.contains(parameter.reference ?? "")
                        })
                }
            case .check(let check):
                #expect(lines.contains { $0.contains(check.name) && $0.contains(check.reference) })
            default: break
            }
        }
    }

    @Test("each fits 80 columns", arguments: try pairs())
    func width(flow: String, provider: String) async throws {
        let plan = text(try await rehearse(flow, provider), width: 80)
        #expect(plan.split(separator: "\n").allSatisfy { $0.unicodeScalars.count <= 80 })
    }
}
