internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// What kubectl asks of a plug-in (client.authentication.k8s.io, ExecCredential).
struct ExecCredential: Sendable {
    let context: CommandContext
    let request: CredentialRequest

    static let variable = "KUBERNETES_EXEC_INFO"
    private static let kind = "ExecCredential"
    private static let group = "client.authentication.k8s.io"
    private static let versions = ["v1", "v1beta1"].map { "\(group)/\($0)" }

    /// What kubectl tells in a variable.
    private struct Question {
        /// The answer must be of the same one.
        var version = ExecCredential.versions[0]
        /// Whether standard input is a person's.
        var isInteractive = false
    }

    func answer() async throws(Problem) {
        let question = try question()
        var session = request.session
        if question.isInteractive, request.mayAsk {
            session.flow = CommandTable.login.name
            session.arguments = session.arguments?.rewritten(for: CommandTable.login)
            session.inputs.removeAll { $0.name == "min_ttl" }
            session.live.mayAsk = true
        }
        let access = try SessionAccess(context, session)
        let token = try await HelperToken.get(request.token, access, for: "kubectl")
        var status: JSONObject = ["token": .string(token.secret.reveal())]
        // Whole seconds: not every reader of this takes fractions.
        if let end = token.expiresAt {
            status["expirationTimestamp"] = .string(TimeText.format(end / 1_000 * 1_000))
        }
        let credential: JSONObject = [
            "apiVersion": .string(question.version), "kind": .string(Self.kind), "status": .object(status),
        ]
        context.write(credential.serialize() + "\n")
    }

    private func question() throws(Problem) -> Question {
        var question = Question()
        guard let text = context.surroundings.variable(Self.variable) else { return question }
        guard let info = try? JSON.parse(Array(text.utf8)),  // what is wrong with it is not ours to tell
            info["kind"]?.stringValue == Self.kind, let version = info["apiVersion"]?.stringValue
        else { throw Problem(.usage, "\(Self.variable) holds no \(Self.kind)") }
        guard Self.versions.contains(version) else {
            throw Problem(
                .usage,
                "\(Self.variable) asks for another version than \(Self.versions.joined(separator: ", "))"
            )
        }
        question.version = version
        question.isInteractive = info["spec"]?["interactive"]?.boolValue ?? false
        return question
    }
}
