internal import JOSE

/// `setup kubectl`: a kubeconfig of its own with the user whose tokens flowrun gives.
struct KubectlSetup: Sendable {
    let context: CommandContext
    let request: SetupRequest
    /// What provider and profile are called together.
    let session: String
    let command: [String]

    private static let mark = "# Written by flowrun setup kubectl.\n"

    func run() throws(Problem) {
        guard let file = request.file else { return context.write(text) }
        let path = FilePath.join(context.surroundings.directory, file)
        try SetupFile(context: context, replaces: request.replaces)
            .write(text, to: path) { $0.hasPrefix(Self.mark) }
        context.note("name it in KUBECONFIG beside the others; its user is flowrun-\(session)")
    }

    /// `interactiveMode` says that kubectl's standard input may be used, which is how a plug-in learns of a person.
    private var text: String {
        let words = command.dropFirst().map { "          - \(Self.quoted($0))\n" }
        return """
            \(Self.mark)apiVersion: v1
            kind: Config
            users:
              - name: \(Self.quoted("flowrun-\(session)"))
                user:
                  exec:
                    apiVersion: client.authentication.k8s.io/\(request.execVersion)
                    command: \(Self.quoted(command.first ?? ""))
                    args:
            \(words.joined())        interactiveMode: \(request.mayAsk ? "IfAvailable" : "Never")
                    provideClusterInfo: false

            """
    }

    /// A text of JSON is one of YAML.
    private static func quoted(_ text: String) -> String { JSONValue.string(text).serialize() }
}
