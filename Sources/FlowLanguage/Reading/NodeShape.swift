package import YAMLText

extension YAMLNode {
    /// What the node is, for messages; of what may be a secret no more than its form.
    func shape(under key: String) -> String { DescriptorSafety.isSecretKey(key) ? form : shape }

    /// What the node is, for messages.
    package var shape: String {
        switch content {
        case .sequence(let items): items.isEmpty ? "an empty list" : "a list"
        case .mapping(let mapping): mapping.entries.isEmpty ? "an empty mapping" : "a mapping"
        case .scalar(let scalar):
            switch scalar.value {
            case .null: "nothing"
            case .bool: "the boolean \(scalar.text)"
            case .int, .number: "the number \(scalar.text)"
            case .string(let text): text.count <= 40 ? "\"\(text)\"" : "this text"
            }
        }
    }

    /// What the node is without what it says.
    var form: String {
        switch value {
        case nil: shape
        case .null: "nothing"
        case .bool: "a boolean"
        case .int, .number: "a number"
        case .string: "a text"
        }
    }

    /// True for a scalar that becomes a text when it is quoted.
    var isPlainValue: Bool {
        switch value {
        case .bool, .int, .number: true
        case .null, .string, nil: false
        }
    }
}
