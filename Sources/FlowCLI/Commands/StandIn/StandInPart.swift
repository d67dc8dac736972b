internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// The provider that the sandbox is to stand in for.
struct StandInPart: Sendable {
    let provider: BoundProvider
    private let loaded: LoadedProvider
    var name: String { provider.descriptor.displayName }

    private let variables: [String: String]
    private let context: CommandContext

    init(_ name: String, _ client: ClientOptions, _ context: CommandContext) throws(Problem) {
        let survey = try ProviderSurvey(name, client, context, isRehearsal: true)
        // Nothing is proven here with those.
        let secrets = survey.descriptor.variables.filter(\.isSecret).map {
            ($0.name, Secret($0.example ?? "stand-in", kind: .other))
        }
        provider = try survey.bound(secrets: Dictionary(secrets, uniquingKeysWith: { $1 }))
        loaded = survey.loaded
        self.context = context
        let given = try ResolvedRegistration.variables(survey.descriptor, survey.found, isRehearsal: true)
        // A secret one is given to whoever signs in.
        variables = survey.descriptor.variables.filter { !$0.isSecret }.reduce(into: [:]) {
            values, variable in
            values[variable.name] = given[variable.name] ?? variable.standard
        }
        guard !provider.descriptor.isSandbox else {
            throw Problem(
                .usage, "the sandbox stands in for other providers; it is itself without --provider")
        }
        guard provider.descriptor.authorization.fragment == nil else {
            throw Problem(
                .config,
                "\(name) takes its requests behind a # in the address, which a browser sends to no server; nothing can stand "
                    + "in for it")
        }
    }

    /// Writes a descriptor of the stand-in, over one of an earlier stand-in but over no other file.
    func write(_ file: String, at base: String) throws(Problem) {
        let name = DescriptorName.name(ofFile: file)
        guard DescriptorName.isWellFormed(name) else {
            throw Problem(
                .usage, "a provider cannot be named \"\(name)\"",
                hints: [
                    "give a file with lower-case letters, digits and -, as \(loaded.descriptor.id)-here.yaml"
                ])
        }
        let fields = DescriptorFields(
            loaded.source, environment: loaded.descriptor.environment, parent: context.library.parent)
        let written = StandInDescriptor(fields, id: name, base: base, variables: variables)
        guard written.strayKeys.isEmpty else {
            throw Problem(
                .config,
                "no descriptor of the stand-in can be written: answers fill in where \(loaded.descriptor.id) is asked, and "
                    + "those name the provider itself (\(written.strayKeys.uniqued.joined(separator: ", ")))")
        }
        let path = FilePath.join(context.surroundings.directory, file)
        do throws(FileProblem) {
            if FileAccess.exists(path) {
                let present = String(decoding: try FileAccess.read(path), as: UTF8.self)
                guard present.hasPrefix(StandInDescriptor.beginning) else {
                    throw FileProblem(file, "exists already, and no stand-in has written it")
                }
                try FileReplacement.replace(path, with: written.text)
            } else {
                try FileReplacement.create(path, written.text)
            }
        } catch {
            throw Problem(error, .local)
        }
    }
}

/// What is said of a stand-in once it listens.
struct StandInReport: Sendable {
    private let name: String
    private let server: SandboxServer
    private let file: String?

    init(_ name: String, _ server: SandboxServer, _ file: String?) {
        self.name = name
        self.server = server
        self.file = file
    }

    func text(_ context: CommandContext) -> String {
        var page = Page(RenderOptions(context.common, context.surroundings.output, context.surroundings))
        page.line(Styled("stands in for \(name)", .strong), hanging: 2)
        page.line(
            Styled("What is https://HOST/PATH there is \(server.issuer)/HOST/PATH here:", .dim), hanging: 2)
        let width = server.places.map(\.purpose.count).max() ?? 0
        for place in server.places {
            let gap = String(repeating: " ", count: width - place.purpose.count + 2)
            page.unwrapped(Styled(place.purpose + gap, .dim) + Styled(server.issuer + place.path))
        }
        page.line(Styled("client   any, with any secret and any redirect URI"))
        page.line(Styled("user     alice  password sandbox"))
        let words = ShellWords.quoted(["flowrun", "login", file.map(Self.path) ?? ""])
        page.line(
            Styled(
                file == nil
                    ? "try      --write FILE makes a descriptor to sign in with"
                    : "try      \(words) --client-id any"))
        page.line(Styled("Ctrl-C ends it"))
        return page.take()
    }

    /// As a path, which a bare name is not.
    private static func path(_ file: String) -> String { file.contains("/") ? file : "./\(file)" }

    var json: String {
        let rows = server.places.map { place -> JSONValue in
            [
                "purpose": .string(place.purpose), "url": .string(place.url),
                "at": .string(server.issuer + place.path),
            ]
        }
        let facts: JSONObject = ["at": .string(server.issuer), "addresses": .array(rows)]
        return facts.serialize() + "\n"
    }
}
