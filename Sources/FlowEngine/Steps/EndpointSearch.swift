internal import FlowLanguage
internal import OAuthProtocol

/// Finds one endpoint of the provider, from the descriptor or its published metadata, before a step sends to it.
struct EndpointSearch: Sendable {
    enum Progress {
        case found(String, KnownMetadata)
        case action(StepAction)
    }

    private var fetch = MetadataFetch()
    private let path: any KeyPath<ServerMetadataFields, String?> & Sendable
    private let name: String
    private let missing: Outcome
    private let other: (any KeyPath<ServerMetadataFields, String?> & Sendable)?
    private let operation: (any KeyPath<ProviderDescriptor, DialectFacts> & Sendable)?

    /// - Parameters:
    ///   - operation: What the descriptor says of the request; its own endpoint wins over the metadata's.
    ///   - name: The endpoint's member in the metadata.
    ///   - other: An endpoint that the step after this one needs: the metadata is asked for it too.
    ///   - missing: The outcome for a provider that has no such endpoint.
    init(
        _ path: any KeyPath<ServerMetadataFields, String?> & Sendable, _ name: String,
        operation: any KeyPath<ProviderDescriptor, DialectFacts> & Sendable,
        missing: Outcome = .unsupported,
        other: (any KeyPath<ServerMetadataFields, String?> & Sendable)? = nil
    ) {
        self.operation = operation
        self.other = other
        self.path = path
        self.name = name
        self.missing = missing
    }

    /// For a request of which descriptors say nothing.
    init(_ path: any KeyPath<ServerMetadataFields, String?> & Sendable, _ name: String) {
        operation = nil
        other = nil
        self.path = path
        self.name = name
        missing = .unsupported
    }

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> Progress {
        let (path, other) = (path, other)
        let isNamed = isNamed(scope)
        return taken(
            fetch.start(&registers, scope) { fields in
                fields[keyPath: path] == nil && !isNamed || other.map { fields[keyPath: $0] == nil } == true
            }, scope)
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> Progress {
        taken(fetch.resume(event, &registers, scope), scope)
    }

    private func isNamed(_ scope: StepScope) -> Bool {
        operation.map { scope.provider.descriptor[keyPath: $0].endpoint != nil } ?? false
    }

    private func taken(_ progress: MetadataFetch.Progress, _ scope: StepScope) -> Progress {
        switch progress {
        case .perform(let effect): return .action(.perform(effect))
        case .failed(let result): return .action(.finish(result.asImplicitDiscovery(whenMissing: missing)))
        case .failedAction(let action): return .action(action)
        case .ready(let known, _):
            guard let url = known.fields[keyPath: path] ?? (isNamed(scope) ? "" : nil) else {
                return .action(.finish(.failed(missing, nil, "the provider names no \(name)")))
            }
            return .found(url, known)
        }
    }
}

extension StepResult {
    /// The result in the outcomes of a kind that sends no grant of its own: a refused grant is a refused request.
    func withoutGrant() -> StepResult {
        var result = self
        if outcome == .invalidGrant { result.outcome = .rejected }
        return result
    }
}
