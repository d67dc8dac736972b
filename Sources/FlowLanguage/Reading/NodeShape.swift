internal import OAuthProtocol
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

    /// What to do about the node where there must be a list.
    var cureForList: Cure {
        switch value {
        case nil: Cure("write [a, b], or each element on a line of its own behind \"- \"")
        case .null: Cure("leave the key out, or write []")
        case .bool, .int, .number, .string: Cure("put what stands there into [ ]")
        }
    }

    /// What to do about the node where there must be a mapping with the keys; `nil` where nobody can know.
    func cureForMapping(keys: [String]?) -> Cure? {
        if let value, value == .null { return Cure("indent what belongs to it, or leave the key out") }
        guard let keys else {
            return Cure(
                sequence == nil
                    ? "write NAME: VALUE, indented below the key" : "write each of them under its name")
        }
        if keys.contains("supported"), value == .bool(false) { return Cure(writing: "{supported: false}") }
        if keys.contains("mode"), let text = scalar?.text {
            if keys.contains("method"), PKCE.Method.names.contains(text) {
                return Cure(writing: "{method: \(text)}")
            }
            let word = value == .bool(false) ? "off" : value == .bool(true) ? "required" : text
            return Cure(writing: "{mode: \(word)}")
        }
        return keys.count <= 20 ? Cure("keys here: \(keys.joined(separator: ", "))") : nil
    }

    /// What to do about the node where there must be a text; `nil` where nobody can know.
    var cureForText: Cure? {
        if let value, value == .null {
            return Cure("leave the key out, or write a text; one with a \"#\" in it is quoted")
        }
        return quoting
    }

    /// Quotes for a scalar that becomes a text by them; `nil` for everything else.
    var quoting: Cure? {
        switch value {
        case .bool, .int, .number: Cure("quote it", fix: scalar.map { "\"\($0.text)\"" })
        case .null, .string, nil: nil
        }
    }

    /// What to do about the node where there must be `true` or `false`; `nil` where nobody can know.
    var cureForBool: Cure? {
        switch scalar?.text.lowercased() {
        case "true", "yes", "on", "y", "1": Cure(writing: "true")
        case "false", "no", "off", "n", "0": Cure(writing: "false")
        default: nil
        }
    }

    /// What to do about the node where there must be an integer; `nil` where nobody can know.
    var cureForInt: Cure? {
        guard case .string(let text) = value else { return nil }
        if Int(text) != nil { return Cure("drop the quotes", fix: text) }
        return DurationText.parse(text).map { Cure("in seconds it is \($0 / 1000)", fix: "\($0 / 1000)") }
    }
}

/// What to do about a value of the wrong kind.
struct Cure {
    let hint: String
    /// What to write in its place; `nil` where that is for the writer to say.
    let fix: Diagnostic.Fix?

    init(_ hint: String, fix: String? = nil) {
        self.hint = hint
        self.fix = fix.map { Diagnostic.Fix($0) }
    }

    init(writing fix: String) {
        self.init("write \(fix)", fix: fix)
    }
}
