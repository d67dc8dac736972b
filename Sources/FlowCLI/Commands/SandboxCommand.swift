internal import FlowLive
internal import FlowSandbox
internal import JOSE
internal import OAuthProtocol

/// `sandbox`: the built-in provider until a signal arrives.
struct SandboxCommand: Sendable {
    let context: CommandContext
    let request: SandboxRequest

    /// The port of the issuer in the sandbox's descriptor.
    private static let usualPort: UInt16 = 9400

    /// What serves the sandbox at an issuer of this machine.
    static func line(issuer: String) -> String {
        let port = (try? EndpointURL(issuer, allowLoopbackHTTP: true)).map { UInt16($0.port) }
        return "flowrun sandbox" + (port.flatMap { $0 == usualPort ? nil : " --port \($0)" } ?? "")
    }

    func run() async throws(Problem) -> Int {
        let faults = try FaultReading.faults(request.faults)
        let part = try request.provider.map { name throws(Problem) in
            try StandInPart(name, request.client, context)
        }
        let setup = LiveSetup(surroundings: context.surroundings, secretVariables: [])
        let server = try setup.sandbox(
            port: request.port ?? Self.usualPort, as: part.map { ($0.provider, request.client.redirectURI) },
            try changes(faults), log: log)
        defer { server.stop() }
        let signals = context.surroundings.interruption?.arrivals()
        if let part {
            if let file = request.descriptorFile { try part.write(file, at: server.issuer) }
            let report = part.report(server, request.descriptorFile)
            context.write(request.form == .json ? report.json : report.text(context))
        } else {
            context.write(request.form == .json ? json(server.issuer) : text(server.issuer))
        }
        let signal = await signals?.first()
        // A person's Ctrl-C is how this command ends.
        return signal == nil || signal == Interruption.interrupt ? 0 : ExitStatus.terminated.rawValue
    }

    /// Tells of each request, to those who ask for more.
    private var log: (@Sendable (String) -> Void)? {
        guard context.common.verbosity > 1 else { return nil }
        let stream = context.surroundings.error
        return { line in stream.write(line + "\n") }
    }

    /// What differs from a sandbox of which nothing is said.
    func changes(_ faults: [Fault]) throws(Problem) -> @Sendable (inout SandboxConfiguration) -> Void {
        let token = try initialAccessToken()
        let request = request
        return { configuration in
            configuration.faults = faults
            configuration.mode = request.isAutomatic ? .automatic : .page
            configuration.requiresPushedRequests = request.requiresPushedRequests
            configuration.demandsDPoPNonce = request.demandsNonce
            configuration.acceptsOtherScopes = request.acceptsOtherScopes
            configuration.initialAccessToken = token
            if let algorithm = request.algorithm.flatMap(SigningAlgorithm.init) {
                configuration.algorithm = algorithm
            }
            if let life = request.accessTokenLifetime {
                configuration.lifetimes.accessToken = max(1, life / 1000)
            }
        }
    }

    private func initialAccessToken() throws(Problem) -> Secret? {
        guard let place = request.initialAccessToken else { return nil }
        return try SecretReader(surroundings: context.surroundings, hiddenVariables: []).read(
            SecretLocation(place), "initial access token", kind: .registrationAccessToken)
    }

    private func json(_ issuer: String) -> String {
        let clients = SandboxClient.standard.map { client -> JSONValue in
            ["id": .string(client.id), "secret": client.secret.map { .string($0.reveal()) } ?? .null]
        }
        let users = SandboxUser.standard.map { user -> JSONValue in
            ["username": .string(user.username), "password": .string(user.password.reveal())]
        }
        let facts: JSONObject = [
            "issuer": .string(issuer), "clients": .array(clients), "users": .array(users),
        ]
        return facts.serialize() + "\n"
    }

    /// The passwords and the secret are no secrets: every sandbox has them.
    private func text(_ issuer: String) -> String {
        let clients = SandboxClient.standard.map { client in
            "  \(client.id)" + (client.secret.map { "  secret \($0.reveal())" } ?? "  public") + "\n"
        }
        let users = SandboxUser.standard.map { "  \($0.username)  password \($0.password.reveal())\n" }
        // Elsewhere it is not looked for; a run would begin one of its own.
        let place = issuer.hasSuffix(":\(Self.usualPort)") ? "" : " --set issuer=\(issuer)"
        return """
            issuer   \(issuer)
            clients
            \(clients.joined())users
            \(users.joined())try      flowrun login sandbox\(place)
            Ctrl-C ends it

            """
    }
}
