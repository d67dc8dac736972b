internal import FlowLanguage
internal import FlowSandbox
internal import OAuthProtocol

/// Finds a client's registration: options, then the environment, then the project's file, then the user's.
///
/// The sandbox has a client that everybody knows. A rehearsal never reads a secret and, where nothing is registered,
/// goes on with an invented client.
struct RegistrationResolver: Sendable {
    let files: RegistrationFiles
    let surroundings: Surroundings
    let isRehearsal: Bool

    /// Stands for what nobody has registered yet; the angle brackets keep it from passing for a real identifier.
    static let inventedClientID = "<client-id>"
    private static let inventedSecret = Secret("rehearsed client secret", kind: .clientSecret)

    func resolve(_ descriptor: ProviderDescriptor, _ options: ClientOptions) throws(Problem)
        -> ResolvedRegistration
    {
        let file = files.registration(of: descriptor.id)
        let prefix = Self.variablePrefix(descriptor.id)
        let standard = descriptor.isSandbox ? SandboxClient.standard.first : nil
        var isInvented = false
        let known = options.clientID ?? surroundings.variable(prefix + "_CLIENT_ID") ?? file?.clientID
        let clientID: String
        if let known = known ?? standard?.id {
            clientID = known
        } else {
            guard isRehearsal else { throw Self.missing(descriptor, prefix) }
            clientID = Self.inventedClientID
            isInvented = true
        }
        let secret =
            try secret(file, prefix, options)
            ?? (known == nil ? standard?.secret : nil)
            ?? (isInvented && descriptor.client.needsSecret ? Self.inventedSecret : nil)
        return ResolvedRegistration(
            clientID: clientID, secret: secret,
            variables: try ResolvedRegistration.variables(
                descriptor, file, options, isRehearsal: isRehearsal),
            scopes: (file?.scopes ?? []) + options.scopes,
            redirectURI: options.redirectURI ?? file?.redirectURI,
            isInvented: isInvented)
    }

    /// `ACME_IDENTITY` for `acme-identity`.
    static func variablePrefix(_ provider: String) -> String {
        String(provider.uppercased().map { $0 == "-" ? "_" : $0 })
    }

    /// Names of the variables that registrations take secrets from.
    func secretVariables(_ options: ClientOptions) -> Set<String> {
        var names: Set<String> = []
        if case .environment(let name) = options.secret { names.insert(name) }
        for registration in files.registrations {
            if case .environment(let name) = registration.secret { names.insert(name) }
        }
        return names
    }

    // MARK: Secrets

    private func secret(
        _ file: Registration?, _ prefix: String, _ options: ClientOptions
    ) throws(Problem) -> Secret? {
        let variable = prefix + "_CLIENT_SECRET"
        if let place = options.secret {
            return isRehearsal ? Self.inventedSecret : try secret(at: place)
        }
        if surroundings.variable(variable) != nil {
            return isRehearsal ? Self.inventedSecret : try secret(in: variable)
        }
        guard let file, let source = file.secret else { return nil }
        if isRehearsal { return Self.inventedSecret }
        switch source {
        case .environment(let name): return try secret(in: name)
        case .file(let path): return try secret(inFile: FilePath.join(FilePath.parent(of: file.file), path))
        }
    }

    private func secret(at place: ClientOptions.SecretPlace) throws(Problem) -> Secret {
        switch place {
        case .environment(let name): return try secret(in: name)
        case .file(let path): return try secret(inFile: path)
        case .standardInput:
            do throws(FileProblem) {
                return try Self.secret(try surroundings.input.readAll(limit: 1 << 16), "standard input")
            } catch {
                throw Problem(error)
            }
        }
    }

    private func secret(in variable: String) throws(Problem) -> Secret {
        guard let text = surroundings.variable(variable) else {
            throw Problem(
                .config, "the client secret should be in the variable \(variable), which is not set",
                hints: ["set it: export \(variable)=…"])
        }
        return Secret(text, kind: .clientSecret)
    }

    private func secret(inFile path: String) throws(Problem) -> Secret {
        do throws(FileProblem) {
            let absolute = FilePath.join(surroundings.directory, path)
            return try Self.secret(try FileAccess.readSecret(absolute), path)
        } catch {
            throw Problem(error)
        }
    }

    private static func secret(_ bytes: [UInt8], _ place: String) throws(FileProblem) -> Secret {
        let text = SecretText.line(bytes)
        guard !text.isEmpty else { throw FileProblem(place, "holds no client secret") }
        return Secret(text, kind: .clientSecret)
    }

    // MARK: Nothing registered

    private static func missing(_ descriptor: ProviderDescriptor, _ prefix: String) -> Problem {
        var hints: [String] = []
        if let console = descriptor.console { hints.append("register a client at \(console)") }
        if let hint = descriptor.registrationHint { hints.append(hint) }
        hints.append(
            "then give --client-id ID, set \(prefix)_CLIENT_ID, "
                + "or write registrations.\(descriptor.id).client_id in flowrun.yaml")
        hints.append("to see what would be sent, without a client: --dry-run")
        return Problem(.config, "no client is registered with provider \"\(descriptor.id)\"", hints: hints)
    }
}

extension ClientFacts {
    /// Whether the provider takes clients with a secret only, as far as the descriptor says.
    fileprivate var needsSecret: Bool {
        switch authenticationMethod {
        case .clientSecretBasic, .clientSecretPost, .clientSecretJWT: true
        case .none?, .privateKeyJWT?, nil: false
        }
    }
}
