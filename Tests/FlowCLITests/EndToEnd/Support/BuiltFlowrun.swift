import Glibc

@testable import FlowLive

/// The built program, run in a place of its own.
struct BuiltFlowrun: Sendable {
    struct Ended: Sendable {
        let status: Int32?
        let output: String
        let errors: String
    }

    let folder: ScratchFolder
    var environment: [String: String] = [:]

    /// What Scripts/test has built, else what `swift test` builds beside the tests.
    static let path = variable("FLOWRUN_BINARY") ?? Project.path(".build/debug/flowrun")

    /// A variable of the process of the tests.
    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    init(_ folder: ScratchFolder, environment: [String: String] = [:]) {
        self.folder = folder
        self.environment = environment
    }

    /// Runs the command to its end, in the folder of the project.
    func callAsFunction(_ arguments: [String]) async throws -> Ended {
        var variables = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": folder.path,
            "XDG_DATA_HOME": folder.path + "/data",
            "XDG_STATE_HOME": folder.path + "/state", "XDG_CONFIG_HOME": folder.path + "/config",
        ]
        variables.merge(environment) { $1 }
        let result = try await ProcessRunner.run(
            ProcessRequest(
                arguments: [Self.path] + arguments, environment: variables.map { ($0.key, $0.value) },
                directory: Project.path(""), timeoutMilliseconds: 600_000))
        var status: Int32?
        if case .exited(let code) = result.end, result.interruption == nil { status = code }
        return Ended(
            status: status, output: String(decoding: result.output.bytes, as: UTF8.self),
            errors: String(decoding: result.errors.bytes, as: UTF8.self))
    }

    /// Signs in at a provider of the descriptor custom-oidc, with curl for a browser.
    func login(_ issuer: String, browser: String = "curl -sL -o /dev/null", _ more: [String] = [])
        async throws -> Ended
    {
        try await self(
            [
                "run", "flows/login.flow.yaml", "--provider", "custom-oidc", "--set", "issuer=\(issuer)",
                "--browser", browser,
            ]
                + more)
    }
}
