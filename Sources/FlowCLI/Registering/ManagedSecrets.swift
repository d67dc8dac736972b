internal import FlowLanguage
internal import OAuthProtocol

/// Secrets of a registration that the provider may replace whenever it is asked about it (RFC 7592 §3).
struct ManagedSecrets: Sendable {
    let entry: Registration
    let file: RegistrationFile
    let surroundings: Surroundings

    /// What a registration wrote into the entry.
    static let keys: Set<String> = [
        "client_id", "client_secret", "token_endpoint_auth_method", "issuer", "registration_client_uri",
        "registration_access_token",
    ]

    /// The folder of the file, from which its paths start.
    private var directory: String {
        FilePath.parent(of: FilePath.join(surroundings.directory, entry.file))
    }

    /// Keeps what differs from what was known.
    ///
    /// - Parameters:
    ///   - redirectURI: What the command line says, to be kept too.
    ///   - scopes: The same.
    func keep(
        _ client: RegisteredClient, after known: RegisteredClient, redirectURI: String? = nil,
        _ scopes: [String] = []
    ) throws(Problem) {
        var draft = RegistrationDraft(provider: entry.provider)
        draft.redirectURI = redirectURI
        draft.scopes = scopes
        if let management = client.management, management != known.management {
            draft.managementURI = management.uri
            draft.managementToken = try keep(
                management.token, at: entry.managementToken?.value, suffix: ".registration")
        }
        if let secret = client.secret, secret != known.secret {
            draft.secret = try keep(secret, at: entry.secret?.value, suffix: "")
        }
        if client.authenticationMethod != known.authenticationMethod {
            draft.authenticationMethod = client.authenticationMethod
        }
        // Some servers do not repeat a secret; one that the method does not need is gone.
        if client.secret == nil, entry.secret != nil, !client.authenticationMethod.needsSecret {
            draft.drops = ["client_secret"]
        }
        guard !draft.fields.isEmpty || !draft.drops.isEmpty else { return }
        do throws(Problem) {
            try file.write(draft)
        } catch {
            throw Problem(
                error.status, "\(error.message); the provider has made the change",
                hints: ["write this under registrations of \(file.path):"] + draft.lines(indentation: 0))
        }
    }

    /// In the file that has it already, else in a new one: what another program keeps is that program's.
    private func keep(
        _ secret: Secret, at source: SecretSource?, suffix: String
    ) throws(Problem) -> SecretSource {
        if case .file(let path)? = source, let source {
            try write(secret, FilePath.join(directory, path))
            return source
        }
        let reserved = try SecretFiles.reserve(entry.provider, surroundings)
        let path = suffix.isEmpty ? reserved.secret : reserved.token
        let other = suffix.isEmpty ? reserved.token : reserved.secret
        // An empty file that stays behind does no harm.
        try? PrivateFile.remove(other)
        try write(secret, path)
        return .file(file.stored(path))
    }

    private func write(_ secret: Secret, _ path: String) throws(Problem) {
        do throws(FileProblem) {
            // One that somebody deleted is made anew.
            _ = try PrivateFile.make(path)
            try SecretFiles.write(secret, to: path)
        } catch {
            throw Problem(
                .local, "the provider has changed a secret, which could not be kept: \(error.description)",
                hints: ["make room, then flowrun register \(entry.provider) --show tells it anew"])
        }
    }

    /// Takes away the files that a registration made; others were made by somebody else.
    func forget() {
        guard let folder = SecretFiles.folder(surroundings) else { return }
        for source in [entry.secret?.value, entry.managementToken?.value] {
            guard case .file(let path)? = source else { continue }
            let absolute = FilePath.join(directory, path)
            guard FilePath.parent(of: absolute) == folder else { continue }
            // A secret of a client that is gone opens nothing.
            try? PrivateFile.remove(absolute)
        }
    }
}
