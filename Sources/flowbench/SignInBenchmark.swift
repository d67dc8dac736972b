internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import Glibc
internal import JOSE
internal import OAuthProtocol
internal import Synchronization
internal import YAMLText

/// Whole sign-ins through the shipped flows `login` and `refresh` and the real HTTP effects against the provider that
/// `BENCH_DATA` describes; the store and the browser are in memory.
enum SignInBenchmark {
    /// - Parameter occasion: Of which runs a trace is made; `nil` for none.
    static func run(flows: Int, inFlight: Int, tracing occasion: TraceOccasion?) async throws {
        let setting = try BenchmarkSetting()
        let live = try LiveEffects(
            LiveConfiguration(
                storeDirectory: "/nonexistent", stateDirectory: "/nonexistent", savesSessions: false))
        let executor = try live.executor()
        let login = try setting.plan(flow: "flows/login.flow.yaml", inputs: [:])
        let refresh = try setting.plan(
            flow: "flows/refresh.flow.yaml", inputs: ["force": .bool(true)])
        let done = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<max(1, inFlight) {
                let share = flows / inFlight + (worker < flows % inFlight ? 1 : 0)
                group.addTask(executorPreference: executor) {
                    for _ in 0..<share { try await signIn([login, refresh], live, setting, occasion) }
                    return share
                }
            }
            return try await group.reduce(0, +)
        }
        guard done == flows else { throw BenchmarkFailure("\(done) of \(flows) flows") }
        print("ok \(done)")
        await live.shutDown()
    }

    private static func signIn(
        _ plans: [RunPlan], _ live: LiveEffects, _ setting: BenchmarkSetting, _ occasion: TraceOccasion?
    ) async throws {
        let effects = BenchmarkEffects(live: live, setting: setting)
        for plan in plans {
            let sinks = occasion == nil ? [] : [CountingSink()]
            let outcome = await FlowRun(
                plan: plan, handler: effects, sinks: sinks, tracing: occasion ?? .always
            ).run()
            guard outcome.isSuccess else {
                throw BenchmarkFailure(
                    "\(plan.program.name) ended \(outcome.end.name): \(outcome.problem?.error ?? "")")
            }
        }
    }
}

/// Takes events and makes nothing of them: what is measured is the making of the events.
private final class CountingSink: TraceSink {
    private let count = Atomic(0)

    func receive(_ event: TraceEvent) { count.add(1, ordering: .relaxed) }

    func receive(_ events: [TraceEvent]) { count.add(events.count, ordering: .relaxed) }
}

/// The configuration of the neutral provider.
struct BenchmarkSetting: Sendable {
    let provider: BoundProvider
    let redirectURI: String
    /// The nonce that the provider's pre-signed tokens bear, as the random bytes that make it.
    let nonceBytes: [UInt8]

    init() throws {
        let folder = getenv("BENCH_DATA").map { String(cString: $0) } ?? "/tmp/flowrun-bench/data"
        let config = try JSON.parse(try readFile(folder + "/config.json"))
        guard let issuer = config["issuer"]?.stringValue, let client = config["client_id"]?.stringValue,
            let secret = config["client_secret"]?.stringValue,
            let redirect = config["redirect_uri"]?.stringValue,
            let nonce = config["nonce"]?.stringValue.flatMap({ Base64URL.decode($0) }), nonce.count == 32
        else { throw BenchmarkFailure("config.json lacks a member") }
        redirectURI = redirect
        nonceBytes = nonce
        let file = SourceFile(
            path: "bench.yaml",
            text: """
                provider: bench
                display_name: Benchmark
                protocol: oidc
                issuer: \(issuer)
                client: { token_endpoint_auth_method: client_secret_basic }
                authorization: { scope: [openid, profile, email, offline_access] }
                """)
        let reading = ProviderReader.read(file)
        guard let descriptor = reading.descriptor else {
            throw BenchmarkFailure("the descriptor is wrong: \(reading.diagnostics)")
        }
        let bound = try descriptor.bind(variables: [:])
        provider = BoundProvider(
            descriptor: descriptor, bound: bound,
            registration: ClientRegistration(
                clientID: client, secret: Secret(secret, kind: .clientSecret),
                authenticationMethod: .clientSecretBasic))
    }

    func plan(flow path: String, inputs: [String: Value]) throws -> RunPlan {
        let compilation = FlowCompiler.compile(SourceFile(path: path, bytes: try readFile(path)))
        guard let program = compilation.program else {
            throw BenchmarkFailure("\(path): \(compilation.diagnostics)")
        }
        return RunPlan(
            program: program, providers: [provider], inputs: try program.inputValues(inputs),
            redirectURI: redirectURI)
    }
}
