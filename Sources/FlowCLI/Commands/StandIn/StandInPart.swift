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
        if let obstacle = StandIn.obstacle(provider.descriptor) {
            throw Problem(provider.descriptor.isSandbox ? .usage : .config, obstacle)
        }
    }

    /// What is said of it at the start.
    func report(_ server: SandboxServer, _ file: String?) -> StandInReport {
        let descriptor = provider.descriptor
        return StandInReport(
            name: descriptor.displayName, server: server, file: file,
            needsSecret: descriptor.needsClientSecret)
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
                try PrivateFile.makeDirectory(FilePath.parent(of: path))
                try FileReplacement.create(path, written.text)
            }
        } catch {
            throw Problem(error, .local)
        }
    }
}
