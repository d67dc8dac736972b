internal import OAuthProtocol

/// What `register` is asked to do.
struct RegisterRequest: Sendable {
    enum Action: Sendable, Hashable {
        case register
        /// RFC 7592 §2.1 to §2.3.
        case show, update, delete
    }

    var provider: String
    var action = Action.register
    var client = ClientOptions()
    /// What the provider calls the client when it asks a person.
    var name: String?
    var grants: [String] = []
    var method: ClientAuthenticationMethod?
    /// A file with further members as JSON.
    var metadataFile: String?
    /// The address of the document that the client is known by; `nil` for a client that the provider makes.
    var document: String?
    var initialAccessToken: ClientOptions.SecretPlace?
    /// Whether the user's file is written, whatever project this is.
    var isForUser = false
    /// Whether a client that the file names already is ended for the new one.
    var replaces = false
    /// Whether a client is forgotten that the provider does not end.
    var forgets = false
    var isRehearsal = false
    var live = LiveOptions()
    var form = Command.Form.text
    /// The command as somebody would type it to try again.
    var command = "register"

    /// Whether the command line itself says what the client is to be.
    var saysSomething: Bool { name != nil || !grants.isEmpty || method != nil || metadataFile != nil }
}

extension RegisterRequest {
    /// Options that the next attempt needs as well.
    private static let repeated = [
        "providers", "name", "grant", "auth", "metadata", "private-key-file", "private-key-env",
        "environment", "scope",
        "set", "redirect-uri", "initial-access-token-file", "initial-access-token-env", "cacert",
    ]

    init(_ parsed: ParsedArguments) throws(UsageError) {
        let actions: [(String, Action)] = [("show", .show), ("update", .update), ("delete", .delete)]
        let given = actions.filter { parsed.has($0.0) }
        guard given.count < 2 else {
            throw UsageError("give one of --show, --update and --delete", command: parsed.spec.name)
        }
        self.init(
            provider: parsed.arguments[0], action: given.first?.1 ?? .register,
            client: try ClientOptions(parsed),
            name: parsed.last("name"), grants: parsed.all("grant"),
            method: parsed.last("auth").flatMap(ClientAuthenticationMethod.init),
            metadataFile: parsed.last("metadata"), initialAccessToken: nil, isForUser: parsed.has("user"),
            replaces: parsed.has("replace"), isRehearsal: parsed.has("dry-run"),
            live: try LiveOptions(parsed), form: parsed.form)
        document = parsed.last("document")
        guard document == nil || action == .register else {
            throw UsageError("no provider has made a client of --document", command: parsed.spec.name)
        }
        forgets = parsed.has("forget")
        guard !forgets || action == .delete else {
            throw UsageError("--forget goes with --delete", command: parsed.spec.name)
        }
        var places: [ClientOptions.SecretPlace] = []
        if let file = parsed.last("initial-access-token-file") { places.append(.file(file)) }
        if let name = parsed.last("initial-access-token-env") { places.append(.environment(name)) }
        if parsed.has("initial-access-token-stdin") { places.append(.standardInput) }
        guard places.count < 2 else {
            throw UsageError(
                "give one of --initial-access-token-file, --initial-access-token-env and "
                    + "--initial-access-token-stdin", command: parsed.spec.name)
        }
        initialAccessToken = places.first
        guard document == nil || initialAccessToken == nil else {
            throw UsageError("with --document nobody is asked to register", command: parsed.spec.name)
        }
        command = "register \(ShellWords.quoted([provider] + parsed.words(of: Self.repeated)))"
        for flag in ["user", "replace"] where parsed.has(flag) { command += " --\(flag)" }
        guard action == .register || initialAccessToken == nil else {
            throw UsageError(
                "an initial access token only registers; what changes a registration is kept with it",
                command: parsed.spec.name)
        }
        guard [.register, .update].contains(action) || !saysSomething else {
            throw UsageError(
                "what the client is to be goes with --update or a new registration",
                command: parsed.spec.name)
        }
    }
}
