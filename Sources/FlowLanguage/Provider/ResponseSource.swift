package import OAuthProtocol
internal import YAMLText

/// Where a descriptor has its rules for an answer, each as `acme.yaml:12`.
package struct ResponseSource: Sendable {
    /// The key `response` itself.
    package let place: String
    var errorWhen: [String] = []
    var unwrap: String?
    var map: [String: String] = [:]
    var types: [String: String] = [:]

    init(_ place: String) {
        self.place = place
    }

    /// That of the rule, else of all of them.
    package func place(of rule: DecidingRule?) -> String {
        switch rule {
        case .errorWhen(let index): errorWhen.indices.contains(index) ? errorWhen[index] : place
        case .unwrap: unwrap ?? place
        case .map(let name): map[name] ?? place
        case .types(let name): types[name] ?? place
        case nil: place
        }
    }
}

extension DescriptorReader {
    /// - Returns: `nil` for an operation that says nothing of its answer.
    func responseSource(_ operation: MappingReader) -> ResponseSource? {
        guard let node = operation["response"] else { return nil }
        func place(_ node: YAMLNode) -> String { layers.layer(of: node.span).name(of: node.span) }
        var source = ResponseSource(place(node))
        source.errorWhen = (node["error_when"]?.sequence ?? []).map(place)
        source.unwrap = node["unwrap"].map(place)
        for entry in node["map"]?.mapping?.entries ?? [] { source.map[entry.key] = place(entry.value) }
        for entry in node["types"]?.mapping?.entries ?? [] { source.types[entry.key] = place(entry.value) }
        return source
    }
}
