internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import FlowSandbox
internal import OAuthProtocol
internal import Synchronization

/// Writes the security events of questions outside of a run to standard error, each once.
private final class SecurityPrinter: Sendable {
    private let stream: TextStream
    private let seen = Mutex<Set<SecurityEvent>>([])

    init(_ stream: TextStream) {
        self.stream = stream
    }

    func receive(_ event: SecurityEvent) {
        guard seen.withLock({ $0.insert(event).inserted }) else { return }
        var page = Page(RenderOptions())
        SecurityLines.write(event, sign: Symbol.warning, &page)
        stream.write(page.take())
    }
}

/// The only place that makes the objects of a run that touches the world.
struct LiveSetup: Sendable {
    let surroundings: Surroundings
    /// Further variables that hold client secrets.
    let secretVariables: Set<String>
    /// Whether a run that needs a person can be resumed later.
    var suspendsRuns = false
    /// Whether the run was begun by another process.
    var isResuming = false
    /// Where the browser ended, as somebody says.
    var answer: Secret?
    /// Goes on with runs that were interrupted while they renewed a session.
    var recovery: (@Sendable (ResumableRun, SessionKey) async -> Void)?

    /// - Parameter lent: Sessions whose lock the caller holds for the run.
    func effects(_ options: LiveOptions, lent: Set<SessionKey> = []) throws(Problem) -> LiveEffects {
        var configuration = try configuration(options)
        if configuration.savesSessions, !hasPlaces {
            throw .noPlace(
                for: "sessions", surroundings, instead: "set XDG_DATA_HOME and XDG_STATE_HOME",
                hints: ["for a sign-in or a client's own token that need not be kept: --no-save"])
        }
        // Nothing is kept of the others that could be gone on with.
        configuration.suspendsRuns = suspendsRuns && configuration.savesSessions
        configuration.isResuming = isResuming
        configuration.answer = answer
        configuration.recovery = recovery
        do throws(LiveSetupError) {
            return try LiveEffects(configuration, lent: lent)
        } catch {
            throw problem(error.description)
        }
    }

    /// What asks a provider outside of a run.
    ///
    /// - Parameter keeps: Whether what it is told is kept for later runs.
    func probe(
        _ options: LiveOptions, _ common: CommonOptions, keeps: Bool = true
    ) throws(Problem) -> ProviderProbe {
        var configuration = try configuration(options)
        if !keeps { configuration.cacheDirectory = nil }
        configuration.onSlowAnswer = WaitLine(common, surroundings)?.show
        let printer = SecurityPrinter(surroundings.error)
        configuration.onSecurityEvent = { printer.receive($0) }
        do throws(LiveSetupError) {
            return try ProviderProbe(configuration)
        } catch {
            throw problem(error.description)
        }
    }

    /// What calls resources with the token of a session.
    func resourceClient(
        _ options: LiveOptions, _ common: CommonOptions, maximumBytes: Int
    ) throws(Problem) -> ResourceClient {
        var configuration = try configuration(options)
        configuration.onSlowAnswer = WaitLine(common, surroundings)?.show
        let printer = SecurityPrinter(surroundings.error)
        configuration.onSecurityEvent = { printer.receive($0) }
        do throws(LiveSetupError) {
            return try ResourceClient(configuration, maximumBytes: maximumBytes)
        } catch {
            throw problem(error.description)
        }
    }

    /// What shows the certificates of hosts.
    func chainProbe(_ options: LiveOptions) throws(Problem) -> ChainProbe {
        let configuration = try configuration(options)
        do throws(LiveSetupError) {
            return try ChainProbe(configuration)
        } catch {
            throw problem(error.description)
        }
    }

    /// Where processes that wait for an answer can be reached.
    func relayDirectory() throws(Problem) -> String {
        guard hasPlaces else {
            throw .noPlace(for: "sessions", surroundings, instead: "set XDG_DATA_HOME and XDG_STATE_HOME")
        }
        return try configuration(LiveOptions()).relayDirectory
    }

    /// Whether anybody has said where sessions and locks go.
    private var hasPlaces: Bool {
        let directories = UserDirectories(surroundings)
        return directories.data != nil && directories.state != nil
    }

    /// Below a device no folder can be made: whatever goes without sessions goes without a place for them.
    private static let nowhere = "/dev/null"

    private func configuration(_ options: LiveOptions) throws(Problem) -> LiveConfiguration {
        let directories = UserDirectories(surroundings)
        var configuration = LiveConfiguration(
            storeDirectory: FilePath.join(directories.data ?? Self.nowhere, "store"),
            stateDirectory: directories.state ?? Self.nowhere,
            environment: environment)
        if let (file, source) = AuthorityFile.named(options.caFile, surroundings) {
            if let problem = AuthorityFile.problem(file, in: surroundings.directory) {
                throw Problem(
                    .config, problem, hints: ["\(source) names a file of certificate authorities in PEM"])
            }
            configuration.caFile = FilePath.join(surroundings.directory, file)
        }
        configuration.port = options.port
        configuration.opensBrowser = options.addressPlaces.opensBrowser
        configuration.headless = options.headless
        configuration.isSeen = surroundings.error.isTerminal
        let mayAsk = options.mayAsk && !isUnattended(options)
        configuration.pastedLines = mayAsk ? PastingPlace.lines(surroundings) : nil
        configuration.browserCommand = browserCommand(options)
        configuration.isInteractive = mayAsk
        configuration.savesSessions = options.savesSessions && options.store != .none
        configuration.protection = StoreSetup(surroundings: surroundings, mayAsk: options.mayAsk)
            .protection(options.store)
        configuration.httpTimeout = options.httpTimeout
        configuration.wait = options.wait
        configuration.cacheDirectory = directories.cache
        configuration.refreshesMetadata = options.refreshesMetadata
        configuration.tellsWaitsAfter = WaitLine.patience
        return configuration
    }

    /// A program is named from the folder in which the command is given, as a shell does.
    private func browserCommand(_ options: LiveOptions) -> [String]? {
        var words = options.browser?.split(separator: " ").map(String.init)
        if let program = words?.first, program.contains("/") {
            words?[0] = FilePath.join(surroundings.directory, program)
        }
        return words
    }

    /// Whether this is a job that nobody looks at: one of CI without a terminal, a browser or a word on either.
    private func isUnattended(_ options: LiveOptions) -> Bool {
        guard let job = surroundings.variable("CI"), !["", "0", "false"].contains(job.lowercased()) else {
            return false
        }
        return options.browser == nil && options.headless == .automatic
            && options.addressPlaces == AddressPlaces() && !surroundings.error.isTerminal
            && surroundings.variable("BROWSER") == nil && BrowserPlace(environment).obstacle != nil
    }

    /// The environment that browser and hooks get: without the variables that hold client secrets.
    private var environment: [String: String] { surroundings.withoutSecrets(secretVariables) }

    /// What cannot be set up, with what helps where that is for want of a place.
    private func problem(_ message: String) -> Problem {
        Problem(.local, message, hints: UserDirectories(surroundings).hints)
    }

    // MARK: Sandbox

    /// The sandbox for a run that needs one and finds none at its issuer; `nil` when the run needs none of its own.
    func sandbox(for providers: [BoundProvider], _ client: ClientOptions) throws(Problem) -> SandboxServer? {
        guard let provider = providers.first(where: \.descriptor.isSandbox),
            !client.variables.contains(where: { $0.name == "issuer" }),
            let text = provider.declared.issuer,
            let issuer = try? EndpointURL(text, allowLoopbackHTTP: true),  // its reader has checked it
            issuer.isLoopback, let port = UInt16(exactly: issuer.port), !LoopbackProbe.answers(port: port)
        else { return nil }
        do throws(Problem) {
            return try sandbox(port: port)
        } catch {
            // Another run may have started one since the port was asked.
            guard LoopbackProbe.answers(port: port) else { throw error }
            return nil
        }
    }

    func sandbox(
        port: UInt16?, as part: (provider: BoundProvider, redirectURI: String?)? = nil,
        _ change: (inout SandboxConfiguration) -> Void = { _ in }, log: (@Sendable (String) -> Void)? = nil
    ) throws(Problem) -> SandboxServer {
        let file: String?
        do throws(FileProblem) {
            file = try stateFile()
        } catch {
            throw problem(Problem(error).message)
        }
        do throws(LiveSetupError) {
            return try SandboxServer(
                port: port, stateFile: port == 0 || part != nil ? nil : file, as: part, change: change,
                log: log)
        } catch {
            throw problem(error.description)
        }
    }

    /// Keeps what the sandbox has issued, so that a later run can use its sessions; not for a port of chance.
    private func stateFile() throws(FileProblem) -> String? {
        guard let state = UserDirectories(surroundings).state else { return nil }
        let directory = FilePath.join(state, "sandbox")
        try PrivateFile.makeDirectory(directory)
        return FilePath.join(directory, "state.json")
    }
}
