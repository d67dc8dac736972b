public import FlowEngine
public import OAuthProtocol

/// How live runs reach the world: handed in by the program that embeds the engine, never read from the environment.
public struct LiveConfiguration: Sendable {
    /// Folder of the session store; made with mode 0700 when missing.
    public var storeDirectory: String
    /// Folder for the locks of refreshing sessions.
    public var stateDirectory: String
    /// What browsers and hooks may inherit, proxies included; the caller keeps secrets out of it.
    public var environment: [String: String]
    /// PEM file of the only certificate authorities to trust; `nil` trusts the system's.
    public var caFile: String?
    /// Port of the callback listener; `nil` lets the descriptor or the system choose.
    public var port: UInt16?
    /// Whether a browser is opened, or the presenter asked; when not, the address is only in the trace.
    public var opensBrowser: Bool
    /// Program and first arguments to open URLs with; `nil` takes the system's.
    public var browserCommand: [String]?
    /// Whether a person can be asked for anything.
    public var isInteractive: Bool
    /// Whether sessions are kept; when not, nothing is read from the store either.
    public var savesSessions: Bool
    /// Longest HTTP exchange in milliseconds, at least one; `nil` leaves it to the flow.
    public var httpTimeout: Int64?
    /// Longest wait for a person in milliseconds, in the browser or on another device; `nil` leaves it to the flow. With
    /// zero, or less, only an answer counts that is there already.
    public var wait: Int64?
    /// Closures of `native` hooks.
    public var hooks: HookRegistry
    /// Answers `call` steps.
    public var ports: PortRegistry
    /// Where the host reports what `wait` steps wait for.
    public var events: EventDesk
    /// Folder for metadata and keys of providers, shared by processes; `nil` keeps them in memory only, for the runs of one
    /// `FlowRunner` and of those that it makes. In either case as long as the provider says.
    public var cacheDirectory: String?
    /// Whether metadata and keys that other processes kept are fetched again.
    public var refreshesMetadata: Bool
    /// Whether a provider on this machine or in a private network may publish addresses there. A host that lets
    /// strangers name issuers says no; then even such an issuer is not asked.
    public var allowsPrivateIssuers = true
    /// Receives every security event of a run once, and those of questions outside of runs, whoever listens to the
    /// trace.
    public var onSecurityEvent: (@Sendable (SecurityEvent) -> Void)?

    /// Folder of the sockets at which other processes of this user can bring an answer.
    package var relayDirectory: String { stateDirectory + "/callbacks" }
    /// Whether the person's browser is taken to be on another machine.
    public var headless = HeadlessChoice.automatic
    /// Whether somebody reads the messages. An address to sign out at holds the ID token and is for no log.
    package var isSeen = true
    /// Whether anybody is told an address that no browser was opened with.
    package var isHeard = true
    /// Gives the lines of a terminal at which a person can paste the address that the browser ended at; `nil` where
    /// nobody can. Asked once for each wait; a wait that is over ends its iteration.
    public var pastedLines: (@Sendable () -> AsyncStream<Secret>)?
    /// Where the browser ended, as somebody says who was told so: the answer that the run waits for, or none.
    package var answer: Secret?
    /// Whether a run that needs a person waits in its journal where nobody can be asked.
    package var suspendsRuns = false
    /// Whether the page that is shown now is answered in a later stretch of the run, which is put aside until then.
    var isAnsweredLater: @Sendable () -> Bool = { false }
    /// Whether the run was begun by another process, which may have done more than its journal tells.
    package var isResuming = false
    /// Goes on with a run that was interrupted while it renewed a session, and whose lock is held for it meanwhile.
    package var recovery: (@Sendable (ResumableRun, SessionKey) async -> Void)?

    /// After how many milliseconds a run tells what it waits for; `nil` tells only of waits for a person or a lock.
    package var tellsWaitsAfter: Int64?
    /// Told of a slow answer to a question outside of runs, and with `nil` that it came.
    package var onSlowAnswer: (@Sendable (SlowWait?) -> Void)?

    /// Shows addresses to a person, in place of the system's browser; `opensBrowser` still says whether.
    public var presenter: (any BrowserPresenter)?
    /// Keeps sessions, in place of the database in `storeDirectory`; processes still lock one another out by files in
    /// `stateDirectory`.
    public var store: (any SessionStore)?
    /// How long a store of the program is waited for where no step says, and a save at least, in milliseconds: what is
    /// not kept is lost, whatever time a step has left.
    var storePatience: Int64 = 15_000
    /// Where the key of the session store is.
    public var protection = StoreProtection()

    /// Everything that a program usually says; the rest are variables.
    public init(
        storeDirectory: String, stateDirectory: String, environment: [String: String] = [:],
        caFile: String? = nil,
        port: UInt16? = nil, opensBrowser: Bool = true, browserCommand: [String]? = nil,
        isInteractive: Bool = true,
        savesSessions: Bool = true, httpTimeout: Int64? = nil, wait: Int64? = nil,
        hooks: HookRegistry = HookRegistry(), ports: PortRegistry = PortRegistry(),
        events: EventDesk = EventDesk(), cacheDirectory: String? = nil, refreshesMetadata: Bool = false
    ) {
        self.storeDirectory = storeDirectory
        self.stateDirectory = stateDirectory
        self.environment = environment
        self.caFile = caFile
        self.port = port
        self.opensBrowser = opensBrowser
        self.browserCommand = browserCommand
        self.isInteractive = isInteractive
        self.savesSessions = savesSessions
        self.httpTimeout = httpTimeout
        self.wait = wait
        self.hooks = hooks
        self.ports = ports
        self.events = events
        self.cacheDirectory = cacheDirectory
        self.refreshesMetadata = refreshesMetadata
    }
}

extension LiveConfiguration {
    /// Which folder that runs use cannot be one, and why; `nil` where each can. Looks at the texts alone.
    var mistakeInFolders: String? {
        let ownStore = savesSessions && store == nil
        let used = [
            ("storeDirectory", ownStore ? storeDirectory : nil), ("stateDirectory", stateDirectory),
            ("cacheDirectory", cacheDirectory),
        ]
        for (name, path) in used {
            guard let path else { continue }
            if path.isEmpty { return "\(name) is empty" }
            if path.utf8.contains(0) { return "\(name) has a NUL byte" }
        }
        return nil
    }

    /// Why nobody can be trusted by the file of authorities; `nil` where it holds a certificate, or none is named.
    var mistakeInAuthorities: String? {
        let variable = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        let named = caFile.map { ("caFile", $0) } ?? variable.map { ("SSL_CERT_FILE", $0) }
        return named.flatMap { name, path in AuthorityFile.problem(path).map { "\(name): \($0)" } }
    }

    /// Until when a person is waited for at most, in milliseconds since 1970.
    func end(ofWaitFrom now: Int64) -> Int64 {
        guard let wait else { return .max }
        let (end, overflow) = now.addingReportingOverflow(max(0, wait))
        return overflow ? .max : end
    }

    /// Tells of an answer outside of runs that is slow; the time an exchange may take is in milliseconds.
    func watched<Answer>(
        _ what: String, _ timeout: Int, _ work: () async -> Answer
    ) async -> Answer {
        guard let onSlowAnswer else { return await work() }
        let wait = SlowWait(what: what, until: WallClock.now() + Int64(timeout))
        let answer = await SlowWork.run(tellingAfter: tellsWaitsAfter, { onSlowAnswer(wait) }, work)
        onSlowAnswer(nil)
        return answer
    }

    /// How long an exchange may take, in milliseconds: what is configured, else the standard.
    func exchangeTime(standard: Int64) -> Int {
        Int(min(max(1, httpTimeout ?? standard), 24 * 3_600_000))
    }
}

extension LiveConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says where it keeps things; the environment may hold secrets.
    public var description: String { "‹configuration: \(storeDirectory), \(stateDirectory)›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

/// Whether a browser can be opened where the program runs.
public enum HeadlessChoice: String, Sendable, Hashable, CaseIterable {
    /// Told from the environment: not in an SSH session or a container without a display.
    case automatic = "auto"
    /// No browser is opened.
    case always = "on"
    /// A browser is opened whatever the environment says, and however many were opened before.
    case never = "off"
}

/// Why live runs cannot begin.
package struct LiveSetupError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
    /// Names what has a text of its own; `nil` for what this machine lacks.
    let error: String?

    init(_ description: String, error: String? = nil) {
        self.description = description
        self.error = error
    }

    /// - Returns: `nil` where a sign-in can come back there.
    init?(redirectURI uri: String) {
        guard let problem = RedirectURI.problem(with: uri) else { return nil }
        self.init("it \(problem)", error: "unusable_redirect_uri")
    }
}
