internal import FlowEngine
internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// `register --document`: a client whose identifier is the address of a document about it. Nobody is asked: whoever owns
/// the address publishes the document, and the provider reads it when somebody signs in.
struct DocumentedClient: Sendable {
    let context: CommandContext
    let request: RegisterRequest
    let address: String

    /// - Parameters:
    ///   - entry: The client that the provider has in a file already.
    ///   - usual: How the client proves itself where nobody says.
    func run(
        _ binding: ProviderBinding, _ entry: Registration?, usual: ClientAuthenticationMethod?
    ) throws(Problem) -> Int {
        if let problem = ClientMetadataDocument.problem(of: address) {
            throw Problem(
                .usage,
                "\(RemoteText.sanitize(address)) \(problem), and no document about a client can be there",
                hints: ["as in: --document https://app.example.com/client.json"])
        }
        if !request.isRehearsal, let entry, entry.managementURI != nil {
            throw Problem(
                .usage, "\(entry.file) has a client that the provider made",
                hints: ["end it first: flowrun register \(binding.loaded[0].word) --delete"])
        }
        let provider = binding.providers[0]
        let metadata = try metadata(provider, binding.redirectURI, usual ?? ClientAuthenticationMethod.none)
        let document = ClientMetadataDocument.text(metadata, at: address).serialize(pretty: true) + "\n"
        if metadata.members["client_name"] == nil {
            context.note("it has no client_name, by which people know it: --name")
        }
        guard !request.isRehearsal else {
            context.write(document)
            return ExitStatus.ok.rawValue
        }
        let file = try RegistrationFile(entry, isForUser: request.isForUser, context)
        let word = binding.loaded[0].word
        let keeper = try RegistrationKeeper(provider.descriptor, file, request, word: word)
        try keeper.keep(NewRegistration(documentedAt: address, method: metadata.authenticationMethod))
        context.write(document)
        context.note("publish it at \(address) as application/json")
        context.note("wrote \(file.path); then: flowrun login \(word)")
        return ExitStatus.ok.rawValue
    }

    private func metadata(
        _ provider: BoundProvider, _ redirectURI: String?, _ usual: ClientAuthenticationMethod
    ) throws(Problem) -> ClientMetadata {
        let further = try request.furtherMembers(context.surroundings) ?? [:]
        var wish = request.wish(for: provider, redirectURI: redirectURI, further)
        if request.client.privateKey != nil { wish.sendsKeys = true }
        if request.method == nil, further["token_endpoint_auth_method"] == nil { wish.method = usual }
        let metadata: ClientMetadata
        do throws(RunFailure) {
            metadata = try provider.clientMetadata(wish, redirectURI: redirectURI)
        } catch {
            throw Problem(.config, error.message)
        }
        if let method = metadata.authenticationMethod, !ClientMetadataDocument.allows(method) {
            throw Problem(
                .usage, "\(method.rawValue) needs a secret, and everybody reads the document",
                hints: ["--auth none, or --auth private_key_jwt with --private-key-file"])
        }
        return metadata
    }
}
