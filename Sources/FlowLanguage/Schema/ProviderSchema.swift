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
        var root = writer.mapping(ProviderShape.root).objectValue ?? [:]
        // What a parent says need not be said again.
        root["anyOf"] = [["required": ["protocol"]], ["required": ["extends"]]]
        root["if"] = [
            "properties": ["protocol": ["const": "oidc"]], "required": ["protocol"],
            "not": ["required": ["extends"]],
        ]
        root["then"] = ["required": ["issuer"]]
        return writer.document(
            "provider descriptor",
            "A provider of sign-ins for flowrun: facts of its server, and where it differs from the RFCs.",
            root)
    }
}
