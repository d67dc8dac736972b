package import OAuthProtocol
internal import YAMLText

/// Where a descriptor has its rules for an answer, each as `acme.yaml:12`.
///
/// Named when a trace asks: most answers are read without a word about the rules.
package struct ResponseSource: Sendable {
    private let response: YAMLNode
    private let layers: [DescriptorLayer]

    /// - Parameters:
    ///   - response: The value of the key `response`.
    ///   - layers: Those of the descriptor.
    init(_ response: YAMLNode, in layers: [DescriptorLayer]) {
        self.response = response
        self.layers = layers
    }

    /// The key `response` itself.
    package var place: String { name(response) }

    /// That of the rule, else of all of them.
    package func place(of rule: DecidingRule?) -> String {
        let node: YAMLNode? =
            switch rule {
            case .errorWhen(let index): rules(under: "error_when", at: index)
            case .unwrap: response["unwrap"]
            case .map(let name): response["map"]?[name]
            case .types(let name): response["types"]?[name]
            case nil: nil
            }
        return name(node ?? response)
    }

    private func rules(under key: String, at index: Int) -> YAMLNode? {
        guard let nodes = response[key]?.sequence, nodes.indices.contains(index) else { return nil }
        return nodes[index]
    }

    private func name(_ node: YAMLNode) -> String {
        layers[node.span.start.fileNumber].name(of: node.span)
    }
}

extension DescriptorReader {
    /// - Returns: `nil` for an operation that says nothing of its answer.
    func responseSource(_ operation: MappingReader) -> ResponseSource? {
        operation["response"].map { ResponseSource($0, in: layers.layers) }
    }
}
