internal import FlowLive

/// `setup git`: git's own program changes git's configuration.
struct GitSetup: Sendable {
    let context: CommandContext
    let request: SetupRequest
    /// What git runs, without the action.
    let command: [String]
    let hosts: [String]

    private var surroundings: Surroundings { context.surroundings }

    /// Git runs it in a shell, and appends the action.
    private var helper: String { "!" + ShellWords.quoted(command) }

    func run() throws(Problem) {
        for host in hosts {
            let scheme = Self.isLoopback(host) ? "http" : "https"
            try write("credential.\(scheme)://\(host).helper")
        }
    }

    /// A server on this machine is mostly one without TLS.
    private static func isLoopback(_ host: String) -> Bool {
        host.hasPrefix("127.") || host.hasPrefix("localhost") || host.hasPrefix("[::1]")
    }

    private func write(_ key: String) throws(Problem) {
        guard !request.prints else {
            context.write(
                "git config --global --replace-all \(ShellWords.quoted([key])) ''\n"
                    + "git config --global --add \(ShellWords.quoted([key, helper]))\n")
            return
        }
        // The empty one has git forget the helpers of more general entries, which would keep the token.
        let wanted = ["", helper]
        let found = try values(of: key)
        guard found != wanted else { return context.note("\(key) is as it should be") }
        let foreign = found.filter { !$0.isEmpty && !$0.contains(" credential git --provider ") }
        guard foreign.isEmpty || request.replaces else {
            throw Problem(
                .local, "git takes tokens for this host from elsewhere already: \(key) = \(foreign[0])",
                hints: ["give --replace to take its place"])
        }
        // Only an empty value can be put in the place of all others at once.
        try git(["config", "--global", "--replace-all", key, ""])
        try git(["config", "--global", "--add", key, helper])
        context.note("git config --global: \(key) runs flowrun")
    }

    private func values(of key: String) throws(Problem) -> [String] {
        let result = try start(["config", "--global", "--null", "--get-all", key])
        // 1 says that there is none.
        guard result.end == .exited(0) else { return [] }
        let text = String(decoding: result.output.bytes, as: UTF8.self)
        return text.split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    private func git(_ arguments: [String]) throws(Problem) {
        let result = try start(arguments)
        guard result.end == .exited(0) else {
            let words = String(decoding: result.errors.bytes, as: UTF8.self)
            throw Problem(.local, "git changes nothing: \(words.prefix { $0 != "\n" })")
        }
    }

    private func start(_ arguments: [String]) throws(Problem) -> ProcessResult {
        guard
            let path = ProgramSearch.locate(
                "git", from: surroundings.directory, path: surroundings.variable("PATH"))
        else {
            throw Problem(.local, "no program git", hints: ["install it, or see what to write: --print"])
        }
        let environment = surroundings.withoutSecrets([]).map { ($0.key, $0.value) }
        do throws(SpawnFailure) {
            return try ProcessRunner.runAndWait(
                ProcessRequest(
                    arguments: [path] + arguments, environment: environment, directory: surroundings.directory
                ))
        } catch {
            throw Problem(.local, "git cannot be started: \(error.reason)")
        }
    }
}
