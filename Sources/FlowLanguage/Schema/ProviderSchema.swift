package import JOSE

/// The JSON Schema of provider descriptors, for completion and checks while somebody types.
///
/// Accepts every descriptor that flowrun accepts, and says less than the linter: templates, paths and patterns are texts
/// to it. The same text every time.
///
/// - SeeAlso: JSON Schema 2020-12, <https://json-schema.org/draft/2020-12/json-schema-core>
package enum ProviderSchema {
    package static func schema() -> JSONValue {
        var writer = FlowSchemaWriter(takesNothing: true)
        let root = writer.mapping(ProviderShape.root).objectValue ?? [:]
        var members: JSONObject = [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "provider descriptor",
            "description":
                "A provider of sign-ins for flowrun: facts of its server, and where it differs from the RFCs.",
        ]
        for member in root { members[member.key] = member.value }
        // What a parent says need not be said again.
        members["anyOf"] = [["required": ["protocol"]], ["required": ["extends"]]]
        members["if"] = [
            "properties": ["protocol": ["const": "oidc"]], "required": ["protocol"],
            "not": ["required": ["extends"]],
        ]
        members["then"] = ["required": ["issuer"]]
        members["$defs"] = .object(
            JSONObject(
                writer.definitions.members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }))
        return .object(members)
    }
}
