internal import FlowEngine
internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// The providers of one run, in the order of the program's slots.
struct ProviderBinding: Sendable {
    var providers: [BoundProvider] = []
    /// The redirect URI that is registered with the first provider.
    var redirectURI: String?
    /// Ids of providers for whom a client was invented.
    var invented: [String] = []
    /// Ids of providers for whose clients a secret was invented.
    var inventedSecrets: [String] = []
    /// Where the registrations were found, in the order of the providers.
    var registrations: [FoundRegistration] = []
    /// Files that were read, for excerpts and warnings.
    var loaded: [LoadedProvider] = []

    /// - Parameters:
    ///   - choices: By alias; the one without alias is the first slot's.
    ///   - standard: For slots that neither the choices nor the flow give a provider.
    init(
        _ program: FlowProgram, choices: [ProviderChoice], standard: String? = nil,
        client: ClientOptions, _ library: Library, _ resolver: RegistrationResolver
    ) throws(Problem) {
        try Self.check(choices, program)
        try Self.check(client.clientID, program)
        for (index, slot) in program.providers.enumerated() {
            let chosen = choices.last { $0.alias == slot.alias || ($0.alias == nil && index == 0) }
            guard let name = chosen?.name ?? slot.standard?.value ?? standard else {
                throw Self.missing(slot, program, library, resolver.files)
            }
            // Options speak of the first provider; the others have files and variables.
            let options = index == 0 ? client : ClientOptions()
            let needsClient = program.steps.contains { $0.provider == index && $0.kind.needsClient }
            try bind(
                try Self.load(name, options, library, resolver), options, resolver, needsClient: needsClient)
        }
    }

    /// The descriptor with the environment on top that its registration asks for.
    private static func load(
        _ name: String, _ options: ClientOptions, _ library: Library, _ resolver: RegistrationResolver
    ) throws(Problem) -> LoadedProvider {
        let plain = try library.provider(name)
        guard let environment = resolver.environment(of: plain.descriptor.id, options) else { return plain }
        return try library.provider(name, environment: environment.value)
    }

    private mutating func bind(
        _ loaded: LoadedProvider, _ options: ClientOptions, _ resolver: RegistrationResolver,
        needsClient: Bool
    ) throws(Problem) {
        let descriptor = loaded.descriptor
        let registration = try resolver.resolve(
            descriptor, options, needsClient: needsClient, word: loaded.word)
        let bound: BoundDescriptor
        do throws(BindingError) {
            bound = try descriptor.bind(
                variables: registration.variables,
                secrets: secrets(descriptor, registration, isRehearsal: resolver.isRehearsal))

        } catch {
            throw Self.unbound(descriptor, error)
        }
        if needsClient {
            try Self.check(registration.found, descriptor, bound, word: loaded.word)
        }
        let vetting = ProviderVetting(
            loaded: loaded, bound: bound, registration: registration, gate: resolver.gate)
        var client = ClientRegistration(
            clientID: registration.clientID, secret: registration.secret,
            authenticationMethod: registration.secret == nil ? .none : .clientSecretBasic,
            privateKey: registration.privateKey ?? inventedKey(descriptor, registration),
            certificate: registration.certificate ?? inventedCertificate(descriptor, registration),
            certificateKey: registration.certificateKey)
        client.assertion = registration.assertion
        client.clientIDSource = Self.source(registration.found.clientID?.place)
        if !resolver.isRehearsal, let chain = client.certificate {
            _ = try ClientCertificate.checked(
                chain, client.certificateKey ?? client.privateKey, of: descriptor.id)
        }
        if providers.isEmpty { redirectURI = registration.redirectURI }
        if registration.isInvented { invented.append(descriptor.id) }
        if registration.isSecretInvented { inventedSecrets.append(descriptor.id) }
        self.loaded.append(loaded)
        registrations.append(registration.found)
        providers.append(
            BoundProvider(
                descriptor: descriptor, bound: bound, registration: client, extraScopes: registration.scopes,
                demandedScopes: options.scopes, parameters: try parameters(options, descriptor),
                method: registration.method, isRehearsal: resolver.isRehearsal,
                isVetted: resolver.isRehearsal ? true : try vetting.isVetted(),
                registrationFacts: registration.facts, unreadSecret: registration.unread))
    }

    /// What the command line adds to the authorization request.
    private func parameters(
        _ options: ClientOptions, _ descriptor: ProviderDescriptor
    ) throws(Problem) -> [RequestParameter] {
        let allowed = descriptor.authorization.allowedParameters
        for parameter in options.parameters where !allowed.contains(parameter.name) {
            let near = ArgumentReader.suggestion(parameter.name, allowed)
            throw Problem(
                .usage,
                "provider \"\(descriptor.id)\" takes no further parameter \"\(parameter.name)\"\(near)",
                hints: [
                    allowed.isEmpty
                        ? "its file names those that it does: authorization: {allow_params: [NAME]}"
                        : "its file allows \(allowed.joined(separator: ", "))"
                ])
        }
        return options.parameters.map { RequestParameter($0.name, .text($0.text), .commandLine) }
    }

    /// Where a client's identifier was found, as a trace names it.
    private static func source(_ place: RegistrationPlace?) -> ParameterSource {
        switch place {
        case .option?: .commandLine
        case .variable(let name)?: .environment(name)
        case .file?, .sandbox?, nil: .registration
        }
    }

    /// A rehearsal goes on with an invented value for a secret that nobody has registered.
    private func secrets(
        _ descriptor: ProviderDescriptor, _ registration: ResolvedRegistration, isRehearsal: Bool
    ) -> [String: Secret] {
        var secrets = registration.secretVariables
        for variable in descriptor.variables where isRehearsal && variable.isSecret && variable.isRequired {
            let isGiven = secrets[variable.name] != nil || registration.variables[variable.name] != nil
            if !isGiven { secrets[variable.name] = Secret("rehearsed \(variable.name)", kind: .other) }
        }
        return secrets
    }

    private func inventedKey(_ descriptor: ProviderDescriptor, _ registration: ResolvedRegistration)
        -> Secret?
    {
        let method = descriptor.client.authenticationMethod
        guard registration.isInvented, method == .privateKeyJWT || method?.isMutualTLS == true else {
            return nil
        }
        return Secret("rehearsed private key", kind: .other)
    }

    private func inventedCertificate(
        _ descriptor: ProviderDescriptor, _ registration: ResolvedRegistration
    ) -> Secret? {
        guard registration.isInvented, descriptor.client.authenticationMethod?.isMutualTLS == true else {
            return nil
        }
        return Secret("rehearsed certificate", kind: .other)
    }

    /// A client that one issuer has registered is not shown to another, which may have moved into the provider's file.
    private static func check(
        _ found: FoundRegistration, _ descriptor: ProviderDescriptor, _ bound: BoundDescriptor, word: String
    ) throws(Problem) {
        guard let issuer = found.registration?.issuer, let file = found.registration?.file,
            let clientID = found.clientID, case .file = clientID.place,
            let named = bound.serverFields().issuer, !named.hasSameBytes(as: issuer.value)
        else { return }
        throw Problem(
            .config,
            "\(file):\(issuer.span.start.line): client \(clientID.value) was registered by \(issuer.value), and "
                + "provider \"\(descriptor.id)\" is \(named) now",
            hints: [
                "to register at that one: flowrun register \(word) --replace",
                "where both are the same server, write the new issuer there",
            ])
    }

    private static func unbound(_ descriptor: ProviderDescriptor, _ error: BindingError) -> Problem {
        let details = error.problems.flatMap { [$0.message, $0.hint].compactMap(\.self) }
        return Problem(
            .config, "provider \"\(descriptor.id)\" cannot be used with these variables",
            hints: details + [
                "give --set NAME=VALUE, or registrations.\(descriptor.id).variables in flowrun.yaml"
            ])
    }

    private static func check(
        _ choices: [ProviderChoice], _ program: FlowProgram
    ) throws(Problem) {
        let aliases = program.providers.map(\.alias)
        for choice in choices {
            guard let alias = choice.alias, !aliases.contains(alias) else { continue }
            let known = ArgumentReader.suggestion(alias, aliases)
            throw Problem(
                .usage, "flow \"\(program.name)\" has no provider alias \"\(alias)\"\(known)",
                hints: ["aliases: \(aliases.joined(separator: ", "))"])
        }
    }

    /// Unlike --provider, options about the client name no alias.
    private static func check(_ clientID: String?, _ program: FlowProgram) throws(Problem) {
        guard program.providers.count > 1,
            let slot = program.providers.first(where: { clientID?.hasPrefix("\($0.alias)=") == true })
        else { return }
        throw Problem(
            .usage, "--client-id is the identifier alone, of the client at \"\(program.providers[0].alias)\"",
            hints: [
                "register the client at \"\(slot.alias)\" in flowrun.yaml: flowrun provider add NAME"
            ])
    }

    /// More names than these are no help to a person.
    private static let mostNamed = 12

    private static func missing(
        _ slot: ProviderSlot, _ program: FlowProgram, _ library: Library, _ files: RegistrationFiles
    ) -> Problem {
        let registered = Set(files.registrations.map(\.provider)).sorted()
        let names = library.entries(of: .provider).filter { $0.shadowedBy == nil }.map(\.name)
        let option = program.providers.count == 1 ? "--provider NAME" : "--provider \(slot.alias)=NAME"
        var hints = ["give \(option)"]
        if (1...mostNamed).contains(registered.count) {
            hints.append("registered: \(registered.joined(separator: ", "))")
        } else if (1...mostNamed).contains(names.count) {
            hints.append("providers: \(names.joined(separator: ", "))")
        } else if !names.isEmpty {
            hints.append("see: flowrun provider list")
        }
        return Problem(.usage, "flow \"\(program.name)\" needs a provider", hints: hints)
    }
}
