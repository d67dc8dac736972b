/// What a mapping is, for messages, such as `step "verify"`.
package struct MappingSubject: ExpressibleByStringInterpolation, CustomStringConvertible {
    private let kind: String
    let name: String?

    package init(stringLiteral text: String) { (kind, name) = (text, nil) }

    private init(kind: String, name: String) { (self.kind, self.name) = (kind, name) }

    /// Joined when a message needs it: most mappings are right.
    package static func named(_ kind: String, _ name: String) -> MappingSubject {
        MappingSubject(kind: kind, name: name)
    }

    /// The mapping under a key.
    package static func key(_ key: String) -> MappingSubject { MappingSubject(kind: "", name: key) }

    package var description: String {
        guard let name else { return kind }
        return kind.isEmpty ? "\"\(name)\"" : "\(kind) \"\(name)\""
    }
}
