internal import FlowEngine
internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// The protocol of docker's credential helpers: a server or JSON on standard input, JSON on standard output.
struct DockerCredential: Sendable {
    let context: CommandContext
    let request: CredentialRequest

    /// What docker compares with, to the letter, before it goes on without credentials.
    private static let notFound = "credentials not found in native keychain\n"

    /// - Returns: The status: docker looks at standard output when it is not 0.
    func answer() async throws(Problem) -> Int {
        switch request.action {
        case .version: context.write("docker-credential-flowrun (flowrun) \(VersionCommand.version)\n")
        case .list: try list()
        case .get: return try await get()
        case .store: try await store()
        case .erase: try await erase()
        case .capability: preconditionFailure("docker asks for none")
        }
        return ExitStatus.ok.rawValue
    }

    private var user: String { request.user ?? CredentialRequest.standardUser }

    private func list() throws(Problem) {
        let access = try SessionAccess(context, request.session)
        let hosts = try ServedHosts(request.hosts, of: access.provider)
        let members = hosts.names.map { (key: $0, value: JSONValue.string(user)) }
        context.write(JSONObject(members).serialize() + "\n")
    }

    private func get() async throws(Problem) -> Int {
        let server = Self.trimmed(try request.question(context.surroundings))
        let access = try SessionAccess(context, request.session)
        guard try ServedHosts(request.hosts, of: access.provider).hold(server) else {
            return missing(.internal)
        }
        let token: HelperToken
        do throws(Problem) {
            token = try await HelperToken.get(.access, access, for: "docker")
        } catch {
            guard error.status == .authRequired else { throw error }
            // Docker goes on without credentials, whatever the status; a person should know why.
            context.surroundings.complain(error.oneLine)
            return missing(error.status)
        }
        let answer: JSONObject = [
            "ServerURL": .string(server), "Username": .string(user),
            "Secret": .string(token.secret.reveal()),
        ]
        context.write(answer.serialize() + "\n")
        return ExitStatus.ok.rawValue
    }

    private func missing(_ status: ExitStatus) -> Int {
        context.write(Self.notFound)
        return status.rawValue
    }

    /// `docker login` keeps again what `get` gave; anything else is not flowrun's to keep.
    private func store() async throws(Problem) {
        let text = try request.question(context.surroundings)
        guard let given = try? JSON.parse(Array(text.utf8)),  // what is wrong with it would repeat part of it
            let server = given["ServerURL"]?.stringValue, let secret = given["Secret"]?.stringValue
        else { throw Problem(.usage, "docker sent no ServerURL and Secret") }
        let access = try SessionAccess(context, request.session)
        guard try ServedHosts(request.hosts, of: access.provider).hold(server),
            try await access.tokens().accessToken.reveal() == secret
        else {
            throw Problem(
                .usage,
                "flowrun keeps no passwords for docker; \(access.provider.descriptor.id) is signed in at by "
                    + access.signIn)
        }
    }

    private func erase() async throws(Problem) {
        let server = Self.trimmed(try request.question(context.surroundings))
        let access = try SessionAccess(context, request.session)
        guard try ServedHosts(request.hosts, of: access.provider).hold(server) else { return }
        try await RefusedToken(context: context, session: request.session, provider: access.provider)
            .forget(nil)
    }

    private static func trimmed(_ text: String) -> String {
        let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? text.startIndex
        return String(text[..<end].drop(while: \.isWhitespace))
    }
}
