public import FlowEngine
internal import FlowLanguage
public import OAuthProtocol
public import YAMLText

/// The sandbox in the place of another provider, on a port of this machine: for tests of a program that signs people in
/// there.
///
/// ```swift
/// let standIn = try ProviderStandIn(for: library.provider("acme"))
/// configuration.presenter = standIn.browser
/// let runner = try FlowRunner(
///     flow: library.flow("login"), providers: ["main": standIn.provider], configuration: configuration)
/// ```
///
/// It answers as the provider's descriptor says, to any client with any secret, and refuses codes, verifiers and tokens
/// that are not its own. It keeps everything in memory, and serves until it is stopped or released.
public final class ProviderStandIn: Sendable {
    /// Where it is, as `http://127.0.0.1:40123`. What is `https://HOST/PATH` at the provider is `/HOST/PATH` here.
    public let url: String
    /// The provider with its addresses here, and with the client, variables and secrets that were given.
    public let provider: FlowProvider
    /// Opens what it is shown by itself, as a browser without a window. Of use where the stand-in answers `automatic`.
    public let browser: any BrowserPresenter = PagelessBrowser()
    private let server: SandboxServer

    /// Some client, with some secret for the providers that want one.
    public static let client = ClientRegistration(
        clientID: "client", secret: Secret("stand-in", kind: .clientSecret))

    /// - Parameters:
    ///   - variables: Values of the descriptor's `variables`, and `secrets` of those that are secret.
    ///   - environment: One of the descriptor's `environments`.
    ///   - redirectURI: Where a browser goes whose request names no place, for a provider that wants none named.
    ///   - port: `nil` lets the system choose.
    ///   - faults: What goes wrong on purpose, each one of `Sandbox.faults`.
    ///   - parent: The file of the descriptor that this one `extends`, by its id.
    /// - Throws: `file_invalid` with every mistake of the file and of the variables; `input_invalid` for a fault that is
    ///   none; `setup_failed` when it cannot listen at the port, and for a provider that nothing can stand in for: the
    ///   sandbox itself, one whose requests no server sees, and one whose answers say where it is asked next.
    public init(
        for descriptor: SourceFile, client: ClientRegistration = ProviderStandIn.client,
        variables: [String: String] = [:], secrets: [String: Secret] = [:], environment: String? = nil,
        redirectURI: String? = nil, port: UInt16? = nil, answer: Sandbox.Answer = .automatic,
        faults: [String] = [], parent: (String) -> SourceFile? = { _ in nil }
    ) throws(SignInFailure) {
        let faults = try Sandbox.parsed(faults)
        let original = FlowProvider(
            descriptor, client: client, variables: variables, secrets: secrets, environment: environment,
            parent: parent)
        var diagnostics = original.reading.diagnostics
        guard let bound = original.bound(&diagnostics), !diagnostics.hasErrors else {
            throw SignInFailure(files: diagnostics, .english)
        }
        if let obstacle = StandIn.obstacle(bound.descriptor) { throw Self.impossible(obstacle) }
        let server: SandboxServer
        do throws(LiveSetupError) {
            server = try SandboxServer(
                port: port, as: (bound, redirectURI), faults: faults, mode: answer.mode)
        } catch {
            throw Self.impossible(error.description)
        }
        self.server = server
        url = server.issuer
        let fields = DescriptorFields(descriptor, environment: environment, parent: parent)
        let open = bound.descriptor.variables.filter { !$0.isSecret && secrets[$0.name] == nil }
        let written = StandInDescriptor(
            fields, id: bound.descriptor.id, base: url,
            variables: open.reduce(into: [:]) { $0[$1.name] = variables[$1.name] ?? $1.standard })
        guard written.strayKeys.isEmpty else {
            server.stop()
            throw Self.impossible(
                "nothing can stand in for \(bound.descriptor.id): answers fill in where it is asked, and name the provider "
                    + "itself: "
                    + written.strayKeys.uniqued.joined(separator: ", "))
        }
        let file = SourceFile(path: "\(bound.descriptor.id).yaml", text: written.text)
        provider = FlowProvider(file, client: client, secrets: secrets)
    }

    private static func impossible(_ detail: String) -> SignInFailure {
        SignInFailure(before: FailureCode.setupFailed, detail: detail, .english)
    }

    deinit { server.stop() }

    /// Stops listening; what it has issued is forgotten.
    public func stop() { server.stop() }
}
