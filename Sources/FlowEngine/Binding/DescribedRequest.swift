internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// One operation of a descriptor in one step: its texts, with everything that they may refer to.
struct DescribedRequest: Sendable {
    let provider: BoundProvider
    let facts: DialectFacts
    let inputs: DescriptorInputs
    /// Unique to the request.
    let serial: String
    /// Seconds since 1970.
    let now: Int64

    var dialect: RequestDialect { provider.bound.dialect(facts, inputs) }

    /// The registration with what proves the client in this very request.
    func client(_ metadata: KnownMetadata?) throws(RunFailure) -> ClientRegistration {
        try ClientProof(provider: provider, serial: serial, now: now).registration(
            provider.authentication(metadata, operation: facts.authenticationMethod), inputs,
            issuer: metadata?.fields.issuer ?? provider.declared.issuer)
    }

    /// The descriptor's endpoint, or that of the metadata.
    ///
    /// - Throws: When the descriptor's is filled with something that is no URL, or of a host that it does not allow.
    func endpoint(_ standard: String?, log: inout CheckLog) throws(RunFailure) -> String? {
        guard let text = facts.endpoint else { return standard }
        guard let url = provider.bound.text(text, inputs) else {
            throw RunFailure(
                .endpointRefused, "\(text.source): what the endpoint is made of has not been received")
        }
        let read: EndpointURL
        do throws(EndpointURLProblem) {
            read = try EndpointURL(url, allowLoopbackHTTP: true)
        } catch {
            _ = log.failure(
                Checks.endpointHost, expected: "an https URL", actual: "one that \(error.rawValue)")
            throw RunFailure(.endpointRefused, "\(text.source): the endpoint \(error.rawValue)")
        }
        // Values are segments of the path: one that is a dot or two would lead out of it.
        guard !text.readsAnswers || !read.hasDotSegment else {
            _ = log.failure(
                Checks.endpointHost, expected: "a path without . and ..", actual: "one that leads elsewhere")
            throw RunFailure(.endpointRefused, "\(text.source): the endpoint has a segment that is . or ..")
        }
        let host = read.host
        guard !facts.allowedHosts.isEmpty else { return url }
        let isAllowed = facts.allowedHosts.contains { HostRule.allows(host, $0) }
        guard isAllowed else {
            let expected = facts.allowedHosts.joined(separator: ", ")
            _ = log.failure(
                Checks.endpointHost, expected: expected, actual: RemoteText.sanitize(host, limit: 100))
            throw RunFailure(
                .endpointRefused,
                "\(text.source): the answer leads to \(RemoteText.sanitize(host, limit: 100)), which is none of \(expected)"
            )
        }
        log.pass(Checks.endpointHost)
        return url
    }

    /// What the endpoint is made of and may not be shown, such as a part of a token.
    var endpointSecrets: [Secret] {
        facts.endpointSecrets.compactMap { provider.bound.text($0, inputs) }
            .map { Secret($0, kind: .other) }
    }

    /// The plan with what is computed from its other parameters, then with what is computed from its encoded body.
    ///
    /// - Throws: When a signature over the parameters cannot be made: nothing is sent without it.
    func finished(_ plan: RequestPlan) throws(RunFailure) -> RequestPlan {
        let signed = facts.parameters.filter(\.text.readsBody)
        var plan = plan
        if !signed.isEmpty {
            let made = provider.bound.parameters(
                signed, inputs.with(.parameters, Self.parameters(of: plan)))
            plan = plan.adding(try whole(made, of: signed))
        }
        guard facts.query.contains(where: \.text.readsBody) || facts.headers.contains(where: \.text.readsBody)
        else { return plan }
        let inputs = inputs.with(.body, .string(plan.bodyText.reveal()))
            .with(.parameters, Self.parameters(of: plan))
        let late = provider.bound.late(facts, inputs)
        return plan.adding(
            query: try whole(late.query, of: facts.query), fields: try whole(late.fields, of: facts.headers))
    }

    /// What was made of the texts; a rehearsal, which has no key, shows where a signature would stand.
    private func whole(
        _ made: [RequestParameter], of texts: [(name: String, text: DescriptorText)]
    ) throws(RunFailure) -> [RequestParameter] {
        var made = made
        for (name, text) in texts where text.reads(.parameters) && !made.contains(where: { $0.name == name })
        {
            guard provider.isRehearsal else {
                throw RunFailure(
                    .clientKey, "\(text.source): \"\(name)\" cannot be made: its key is none that signs so")
            }
            let placeholder = Secret("rehearsed-signature", kind: .other)
            made.append(RequestParameter(name, .secret(placeholder), .descriptor(text.source)))
        }
        return made
    }

    private static func parameters(of plan: RequestPlan) -> Value {
        .json(
            .object(JSONObject(plan.namedTexts.map { (key: $0.name, value: .string($0.text.reveal())) })))
    }
}

extension StepScope {
    /// An operation of the provider with all that is known in this step.
    ///
    /// - Parameters:
    ///   - tokens: The set that the step uses.
    ///   - answer: The authorization response that the step redeems.
    ///   - device: The answer that began the sign-in on another device that the step asks about.
    func describe(
        _ facts: DialectFacts, tokens: TokenSet? = nil, answer: Registers.ReceivedAnswer? = nil,
        scopes: [String] = [], userinfo: JSONObject? = nil, device: JSONObject? = nil,
        _ registers: inout Registers
    ) throws(RunFailure) -> DescribedRequest {
        let serial = registers.serial()
        let now = registers.now / 1000
        var inputs = DescriptorInputs(
            clientID: provider.registration.clientID,
            redirectURI: answer?.transaction.redirectURI ?? plan.redirectURI ?? "")
        inputs[.now] = .int(now)
        inputs[.nowMilliseconds] = .int(registers.now)
        inputs[.random] = .string(serial)
        inputs[.scope] = .string(
            (scopes.isEmpty ? answer?.transaction.scopes ?? tokens?.scopes ?? [] : scopes)
                .joined(separator: provider.descriptor.authorization.scopeDelimiter))
        if let answer {
            inputs[.state] = .string(answer.transaction.state.reveal())
            inputs[.code] = .string(answer.response.code.reveal())
            inputs[.callback] = .json(.object(answer.captured))
        }
        if let tokens { inputs.take(tokens) }
        if let userinfo { inputs[.userinfo] = .json(.object(userinfo)) }
        if let device { inputs[.device] = .json(.object(device)) }
        let secret = try ClientProof(provider: provider, serial: serial, now: now).secret(inputs)
        inputs[.clientSecret] = secret.map { .string($0.reveal()) } ?? .null
        return DescribedRequest(provider: provider, facts: facts, inputs: inputs, serial: serial, now: now)
    }

    /// The registration as it is proven in a request that no descriptor describes.
    func client(_ registers: inout Registers) throws(RunFailure) -> ClientRegistration {
        if let reason = provider.unreadSecret { throw RunFailure(.clientKey, reason) }
        return try describe(DialectFacts(), &registers).client(registers.metadata[providerIndex])
    }
}

extension DescriptorInputs {
    fileprivate mutating func take(_ set: TokenSet) {
        self[.accessToken] = .string(set.accessToken.reveal())
        self[.refreshToken] = set.refreshToken.map { .string($0.reveal()) } ?? .null
        self[.idToken] = set.idToken.map { .string($0.reveal()) } ?? .null
        self[.code] = set.code.map { .string($0.reveal()) } ?? .null
        self[.token] = .json(.object(set.members))
        self[.claims] = set.claims.map { .json(.object($0)) } ?? .null
        if self[.callback].isNull { self[.callback] = .json(.object(set.captured)) }
    }
}
