internal import FlowEngine
internal import FlowLanguage
internal import OAuthProtocol

/// A provider with what is registered for it, before anything of that is read or sent.
struct ProviderSurvey: Sendable {
    let loaded: LoadedProvider
    let found: FoundRegistration
    let resolver: RegistrationResolver
    private let options: ClientOptions

    var descriptor: ProviderDescriptor { loaded.descriptor }

    /// - Parameter isRehearsal: Whether examples serve for variables without a value, and no secret is read.
    init(
        _ name: String, _ options: ClientOptions, _ context: CommandContext, isRehearsal: Bool
    ) throws(Problem) {
        let files = try context.registrations()
        loaded = try context.library.provider(name)
        self.options = options
        resolver = RegistrationResolver(
            files: files, surroundings: context.surroundings, isRehearsal: isRehearsal)
        found = RegistrationSearch(files: files, surroundings: context.surroundings).find(
            loaded.descriptor, options)
    }

    /// The descriptor with its variables, for a client without credentials.
    func bound() throws(Problem) -> BoundProvider {
        let variables = try ResolvedRegistration.variables(
            descriptor, found, isRehearsal: resolver.isRehearsal)
        return try Self.bind(
            descriptor, variables, ClientRegistration(clientID: "", secret: nil, authenticationMethod: .none))
    }

    /// - Throws: Every variable that is missing or does not fit.
    static func bind(
        _ descriptor: ProviderDescriptor, _ variables: [String: String], _ client: ClientRegistration
    ) throws(Problem) -> BoundProvider {
        do throws(BindingError) {
            let bound = try descriptor.bind(variables: variables)
            return BoundProvider(descriptor: descriptor, bound: bound, registration: client)
        } catch {
            throw Problem(
                .config, error.problems.map(\.message).joined(separator: "; "),
                hints: error.problems.compactMap(\.hint))
        }
    }
}
