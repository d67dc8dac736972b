internal import FlowEngine
internal import OAuthProtocol

/// The protocol of git's credential helpers (git-credential(1), gitcredentials(7)).
struct GitCredential: Sendable {
    let context: CommandContext
    let request: CredentialRequest

    func answer() async throws(Problem) {
        switch request.action {
        case .capability: context.write("version 0\ncapability authtype\n")
        case .get: try await get()
        case .erase: try await erase()
        // What flowrun gave is kept already, and nothing else is flowrun's to keep.
        case .store: _ = try request.question(context.surroundings)
        case .list, .version: preconditionFailure("git asks for neither")
        }
    }

    /// What git knows so far: the fields that matter here.
    struct Question: Sendable, Hashable {
        var scheme = ""
        var host = ""
        var user: String?
        var password: String?
        var credential: String?
        /// Whether git can send what is no user name and password (2.46 and later).
        var takesTypes = false
        /// Schemes that the server has asked for, in lower case.
        var challenges: [String] = []

        /// Reads `key=value` lines up to an empty one; keys that nobody here knows are passed over.
        init(_ text: String) {
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                if line.isEmpty { break }
                guard let equals = line.firstIndex(of: "=") else { continue }
                take(line[..<equals], String(line[line.index(after: equals)...]))
            }
        }

        private mutating func take(_ key: Substring, _ value: String) {
            switch key {
            case "protocol": scheme = value
            case "host": host = value
            case "username": user = value
            case "password": password = value
            case "credential": credential = value
            case "capability[]": if value == "authtype" { takesTypes = true }
            case "wwwauth[]":
                if let scheme = value.split(separator: " ").first { challenges.append(scheme.lowercased()) }
            default: break
            }
        }

        var server: String { "\(scheme)://\(host)" }

        /// Whether the token goes as it is, rather than as a password: where git can, and the server does not ask for
        /// something else.
        var wantsBearer: Bool { takesTypes && (challenges.isEmpty || challenges.contains("bearer")) }
    }

    private func get() async throws(Problem) {
        let question = Question(try request.question(context.surroundings))
        let access = try SessionAccess(context, request.session)
        guard try ServedHosts(request.hosts, of: access.provider).hold(question.server) else { return }
        let token = try await HelperToken.get(.access, access, for: "git")
        context.write(Self.reply(to: question, token, user: request.user))
    }

    static func reply(to question: Question, _ token: HelperToken, user: String?) -> String {
        var lines: [(String, String)]
        if question.wantsBearer {
            // Not for other helpers to keep: it is gone tomorrow, and kept here.
            lines = [
                ("capability[]", "authtype"), ("authtype", "Bearer"), ("credential", token.secret.reveal()),
                ("ephemeral", "1"),
            ]
        } else {
            let name = question.user ?? user ?? CredentialRequest.standardUser
            lines = [("username", name), ("password", token.secret.reveal())]
        }
        if let end = token.expiresAt { lines.append(("password_expiry_utc", String(end / 1_000))) }
        return lines.map { "\($0.0)=\($0.1)\n" }.joined()
    }

    private func erase() async throws(Problem) {
        let question = Question(try request.question(context.surroundings))
        let access = try SessionAccess(context, request.session)
        guard try ServedHosts(request.hosts, of: access.provider).hold(question.server) else { return }
        guard let refused = question.credential ?? question.password else { return }
        try await RefusedToken(context: context, session: request.session, provider: access.provider)
            .forget(refused)
    }
}
