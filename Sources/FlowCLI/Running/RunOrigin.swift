internal import JOSE

/// How a run was begun: enough to make the same plan again in another process, from the same files.
///
/// Secrets are not in it but as the places where they are read; the values of inputs are kept by the journal.
struct RunOrigin: Sendable {
    let arguments: ParsedArguments
    /// Working directory.
    let directory: String
    let snapshot: LibrarySnapshot

    init(_ arguments: ParsedArguments, directory: String, _ snapshot: LibrarySnapshot) {
        self.arguments = arguments
        self.directory = directory
        self.snapshot = snapshot
    }

    /// - Returns: `nil` for what another program, or a later flowrun, has written.
    init?(_ json: JSONValue) {
        guard let arguments = ParsedArguments(json["arguments"]),
            let directory = json["directory"]?.stringValue, let snapshot = LibrarySnapshot(json["library"])
        else { return nil }
        self.init(arguments, directory: directory, snapshot)
    }

    var json: JSONValue {
        ["arguments": arguments.json, "directory": .string(directory), "library": snapshot.json]
    }
}
