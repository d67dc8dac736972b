internal import FlowEngine
internal import FlowLanguage
internal import JOSE
public import OAuthProtocol
public import YAMLText

/// A provider for the flows of a Swift program: its descriptor, and the client that is registered there.
public struct FlowProvider: Sendable {
    let reading: ProviderReading
    private let file: SourceFile
    private let client: ClientRegistration
    private let variables: [String: String]
    private let secrets: [String: Secret]
    private let environment: String?

    /// - Parameters:
    ///   - variables: Values of the descriptor's `variables`, and `secrets` of those that are secret.
    ///   - environment: One of the descriptor's `environments`.
    ///   - parent: The file of the descriptor that this one `extends`, by its id.
    public init(
        _ descriptor: SourceFile, client: ClientRegistration, variables: [String: String] = [:],
        secrets: [String: Secret] = [:], environment: String? = nil,
        parent: (String) -> SourceFile? = { _ in nil }
    ) {
        reading = ProviderReader.read(descriptor, environment: environment, parent: parent)
        file = descriptor
        self.client = client
        self.variables = variables
        self.secrets = secrets
        self.environment = environment
    }

    /// The provider with its variables filled in; `nil` after a report.
    func bound(_ diagnostics: inout [Diagnostic]) -> BoundProvider? {
        guard let descriptor = reading.descriptor else { return nil }
        if let problem = environment.flatMap(descriptor.mistake(inEnvironment:)) {
            diagnostics.append(
                Diagnostic(
                    code: "FL016", file: file.path, span: SourceSpan(at: .start), message: problem.message,
                    hint: problem.hint))
            return nil
        }
        do throws(BindingError) {
            let bound = try descriptor.bind(variables: variables, secrets: secrets)
            return BoundProvider(
                descriptor: descriptor, bound: bound, registration: client, method: client.registeredMethod)
        } catch {
            diagnostics += error.problems.map { problem in
                Diagnostic(
                    code: "FL016", file: file.path, span: SourceSpan(at: .start), message: problem.message,
                    hint: problem.hint)
            }
            return nil
        }
    }
}

/// The providers that a program has brought.
struct FlowProviders: Sendable {
    /// By alias; the one under the empty name is that of a flow's first alias.
    private let bound: [String: BoundProvider]

    /// - Parameter mistakes: What else is wrong, to be told with what is wrong here.
    init(
        _ given: [String: FlowProvider], after mistakes: [Diagnostic], _ texts: FailureTexts
    ) throws(SignInFailure) {
        var diagnostics = mistakes
        for (_, provider) in given.sorted(by: { $0.key < $1.key }) {
            diagnostics += provider.reading.diagnostics
        }
        if diagnostics.hasErrors { throw SignInFailure(files: diagnostics, texts) }
        var bound: [String: BoundProvider] = [:]
        for (alias, provider) in given.sorted(by: { $0.key < $1.key }) {
            bound[alias] = provider.bound(&diagnostics)
        }
        if diagnostics.hasErrors { throw SignInFailure(files: diagnostics, texts) }
        self.bound = bound
    }

    /// Refuses one under an alias that the flow does not have.
    func checkAliases(of program: FlowProgram, _ texts: FailureTexts) throws(SignInFailure) {
        let aliases = program.providers.map(\.alias)
        let unknown = bound.keys.filter { !aliases.contains($0) }.sorted()
        guard bound.count > 1, !unknown.isEmpty else { return }
        throw SignInFailure(
            files: unknown.map { alias in
                Diagnostic(
                    code: "FL016", file: program.file, span: SourceSpan(at: .start),
                    message: "the flow has no provider alias \"\(alias)\"",
                    hint: "aliases: \(aliases.joined(separator: ", "))")
            }, texts)
    }

    /// Those of a flow in the order of its aliases, held against what it asks of them (flow/1 §13, bind).
    func of(_ program: FlowProgram, _ texts: FailureTexts) throws(SignInFailure) -> [BoundProvider] {
        var diagnostics: [Diagnostic] = []
        var providers: [BoundProvider] = []
        for (index, slot) in program.providers.enumerated() {
            // One that is alone is meant, whatever a flow calls it.
            let only = bound.count == 1 ? bound.first?.value : bound[""]
            if let provider = bound[slot.alias] ?? (index == 0 ? only : nil) {
                providers.append(provider)
                let needsClient = program.steps.contains { $0.provider == index && $0.kind.needsClient }
                guard needsClient, provider.registration.clientID.isEmpty else { continue }
                diagnostics.append(
                    Diagnostic(
                        code: "FL016", file: program.file, span: slot.span,
                        message: "the client of the provider \"\(provider.descriptor.id)\" has no identifier",
                        hint: "give the one that is registered there: ClientRegistration(clientID:)"))
            } else {
                let known = bound.keys.filter { !$0.isEmpty }.sorted()
                diagnostics.append(
                    Diagnostic(
                        code: "FL016", file: program.file, span: slot.span,
                        message: "no provider is given for the alias \"\(slot.alias)\"",
                        hint: known.isEmpty
                            ? "give one for each alias, as providers: [\"\(slot.alias)\": FlowProvider(...)]"
                            : "given are: \(known.joined(separator: ", "))"))
            }
        }
        if diagnostics.isEmpty {
            let facts = providers.map { BindFacts(descriptor: $0.descriptor, bound: $0.bound) }
            diagnostics = BindRules.check(program, facts)
        }
        if diagnostics.hasErrors { throw SignInFailure(files: diagnostics, texts) }
        for (index, provider) in providers.enumerated() {
            // Told now, and not when a person has signed in for nothing.
            guard program.steps.contains(where: { $0.provider == index && $0.kind.asksPerson }) else {
                continue
            }
            if let missing = provider.missingCredential {
                throw SignInFailure(
                    before: FailureCode.setupFailed, error: "missing_credential", detail: missing, texts)
            }
            if let problem = provider.registration.problemOfKeys {
                throw SignInFailure(
                    before: FailureCode.setupFailed, error: "unusable_credential", detail: problem, texts)
            }
        }
        // A flow that speaks to nobody runs beside the first.
        return providers.isEmpty ? bound.sorted { $0.key < $1.key }.prefix(1).map(\.value) : providers
    }
}

extension ClientRegistration {
    /// What is wrong with the texts of its keys, lower case; `nil` for those that can be used, and for none.
    fileprivate var problemOfKeys: String? {
        if let pair = clientCertificate, let problem = ClientCertificateCheck.problem(with: pair) {
            return problem
        }
        guard let key = privateKey, !key.isEmpty else { return nil }
        do throws(KeyError) {
            _ = try SigningKeyText.read(key)
            return nil
        } catch {
            return "the client's private key cannot be read: \(error.summary)"
        }
    }
}
