internal import FlowLanguage
internal import FlowReport
internal import JOSE

/// `schema`: the JSON Schema of a kind of file.
enum SchemaCommand {
    static func text(of file: String) throws(Problem) -> String {
        let schema: JSONValue
        switch file {
        case LibraryKind.flow.rawValue: schema = FlowSchema.schema()
        case LibraryKind.provider.rawValue: schema = ProviderSchema.schema()
        case "config": schema = RegistrationSchema.schema()
        case "trace": schema = TraceSchema.schema()
        default:
            let files = [LibraryKind.flow.rawValue, LibraryKind.provider.rawValue, "config", "trace"]
            throw Problem(
                .usage, "there is no schema of \"\(file)\"\(ArgumentReader.suggestion(file, files))",
                hints: ["schemas: \(files.joined(separator: ", "))"])
        }
        return schema.serialize(pretty: true) + "\n"
    }
}
