internal import OAuthProtocol
internal import YAMLText

/// Names of parameters and header fields in the request half.
extension DescriptorReader {
    /// What the engine puts into every authorization request, and into the requests of a client.
    private static let authorizationParameters = [
        "client_id", "redirect_uri", "response_type", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method",
    ]
    private static let clientParameters = [
        "grant_type", "client_id", "client_secret", "redirect_uri", "code_verifier",
    ]
    /// Refuses new names that something else of the same request has: one of the two would be lost.
    mutating func refuseTakenNames(
        _ mapping: MappingReader, _ facts: DialectFacts, _ place: DescriptorPlace
    ) {
        guard mapping.has("rename") else { return }
        let own = place == .authorization ? Self.authorizationParameters : Self.clientParameters
        let kept = own.filter { facts.rename[$0] == nil && !facts.omit.contains($0) }
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
