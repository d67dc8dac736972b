internal import OAuthProtocol
internal import YAMLText

/// How the profile is made from the answers.
extension DescriptorReader {
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

    /// A path, a list of paths, `{path, type}`, or a template.
    private mutating func rule(_ entry: YAMLMapping.Entry) -> ClaimsFacts.Rule? {
        if let text = entry.value.scalar?.text, TemplateScanner.isTemplate(text) {
            return self.text(entry.value).map { .template($0) }
        }
        guard entry.value.mapping != nil else {
            let paths = paths(entry.value)
            return paths.isEmpty ? nil : .paths(paths, type: nil)
        }
        let keys = ["path", "type"]
        let subject = "claim \"\(entry.key)\""
        let reader = MappingReader(entry.value, subject, keys: keys, file: root.file, &diagnostics)
        guard let reader else { return nil }
        reader.require("path", diagnostics: &diagnostics)
        let type = reader.word("type", as: ClaimsFacts.ClaimType.self, &diagnostics)
        let paths = reader["path"].map { self.paths($0) } ?? []
        return paths.isEmpty ? nil : .paths(paths, type: type)
    }
}
