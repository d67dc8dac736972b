internal import FlowLanguage
internal import JOSE
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
    private let operation: any KeyPath<ProviderDescriptor, DialectFacts> & Sendable

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

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> Progress {
        let (path, other) = (path, other)
        let isNamed = scope.provider.descriptor[keyPath: operation].endpoint != nil
        return taken(
            fetch.start(&registers, scope) { fields in
                fields[keyPath: path] == nil && !isNamed || other.map { fields[keyPath: $0] == nil } == true
            }, scope)
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> Progress {
        taken(fetch.resume(event, &registers, scope), scope)
    }

    private func taken(_ progress: MetadataFetch.Progress, _ scope: StepScope) -> Progress {
        switch progress {
        case .perform(let effect): return .action(.perform(effect))
        case .failed(let result): return .action(.finish(result.asImplicitDiscovery(whenMissing: missing)))
        case .failedAction(let action): return .action(action)
        case .ready(let known, _):
            let isNamed = scope.provider.descriptor[keyPath: operation].endpoint != nil
            guard let url = known.fields[keyPath: path] ?? (isNamed ? "" : nil) else {
                return .action(.finish(.failed(missing, nil, "the provider names no \(name)")))
            }
            return .found(url, known)
        }
    }
}

extension StepScope {
    /// Sends a request that a descriptor describes, or ends the run when it cannot be made.
    ///
    /// - Parameters:
    ///   - endpoint: That of the metadata.
    ///   - plan: Makes the request for the endpoint, the client and the dialect that hold.
    func send(
        _ facts: DialectFacts, to endpoint: String?, _ purpose: HTTPExchange.Purpose, tokens: TokenSet? = nil,
        answer: Registers.ReceivedAnswer? = nil, scopes: [String] = [], userinfo: JSONObject? = nil,
        timeout: Int64? = nil, sample: AnswerSample? = nil, _ registers: inout Registers,
        plan: (_ endpoint: String, _ client: ClientRegistration, _ dialect: RequestDialect) -> RequestPlan
    ) -> StepAction {
        var log = CheckLog()
        do throws(RunFailure) {
            let request = try describe(
                facts, tokens: tokens, answer: answer, scopes: scopes, userinfo: userinfo, &registers)
            let url = try request.endpoint(endpoint, log: &log) ?? ""
            registers.notes.add(.checks(log.results))
            let client = try request.client(registers.metadata[providerIndex])
            registers.notes.add(.secrets([client.secret, client.assertion].compactMap(\.self)))
            var made = request.finished(plan(url, client, request.dialect))
            made.endpointSource = facts.endpoint.map { .descriptor($0.source) }

            return HTTPStep.send(made, purpose, &registers, self, timeout: timeout, sample: sample)
        } catch {
            registers.notes.add(.checks(log.results))
            return .fail(error)
        }
    }

    /// The result with the outcome that the descriptor's `classify` gives such an answer, where the kind has it.
    func classified(_ result: StepResult, _ response: HTTPResponse) -> StepResult {
        let rules = provider.descriptor.classification
        guard !rules.isEmpty else { return result }
        var inputs = DescriptorInputs(clientID: provider.registration.clientID)
        inputs[.status] = .int(Int64(response.status))
        // A body that is no JSON is none to a condition.
        inputs[.answer] = (try? JSON.parse(response.body)).map { .json($0) } ?? .null
        let outcomes = KindTable.spec(of: plan.program.steps[step].kind).outcomes
        for rule in rules where provider.bound.holds(rule.condition, inputs) {
            guard let found = outcomes.first(where: { $0.name == rule.outcome }) else { continue }
            var changed = result
            changed.outcome = found.outcome
            return changed
        }
        return result
    }

    /// The texts of an argument: a list, or one text; empty when it is left out.
    func texts(_ name: String, _ registers: inout Registers) -> [String] {
        let value = value(name, &registers)
        return value.texts ?? value.text.map { [$0] } ?? []
    }

    /// The texts of an argument; `nil` when it is left out or null.
    func givenTexts(_ name: String, _ registers: inout Registers) -> [String]? {
        value(name, &registers).isNull ? nil : texts(name, &registers)
    }

    /// The set that an argument names; the linter lets no step use one that is not set.
    func tokens(_ name: String, _ registers: Registers) -> TokenSet {
        guard let set = registers.tokenSets[tokenSet(name)] else {
            preconditionFailure("the linter lets no step use a token set that is not set")
        }
        return set
    }

    /// Further parameters of the flow, as far as the descriptor allows them.
    func extraParameters(_ registers: inout Registers) -> [RequestParameter] {
        guard case .templates(let templates)? = argument("extra") else { return [] }
        let allowed = provider.descriptor.authorization.allowedParameters
        return templates.compactMap { name, code in
            guard allowed.contains(name) else {
                registers.notes.add(
                    .warning("parameter \"\(name)\" was left out: the descriptor does not allow it"))
                return nil
            }
            return registers.evaluate(code, plan).text.map {
                RequestParameter(name, .text($0), .flow(self.name))
            }
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
