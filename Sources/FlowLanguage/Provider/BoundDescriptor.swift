package import JOSE
package import OAuthProtocol
internal import YAMLText

/// Why a value does not fit the variable of a descriptor.
package struct VariableProblem: Sendable, Hashable {
    package let variable: String
    /// Lower case, such as `variable "tenant" must match [a-z]+, which "A" does not`.
    package let message: String
    package let hint: String?
}

/// All that keeps a descriptor from being used with these variables.
package struct BindingError: Error, Sendable, Hashable {
    package let problems: [VariableProblem]
}

/// A descriptor with a value for each of its variables: every text in it can be evaluated.
package struct BoundDescriptor: Sendable {
    package let descriptor: ProviderDescriptor
    /// Values of the variables in the order of `descriptor.variables`; the empty text for an optional one without.
    private let variables: ContiguousArray<Value>
    /// Variables whose values are shown nowhere: by the descriptor, or since they were given as secrets.
    private let hidden: Set<String>
    /// What stands for the client where no request is made; some client's until it is known whose.
    private var clientID = "client"

    /// The values that were given by name, where they differ from what the descriptor says itself; none that is hidden.
    package var settings: [String: String] {
        var settings: [String: String] = [:]
        for (spec, value) in zip(descriptor.variables, variables) where !hidden.contains(spec.name) {
            let standard = spec.standard.map { spec.completed($0) } ?? ""
            if let text = value.text, text != standard { settings[spec.name] = text }
        }
        return settings
    }

    /// Where tokens come from, if variables have a say in that: the token endpoint, else the authorization endpoint; a
    /// digest of it where a hidden value may be in it.
    package var variableServer: String? {
        let server = descriptor.server
        for case let text? in [
            server.tokenEndpoint, descriptor.token.request.endpoint, server.authorizationEndpoint,
        ] {
            guard case .template = text.content, let url = self.text(text) else { continue }
            return hidden.isEmpty ? url : Hexadecimal.encode(Digest.sha256(Array(url.utf8)).prefix(16))
        }
        return nil
    }

    fileprivate init(descriptor: ProviderDescriptor, variables: [String], hidden: Set<String>) {
        self.descriptor = descriptor
        self.hidden = hidden
        self.variables = ContiguousArray(variables.map { .string($0) })
    }
}

/// What a descriptor's texts may refer to besides its variables.
package struct DescriptorInputs: Sendable {
    private(set) var slots = ContiguousArray<Value>(repeating: .null, count: DescriptorSlot.variableBase)

    package init(clientID: String = "", redirectURI: String = "") {
        self[.clientID] = .string(clientID)
        self[.redirectURI] = .string(redirectURI)
    }

    package subscript(slot: DescriptorSlot) -> Value {
        get { slots[slot.rawValue] }
        set { slots[slot.rawValue] = newValue }
    }

    /// The same with another value.
    package func with(_ slot: DescriptorSlot, _ value: Value) -> DescriptorInputs {
        var copy = self
        copy[slot] = value
        return copy
    }

    package func with(_ slot: DescriptorSlot, _ value: JSONObject?) -> DescriptorInputs {
        with(slot, value.map { .json(.object($0)) } ?? .null)
    }
}

extension ProviderDescriptor {
    /// Fills in the variables.
    ///
    /// - Parameter secrets: Values of the variables that are secret.
    /// - Throws: Every variable that is missing, unknown or does not fit, and every endpoint that they make unusable.
    package func bind(
        variables given: [String: String], secrets: [String: Secret] = [:]
    ) throws(BindingError) -> BoundDescriptor {
        var problems = unknownVariables(Array(given.keys) + secrets.keys)
        var values: [String] = []
        for variable in variables {
            let value = given[variable.name] ?? secrets[variable.name]?.reveal() ?? variable.standard
            let completed = value.map { variable.completed($0) }
            if let problem = variable.problem(binding: completed) { problems.append(problem) }
            values.append(completed ?? "")
        }
        guard problems.isEmpty else { throw BindingError(problems: problems) }
        let hidden = Set(self.variables.filter(\.isSecret).map(\.name)).union(secrets.keys)
        let bound = BoundDescriptor(descriptor: self, variables: values, hidden: hidden)
        problems = bound.endpointProblems() + bound.headerProblems() + bound.scopeProblems()
        guard problems.isEmpty else { throw BindingError(problems: problems) }
        return bound
    }

    private func unknownVariables(_ given: [String]) -> [VariableProblem] {
        let known = variables.map(\.name)
        return given.sorted().filter { !known.contains($0) }.map { name in
            let nearest = SpellingSuggestion.nearest(to: name, in: known)
            let names =
                known.isEmpty ? "it has no variables" : "its variables: \(known.joined(separator: ", "))"
            return VariableProblem(
                variable: name, message: "provider \"\(id)\" has no variable \"\(name)\"",
                hint: nearest.map { "did you mean \"\($0)\"?" } ?? names)
        }
    }
}

extension VariableSpec {
    fileprivate func problem(binding value: String?) -> VariableProblem? {
        guard let value else {
            guard isRequired else { return nil }
            return VariableProblem(
                variable: name, message: "variable \"\(name)\" has no value", hint: description)
        }
        guard let problem = problem(with: value) else { return nil }
        let shown = isSecret ? "does not have the form that it must have" : problem
        return VariableProblem(
            variable: name, message: "variable \"\(name)\" \(shown)", hint: description)
    }
}

extension BoundDescriptor {
    /// The same for a client: addresses, audiences and whatever else no request has a say in may be made of its identifier.
    package func used(by clientID: String) -> BoundDescriptor {
        var copy = self
        copy.clientID = clientID
        return copy
    }

    /// The text with its expressions evaluated; `nil` when they refer to something that is not there.
    ///
    /// - Parameter inputs: Without any, variables and the client's identifier alone are known.
    package func text(_ text: DescriptorText, _ inputs: DescriptorInputs? = nil) -> String? {
        switch text.content {
        case .literal(let text): text
        case .template(let range): evaluate(range, inputs ?? DescriptorInputs(clientID: clientID)).text
        }
    }

    /// Whether every variable that the text reads has a value.
    package func hasVariables(of text: DescriptorText) -> Bool {
        variables.indices.allSatisfy { !text.mayRead(variable: $0) || variables[$0] != .string("") }
    }

    /// Whether a condition holds.
    package func holds(_ condition: CodeRange, _ inputs: DescriptorInputs) -> Bool {
        evaluate(condition, inputs).isTrue
    }

    private func evaluate(_ range: CodeRange, _ inputs: DescriptorInputs) -> Value {
        var stack: ContiguousArray<Value> = []
        return ExpressionMachine.evaluate(range, descriptor.code, inputs.slots + variables, &stack)
    }

    // MARK: Server

    /// What the descriptor says in place of, or over, the server's published metadata.
    package func serverFields() -> ServerMetadataFields {
        let server = descriptor.server
        var fields = server.members
        fields.issuer = optional(server.issuer)
        fields.authorizationEndpoint = optional(server.authorizationEndpoint)
        fields.tokenEndpoint = optional(server.tokenEndpoint)
        fields.userinfoEndpoint = optional(server.userinfoEndpoint)
        fields.jwksURI = optional(server.jwksURI)
        fields.revocationEndpoint = optional(server.revocationEndpoint)
        fields.introspectionEndpoint = optional(server.introspectionEndpoint)
        fields.deviceAuthorizationEndpoint = optional(server.deviceAuthorizationEndpoint)
        fields.pushedAuthorizationRequestEndpoint = optional(server.pushedAuthorizationRequestEndpoint)
        fields.registrationEndpoint = optional(server.registrationEndpoint)
        fields.endSessionEndpoint = optional(server.endSessionEndpoint)
        for (name, text) in server.mtlsEndpointAliases {
            fields.mtlsEndpointAliases[name] = self.text(text)
        }
        return fields
    }

    /// Members that a metadata document has no say in: the descriptor replaces or removes them.
    ///
    /// An alias is named as `mtls_endpoint_aliases.NAME`.
    package func amendedMembers() -> Set<String> {
        let fields = serverFields()
        var names = descriptor.server.removed
        for (name, path) in ServerMetadataFields.urls where fields[keyPath: path] != nil {
            names.insert(name)
        }
        for (name, path) in ServerMetadataFields.lists where fields[keyPath: path] != nil {
            names.insert(name)
        }
        for (name, path) in ServerMetadataFields.flags where fields[keyPath: path] != nil {
            names.insert(name)
        }
        for name in fields.mtlsEndpointAliases.keys { names.insert("mtls_endpoint_aliases.\(name)") }
        return names
    }

    /// The endpoints that the descriptor names, each with its place in the file.
    package func endpointSources() -> [String: String] {
        var sources: [String: String] = [:]
        let alternatives = descriptor.authorization.alternatives.map { Optional($0.endpoint) }
        let server = descriptor.server
        let own = server.endpointTexts + alternatives
        for text in own + server.mtlsEndpointAliases.map({ Optional($0.text) }) {
            guard let text, let url = self.text(text) else { continue }
            sources[url] = text.source
        }
        return sources
    }

    /// Where the metadata is published, when not at the issuer's well-known place.
    package var metadataURL: String? { optional(descriptor.server.metadataURL) }

    /// Texts that the metadata document may name as issuer besides the configured one.
    package var issuerAliases: [String] { descriptor.server.issuerAliases.compactMap { text($0) } }

    private func optional(_ text: DescriptorText?) -> String? {
        text.flatMap { self.text($0) }
    }

    /// The issuers that an ID token may name.
    ///
    /// - Parameter claims: Those of the very token, not yet checked: a provider of many tenants has its issuer in them.
    ///   Asked for only there.
    package func expectedIssuers(claims: @autoclosure () -> JSONObject) -> [String] {
        if let issuer = descriptor.idToken.issuer {
            return text(issuer, DescriptorInputs(clientID: clientID).with(.claims, claims())).map { [$0] }
                ?? []
        }
        return (optional(descriptor.server.issuer).map { [$0] } ?? []) + issuerAliases
    }

    /// Audiences that an ID token may name beside the client.
    package var trustedAudiences: [String] {
        descriptor.idToken.audiences.flatMap(values)
    }

    /// What is asked for where neither flow nor registration names scopes.
    package var scopes: [String] { descriptor.authorization.scopes.flatMap(values) }

    /// What is asked for in any case.
    package var requiredScopes: [String] { descriptor.authorization.requiredScopes.flatMap(values) }

    /// What an element of a list stands for: a template for as many as its value names, separated by spaces.
    private func values(of element: DescriptorText) -> [String] {
        guard case .template = element.content else { return text(element).map { [$0] } ?? [] }
        return text(element)?.split(separator: " ").map(String.init) ?? []
    }

    /// Scopes that variables make of what no scope may hold.
    fileprivate func scopeProblems() -> [VariableProblem] {
        let facts = descriptor.authorization
        return (facts.scopes + facts.requiredScopes).compactMap { scope in
            guard !values(of: scope).allSatisfy(ScopeName.isWellFormed) else { return nil }
            return VariableProblem(
                variable: "scope", message: "a variable makes no name of a scope (RFC 6749 §3.3)",
                hint: "see \(scope.source)")
        }
    }

    fileprivate func endpointProblems() -> [VariableProblem] {
        let server = descriptor.server
        let named = [("issuer", server.issuer), ("server_metadata_url", server.metadataURL)]
        let endpoints = named + DescriptorReader.endpoints.map { ($0.name, server[keyPath: $0.path]) }
        let extras = descriptor.extras
        let lists = [
            ("origins", extras.origins), ("resources", extras.resources),
            ("allowed_redirects", extras.allowedRedirects),
            ("post_logout_redirects", extras.postLogoutRedirects),
        ]
        let further =
            extras.endpoints.map { ("endpoints.\($0.name)", Optional($0.url)) }
            + server.mtlsEndpointAliases.map { ("mtls_endpoint_aliases.\($0.name)", Optional($0.text)) }
            + lists.flatMap { name, texts in texts.map { (name, Optional($0)) } }
        return (endpoints + further).compactMap { name, text in
            guard let text, let url = self.text(text) else { return nil }
            let query = name == "issuer" && url.contains("?") ? DescriptorSafety.issuerWithQuery : nil
            let found = EndpointURL.check(url, allowLoopbackHTTP: true)
            guard let problem = found?.rawValue ?? query else { return nil }
            let cure = found == .insecure ? "; http:// is only for this machine" : ""
            return VariableProblem(
                variable: name, message: "\(name) \"\(url)\" \(problem)", hint: "see \(text.source)\(cure)")
        }
    }

    /// Variables whose values no header field can hold, such as a file with two lines: no request could be sent.
    fileprivate func headerProblems() -> [VariableProblem] {
        let further = descriptor.userinfo.also.map(\.operation) + descriptor.operations.map(\.operation)
        let all =
            [
                descriptor.token, descriptor.refresh.operation, descriptor.userinfo.operation,
                descriptor.revocation.operation, descriptor.introspection, descriptor.deviceAuthorization,
                descriptor.grant,
            ] + further
        var problems: [VariableProblem] = []
        for (field, text) in all.flatMap(\.request.headers) {
            // What else it reads is not there yet; then the request itself is refused.
            guard case .template = text.content, let value = self.text(text), !FieldName.mayHold(value)
            else { continue }
            for (index, spec) in descriptor.variables.enumerated() where text.mayRead(variable: index) {
                guard let part = variables[index].text, !FieldName.mayHold(part),
                    !problems.contains(where: { $0.variable == spec.name })
                else { continue }
                problems.append(
                    VariableProblem(
                        variable: spec.name,
                        message:
                            "variable \"\(spec.name)\" holds more than one line, and header field \(field) "
                            + "(\(text.source)) is made of it: nothing was sent",
                        hint: "give it the value alone: one line, without what follows"))
            }
        }
        return problems
    }

    // MARK: Requests

    /// How a request is written, its values evaluated, each with the line of the file it comes from.
    ///
    /// Texts that need the encoded body or the other parameters are left to `late`.
    package func dialect(_ facts: DialectFacts, _ inputs: DescriptorInputs = DescriptorInputs())
        -> RequestDialect
    {
        let early = facts.parameters.filter { !$0.text.readsBody }
        var dialect = RequestDialect(
            method: facts.method, bodyFormat: facts.bodyFormat,
            parameters: facts.bodyFormat == .json ? members(early, inputs) : parameters(early, inputs),
            query: parameters(facts.query.filter { !$0.text.readsBody }, inputs),
            fields: parameters(facts.headers.filter { !$0.text.readsBody }, inputs), omit: facts.omit,
            rename: facts.rename, raw: facts.raw)
        dialect.grantType = facts.grantType.flatMap { parameter("grant_type", $0, inputs) }
        dialect.includesClientID = facts.includesClientID
        return dialect
    }

    /// What must be written after the body.
    package func late(
        _ facts: DialectFacts, _ inputs: DescriptorInputs
    ) -> (query: [RequestParameter], fields: [RequestParameter]) {
        (
            parameters(facts.query.filter(\.text.readsBody), inputs),
            parameters(facts.headers.filter(\.text.readsBody), inputs)
        )
    }

    /// Names with evaluated texts; what has no value is left out.
    package func parameters(
        _ texts: [(name: String, text: DescriptorText)], _ inputs: DescriptorInputs
    ) -> [RequestParameter] {
        texts.compactMap { name, text in parameter(name, text, inputs) }
    }

    /// The same as members of a JSON object, where values keep their types.
    private func members(
        _ texts: [(name: String, text: DescriptorText)], _ inputs: DescriptorInputs
    ) -> [RequestParameter] {
        texts.compactMap { name, text in
            switch text.typed {
            case nil: return parameter(name, text, inputs)
            case .value(let value): return member(name, .value(value), text)
            case .code(let range), .structure(let range):
                switch JSONForm.json(of: evaluate(range, inputs)) {
                case .null: return nil
                case .string: return parameter(name, text, inputs)
                case let value: return member(name, Self.payload(value, isSecret: text.isSecret), text)
                }
            }
        }
    }

    private func member(_ name: String, _ payload: JSONPayload, _ text: DescriptorText) -> RequestParameter {
        RequestParameter(name, .json(payload), .descriptor(text.source))
    }

    /// A member that is null is left out: the value was not there.
    private static func payload(_ value: JSONValue, isSecret: Bool) -> JSONPayload {
        switch value {
        case .string(let text) where isSecret: .secret(Secret(text, kind: .other))
        case .int where isSecret, .bigInteger where isSecret, .number where isSecret: .concealed(value)
        case .array(let items): .array(items.map { payload($0, isSecret: isSecret) })
        case .object(let members):
            .object(
                members.filter { $0.value != .null }
                    .map { (name: $0.key, value: payload($0.value, isSecret: isSecret)) })
        case .null, .bool, .int, .bigInteger, .number, .string: .value(value)
        }
    }

    private func parameter(
        _ name: String, _ text: DescriptorText, _ inputs: DescriptorInputs
    ) -> RequestParameter? {
        guard let value = self.text(text, inputs) else { return nil }
        if value.isEmpty, case .template = text.content { return nil }
        return RequestParameter(
            name, text.isSecret ? .secret(Secret(value, kind: .other)) : .text(value),
            .descriptor(text.source))
    }
}
