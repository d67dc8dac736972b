internal import FlowEngine
internal import FlowLanguage
internal import OAuthProtocol

/// A provider with what is registered for it, before anything of that is read or sent.
struct ProviderSurvey: Sendable {
    let loaded: LoadedProvider
    let found: FoundRegistration
    let resolver: RegistrationResolver

    var descriptor: ProviderDescriptor { loaded.descriptor }

    /// - Parameter isRehearsal: Whether examples serve for variables without a value, and no secret is read.
    init(
        _ name: String, _ options: ClientOptions, _ context: CommandContext, isRehearsal: Bool
    ) throws(Problem) {
        let files = try context.registrations()
        let search = RegistrationSearch(files: files, surroundings: context.surroundings)
        let plain = try context.library.provider(name)
        // Which environment holds may stand in a file under the provider's id.
        let environment = search.environment(of: plain.descriptor.id, options)?.value
        loaded =
            environment == nil ? plain : try context.library.provider(name, environment: environment)
        resolver = RegistrationResolver(
            files: files, surroundings: context.surroundings, isRehearsal: isRehearsal,
            gate: TrustGate(context: context, mayAsk: false), memory: SecretMemory())
        found = search.find(loaded.descriptor, options)
    }

    /// What the client shows in TLS; `nil` for one that registered no certificate.
    ///
    /// - Throws: Also when certificate and key do not fit.
    func certificate(_ reader: SecretReader) throws(Problem) -> ClientCertificate? {
        guard let place = found.certificate else { return nil }
        let chain = try reader.read(place, "client certificate", kind: .other, isPublic: true)
        var key: Secret?
        if let place = found.certificateKey ?? found.privateKey {
            key = try reader.read(place, "certificate key", kind: .other)
        }
        return try ClientCertificate.checked(chain, key, of: descriptor.id)
    }

    /// The descriptor with its variables, for a client without other credentials than a certificate.
    ///
    /// - Parameters:
    ///   - secrets: Values of secret variables; those that are not read have a stand-in.
    ///   - certificate: What the client shows in TLS.
    /// - Throws: Every variable that is missing or does not fit.
    func bound(
        secrets: [String: Secret] = [:], certificate: ClientCertificate? = nil
    ) throws(Problem) -> BoundProvider {
        let variables = try ResolvedRegistration.variables(
            descriptor, found, isRehearsal: resolver.isRehearsal)
        var secrets = secrets
        for (name, _) in found.secretVariables where secrets[name] == nil {
            let example = descriptor.variables.first { $0.name == name }?.example
            secrets[name] = Secret(example ?? "stand-in", kind: .other)
        }
        do throws(BindingError) {
            let bound = try descriptor.bind(variables: variables, secrets: secrets)
            return BoundProvider(
                descriptor: descriptor, bound: bound,
                registration: ClientRegistration(
                    clientID: "", authenticationMethod: .none, certificate: certificate?.chain,
                    certificateKey: certificate?.key))
        } catch {
            throw Problem(
                .config, error.problems.map(\.message).joined(separator: "; "),
                hints: error.problems.compactMap(\.hint))
        }
    }
}
