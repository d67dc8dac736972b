internal import JOSE

/// Arguments and outcomes of each kind of step, from the table of kinds.
extension FlowSchemaWriter {
    mutating func define(_ kind: StepKind) {
        let spec = KindTable.spec(of: kind)
        var properties: JSONObject = ["with": with(spec)]
        if !spec.isOpen { properties["next"] = next(spec) }
        var members: JSONObject = [
            "description": .string(spec.summary), "properties": .object(properties),
        ]
        if spec.arguments.contains(where: \.isRequired) { members["required"] = ["with"] }
        define("kind_\(kind.rawValue)", .object(members))
    }

    private mutating func with(_ spec: KindSpec) -> JSONValue {
        var properties: JSONObject = [:]
        for argument in spec.arguments {
            var schema = value(of: argument).objectValue ?? [:]
            let standard = KindReference.standard(of: argument)
            schema["description"] = .string(argument.summary + (standard.isEmpty ? "" : " (\(standard))"))
            properties[argument.name] = .object(schema)
        }
        var members: JSONObject = [
            "type": "object", "properties": .object(properties), "patternProperties": Self.foreign,
            "additionalProperties": false,
        ]
        let required = spec.arguments.filter(\.isRequired).map(\.name)
        if !required.isEmpty { members["required"] = Self.strings(required) }
        return .object(members)
    }

    /// Outcomes of the kind by name, those that keys of the step bring, classes and `any`.
    private func next(_ spec: KindSpec) -> JSONValue {
        let names = spec.outcomes.map(\.name) + ["skipped", "assertion_failed", "exhausted"]
        let classes = OutcomeClass.allCases.filter { outcomeClass in
            let brought: [OutcomeClass] = [.choice, .data, .limit]
            return brought.contains(outcomeClass)
                || spec.outcomes.contains { $0.outcomeClass == outcomeClass }
        }
        var properties: JSONObject = [:]
        for name in names + classes.map({ "any.\($0.rawValue)" }) + ["any"] { properties[name] = true }
        return [
            "if": ["type": "object"],
            "then": [
                "properties": .object(properties), "patternProperties": Self.foreign,
                "additionalProperties": false,
            ],
        ]
    }

    private mutating func value(of argument: ArgumentSpec) -> JSONValue {
        switch argument.form {
        case .expression(let type): return value(of: type)
        case .word(let words): return ["enum": Self.strings(words)]
        case .words(let words): return ["type": "array", "items": ["enum": Self.strings(words)]]
        case .openWord(let words): return ["type": "string", "examples": Self.strings(words)]
        case .duration: return schema(of: .duration)
        case .bool: return ["type": "boolean"]
        case .tokenSet, .optionalTokenSet, .step: return schema(of: .id)
        case .flow: return schema(of: .flowID)
        case .port: return ["type": "string", "pattern": "^[a-z][a-z0-9_]{0,62}(\\.[a-z][a-z0-9_]{0,62})*$"]
        case .templates, .values, .fields: return schema(of: .names(.template))
        case .inputs, .portArguments: return schema(of: .ids(.template))
        case .payload: return [:]
        case .statuses:
            return [
                "type": "object", "propertyNames": ["pattern": "^[1-5][0-9][0-9]$"],
                "additionalProperties": schema(of: .id),
            ]
        case .classification: return schema(of: .list(.keys(Self.classification)))
        case .extraction: return schema(of: .ids(.keys(Self.extraction)))
        }
    }

    /// A literal of the type, or a template, which is always a text.
    private func value(of type: FlowType) -> JSONValue {
        let template: JSONValue = ["type": "string"]
        switch type {
        case .optional(let base): return ["anyOf": [value(of: base), ["type": "null"]]]
        case .int: return ["anyOf": [["type": "integer"], template]]
        case .number: return ["anyOf": [["type": "number"], template]]
        case .bool: return ["type": ["boolean", "string"]]
        case .list(let element):
            return ["anyOf": [["type": "array", "items": value(of: element)], template]]
        case .map: return ["type": ["object", "string"]]
        case .string, .time, .duration, .bytes, .url, .secret, .sensitive, .tokenset: return template
        case .json, .null: return [:]
        }
    }

    private static let classification = [
        KeyShape("if", .condition, "over status, headers and body", isRequired: true),
        KeyShape("outcome", .id, "outcome when it holds", isRequired: true),
        KeyShape("class", .word(OutcomeClass.allCases.map(\.rawValue)), "class of an outcome declared here"),
    ]

    private static let extraction = [
        KeyShape("at", .text, "JSON pointer (RFC 6901)", isRequired: true),
        KeyShape("type", .type, "type of the value", isRequired: true),
    ]
}
