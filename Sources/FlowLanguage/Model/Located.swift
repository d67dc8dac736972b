package import YAMLText

/// A value with the place in the file that it was read from.
package struct Located<Value> {
    package let value: Value
    package let span: SourceSpan

    init(_ value: Value, at span: SourceSpan) {
        self.value = value
        self.span = span
    }
}

extension Located: Sendable where Value: Sendable {}

/// A name with the value written after it.
struct NamedNode: Sendable {
    let name: String
    let nameSpan: SourceSpan
    let node: YAMLNode

    init(_ entry: YAMLMapping.Entry) {
        name = entry.key
        nameSpan = entry.keySpan
        node = entry.value
    }
}
