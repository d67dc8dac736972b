/// A piece of a YAML document that knows where it stands.
///
/// A class only because nodes are handed around all the time: every copy of a structure would count up all that it
/// holds. It never changes.
package final class YAMLNode: Sendable {
    package enum Content: Sendable {
        case scalar(YAMLScalar)
        case sequence([YAMLNode])
        case mapping(YAMLMapping)
    }

    /// From the first character to the place after the last; quotes and brackets belong to it.
    ///
    /// A block collection ends where its last value ends.
    package let span: SourceSpan
    package let content: Content

    package init(span: SourceSpan, content: Content) {
        self.span = span
        self.content = content
    }

    package var scalar: YAMLScalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    package var sequence: [YAMLNode]? {
        if case .sequence(let nodes) = content { nodes } else { nil }
    }

    package var mapping: YAMLMapping? {
        if case .mapping(let mapping) = content { mapping } else { nil }
    }

    /// The resolved value of a scalar; `nil` for a sequence or mapping.
    package var value: YAMLScalar.Value? { scalar?.value }

    /// The value under a key of a mapping; `nil` for everything else.
    package subscript(key: String) -> YAMLNode? {
        guard case .mapping(let mapping) = content else { return nil }
        return mapping[key]?.value
    }
}

/// A mapping whose keys are distinct strings, in the order of the file.
package struct YAMLMapping: Sendable {
    package struct Entry: Sendable {
        package let key: String
        package let keySpan: SourceSpan
        package let value: YAMLNode

        package init(key: String, keySpan: SourceSpan, value: YAMLNode) {
            self.key = key
            self.keySpan = keySpan
            self.value = value
        }
    }

    package let entries: [Entry]

    package init(entries: [Entry]) {
        self.entries = entries
    }

    /// Searches from the first entry; mappings of a flow are small.
    package subscript(key: String) -> Entry? {
        for index in entries.indices where entries[index].key == key { return entries[index] }
        return nil
    }
}
