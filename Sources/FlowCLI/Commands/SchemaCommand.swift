internal import FlowLanguage
internal import JOSE

/// `schema`: the JSON Schema of a kind of file.
enum SchemaCommand {
    /// What there are schemas of.
    static let files = ["flow"]

    static func text(of file: String) throws(Problem) -> String {
        guard files.contains(file) else {
            throw Problem(
                .usage, "there is no schema of \"\(file)\"\(ArgumentReader.suggestion(file, files))",
                hints: ["schemas: \(files.joined(separator: ", "))"])
        }
        return FlowSchema.schema().serialize(pretty: true) + "\n"
    }
}
