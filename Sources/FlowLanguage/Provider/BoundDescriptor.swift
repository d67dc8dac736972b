package import JOSE
package import OAuthProtocol
internal import YAMLText

/// Why a value does not fit the variable of a descriptor.
public struct VariableProblem: Sendable, Hashable {
    public let variable: String
    /// Lower case, such as `variable "tenant" must match [a-z]+, which "A" does not`.
    public let message: String
    public let hint: String?
}

/// All that keeps a descriptor from being used with these variables.
public struct BindingError: Error, Sendable, Hashable {
    public let problems: [VariableProblem]
}

/// A descriptor with a value for each of its variables: every text in it can be evaluated.
package struct BoundDescriptor: Sendable {
    package let descriptor: ProviderDescriptor
    /// Values of the variables in the order of `descriptor.variables`; the empty text for an optional one without.
    private let variables: [String]

    fileprivate init(descriptor: ProviderDescriptor, variables: [String]) {
        self.descriptor = descriptor
        self.variables = variables
    }
}

/// What a descriptor's texts may refer to besides its variables.
package struct DescriptorInputs: Sendable {
    package var clientID: String
    package var redirectURI: String
    /// Claims of an ID token, possibly not yet checked.
    package var claims: JSONValue?
    package var token: JSONValue?
    package var userinfo: JSONValue?

    package init(
        clientID: String = "", redirectURI: String = "", claims: JSONValue? = nil, token: JSONValue? = nil,
        userinfo: JSONValue? = nil
    ) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.claims = claims
        self.token = token
        self.userinfo = userinfo
    }
}

extension ProviderDescriptor {
    /// Fills in the variables.
    ///
    /// - Throws: Every variable that is missing, unknown or does not fit, and every endpoint that they make unusable.
    package func bind(variables given: [String: String]) throws(BindingError) -> BoundDescriptor {
        var problems = unknownVariables(given)
        var values: [String] = []
        for variable in variables {
            let value = given[variable.name] ?? variable.standard
            if let problem = variable.problem(binding: value) { problems.append(problem) }
            values.append(value ?? "")
        }
        guard problems.isEmpty else { throw BindingError(problems: problems) }
        let bound = BoundDescriptor(descriptor: self, variables: values)
        problems = bound.endpointProblems()
        guard problems.isEmpty else { throw BindingError(problems: problems) }
        return bound
    }

    private func unknownVariables(_ given: [String: String]) -> [VariableProblem] {
        let known = variables.map(\.name)
        return given.keys.sorted().filter { !known.contains($0) }.map { name in
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
        return problem(with: value).map {
            VariableProblem(variable: name, message: "variable \"\(name)\" \($0)", hint: description)
        }
    }
}

extension BoundDescriptor {
    /// The text with its expressions evaluated.
    package func text(_ text: DescriptorText, _ inputs: DescriptorInputs = DescriptorInputs()) -> String? {
        switch text.content {
        case .literal(let text): text
        case .template(let range): evaluate(range, inputs).text
        }
    }

    package func text(
        _ text: DescriptorText, clientID: String, redirectURI: String, claims: JSONValue? = nil,
        token: JSONValue? = nil, userinfo: JSONValue? = nil
    ) -> String? {
        self.text(
            text,
            DescriptorInputs(
                clientID: clientID, redirectURI: redirectURI, claims: claims, token: token, userinfo: userinfo
            ))
    }

    /// Whether a condition holds.
    package func holds(_ condition: CodeRange, _ inputs: DescriptorInputs) -> Bool {
        evaluate(condition, inputs).isTrue
    }

    private func evaluate(_ range: CodeRange, _ inputs: DescriptorInputs) -> Value {
        var slots = ContiguousArray<Value>(repeating: .null, count: DescriptorSlot.variableBase)
        slots[DescriptorSlot.clientID.rawValue] = .string(inputs.clientID)
        slots[DescriptorSlot.redirectURI.rawValue] = .string(inputs.redirectURI)
        slots[DescriptorSlot.claims.rawValue] = .json(inputs.claims ?? .null)
        slots[DescriptorSlot.token.rawValue] = .json(inputs.token ?? .null)
        slots[DescriptorSlot.userinfo.rawValue] = .json(inputs.userinfo ?? .null)
        slots += variables.map { .string($0) }
        var stack: ContiguousArray<Value> = []
        return ExpressionMachine.evaluate(range, descriptor.code, slots, &stack)
    }

    // MARK: Server

    /// What the descriptor says in place of, or over, the server's published metadata.
    package func serverFields() -> ServerMetadataFields {
        let server = descriptor.server
        var fields = ServerMetadataFields()
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
        fields.scopesSupported = server.scopesSupported
        fields.codeChallengeMethodsSupported = server.codeChallengeMethodsSupported
        fields.tokenEndpointAuthMethodsSupported = server.tokenEndpointAuthMethodsSupported
        fields.idTokenSigningAlgValuesSupported = server.idTokenSigningAlgValuesSupported
        fields.authorizationResponseIssParameterSupported = server.authorizationResponseIssParameterSupported
        return fields
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
    package func expectedIssuers(claims: JSONObject) -> [String] {
        if let issuer = descriptor.idToken.issuer {
            return text(issuer, DescriptorInputs(claims: .object(claims))).map { [$0] } ?? []
        }
        return (optional(descriptor.server.issuer).map { [$0] } ?? []) + issuerAliases
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
            + lists.flatMap { name, texts in texts.map { (name, Optional($0)) } }
        return (endpoints + further).compactMap { name, text in
            guard let text, let url = self.text(text),
                let problem = EndpointURL.check(url, allowLoopbackHTTP: true)
            else { return nil }
            return VariableProblem(
                variable: name, message: "\(name) \"\(url)\" \(problem.rawValue)", hint: "see \(text.source)")
        }
    }

    // MARK: Requests

    /// How a request is written, its values evaluated, each with the line of the file it comes from.
    package func dialect(_ facts: DialectFacts, _ inputs: DescriptorInputs = DescriptorInputs())
        -> RequestDialect
    {
        RequestDialect(
            method: facts.method, bodyFormat: facts.bodyFormat,
            parameters: parameters(facts.parameters, inputs),
            query: parameters(facts.query, inputs), fields: parameters(facts.headers, inputs),
            omit: facts.omit,
            rename: facts.rename)
    }

    private func parameters(
        _ texts: [(name: String, text: DescriptorText)], _ inputs: DescriptorInputs
    ) -> [RequestParameter] {
        texts.compactMap { name, text in
            self.text(text, inputs).map { RequestParameter(name, .text($0), .descriptor(text.source)) }
        }
    }
}
