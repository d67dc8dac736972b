internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import OAuthProtocol

/// `--dry-run=discover`: what the providers of a rehearsal really publish. Nothing else is asked of anybody.
struct RehearsalDiscovery: Sendable {
    private let context: CommandContext
    private let request: RunRequest
    private let binding: ProviderBinding

    init(_ context: CommandContext, _ request: RunRequest, _ binding: ProviderBinding) {
        self.context = context
        self.request = request
        self.binding = binding
    }

    /// By issuer; keys are looked at as well, for the notes.
    func published() async throws(Problem) -> [String: DiscoveredMetadata] {
        for index in binding.providers.indices { try checkVariables(index) }
        let setup = LiveSetup(surroundings: context.surroundings, secretVariables: [])
        let sandbox = try setup.sandbox(for: binding.providers, request.client)
        defer { sandbox?.stop() }
        let probe = try setup.probe(request.live, context.common, keeps: false)
        defer { probe.shutDown() }
        var found: [String: DiscoveredMetadata] = [:]
        for provider in binding.providers {
            guard provider.mayDiscover, let issuer = provider.declared.issuer else {
                note("\(provider.descriptor.id) is not asked: its file says everything")
                continue
            }
            guard found[issuer] == nil else { continue }
            found[issuer] = try await metadata(probe.asking(provider), provider, issuer)
        }
        return found
    }

    private func metadata(
        _ probe: ProviderProbe, _ provider: BoundProvider, _ issuer: String
    ) async throws(Problem) -> DiscoveredMetadata {
        do throws(ProbeFailure) {
            let (metadata, url) = try await probe.metadata(
                issuer: issuer, plans: provider.discoveryPlans,
                acceptedIssuers: provider.acceptedMetadataIssuers, amended: provider.amendedMetadata)
            note("\(provider.descriptor.id) publishes its metadata at \(url)")
            if let keys = provider.declared.jwksURI ?? metadata.fields.jwksURI {
                do throws(ProbeFailure) {
                    note("its keys: \(KeyWords.text(try await probe.keys(keys)))")
                } catch {
                    note("its keys cannot be read: \(error.words)")
                }
            }
            return metadata
        } catch {
            throw Problem(
                error.status, "\(provider.descriptor.id): \(error.words)", hints: error.fix.map { [$0] } ?? []
            )
        }
    }

    /// Nobody is asked about an example.
    private func checkVariables(_ index: Int) throws(Problem) {
        let descriptor = binding.loaded[index].descriptor
        let found = binding.registrations[index]
        let missing = descriptor.variables.filter { variable in
            variable.isRequired && variable.standard == nil
                && !found.variables.contains { $0.name == variable.name }
                && !found.secretVariables.contains { $0.name == variable.name }
        }
        guard let first = missing.first else { return }
        throw Problem(
            .config,
            "the address of \(descriptor.id) depends on \(missing.map(\.name).joined(separator: ", ")), and nobody "
                + "is asked about an example",
            hints: ["give it: --set \(first.name)=VALUE"])
    }

    /// Where events are read by a program there is nothing else between them.
    private func note(_ text: String) {
        if !request.streamsEvents { context.note(text) }
    }
}
