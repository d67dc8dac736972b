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

    /// What to write in place of the node where there must be a list.
    var cureForList: String {
        switch value {
        case nil: "write [a, b], or each element on a line of its own behind \"- \""
        case .null: "leave the key out, or write []"
        case .bool, .int, .number, .string: "put what stands there into [ ]"
        }
    }

    /// What to write in place of the node where there must be a mapping with the keys; `nil` where nobody can know.
    func cureForMapping(keys: [String]?) -> String? {
        if let value, value == .null { return "indent what belongs to it, or leave the key out" }
        guard let keys else {
            return sequence == nil
                ? "write NAME: VALUE, indented below the key" : "write each of them under its name"
        }
        if keys.contains("supported"), value == .bool(false) { return "write {supported: false}" }
        if keys.contains("mode"), let text = scalar?.text {
            return "write {mode: \(value == .bool(false) ? "off" : text)}"
        }
        return keys.count <= 20 ? "keys here: \(keys.joined(separator: ", "))" : nil
    }

    /// What to write in place of the node where there must be a text; `nil` where nobody can know.
    var cureForText: String? {
        if let value, value == .null {
            return "leave the key out, or write a text; one with a \"#\" in it is quoted"
        }
        return isPlainValue ? "quote it" : nil
    }

    /// What to write in place of the node where there must be `true` or `false`; `nil` where nobody can know.
    var cureForBool: String? {
        switch scalar?.text.lowercased() {
        case "true", "yes", "on", "y", "1": "write true"
        case "false", "no", "off", "n", "0": "write false"
        default: nil
        }
    }

    /// What to write in place of the node where there must be an integer; `nil` where nobody can know.
    var cureForInt: String? {
        guard case .string(let text) = value else { return nil }
        if Int(text) != nil { return "drop the quotes" }
        return DurationText.parse(text).map { "in seconds it is \($0 / 1000)" }
    }

    /// True for a scalar that becomes a text when it is quoted.
    var isPlainValue: Bool {
        switch value {
        case .bool, .int, .number: true
        case .null, .string, nil: false
        }
    }
}
