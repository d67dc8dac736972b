internal import FlowLanguage
internal import OAuthProtocol

/// Keeps what a provider registered: secrets in files of their own, the rest in `flowrun.yaml`.
struct RegistrationKeeper: Sendable {
    /// What another command has to call the provider.
    let word: String
    let file: RegistrationFile
    private let descriptor: ProviderDescriptor
    /// What the command line says beside it.
    private let base: RegistrationDraft

    /// - Parameter issuer: That registers the client; `nil` for a client that others know as well.
    /// - Throws: When `flowrun.yaml` could not be written later: then nothing is to be registered.
    init(
        _ descriptor: ProviderDescriptor, _ file: RegistrationFile, _ request: RegisterRequest,
        word: String, issuer: String? = nil
    ) throws(Problem) {
        self.word = word
        self.descriptor = descriptor
        self.file = file
        var draft = RegistrationDraft(provider: descriptor.id)
        draft.privateKey = request.client.privateKey.flatMap { SecretSource($0, stored: file.stored) }
        draft.environment = request.client.environment
        draft.scopes = request.client.scopes
        draft.redirectURI = request.client.redirectURI
        draft.issuer = issuer
        for pair in request.client.variables { draft.variables.append((pair.name, .text(pair.text))) }
        base = draft
        var trial = draft
        trial.clientID = "client"
        trial.secret = .file("secret")
        trial.managementURI = "https://provider.example/client"
        trial.managementToken = .file("token")
        trial.authenticationMethod = .clientSecretBasic
        try file.check(trial)
    }

    /// Writes the secrets first: the provider tells them once.
    ///
    /// - Throws: Everything that could not be kept, and what helps: the provider has made the client.
    func keep(_ client: NewRegistration, _ reserved: SecretFiles) throws(Problem) {
        var draft = draft(of: client)
        var failures: [Problem] = []
        if let management = client.management {
            draft.managementURI = management.uri
            draft.managementToken = .file(file.stored(reserved.token))
            write(
                management.token, "registration access token", reserved.token,
                "without it nobody changes or ends this client: make room, then flowrun register \(word) --replace",
                &failures)
        } else {
            // An empty file that stays behind does no harm.
            try? PrivateFile.remove(reserved.token)
        }
        if let secret = client.secret {
            draft.secret = .file(file.stored(reserved.secret))
            write(
                secret, "client secret", reserved.secret,
                "make room, then flowrun register \(word) --show, which asks for it again", &failures)
        } else {
            try? PrivateFile.remove(reserved.secret)
        }
        // What an earlier registration wrote says nothing of this one.
        draft.drops = ManagedSecrets.keys.subtracting(draft.fields.map(\.key))
        do throws(Problem) {
            try file.write(draft)
        } catch {
            let comfort = failures.isEmpty ? "; nothing is lost: the secrets are in their files" : ""
            failures.append(
                Problem(
                    error.status, error.message + comfort,
                    hints: ["write this under registrations of \(file.path):"] + draft.lines(indentation: 0)))
        }
        if let failure = failures.first {
            throw Problem(
                failure.status,
                "client \(client.clientID) is registered, but "
                    + failures.map(\.message).joined(separator: "; "),
                hints: failures.flatMap(\.hints))
        }
    }

    /// Writes a client that has no secret, and that nobody has made.
    func keep(_ client: NewRegistration) throws(Problem) {
        var draft = draft(of: client)
        draft.drops = ManagedSecrets.keys.subtracting(draft.fields.map(\.key))
        try file.write(draft)
    }

    private func draft(of client: NewRegistration) -> RegistrationDraft {
        var draft = base
        draft.clientID = client.clientID
        // Where it is what holds anyway, it need not be written.
        if client.method != descriptor.client.authenticationMethod {
            draft.authenticationMethod = client.method
        }
        return draft
    }

    private func write(
        _ value: Secret, _ what: String, _ path: String, _ hint: String, _ failures: inout [Problem]
    ) {
        do throws(FileProblem) {
            try SecretFiles.write(value, to: path)
        } catch {
            failures.append(
                Problem(
                    .local, "its \(what) could not be kept: \(error.description)", hints: [hint]))
        }
    }
}
