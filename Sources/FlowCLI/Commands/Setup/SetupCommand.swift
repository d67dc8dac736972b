internal import FlowEngine
internal import FlowLanguage

/// `setup …`: writes what other programs need to take tokens from flowrun; says what, and overwrites nothing of others.
struct SetupCommand: Sendable {
    let context: CommandContext
    let request: SetupRequest

    private var surroundings: Surroundings { context.surroundings }

    func run() throws(Problem) -> Int {
        let survey = try ProviderSurvey(request.provider, request.client, context, isRehearsal: true)
        let hosts = try ServedHosts(request.hosts, of: try survey.bound())
        let id = survey.descriptor.id
        switch request.program {
        case .git:
            try GitSetup(
                context: context, request: request, command: command("git", hosts.names), hosts: hosts.names
            )
            .run()
        case .docker:
            guard !request.hosts.isEmpty else {
                throw Problem(
                    .usage, "setup docker needs a registry", hints: ["give --host registry.example.com"])
            }
            try DockerSetup(
                context: context, request: request, session: SessionName.text(id, profile),
                command: { hosts throws(Problem) in try command("docker", hosts) }
            ).run()
        case .kubectl:
            try KubectlSetup(
                context: context, request: request, session: SessionName.text(id, profile),
                command: command("kubectl", [])
            ).run()
        }
        return ExitStatus.ok.rawValue
    }

    /// The words that the other program runs.
    private func command(_ helper: String, _ hosts: [String]) throws(Problem) -> [String] {
        guard let executable = surroundings.executable else {
            throw Problem(.local, "it cannot be known where flowrun is")
        }
        var words = [executable, "credential", helper, "--provider", provider] + session
        for host in hosts { words += ["--host", host] }
        if let user = request.user { words += ["--user", user] }
        if let token = request.token { words += ["--kind", token.rawValue] }
        if request.mayAsk { words.append("--sign-in") }
        return words
    }

    /// Other programs run in folders of their own: a path must not depend on where that is.
    private var provider: String {
        let name = request.provider
        return name.contains("/") ? FilePath.join(surroundings.directory, name) : name
    }

    private var profile: String {
        let words = request.session
        guard let place = words.firstIndex(of: "--profile"), place + 1 < words.count else { return "default" }
        return words[place + 1]
    }

    private var session: [String] {
        var words = request.session
        for index in words.indices.dropFirst() where words[index - 1] == "--cacert" {
            words[index] = FilePath.join(surroundings.directory, words[index])
        }
        return words
    }
}

/// Words as a shell reads them.
enum ShellWords {
    static func quoted(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }

    private static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || Array("-_./:=@%+,".utf8).contains(byte)
            }
        return isPlain ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }
}
