package import JOSE

/// The JSON Schema of a trace line (2020-12): `flowrun schema trace`.
///
/// Members are only ever added within one `v`, so a schema of an older flowrun accepts the lines of a newer one.
package enum TraceSchema {
    package static func schema() -> JSONValue {
        var types: [JSONValue] = []
        for event in events {
            let members = JSONObject([(key: "type", value: ["const": .string(event.type)])])
            types.append([
                "if": ["properties": .object(members)],
                "then": object(event.members, event.description),
            ])
        }
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": "https://flowrun.dev/schema/trace-1.json",
            "title": "An event of a flowrun trace",
            "description": .string(
                "One JSON object a line. Sequence numbers begin with 1 and have no gaps; the first event is "
                    + "run.start, the last always run.end. Times are RFC 3339 in UTC, lengths of time "
                    + "milliseconds. Readers skip types and members that they do not know."),
            "type": "object",
            "required": ["v", "seq", "t", "run", "type"],
            "properties": [
                "v": ["const": 1],
                "seq": ["type": "integer", "minimum": 1],
                "t": instant,
                "run": ["type": "string", "description": "identifier of the run"],
                "step": ["type": "string", "description": "the step that the event belongs to"],
                "type": ["type": "string", "examples": .array(events.map { .string($0.type) })],
            ],
            "allOf": .array(types),
            "$defs": ["value": value, "parameter": parameter],
        ]
    }

    struct Member {
        let name: String
        let schema: JSONValue
        var isRequired = true
    }

    struct Event {
        let type: String
        let description: String
        let members: [Member]
    }

    static func object(_ members: [Member], _ description: String? = nil) -> JSONValue {
        var object: JSONObject = [
            "type": "object",
            "required": .array(members.filter(\.isRequired).map { .string($0.name) }),
            "properties": .object(JSONObject(members.map { (key: $0.name, value: $0.schema) })),
        ]
        object["description"] = description.map { .string($0) }
        return .object(object)
    }

    static func list(_ schema: JSONValue) -> JSONValue { ["type": "array", "items": schema] }

    static func words(_ words: [String]) -> JSONValue { ["enum": .array(words.map { .string($0) })] }

    static let text: JSONValue = ["type": "string"]
    static let number: JSONValue = ["type": "integer", "minimum": 0]
    static let flag: JSONValue = ["type": "boolean"]
    static let instant: JSONValue = ["type": "string", "format": "date-time"]
    static let parameters: JSONValue = list(["$ref": "#/$defs/parameter"])

    /// A text, or what stands for a secret; never the secret.
    private static let value: JSONValue = [
        "oneOf": [
            object([Member(name: "v", schema: text)], "a text"),
            object(
                [
                    Member(name: "secret", schema: ["const": true]),
                    Member(name: "kind", schema: text),
                    Member(name: "len", schema: number, isRequired: false),
                    Member(
                        name: "fp",
                        schema: [
                            "type": "string", "pattern": "^[0-9a-f]{4}$",
                            "description": "equal for equal values of one run, comparable nowhere else",
                        ], isRequired: false),
                    Member(name: "prefix", schema: text, isRequired: false),
                ], "what stands for a secret"),
        ]
    ]

    private static let parameter: JSONValue = [
        "allOf": [
            ["$ref": "#/$defs/value"],
            object(
                [
                    Member(name: "n", schema: text),
                    Member(name: "src", schema: text, isRequired: false),
                    Member(name: "ref", schema: text, isRequired: false),
                ], "src is where the value comes from, ref the rule that asks for it"),
        ]
    ]
}
