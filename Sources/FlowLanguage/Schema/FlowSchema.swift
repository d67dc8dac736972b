package import JOSE

/// The JSON Schema of flow files, for completion and checks while somebody types.
///
/// Accepts every flow that flowrun accepts, and says less than the linter: names that other parts of the file declare
/// are not looked at. The same text every time.
///
/// - SeeAlso: JSON Schema 2020-12, <https://json-schema.org/draft/2020-12/json-schema-core>
package enum FlowSchema {
    package static func schema() -> JSONValue {
        var writer = FlowSchemaWriter()
        let root = writer.schema(of: FlowShape.file).objectValue ?? [:]
        writer.define("step", FlowShape.knownStep)
        for hook in ["hook", "inline_hook"] { writer.require(oneOf: FlowReader.actionKeys, in: hook) }
        for kind in StepKind.allCases { writer.define(kind) }
        return writer.document(
            "flow/1", "A flow of flowrun: steps, and where each of their outcomes leads.", root)
    }
}

/// Turns shapes into schemas; shapes with a name are written once.
struct FlowSchemaWriter {
    private(set) var definitions: JSONObject = [:]
    /// Whether a key may be written with nothing, which takes back what another file says.
    private let takesNothing: Bool

    init(takesNothing: Bool = false) {
        self.takesNothing = takesNothing
    }

    /// The schema of a whole file, with the definitions that its parts refer to.
    func document(_ title: String, _ description: String, _ root: JSONObject) -> JSONValue {
        var members: JSONObject = [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": .string(title), "description": .string(description),
        ]
        for member in root { members[member.key] = member.value }
        members["$defs"] = .object(
            JSONObject(definitions.members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }))
        return .object(members)
    }

    // MARK: Shapes

    mutating func schema(of shape: ValueShape) -> JSONValue {
        switch shape {
        case .template: return [:]
        case .text: return ["type": "string"]
        case .bool: return ["type": "boolean"]
        case .condition: return Self.condition
        case .duration: return ["type": "string", "pattern": "^[0-9]+(ms|s|m|h|d)$"]
        case .byteCount: return ["type": ["integer", "string"], "pattern": "^[0-9]+( (KiB|MiB))?$"]
        case .type: return Self.type
        case .id: return ["type": "string", "pattern": .string(Self.id)]
        case .flowID: return ["type": "string", "pattern": "^[a-z][a-z0-9_-]{0,62}$"]
        case .scalar: return ["type": ["string", "number", "boolean"]]
        case .endpoint: return ["type": "string", "pattern": .string(Self.endpoint)]
        case .matching(let pattern): return ["type": "string", "pattern": .string(pattern)]
        case .integer(let range):
            return [
                "type": "integer", "minimum": Self.number(range.lowerBound),
                "maximum": Self.number(range.upperBound),
            ]
        case .number(let range):
            return [
                "type": "number", "minimum": Self.number(range.lowerBound),
                "maximum": Self.number(range.upperBound),
            ]
        case .word(let words): return ["enum": Self.strings(words)]
        case .list(let item): return ["type": "array", "items": schema(of: item)]
        case .ids(let value): return names(schema(of: value), pattern: Self.idOrForeign)
        case .names(let value): return ["type": "object", "additionalProperties": schema(of: value)]
        case .selectors(let value): return names(schema(of: value), pattern: Self.selector)
        case .steps: return steps
        case .keys(let keys): return mapping(keys)
        case .open(let keys, let value): return mapping(keys, others: schema(of: value))
        case .either(let shapes): return ["anyOf": .array(shapes.map { schema(of: $0) })]
        case .named(let name, let shape): return reference(name, shape)
        }
    }

    private mutating func reference(_ name: String, _ shape: ValueShape) -> JSONValue {
        if definitions[name] == nil {
            // Before its own parts, which may refer to it.
            definitions[name] = [:]
            let schema = schema(of: shape)
            // Said there, an editor tells what is wrong within it and not that no alternative fits.
            definitions[name] = takesNothing ? .object(Self.orNothing(schema.objectValue ?? [:])) : schema
        }
        return Self.reference(name)
    }

    /// - Parameter others: What may stand under names that are not known; `false` where there may be none.
    mutating func mapping(_ keys: [KeyShape], others: JSONValue = false) -> JSONValue {
        var properties: JSONObject = [:]
        for key in keys {
            var schema = schema(of: key.value).objectValue ?? [:]
            if takesNothing, !key.isRequired { schema = Self.orNothing(schema) }
            schema["description"] = .string(key.description)
            properties[key.name] = .object(schema)
        }
        var members: JSONObject = [
            "type": "object", "properties": .object(properties),
            "patternProperties": Self.foreign, "additionalProperties": others,
        ]
        let required = keys.filter(\.isRequired).map(\.name)
        if !required.isEmpty { members["required"] = Self.strings(required) }
        return .object(members)
    }

    private static func orNothing(_ schema: JSONObject) -> JSONObject {
        var schema = schema
        if let type = schema["type"] {
            schema["type"] = .array((type.arrayValue ?? [type]) + ["null"])
        } else if let words = schema["enum"]?.arrayValue {
            schema["enum"] = .array(words + [.null])
        } else if let choices = schema["anyOf"]?.arrayValue {
            schema["anyOf"] = .array(choices + [["type": "null"]])
        }
        return schema
    }

    private func names(_ value: JSONValue, pattern: String) -> JSONValue {
        [
            "type": "object", "propertyNames": ["pattern": .string(pattern)],
            "patternProperties": Self.foreign, "additionalProperties": value,
        ]
    }

    // MARK: Steps

    mutating func define(_ name: String, _ schema: JSONValue) { definitions[name] = schema }

    /// Exactly one of the keys must be there.
    mutating func require(oneOf keys: [String], in name: String) {
        var schema = definitions[name]?.objectValue ?? [:]
        schema["oneOf"] = .array(keys.map { ["required": Self.strings([$0])] })
        definitions[name] = .object(schema)
    }

    /// What `do` says decides on arguments and outcomes; without it the step's id does.
    mutating func define(_ name: String, _ keys: [KeyShape]) {
        var conditions: [JSONValue] = []
        for kind in StepKind.allCases {
            conditions.append([
                "if": ["properties": ["do": ["const": .string(kind.rawValue)]], "required": ["do"]],
                "then": Self.reference("kind_\(kind.rawValue)"),
            ])
        }
        var step = mapping(keys).objectValue ?? [:]
        step["allOf"] = .array(conditions)
        definitions[name] = .object(step)
    }

    private var steps: JSONValue {
        var properties: JSONObject = [:]
        for kind in StepKind.allCases {
            properties[kind.rawValue] = [
                "description": .string(KindTable.spec(of: kind).summary),
                "allOf": [
                    Self.reference("step"),
                    ["if": ["not": ["required": ["do"]]], "then": Self.reference("kind_\(kind.rawValue)")],
                ],
            ]
        }
        return [
            "type": "object", "propertyNames": ["pattern": .string(Self.idOrForeign)],
            "properties": .object(properties), "patternProperties": Self.foreign,
            "additionalProperties": ["allOf": [Self.reference("step"), ["required": ["do"]]]],
            "minProperties": 1,
        ]
    }
}

extension FlowSchemaWriter {
    static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/$defs/\(name)")] }

    static func strings(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map(JSONValue.string)) }

    static func number(_ value: Int) -> JSONValue { .int(Int64(value)) }

    /// Plain http is for this machine alone.
    static let endpoint =
        "^([Hh][Tt][Tt][Pp][Ss]://|[Hh][Tt][Tt][Pp]://"
        + "(127(\\.[0-9]{1,3}){3}|[Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt]|\\[::1\\])([:/?$]|$)|\\$\\{)"

    static let id = "^[a-z][a-z0-9_]{0,62}$"
    static let idOrForeign = "^([a-z][a-z0-9_]{0,62}|x-.*)$"

    static let selector: String = {
        let classes = OutcomeClass.allCases.map(\.rawValue).joined(separator: "|")
        return "^(any|any\\.(\(classes))|[a-z][a-z0-9_]{0,62}|x-.*)$"
    }()

    /// Keys of other tools.
    static let foreign: JSONValue = ["^x-": [:]]

    static let condition: JSONValue = ["type": ["string", "boolean"]]

    static let type: JSONValue = {
        let simple = FlowType.simpleNames + ["object"]
        let names = simple.joined(separator: "|")
        return [
            "type": "string", "examples": strings(simple + ["list<string>", "optional string"]),
            "pattern": .string("^(optional )?(list<)*(\(names))>*$"),
        ]
    }()
}
