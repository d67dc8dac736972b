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

    /// Kinds that give a variable its name; any other name could be one that the shell itself goes by.
    private static let kinds = Set(Secret.Kind.allCases.map(\.rawValue))

    init(_ exchanges: [Exchange]) {
        for exchange in exchanges { for value in Self.needs(of: exchange) { add(value) } }
    }

    private mutating func add(_ value: Value) {
        guard names[value] == nil else { return }
        let isKnown =
            Self.kinds.contains(value.kind) || value.kind.hasSuffix("_endpoint")
            || value.kind.hasSuffix("_uri")
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

    /// In the order in which they stand in the request; what only a browser sends is not needed.
    static func needs(of exchange: Exchange) -> [Value] {
        if exchange.isBrowser { return [] }
        let request = exchange.request
        let secrets = (request.query + request.fields + request.body).compactMap { value($0.value) }
        return [endpoint(request)].compactMap(\.self) + secrets
    }

    /// What later requests need and this answer brings: the member, and the variable.
    func brought(
        by exchange: Exchange, for later: some Sequence<Exchange>
    ) -> [(member: String, variable: String)] {
        let needed = Set(later.flatMap(Self.needs))
        return (exchange.response?.members ?? []).compactMap { member in
            let found = Self.value(member.value) ?? Value(kind: member.name, fingerprint: nil)
            guard needed.contains(found), let name = names[found] else { return nil }
            return (member.name, name)
        }
    }
}
