internal import FlowLanguage
internal import FlowLive
internal import Glibc
internal import OAuthProtocol
internal import YAMLText

/// Visitors of a web server who type a password at their provider: what each of them holds of the server's memory.
enum WaitingBenchmark {
    /// Prints kilobytes for each visitor, by the difference between `visitors` of them and a quarter of that.
    static func run(visitors: Int) async throws {
        guard visitors >= 4 else { throw BenchmarkFailure("four visitors at least") }
        let runner = try runner()
        var visits: [WebSignIn] = []
        visits.reserveCapacity(visitors)
        var few = 0
        while visits.count < visitors {
            let visit = WebSignIn(
                runner, redirectURI: "https://app.example/callback", profile: "visitor \(visits.count)")
            guard case .redirect = try await visit.next() else {
                throw BenchmarkFailure("visitor \(visits.count) is sent nowhere")
            }
            visits.append(visit)
            if visits.count == visitors / 4 { few = try residentBytes() }
        }
        let each = (try residentBytes() - few) / (visitors - visitors / 4)
        print("  \(each) bytes for each of \(visitors) visitors who wait")
        for visit in visits { visit.cancel() }
        let portable = try PortableSignIn(
            runner, redirectURI: "https://app.example/callback",
            keys: [Secret(String(repeating: "k", count: 32), kind: .other)])
        guard case .redirect(_, let ticket) = try await portable.begin(profile: "visitor") else {
            throw BenchmarkFailure("the visitor with a ticket is sent nowhere")
        }
        print("  \(ticket.text.utf8.count) bytes for the ticket of one who waits in none")
    }

    private static func runner() throws -> FlowRunner {
        let descriptor = SourceFile(
            path: "bench.yaml",
            text: """
                provider: bench
                display_name: Benchmark
                protocol: oauth2
                issuer: https://provider.example
                authorization_endpoint: https://provider.example/authorize
                token_endpoint: https://provider.example/token
                userinfo_endpoint: https://provider.example/me
                authorization: { scope: [profile] }
                """)
        let path = "flows/login.flow.yaml"
        return try FlowRunner(
            flow: SourceFile(path: path, bytes: try readFile(path)),
            provider: descriptor,
            client: ClientRegistration(
                clientID: "bench", secret: Secret("bench-secret", kind: .clientSecret),
                authenticationMethod: .clientSecretBasic),
            configuration: LiveConfiguration(
                storeDirectory: "/nonexistent", stateDirectory: "/nonexistent", savesSessions: false))
    }

    /// Of this process, from the system's table (proc(5), `statm`).
    private static func residentBytes() throws -> Int {
        let fields = String(decoding: try readFile("/proc/self/statm"), as: UTF8.self).split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else {
            throw BenchmarkFailure("/proc/self/statm cannot be read")
        }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
