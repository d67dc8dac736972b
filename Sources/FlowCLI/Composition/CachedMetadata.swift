internal import FlowLanguage
internal import FlowLive
internal import OAuthProtocol

/// What providers published when a run last asked them: facts for the linter, which asks nobody.
struct CachedMetadata: Sendable {
    private let store: DocumentStore?

    /// Older copies say little of what a provider offers now.
    private static let oldest: Int64 = 30 * 86_400_000

    init(_ surroundings: Surroundings) {
        store = UserDirectories(surroundings).cache.map {
            DocumentStore(directory: FilePath.join($0, "metadata"))
        }
    }

    /// - Returns: `nil` where nothing is kept, it is old, or it fails a check.
    func fields(of bound: BoundDescriptor) -> ServerMetadataFields? {
        guard let store, bound.descriptor.discovery != .off, let issuer = bound.serverFields().issuer else {
            return nil
        }
        let plans = Discovery.plans(issuer: issuer, metadataURL: bound.metadataURL)
        let now = WallClock.now()
        let found = store.metadata(
            issuer: issuer, urls: plans.map(\.endpoint), acceptedIssuers: bound.issuerAliases,
            amended: bound.amendedMembers(), now: now
        ).found
        guard let found, now - found.document.origin.fetchedAt < Self.oldest else { return nil }
        return found.metadata.fields
    }

    /// What makes a client of the provider known here, as a person types it.
    func registering(
        _ word: String, _ descriptor: ProviderDescriptor, _ found: FoundRegistration
    ) -> String {
        let adding = "flowrun provider add \(word)"
        return offersRegistration(descriptor, found) ? "flowrun register \(word), or \(adding)" : adding
    }

    /// Whether the provider registers clients itself (RFC 7591), as its file or what it published last says.
    func offersRegistration(_ descriptor: ProviderDescriptor, _ found: FoundRegistration) -> Bool {
        if descriptor.server.registrationEndpoint != nil { return true }
        // Where variables are missing nobody knows yet which server it is.
        guard let variables = try? ResolvedRegistration.variables(descriptor, found, isRehearsal: false),
            let bound = try? descriptor.bind(variables: variables, secrets: [:])
        else { return false }
        return fields(of: bound)?.registrationEndpoint != nil
    }
}
