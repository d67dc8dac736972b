internal import FlowEngine
internal import OAuthProtocol

/// The values of a run that a script takes from its surroundings: each has a variable of its own.
///
/// Secrets are told apart by kind and fingerprint, endpoints that a rehearsal made up by their name in the metadata.
struct ScriptVariables: Sendable {
    struct Value: Sendable, Hashable {
        /// A kind of secret, or a member of the metadata.
        let kind: String
        let fingerprint: String?
    }

    private var names: [Value: String] = [:]
    private var counts: [String: Int] = [:]
    /// Whether authorization requests are made anew, with values of their own.
    let makesAuthorizations: Bool

    /// Kinds that give a variable its name; any other name could be one that the shell itself goes by.
    private static let kinds = Set(Secret.Kind.allCases.map(\.rawValue))

    init(_ exchanges: [Exchange], makesAuthorizations: Bool = false) {
        self.makesAuthorizations = makesAuthorizations
        for exchange in exchanges { for value in needs(of: exchange) { add(value) } }
    }

    private mutating func add(_ value: Value) {
        guard names[value] == nil else { return }
        let isKnown =
            Self.kinds.contains(value.kind) || value.kind.hasSuffix("_endpoint")
            || value.kind.hasSuffix("_uri") || value.kind == Self.challenge
        let plain = value.kind.uppercased().unicodeScalars.reduce(into: "") { result, scalar in
            let isFit = ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
            result.unicodeScalars.append(isFit ? scalar : "_")
        }
        let name = isKnown ? plain : "VALUE_\(plain)"
        let count = (counts[name] ?? 0) + 1
        counts[name] = count
        names[value] = count == 1 ? name : "\(name)_\(count)"
    }

    /// The variable for what stands in a request; `nil` for what the trace shows.
    func name(_ value: TracedValue) -> String? { Self.value(value).flatMap { names[$0] } }

    func name(_ value: Value) -> String? { names[value] }

    // MARK: What a request needs

    static func value(_ value: TracedValue) -> Value? {
        switch value {
        case .text: nil
        case .secret(let kind, _, let fingerprint), .prefixed(_, let kind, _, let fingerprint):
            Value(kind: kind, fingerprint: fingerprint)
        }
    }

    /// The endpoint of a rehearsal that only the provider knows.
    static func endpoint(_ request: TracedRequest) -> Value? {
        TracedWords.metadataMember(request.endpoint).map { Value(kind: $0, fingerprint: nil) }
    }

    /// The kind of a challenge (RFC 7636 §4.3): no secret, but another for each verifier.
    static let challenge = "code_challenge"

    /// The variable for the challenge of an authorization request that is made anew; `nil` for any other parameter.
    func challenge(_ parameter: TracedParameter) -> String? {
        guard makesAuthorizations, parameter.name == Self.challenge, case .text(let text) = parameter.value
        else { return nil }
        return name(Value(kind: Self.challenge, fingerprint: text))
    }

    /// In the order in which they stand in the request; what only a browser sends is needed where that is made anew.
    func needs(of exchange: Exchange) -> [Value] {
        if exchange.isBrowser, !makesAuthorizations { return [] }
        let request = exchange.request
        let parameters = (request.query + request.fields + request.body).compactMap { parameter -> Value? in
            if makesAuthorizations, parameter.name == Self.challenge, case .text(let text) = parameter.value {
                return Value(kind: Self.challenge, fingerprint: text)
            }
            return Self.value(parameter.value)
        }
        return [Self.endpoint(request)].compactMap(\.self) + parameters
    }

    /// The first value of that kind that one of the requests needs, as its variable.
    func first(_ kind: String, in exchanges: some Sequence<Exchange>) -> String? {
        exchanges.lazy.flatMap { needs(of: $0) }.first { $0.kind == kind }.flatMap(name)
    }

    /// What later requests need and this answer brings: the member, and the variable.
    func brought(
        by exchange: Exchange, for later: some Sequence<Exchange>
    ) -> [(member: String, variable: String)] {
        let needed = Set(later.flatMap(needs))
        return (exchange.response?.members ?? []).compactMap { member in
            let found = Self.value(member.value) ?? Value(kind: member.name, fingerprint: nil)
            guard needed.contains(found), let name = names[found] else { return nil }
            return (member.name, name)
        }
    }
}
