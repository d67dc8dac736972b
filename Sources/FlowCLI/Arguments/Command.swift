internal import FlowLanguage
internal import FlowLive

/// What the command line asks for, every option in its type.
enum Command: Sendable {
    case run(RunRequest)
    case lint(LintRequest)
    case test(TestRequest)
    case explore(ExploreRequest)
    case listFlows(Form)
    case show(LibraryKind, name: String, Form = .text)
    case listProviders(ProviderListRequest)
    case discoverProvider(DiscoverRequest)
    case testProvider(ProviderTestRequest)
    case addProvider(ProviderAddRequest)
    case providerHosts(ProviderHostsRequest)
    case providerPins(ProviderPinsRequest)
    case status(StatusRequest)
    case logoutAll(LogoutAllRequest)
    case resume(ResumeRequest)
    case journal(JournalRequest)
    case trace(TraceRequest)
    case scheme(SchemeRequest)
    case store(StoreRequest)
    case http(HTTPCallRequest)
    case credential(CredentialRequest)
    case setup(SetupRequest)
    case register(RegisterRequest)
    case sandbox(SandboxRequest)
    case trust(TrustRequest)
    case hooks(HooksRequest)
    case kinds(KindsRequest)
    case graph(GraphRequest)
    case newFlow(NewFlowRequest)
    case schema(file: String)
    case format(FormatRequest)
    case explain(code: String)
    case decodeToken(file: String, Form)
    case verifyToken(VerifyTokenRequest)
    case signToken(SignTokenRequest)
    case pkce(file: String?, Form)
    case doctor(DoctorRequest)
    case config(ConfigRequest)
    case completion(CompletionScript.Shell)
    case complete(words: [String])
    case manual
    case version(Form)
    case help(topic: [String])

    /// How results are written.
    enum Form: String, Sendable, Hashable {
        case text, json
    }
}

/// What holds for every command.
struct CommonOptions: Sendable, Hashable {
    enum Colour: String, Sendable, Hashable {
        case auto, always, never
    }

    var colour = Colour.auto
    var isASCII = false
    /// 0 quiet, 1 usual, 2 and 3 more.
    var verbosity = 1
    var providersDirectory: String?
    /// In which the command writes its result.
    var form = Command.Form.text
    /// Which files of the project count.
    var project = ProjectUse.all
}

/// What a command takes from the folder that it is run in, which may be a stranger's: whoever enters a repository has not
/// said yes to what lies there.
enum ProjectUse: Sendable, Hashable {
    case all
    /// No flows: what is done with a stored session is what the user or flowrun says.
    case noFlows
    /// Nothing: other programs run the command, wherever they are.
    case nothing
}

extension Command {
    var projectUse: ProjectUse {
        switch self {
        case .credential, .setup: .nothing
        case .http, .logoutAll: .noFlows
        case .run(let request): request.needsSession || request.forgetsSession ? .noFlows : .all
        default: .all
        }
    }
}

/// A provider for an alias of the flow; without alias for its only or first one.
struct ProviderChoice: Sendable, Hashable {
    var alias: String?
    var name: String
}

extension ProviderChoice {
    /// - Parameter text: `NAME` or `ALIAS=NAME`; a name may be a path.
    init(_ text: String) {
        let equals = text.firstIndex(of: "=").flatMap { text[..<$0].contains("/") ? nil : $0 }
        self.init(
            alias: equals.map { String(text[..<$0]) },
            name: equals.map { String(text[text.index(after: $0)...]) } ?? text)
    }
}

/// A flow to run or to rehearse.
struct RunRequest: Sendable {
    var flow: String
    /// True when the word was typed without a command, so that it may be a misspelt one.
    var isImplied = false
    var providers: [ProviderChoice] = []
    var inputs: [NamedText] = []
    var profile = "default"
    var client = ClientOptions()
    /// `nil` for a run that does what it says.
    var rehearsal: Rehearsal?
    var live = LiveOptions()
    var form = Command.Form.text
    /// Trace events as JSON lines on standard error, in place of progress.
    var streamsEvents = false
    var revealsSecrets = false
    var trace: TraceTarget?
    var reporting = ReportingOptions()
    var product = Product.outputs
    /// How it was asked for, to do the same in another process; `nil` for a run that ends with this one.
    var arguments: ParsedArguments?
    /// The command of which the run is a part, as somebody would type it; `nil` for those that run a flow.
    var command: String?
    /// Whether it uses a session that somebody has signed in for before, so that a sign-in is what helps.
    var needsSession = false
    /// Whether the command could take a token of the client itself in place of somebody's session.
    var offersOwnToken = false
    /// Whether nothing of the session is to be left on this machine after a success.
    var forgetsSession = false
    /// Milliseconds that the access token is to have left, where somebody said so.
    var minimumLife: Int64?
    /// Whether a run of which nothing else is shown tells what it waits for.
    var tellsWaits = false

    /// Whether the session is refreshed however good its access token is.
    var forcesRefresh: Bool { inputs.contains(.forcedRefresh) }

    /// What the command is for.
    enum Product: Sendable, Hashable {
        case outputs
        /// A token alone, perhaps as a header field.
        case token(CredentialRequest.Token, asField: Bool)
        /// A program with a token in a variable.
        case program([String], variable: String, token: CredentialRequest.Token)

        /// `nil` where it is none.
        var token: CredentialRequest.Token? {
            switch self {
            case .outputs: nil
            case .token(let token, _), .program(_, _, let token): token
            }
        }
    }

    /// How to rehearse.
    struct Rehearsal: Sendable {
        enum Depth: String, Sendable, Hashable, CaseIterable {
            /// All answers are made up.
            case plan
            /// Providers are asked for their metadata, which is then the real one.
            case discover
            /// The sandbox stands in for the providers.
            case sandbox
        }

        var depth = Depth.plan
        /// What goes wrong on purpose at the sandbox.
        var faults: [String] = []
        /// Whether hooks that stay on this machine are run with what the sandbox answers.
        var runsHooks = false
        var assumptions: [Assumption] = []
        /// What steps leave behind, whatever they would.
        var given: [NamedText] = []
        var seed: UInt64 = 1
        /// Milliseconds since 1970; the rehearsal's own default when it is not given.
        var now: Int64?
        var golden: String?
        /// What is shown in place of the plan.
        var why: WhyQuestion?
    }

    struct TraceTarget: Sendable, Hashable {
        enum Format: String, Sendable, Hashable {
            case text, jsonl
        }

        /// `-` is standard error.
        var file: String
        var format: Format
    }
}

/// Stored sessions to sign out of.
struct LogoutAllRequest: Sendable {
    /// What holds for each.
    var run: RunRequest
    /// Those at one provider, those of one profile; `nil` are all.
    var provider: String?
    var profile: String?
    /// Whether the providers are asked to revoke the tokens.
    var revokes = false
    /// Whether each is named before its steps are.
    var isTold = true
}

/// What is kept of a run and written about it.
struct ReportingOptions: Sendable {
    var reports: [ReportTarget] = []
    /// Whether its trace is kept with those of other runs.
    var isKept = true
    /// Whether traces and reports leave out all that strangers should not read.
    var isStrict = false
}

/// The client's registration as far as the command line gives it.
struct ClientOptions: Sendable, Hashable {
    enum SecretPlace: Sendable, Hashable {
        case file(String)
        case environment(String)
        case standardInput
    }

    var clientID: String?
    var secret: SecretPlace?
    var privateKey: SecretPlace?
    /// That somebody else issues.
    var assertion: SecretPlace?
    /// Which of the descriptor's environments holds.
    var environment: String?
    var scopes: [String] = []
    var variables: [NamedText] = []
    /// Of the authorization request.
    var parameters: [NamedText] = []
    var redirectURI: String?
}

/// Options of a run that touches the world; times in milliseconds.
struct LiveOptions: Sendable, Hashable {
    /// Where the address goes that a person must open.
    var addressPlaces = AddressPlaces()
    var headless = HeadlessChoice.automatic
    var browser: String?
    var port: UInt16?
    var wait: Int64?
    var timeout: Int64?
    var httpTimeout: Int64?
    var mayAsk = true
    var savesSessions = true
    var store = StoreChoice.automatic
    var caFile: String?
    var refreshesMetadata = false
    /// Whether exec, http and native hooks are run.
    var asksHooks = true
    /// Whether the flow may run programs that nobody has looked at.
    var trustsPrograms = false
}

struct LintRequest: Sendable, Hashable {
    enum Format: String, Sendable, Hashable {
        case human, short, json, sarif, github
    }

    var paths: [String] = []
    /// Flows are held against it too.
    var provider: String?
    var format = Format.human
    var coverage = false
    /// What is certain enough is corrected in the files.
    var fixes = false
    var exitsZero = false
}

struct TestRequest: Sendable, Hashable {
    enum Format: String, Sendable, Hashable {
        case text, tap, junit
    }

    var flows: [String] = []
    var provider: String?
    var filter: String?
    var format = Format.text
    var coverage = false
}

struct ExploreRequest: Sendable, Hashable {
    var flow: String
    /// As in a run.
    var providers: [ProviderChoice] = []
    /// A table to compare with.
    var golden: String?
    /// Where to write the table.
    var target: String?
    var form = Command.Form.text
}

struct StatusRequest: Sendable, Hashable {
    var provider: String?
    var profile: String?
    var checks = false
    var store = StoreChoice.automatic
    var form = Command.Form.text
}

/// Work on the store of sessions as a whole.
struct StoreRequest: Sendable, Hashable {
    enum Work: Sendable, Hashable {
        case status(Command.Form)
        case check
        case seal(SealingMethod)
        case exporting(file: String, passphraseFile: String?)
        case importing(file: String, passphraseFile: String?, replaces: Bool)
        case reset
    }

    var work: Work
    var store = StoreChoice.automatic
}

struct SandboxRequest: Sendable, Hashable {
    /// 0 for any free port.
    var port: UInt16?
    var faults: [String] = []
    var isAutomatic = false
    /// `RS256` and the like; `nil` for the sandbox's own choice.
    var algorithm: String?
    /// Whether authorization requests must be pushed (RFC 9126 §5).
    var requiresPushedRequests = false
    /// Whether every proof must hold a nonce (RFC 9449 §8).
    var demandsNonce = false
    /// Whether scopes that it does not know are granted too.
    var acceptsOtherScopes = false
    /// Where the token is without which nobody may register a client (RFC 7591 §3).
    var initialAccessToken: ClientOptions.SecretPlace?
    /// Milliseconds.
    var accessTokenLifetime: Int64?
    /// The provider that it stands in for; `nil` for none.
    var provider: String?
    /// Of that provider: variables, environment and redirect URI.
    var client = ClientOptions()
    /// Where a descriptor of the stand-in is written to.
    var descriptorFile: String?
    var form = Command.Form.text
}

struct KindsRequest: Sendable, Hashable {
    enum Form: Sendable, Hashable {
        case text, json, markdown
    }

    var kind: String?
    var form = Form.text
}

struct FormatRequest: Sendable, Hashable {
    var paths: [String] = []
    var checks = false
    var showsDifference = false
}

struct GraphRequest: Sendable, Hashable {
    enum Format: String, Sendable, Hashable {
        case mermaid, dot, svg
    }

    var flow: String
    var format = Format.mermaid
    /// `nil` for standard output.
    var file: String?
    /// Whether the picture takes the place of a file.
    var replaces = false
    var showsAll = false
}

struct NewFlowRequest: Sendable, Hashable {
    var name: String
    /// The flow to copy; `nil` for a small one.
    var model: String?
}
