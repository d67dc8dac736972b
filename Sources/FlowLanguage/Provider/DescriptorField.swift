package import JOSE
package import YAMLText

/// A value of a descriptor as its layers make it, and which of them says so.
package struct DescriptorField: Sendable {
    /// The keys that lead to it.
    package let path: [String]
    /// Anything but a mapping that holds something; a list is one value, for a layer replaces all of it.
    package let value: JSONValue
    /// Of the file that says it.
    package let file: String
    package let mark: SourceMark
    /// Whether lines of the environment that is put on top say it.
    package let isOfEnvironment: Bool
}

/// Every field of a descriptor.
package struct DescriptorFields: Sendable {
    /// In the order of the layers, the lowest first.
    package let fields: [DescriptorField]
    /// Members of the provider's metadata that are left out.
    package let removed: [String]

    /// - Parameters: As for ``ProviderReader/read(_:environment:parent:known:)``, which says what is wrong with it.
    package init(_ file: SourceFile, environment: String?, parent: (String) -> SourceFile?) {
        let layers = DescriptorLayers(file, environment: environment, parent: parent, known: { [] })
        var fields: [DescriptorField] = []
        func add(_ node: YAMLNode, _ path: [String]) {
            if let entries = node.mapping?.entries, !entries.isEmpty {
                for entry in entries { add(entry.value, path + [entry.key]) }
                return
            }
            let layer = layers.layer(of: node.span)
            fields.append(
                DescriptorField(
                    path: path, value: LiteralReader.json(node), file: layer.file.path, mark: node.span.start,
                    isOfEnvironment: !layer.suffix.isEmpty))
        }
        // The chosen environment is among the fields already.
        for entry in layers.root?.mapping?.entries ?? [] where entry.key != "environments" {
            add(entry.value, [entry.key])
        }
        self.fields = fields
        removed = layers.removed.sorted()
    }
}
