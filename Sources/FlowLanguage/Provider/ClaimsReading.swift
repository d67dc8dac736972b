internal import OAuthProtocol
internal import YAMLText

/// Reads `claims`: how the profile is made.
extension DescriptorReader {
    static let claimKeys = ["path", "type"]

    mutating func claims() -> ClaimsFacts {
        var facts = ClaimsFacts()
        guard let claims = root.mapping("claims", keys: nil, &diagnostics) else { return facts }
        facts.source = claims.word("source", as: ClaimsFacts.Source.self, &diagnostics) ?? .merge
        facts.rules.reserveCapacity(claims.entries.count)
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
        let path = path(node)
        if let path { check(path, node) }
        return path.map { .path($0) }
    }

    /// FL046 for what is not kept of the callback; FL103 for a source that nearly is one of those there are. A path that
    /// names none begins in the answer itself, so that any other name may be right.
    private mutating func check(_ path: ValuePath, _ node: YAMLNode) {
        guard layers.isComplete, path.segments.count > 1, case .member(let source) = path.segments[0] else {
            return
        }
        if source == "callback", case .member(let name) = path.segments[1], let captures,
            !captures.contains(name)
        {
            let (message, hint) = DescriptorScope.uncaptured(name, captures)
            report("FL046", node, message, hint: hint)
        }
        let further = root["userinfo"]?["also"]?.sequence?.compactMap { $0["name"]?.scalar?.text } ?? []
        let sources = ["id_token", "userinfo", "token", "callback"] + further
        guard !sources.contains(source), let nearest = SpellingSuggestion.nearest(to: source, in: sources),
            root["userinfo"]?["example"]?[source] == nil
        else { return }
        warn(
            "FL103", node, "no source is called \"\(source)\"; did you mean \"\(nearest)\"?",
            hint: "if it is a member of the answer, say of which: userinfo.\(path.text)")
    }
}
