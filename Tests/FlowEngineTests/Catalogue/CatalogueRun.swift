import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Synchronization
import Testing
import YAMLText

/// One flow with one provider of the catalogue, and what came of it.
struct CatalogueRun {
    let world: CatalogueWorld
    let outcome: RunOutcome
    let events: [TraceEvent]

    /// How a client is registered with the provider.
    struct Client {
        var id = "CLIENT-ID-1"
        var secret: String? = "CLIENT-SECRET-1"
        /// In place of the examples of the descriptor.
        var variables: [String: String] = [:]
        var environment: String?
        /// Further lines of a descriptor on top of the provider's own.
        var changes = ""
    }

    /// Signs in.
    static func signIn(
        _ provider: String, _ client: Client = Client(), flow: String = usualFlow,
        answers: CatalogueWorld.Answers
    ) async throws -> CatalogueRun {
        var answers = answers
        if provider == "shopline" {
            answers.seal = { ShopSignature.sealLine($0, secret: client.secret ?? "") }
        }
        return try await signIn(try bind(provider, client), flow: flow, answers: answers)
    }

    static func signIn(
        _ provider: BoundProvider, redirectURI: String? = nil, flow: String = usualFlow,
        answers: CatalogueWorld.Answers
    ) async throws -> CatalogueRun {
        let program = try program(flow)
        let plan = RunPlan(
            program: program, providers: program.providers.map { _ in provider }, inputs: [],
            redirectURI: redirectURI)
        let world = CatalogueWorld(answers)
        let recorder = EventRecorder()
        let outcome = await FlowRun(plan: plan, handler: world, sinks: [recorder]).run()
        return CatalogueRun(world: world, outcome: outcome, events: recorder.events)
    }

    /// Outputs the profile; does without one where the provider has none.
    static let usualFlow = FlowTexts.signIn(
        ["userinfo": "{ next: { ok: store, unsupported: store } }"],
        extra: "outputs: { profile: optional json }",
        ends: """
              done: { result: success, outputs: { profile: "${steps.userinfo.profile ?? null}" } }
              failed: { result: failure, outputs: { profile: null } }
            """)

    /// Few flows are run with many providers; each is compiled once.
    private static let programs = Mutex<[String: FlowProgram]>([:])

    private static func program(_ flow: String) throws -> FlowProgram {
        if let program = programs.withLock({ $0[flow] }) { return program }
        let program = try Compiled.program(flow)
        programs.withLock { $0[flow] = program }
        return program
    }

    /// The provider, with examples for the variables that are open.
    static func bind(_ provider: String, _ client: Client = Client()) throws -> BoundProvider {
        let descriptor = try descriptor(provider, client)
        var values: [String: String] = [:]
        for variable in descriptor.variables {
            values[variable.name] =
                client.variables[variable.name] ?? variable.example ?? example(of: variable)
        }
        let bound = try descriptor.bind(variables: values)
        return BoundProvider(
            descriptor: descriptor, bound: bound,
            registration: ClientRegistration(
                clientID: client.id, secret: client.secret.map { Secret($0, kind: .clientSecret) },
                authenticationMethod: client.secret == nil ? .none : .clientSecretBasic))
    }

    private static func example(of variable: VariableSpec) -> String? {
        guard variable.standard == nil else { return nil }
        return variable.isSecret ? TestKey.pem : "https://issuer.example"
    }

    private static func descriptor(_ provider: String, _ client: Client) throws -> ProviderDescriptor {
        guard !client.changes.isEmpty else {
            guard let environment = client.environment else { return try Shipped.descriptor(provider) }
            return try Shipped.descriptor(try Shipped.file(provider), environment: environment)
        }
        let text = "provider: changed\nextends: \(provider)\n" + client.changes
        return try Shipped.descriptor(
            SourceFile(path: "changed.yaml", text: text), environment: client.environment)
    }

    /// The authorization request, and the requests that followed.
    var authorization: Wire { Wire(url: world.shown ?? "") }
    var sent: [Wire] { world.sent.map(\.wire) }

    func sent(_ purpose: HTTPExchange.Purpose) throws -> Wire {
        try #require(world.sent.first { $0.purpose == purpose }?.wire)
    }

    func outcomes(of step: String) -> [String] { events.outcomes(of: step) }
}
