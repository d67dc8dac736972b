internal import OAuthProtocol
internal import YAMLText

/// Reads `claims`: how the profile is made.
extension DescriptorReader {
    static let claimKeys = ["path", "type"]

    mutating func claims() -> ClaimsFacts {
        var facts = ClaimsFacts()
        guard let claims = root.mapping("claims", keys: nil, &diagnostics) else { return facts }
        facts.source = claims.word("source", as: ClaimsFacts.Source.self, &diagnostics) ?? .merge
        for entry in claims.entries where entry.key != "source" {
            guard let rule = rule(entry) else { continue }
            facts.rules.append((entry.key, rule))
        }
        return facts
    }

    /// A path, a template, a list of these, or `{path, type}`.
    private mutating func rule(_ entry: YAMLMapping.Entry) -> ClaimsFacts.Rule? {
        guard entry.value.mapping != nil else {
            let origins = origins(entry.value)
            return origins.isEmpty ? nil : ClaimsFacts.Rule(origins: origins, type: nil)
        }
        let reader = MappingReader(
            entry.value, .named("claim", entry.key), keys: Self.claimKeys, file: root.file, &diagnostics)
        guard let reader else { return nil }
        reader.require("path", diagnostics: &diagnostics)
        let type = reader.word("type", as: ClaimsFacts.ClaimType.self, &diagnostics)
        let origins = reader["path"].map { self.origins($0) } ?? []
        return origins.isEmpty ? nil : ClaimsFacts.Rule(origins: origins, type: type)
    }

    private mutating func origins(_ node: YAMLNode) -> [ClaimsFacts.Origin] {
        if let nodes = node.sequence { return nodes.compactMap { origin($0) } }
        return origin(node).map { [$0] } ?? []
    }

    private mutating func origin(_ node: YAMLNode) -> ClaimsFacts.Origin? {
        if let text = node.scalar?.text, TemplateScanner.isTemplate(text) {
            return self.text(node, .claims).map { .template($0) }
        }
        return path(node).map { .path($0) }
    }
}
