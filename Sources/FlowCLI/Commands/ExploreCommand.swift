internal import FlowEngine
internal import FlowLanguage
internal import JOSE

/// `explore`: where every outcome of every step leads, rehearsed.
///
/// Depends on the files alone: neither registrations nor the environment are looked at.
struct ExploreCommand: Sendable {
    let context: CommandContext
    let request: ExploreRequest

    /// Provider of flows that name none, nor their tests.
    private static let usualProvider = "sandbox"

    func run() async throws(Problem) -> Int {
        let flow = try context.library.flow(request.flow)
        let resolver = RegistrationResolver(
            files: .none, surroundings: context.surroundings.withoutEnvironment, isRehearsal: true,
            gate: TrustGate(context: context))
        let binding = try ProviderBinding(
            flow.program, choices: request.providers,
            standard: flow.program.tests.lazy.compactMap(\.provider).first ?? Self.usualProvider,
            client: ClientOptions(), context.library, resolver)
        let explorer = FlowExplorer(
            flow.program, binding.providers,
            inputs: SyntheticInputs.values(of: flow.program, binding.providers))
        let table = await explorer.explore()
        context.note("\(table.reachedCount) of \(table.rows.count) pairs of step and outcome are reached")
        if let path = request.target { try write(table.text, path) }
        if let path = request.golden {
            return try GoldenComparison(context: context, subject: ("paths", "are")).run(
                table.text, with: path)
        }
        switch request.form {
        case .json: context.write(table.json.serialize() + "\n")
        case .text: if request.target == nil { context.write(table.text) }
        }
        return ExitStatus.ok.rawValue
    }

    private func write(_ text: String, _ path: String) throws(Problem) {
        let absolute = FilePath.join(context.surroundings.directory, path)
        do throws(FileProblem) {
            if FileAccess.isFile(absolute) {
                try FileReplacement.replace(absolute, with: text)
            } else {
                try FileReplacement.create(absolute, text)
            }
        } catch {
            throw Problem(error, .local)
        }
    }
}
