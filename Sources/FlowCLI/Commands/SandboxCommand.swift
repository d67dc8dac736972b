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

    func run() async throws(Problem) -> Int {
        let faults = try faults()
        let setup = LiveSetup(surroundings: context.surroundings, secretVariables: [])
        let server = try setup.sandbox(
            port: request.port ?? Self.usualPort, faults: faults, mode: request.isAutomatic ? .automatic : .page)
        defer { server.stop() }
        switch request.form {
        case .json: context.write(JSONValue.object(["issuer": .string(server.issuer)]).serialize() + "\n")
        case .text: context.write(text(server.issuer))
        }
        let signal = await context.surroundings.interruption?.arrival()
        // A person's Ctrl-C is how this command ends.
        return signal == nil || signal == Interruption.interrupt ? 0 : ExitStatus.terminated.rawValue
    }

    private func faults() throws(Problem) -> [Fault] {
        var faults: [Fault] = []
        for text in request.faults {
            do throws(FaultSpecificationError) {
                faults.append(try Fault.parse(text))
            } catch {
                throw Problem(.usage, "--fault: \(error.description)", hints: ["faults: \(Fault.spellings.joined(separator: ", "))"])
            }
        }
        return faults
    }

    /// What a run needs besides, when the sandbox listens elsewhere than its descriptor says.
    private func setting(_ issuer: String) -> String {
        issuer == "http://127.0.0.1:\(Self.usualPort)" ? "" : " --set issuer=\(issuer)"
    }

    /// The passwords and the secret are no secrets: every sandbox has them.
    private func text(_ issuer: String) -> String {
        let clients = SandboxClient.standard.map { client in
            "  \(client.id)" + (client.secret.map { "  secret \($0.reveal())" } ?? "  public") + "\n"
        }
        let users = SandboxUser.standard.map { "  \($0.username)  password \($0.password.reveal())\n" }
        return """
            issuer   \(issuer)
            clients
            \(clients.joined())users
            \(users.joined())try      flowrun run login --provider sandbox\(setting(issuer))
            Ctrl-C ends it

            """
    }
}
