internal import FlowLanguage
internal import FlowSandbox
internal import OAuthProtocol

/// Makes a registration of what was found, secrets read.
///
/// The sandbox has a client that everybody knows. A rehearsal never reads a secret and, where nothing is registered,
/// goes on with an invented client.
struct RegistrationResolver: Sendable {
    let files: RegistrationFiles
    let surroundings: Surroundings
    let isRehearsal: Bool
    let gate: TrustGate
    /// Whether a stored token may do, so that what the client proves itself with is missed only where it is sent.
    var usesSession = false
    /// Of a command that reads a secret for more than one purpose.
    var memory: SecretMemory?

    /// Stands for what nobody has registered yet; the angle brackets keep it from passing for a real identifier.
    static let inventedClientID = "<client-id>"
    private static let inventedSecret = Secret(
        "rehearsed client secret, which opens nothing", kind: .clientSecret)

    private var search: RegistrationSearch { RegistrationSearch(files: files, surroundings: surroundings) }

    /// - Parameters:
    ///   - needsClient: Whether anything is asked as a client; without one its identifier is empty then.
    ///   - word: What another command has to call the provider; `nil` for its name.
    func resolve(
        _ descriptor: ProviderDescriptor, _ options: ClientOptions, needsClient: Bool = true,
        word: String? = nil
    ) throws(Problem) -> ResolvedRegistration {
        let found = search.find(descriptor, options)
        let isInvented = found.clientID == nil && needsClient
        guard !isInvented || isRehearsal else {
            throw missing(descriptor, found, word ?? descriptor.id)
        }
        var resolved = ResolvedRegistration(
            clientID: found.clientID?.value ?? (needsClient ? Self.inventedClientID : ""),
            environment: found.environment?.value,
            variables: try ResolvedRegistration.variables(descriptor, found, isRehearsal: isRehearsal),
            scopes: found.scopes, redirectURI: found.redirectURI?.value, isInvented: isInvented, found: found)
        resolved.method = found.method?.value
        resolved.secret = try proof(found.secret, "client secret", .clientSecret, options, &resolved.unread)
        resolved.privateKey = try proof(found.privateKey, "private key", .other, options, &resolved.unread)
        resolved.assertion = try proof(
            found.assertion, "client assertion", .clientAssertion, options, isPublic: true, &resolved.unread)
        resolved.certificate = try secret(
            found.certificate, "client certificate", .other, options, isPublic: true)
        resolved.certificateKey = try secret(found.certificateKey, "certificate key", .other, options)
        for (name, value) in found.secretVariables {
            resolved.secretVariables[name] = try secret(value, "value of variable \(name)", .other, options)
        }
        if resolved.secret == nil {
            if found.clientID?.place == .sandbox { resolved.secret = SandboxClient.standard.first?.secret }
            if isInvented, descriptor.client.needsSecret { resolved.secret = Self.inventedSecret }
        }
        if isRehearsal, needsClient, lacksSecret(resolved, descriptor) {
            resolved.secret = Self.inventedSecret
            resolved.isSecretInvented = !isInvented
        }
        return resolved
    }

    /// Whether the client proves itself by nothing, although those of the provider have a secret and nothing says that
    /// this one registered without.
    private func lacksSecret(_ resolved: ResolvedRegistration, _ descriptor: ProviderDescriptor) -> Bool {
        resolved.secret == nil && resolved.privateKey == nil && resolved.assertion == nil
            && resolved.certificate == nil && resolved.method != .some(.none) && descriptor.needsClientSecret
    }

    /// The descriptor's environment that is asked for.
    func environment(of provider: String, _ options: ClientOptions) -> Found<String>? {
        search.environment(of: provider, options)
    }

    /// `ACME_IDENTITY` for `acme-identity`, `_4SHARED` for `4shared`: a shell exports no name that begins with a digit
    /// (POSIX.1-2024, Base Definitions §3.216).
    static func variablePrefix(_ provider: String) -> String {
        let name = String(provider.uppercased().map { $0 == "-" ? "_" : $0 })
        return name.utf8.first.map { (0x30...0x39).contains($0) } == true ? "_\(name)" : name
    }

    /// Names of the variables that registrations take secrets from.
    func secretVariables(_ options: ClientOptions) -> Set<String> {
        var names: Set<String> = []
        for place in [options.secret, options.privateKey, options.assertion] {
            if case .environment(let name)? = place { names.insert(name) }
        }
        for variable in options.variables {
            if case .environment(let name)? = SecretPlaceText.read(variable.text, stored: { $0 }) {
                names.insert(name)
            }
        }
        for registration in files.registrations {
            for (_, source) in registration.namedSources {
                if case .environment(let name) = source { names.insert(name) }
            }
        }
        return names
    }

    // MARK: Secrets

    func reader(_ options: ClientOptions) -> SecretReader {
        SecretReader(
            surroundings: surroundings, hiddenVariables: secretVariables(options), gate: gate, memory: memory)
    }

    private func secret(
        _ found: Found<SecretLocation>?, _ what: String, _ kind: Secret.Kind, _ options: ClientOptions,
        isPublic: Bool = false
    ) throws(Problem) -> Secret? {
        guard let found else { return nil }
        if isRehearsal { return Secret("rehearsed \(what), which opens nothing", kind: kind) }
        return try reader(options).read(found, what, kind: kind, isPublic: isPublic)
    }

    /// What proves the client. Whoever uses a stored session may never need it: a token that is still good is handed out
    /// and a session is forgotten without.
    private func proof(
        _ found: Found<SecretLocation>?, _ what: String, _ kind: Secret.Kind, _ options: ClientOptions,
        isPublic: Bool = false, _ unread: inout String?
    ) throws(Problem) -> Secret? {
        guard usesSession, !isRehearsal, let found else {
            return try secret(found, what, kind, options, isPublic: isPublic)
        }
        let reader = reader(options)
        try reader.gate?.admit(found.place)
        do throws(Problem) {
            return try reader.read(found.value, what, kind: kind, isPublic: isPublic)
        } catch {
            unread = unread ?? error.message
            return nil
        }
    }

    // MARK: Nothing registered

    private func missing(
        _ descriptor: ProviderDescriptor, _ found: FoundRegistration, _ word: String
    ) -> Problem {
        let prefix = Self.variablePrefix(descriptor.id)
        var hints: [String] = []
        if usesSession {
            hints.append("which sessions are stored, and of which client: flowrun status \(descriptor.id)")
        }
        if CachedMetadata(surroundings).offersRegistration(descriptor, found) {
            hints.append("it registers clients itself: flowrun register \(word)")
        }
        let registering = [
            descriptor.console.map { "register a client at \($0)" }, descriptor.registrationHint,
        ].compactMap(\.self)
        hints += registering
        hints.append(
            (registering.isEmpty ? "" : "then ")
                + "run flowrun provider add \(word), give --client-id ID, or set \(prefix)_CLIENT_ID")
        hints.append("to see what would be sent, without a client: flowrun plan FLOW --provider \(word)")
        return Problem(.config, "no client is registered with provider \"\(descriptor.id)\"", hints: hints)
    }
}

extension ClientFacts {
    /// Whether the provider takes clients with a secret only, as far as the descriptor says.
    var needsSecret: Bool {
        switch authenticationMethod {
        case .clientSecretBasic, .clientSecretPost, .clientSecretJWT: true
        case .none?, .privateKeyJWT?, .tlsClientAuth?, .selfSignedTLSClientAuth?, nil: false
        }
    }
}
