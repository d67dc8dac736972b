internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// Names of parameters and header fields in the request half.
extension DescriptorReader {
    /// What the engine puts into every authorization request, and into the requests of a client.
    private static let authorizationParameters = [
        "client_id", "redirect_uri", "response_type", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method",
    ]
    private static let clientParameters = ["grant_type", "client_id", "client_secret"]
    private static let codeParameters = ["redirect_uri", "code_verifier"]
    private static let browserParameters = ["response_type", "state", "nonce"]

    /// Whether the engine puts a parameter of its own into such a request.
    static func isSent(_ name: String, _ place: DescriptorPlace) -> Bool {
        if browserParameters.contains(name) { return place == .authorization }
        return !codeParameters.contains(name) || place == .authorization || place.operation == .token
    }

    /// Refuses new names that something else of the same request has: one of the two would be lost.
    mutating func refuseTakenNames(
        _ mapping: MappingReader, _ facts: DialectFacts, _ place: DescriptorPlace
    ) {
        guard mapping.has("rename") else { return }
        let own =
            place == .authorization
            ? Self.authorizationParameters : Self.clientParameters + Self.codeParameters
        let kept = own.filter {
            facts.rename[$0] == nil && !facts.omit.contains($0) && Self.isSent($0, place)
        }
        let parameters = facts.parameters.map(\.name).filter { facts.rename[$0] == nil }
        refuseTakenNames(in: mapping, engine: kept, parameters)
    }

    /// In a callback the new names are those of the specification; what the engine reads must still be there then.
    mutating func refuseLostNames(_ callback: MappingReader, _ rename: [String: String]) {
        refuseTakenNames(in: callback, engine: [], [])
        for entry in callback["rename"]?.mapping?.entries ?? [] where ["code", "state"].contains(entry.key) {
            guard !rename.values.contains(entry.key) else { continue }
            report(
                "FL058", entry.keySpan,
                "the engine reads \"\(entry.key)\" itself; nothing else takes its place")
        }
    }

    private mutating func refuseTakenNames(
        in mapping: MappingReader, engine: [String], _ parameters: [String]
    ) {
        var taken: [String: String] = [:]
        for entry in mapping["rename"]?.mapping?.entries ?? [] {
            guard case .string(let name) = entry.value.value, name != entry.key else { continue }
            if engine.contains(name) {
                report(
                    "FL058", entry.value,
                    "\"\(name)\" belongs to the engine, which has a value of its own for it")
            } else if let other = taken[name] {
                report("FL058", entry.value, "\"\(other)\" is called \"\(name)\" already")
            } else if parameters.contains(name) {
                report("FL058", entry.value, "\"\(name)\" is a parameter already")
            }
            taken[name] = entry.key
        }
    }

    /// Header fields with their texts.
    mutating func fields(
        _ key: String, in mapping: MappingReader, _ place: DescriptorPlace
    ) -> [(name: String, text: DescriptorText)] {
        var found: [(code: String, span: SourceSpan, message: String)] = []
        HeaderFieldRule.check(mapping[key]?.mapping?.entries ?? []) { found.append(($0, $1, $2)) }
        for problem in found { report(problem.code, problem.span, problem.message) }
        return texts(key, in: mapping, place)
    }
}

/// Parameters that an address has already.
extension DescriptorReader {
    /// Which of two values counts nobody knows, and such a request is never sent.
    mutating func refuseRepeatedParameters(
        _ mapping: MappingReader, _ facts: DialectFacts, _ place: DescriptorPlace
    ) {
        guard let (key, address) = address(of: mapping, place) else { return }
        let own = Self.queryNames(address)
        guard !own.isEmpty else { return }
        var sent = ["query"]
        if place == .authorization || facts.method == .get || facts.bodyFormat == .query {
            sent.append("params")
        }
        for part in sent {
            for entry in mapping[part]?.mapping?.entries ?? [] {
                let name = part == "params" ? facts.rename[entry.key] ?? entry.key : entry.key
                guard own.contains(name) else { continue }
                report(
                    "FL058", entry.keySpan, "\"\(name)\" stands in the query of \(key) already",
                    hint: "leave it out here or there: a parameter is sent once (RFC 6749 §3.1)")
            }
        }
    }

    /// Refuses an authorization endpoint whose query has what the engine sends there whatever else it sends.
    mutating func refuseOwnParameters(_ authorization: AuthorizationFacts) {
        guard authorization.fragment == nil, let node = root["authorization_endpoint"],
            let text = node.scalar?.text
        else { return }
        let (own, dialect) = (Self.queryNames(text), authorization.dialect)
        for name in ["client_id", "redirect_uri", "response_type"] where !dialect.omit.contains(name) {
            let sent = dialect.rename[name] ?? name
            guard own.contains(sent) else { continue }
            report(
                "FL058", node, "\"\(sent)\" stands in this query, and the engine sends it",
                hint: "leave it out: a parameter is sent once (RFC 6749 §3.1)")
        }
    }

    /// The text of the address that the request goes to, and the key that it stands under.
    private func address(of mapping: MappingReader, _ place: DescriptorPlace) -> (key: String, text: String)?
    {
        if let text = mapping["endpoint"]?.scalar?.text { return ("endpoint", text) }
        guard let key = place.endpointKey, let text = root[key]?.scalar?.text else { return nil }
        return (key, text)
    }

    private static func queryNames(_ address: String) -> Set<String> {
        guard address.holds("?"), let mark = address.firstIndex(of: "?") else { return [] }
        let query = address[address.index(after: mark)...]
        return Set(query.split(separator: "&").compactMap { $0.split(separator: "=").first.map(String.init) })
    }
}
