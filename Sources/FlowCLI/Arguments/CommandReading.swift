internal import FlowLanguage
internal import FlowLive
internal import OAuthProtocol

extension Command {
    /// The typed command of parsed arguments.
    static func read(
        _ parsed: ParsedArguments, isRevealAllowed: Bool
    ) throws(UsageError) -> (command: Command, common: CommonOptions) {
        var common = CommonOptions(parsed)
        if parsed.has("help") {
            // Without a command everything is wanted, not the help on the help.
            let isOverview = parsed.isImplied && parsed.spec == CommandTable.help
            return (.help(topic: isOverview ? [] : [parsed.spec.name]), common)
        }
        var command = try command(parsed, isRevealAllowed: isRevealAllowed)
        common.project = command.projectUse
        if case .run(var request) = command, request.product != .outputs, common.verbosity == 1 {
            // Scripts read what it prints; the steps are there for those who ask.
            common.verbosity = 0
            request.tellsWaits = true
            command = .run(request)
        }
        return (command, common)
    }

    private static func checked(
        _ request: RunRequest, _ isRevealAllowed: Bool
    ) throws(UsageError) -> Command {
        if request.revealsSecrets {
            try checkReveal(isRevealAllowed, request.trace, request.reporting, command: "run")
        }
        return .run(request)
    }

    private static func checked(
        _ request: ResumeRequest, _ isRevealAllowed: Bool
    ) throws(UsageError) -> Command {
        if request.revealsSecrets {
            try checkReveal(isRevealAllowed, request.trace, request.reporting, command: "resume")
        }
        return .resume(request)
    }

    /// What shows secrets is for one pair of eyes: no log, and no files of the same run beside it.
    private static func checkReveal(
        _ isAllowed: Bool, _ trace: RunRequest.TraceTarget?, _ reporting: ReportingOptions, command: String
    ) throws(UsageError) {
        guard isAllowed else {
            throw UsageError(
                "--reveal shows secrets on terminals only; set FLOWRUN_ALLOW_REVEAL=1 to allow it elsewhere, where CI is not set",
                command: command)
        }
        guard trace == nil, reporting.reports.isEmpty else {
            throw UsageError(
                "--reveal goes with neither --trace nor --report: what is kept and passed on shows no secret",
                command: command)
        }
    }

    private static func command(_ parsed: ParsedArguments, isRevealAllowed: Bool) throws(UsageError)
        -> Command
    {
        if let request = try LogoutAllRequest(parsed) { return .logoutAll(request) }
        if let request = try RunRequest(everyday: parsed) { return try checked(request, isRevealAllowed) }
        switch parsed.spec.name {
        case "run", "plan":
            return try checked(try RunRequest(parsed, flow: parsed.arguments[0]), isRevealAllowed)
        case "resume", "callback": return try checked(try ResumeRequest(parsed), isRevealAllowed)
        case "scheme register":
            return .scheme(
                SchemeRequest(work: .register(parsed.arguments[0], replaces: parsed.has("replace"))))
        case "scheme unregister": return .scheme(SchemeRequest(work: .unregister(parsed.arguments[0])))
        case "scheme list": return .scheme(SchemeRequest(work: .list(parsed.form)))
        case let name where name.hasPrefix("trace "): return .trace(try TraceRequest(parsed))
        case "journal": return .journal(JournalRequest(parsed))
        case "status": return .status(try StatusRequest(parsed))
        case let name where name.hasPrefix("store "): return .store(try StoreRequest(parsed))
        case "http": return .http(try HTTPCallRequest(parsed))
        case let name where name.hasPrefix("credential "): return .credential(try CredentialRequest(parsed))
        case let name where name.hasPrefix("setup "): return .setup(try SetupRequest(parsed))
        case "lint":
            let format = parsed.last("format").flatMap(LintRequest.Format.init) ?? .human
            return .lint(
                LintRequest(
                    paths: parsed.arguments, provider: parsed.last("provider"), format: format,
                    coverage: parsed.has("coverage"), fixes: parsed.has("fix"),
                    exitsZero: parsed.has("exit-zero")))
        case "test":
            return .test(
                TestRequest(
                    flows: parsed.arguments, provider: parsed.last("provider"), filter: parsed.last("filter"),
                    format: parsed.last("format").flatMap(TestRequest.Format.init) ?? .text,
                    coverage: parsed.has("coverage")))
        case "explore":
            return .explore(
                ExploreRequest(
                    flow: parsed.arguments[0], providers: parsed.all("provider").map(ProviderChoice.init),
                    golden: parsed.last("check"), target: parsed.last("write"), form: parsed.form))
        case "provider list":
            return .listProviders(ProviderListRequest(words: parsed.arguments, form: parsed.form))
        case "provider discover": return .discoverProvider(try DiscoverRequest(parsed))
        case "provider test": return .testProvider(try ProviderTestRequest(parsed))
        case "provider add": return .addProvider(try ProviderAddRequest(parsed))
        case "provider hosts":
            return .providerHosts(
                ProviderHostsRequest(
                    provider: parsed.arguments[0], client: try ClientOptions(parsed), form: parsed.form))
        case "provider pins":
            return .providerPins(
                ProviderPinsRequest(
                    provider: parsed.arguments[0], client: try ClientOptions(parsed),
                    live: try LiveOptions(parsed), form: parsed.form))
        case "provider show": return .show(.provider, name: parsed.arguments[0], parsed.form)
        case "flow list": return .listFlows(parsed.form)
        case "flow show": return .show(.flow, name: parsed.arguments[0])
        case "sandbox":
            return .sandbox(try SandboxRequest(parsed))
        case "trust", "untrust": return .trust(TrustRequest(parsed))
        case "hooks list":
            return .hooks(
                HooksRequest(
                    flow: parsed.arguments[0], provider: parsed.last("provider"), form: parsed.form))
        case "register": return .register(try RegisterRequest(parsed))
        case "fmt":
            return .format(
                FormatRequest(
                    paths: parsed.arguments, checks: parsed.has("check"), showsDifference: parsed.has("diff"))
            )
        case "graph": return .graph(GraphRequest(parsed))
        case "flow new":
            return .newFlow(NewFlowRequest(name: parsed.arguments[0], model: parsed.last("from")))
        case "schema": return .schema(file: parsed.arguments[0])
        case "kinds":
            let form = KindsRequest.Form(parsed)
            guard form != .markdown || parsed.arguments.isEmpty else {
                throw UsageError("--markdown is about all kinds", command: "kinds")
            }
            return .kinds(KindsRequest(kind: parsed.arguments.first, form: form))
        case "jwt decode":
            return .decodeToken(file: parsed.arguments.first ?? "-", parsed.form)
        case "jwt verify": return .verifyToken(try VerifyTokenRequest(parsed))
        case "jwt sign": return .signToken(try SignTokenRequest(parsed))
        case "pkce": return .pkce(file: parsed.arguments.first, parsed.form)
        case "doctor":
            return .doctor(
                DoctorRequest(
                    asksProviders: parsed.has("network"), isStrict: parsed.has("strict"),
                    live: try LiveOptions(parsed), form: parsed.form))
        case let name where name.hasPrefix("config "): return .config(ConfigRequest(parsed))
        case "completion":
            let word = parsed.arguments[0]
            guard let shell = CompletionScript.Shell(rawValue: word) else {
                let known = ArgumentReader.suggestion(word, CompletionScript.Shell.allCases.map(\.rawValue))
                throw UsageError("no completion for \"\(word)\"\(known)", command: "completion")
            }
            return .completion(shell)
        case "complete": return .complete(words: parsed.arguments)
        case "man": return .manual
        case "explain": return .explain(code: parsed.arguments[0])
        case "version": return .version(parsed.form)
        case "help": return .help(topic: parsed.arguments)
        default: preconditionFailure("CommandTable has a command that nothing reads")
        }
    }
}

extension ParsedArguments {
    var form: Command.Form {
        if has("json") { return .json }
        return last("output").flatMap(Command.Form.init) ?? .text
    }
}

extension ConfigRequest {
    init(_ parsed: ParsedArguments) {
        form = parsed.form
        switch parsed.spec.name {
        case "config path": work = .path
        case "config explain": work = .explain(key: parsed.arguments[0])
        case "config get": work = .get(key: parsed.arguments[0])
        case "config set":
            work = .set(
                key: parsed.arguments[0], value: parsed.arguments[1], isForUser: parsed.has("user"))
        default: preconditionFailure("CommandTable has a config command that nothing reads")
        }
    }
}

extension GraphRequest {
    init(_ parsed: ParsedArguments) {
        flow = parsed.arguments[0]
        file = parsed.last("output")
        replaces = parsed.has("replace")
        showsAll = parsed.has("all")
        let ending = file.flatMap { $0.split(separator: ".").last }.map(String.init)
        format = (parsed.last("format") ?? ending).flatMap(Format.init) ?? .mermaid
    }
}

extension KindsRequest.Form {
    init(_ parsed: ParsedArguments) {
        if parsed.has("markdown") {
            self = .markdown
        } else {
            self = parsed.form == .json ? .json : .text
        }
    }
}

extension CommonOptions {
    init(_ parsed: ParsedArguments) {
        colour = parsed.last("color").flatMap(Colour.init) ?? .auto
        isASCII = parsed.has("ascii")
        verbosity = parsed.has("quiet") ? 0 : 1 + min(parsed.count("verbose"), 2)
        providersDirectory = parsed.last("providers")
        form = parsed.form
    }
}

extension RunRequest {
    init(_ parsed: ParsedArguments, flow: String) throws(UsageError) {
        self.flow = flow
        arguments = parsed
        offersOwnToken = parsed.spec.options.contains { $0.name == "client-credentials" }
        isImplied = parsed.isImplied
        providers = parsed.all("provider").map(ProviderChoice.init)
        inputs = try parsed.pairs("input") + parsed.pairs("var")
        profile = try parsed.name("profile") ?? "default"
        client = try ClientOptions(parsed)
        rehearsal = try Rehearsal(parsed)
        live = try LiveOptions(parsed)
        form = parsed.form
        streamsEvents = parsed.has("json")
        revealsSecrets = parsed.has("reveal")
        trace = TraceTarget(parsed)
        reporting = try ReportingOptions(parsed)
        switch parsed.last("output") {
        case "token": product = .token(.access, asField: false)
        case "header": product = .token(.access, asField: true)
        default: break
        }
    }
}

extension ReportingOptions {
    init(_ parsed: ParsedArguments) throws(UsageError) {
        for text in parsed.all("report") {
            let giver = parsed.giver("report")
            let target = try ReportTarget(text, command: parsed.spec.name, giver: giver)
            guard !["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(target.file) else {
                throw UsageError(
                    "\(giver): standard output bears the result of the run; write the report to a file",
                    command: parsed.spec.name)
            }
            reports.append(target)
        }
        try ReportTarget.check(
            reports, trace: parsed.last("trace"), command: parsed.spec.name, giver: parsed.giver("report"))
        isKept = !parsed.has("no-trace")
        isStrict = parsed.last("redact") == "strict"
    }
}

extension RunRequest.Rehearsal {
    /// - Returns: `nil` for a live run.
    init?(_ parsed: ParsedArguments) throws(UsageError) {
        guard parsed.spec.name == "plan" || parsed.has("dry-run") else {
            for name in ["assume", "given", "seed", "now", "check", "fault", "run-hooks"]
            where parsed.has(name) {
                throw UsageError("--\(name) is for rehearsals: add --dry-run", command: parsed.spec.name)
            }
            guard !parsed.has("why") else {
                throw UsageError(
                    "--why is for rehearsals: add --dry-run; of a run that was made: flowrun trace show RUN --why STEP",
                    command: parsed.spec.name)
            }
            return nil
        }
        depth = parsed.last("dry-run").flatMap(Depth.init) ?? .plan
        faults = parsed.all("fault")
        guard faults.isEmpty || depth == .sandbox else {
            throw UsageError("--fault is for the sandbox: add --dry-run=sandbox", command: parsed.spec.name)
        }
        runsHooks = parsed.has("run-hooks")
        if runsHooks, depth != .sandbox {
            throw UsageError(
                "--run-hooks is for what the sandbox answers: add --dry-run=sandbox",
                command: parsed.spec.name)
        }
        if runsHooks, parsed.has("no-hooks") {
            throw UsageError("give one of --run-hooks and --no-hooks", command: parsed.spec.name)
        }
        for text in parsed.all("assume") {
            guard let assumption = Assumption(text) else {
                throw parsed.wrong("assume", text, "STEP=OUTCOME, STEP@2=OUTCOME or STEP=400:invalid_grant")
            }
            assumptions.append(assumption)
        }
        given = try parsed.pairs("given")
        seed = try parsed.number("seed") ?? 1
        if let text = parsed.last("now") {
            guard let time = TimeText.parse(text) else {
                throw parsed.wrong("now", text, "a time such as 2026-01-31T12:00:00Z")
            }
            now = time
        }
        golden = parsed.last("check")
        why = try WhyQuestion(parsed)
        if why != nil, golden != nil {
            throw UsageError(
                "--check compares the whole plan, --why shows one step of it: give one of them",
                command: parsed.spec.name)
        }
    }
}

extension RunRequest.TraceTarget {
    init?(_ parsed: ParsedArguments) {
        guard let file = parsed.last("trace") else { return nil }
        self.file = file
        format = parsed.last("trace-format").flatMap(Format.init) ?? (file == "-" ? .text : .jsonl)
    }
}

extension ClientOptions {
    init(_ parsed: ParsedArguments) throws(UsageError) {
        clientID = parsed.last("client-id")
        scopes = parsed.all("scope").flatMap { $0.split(separator: " ").map(String.init) }
        variables = try parsed.pairs("set")
        parameters = try parsed.pairs("param")
        if let clientID, let problem = Registration.problem(withClientID: clientID) {
            throw UsageError("the client identifier \(problem)", command: parsed.spec.name)
        }
        redirectURI = parsed.last("redirect-uri")
        if let redirectURI, let problem = RedirectURI.problem(with: redirectURI) {
            throw UsageError("the redirect URI \"\(redirectURI)\" \(problem)", command: parsed.spec.name)
        }
        var places: [SecretPlace] = []
        if let file = parsed.last("client-secret-file") { places.append(.file(file)) }
        if let name = try parsed.variable("client-secret-env") { places.append(.environment(name)) }
        if parsed.has("client-secret-stdin") { places.append(.standardInput) }
        guard places.count < 2 else {
            let takesInput = parsed.spec.options.contains { $0.name == "client-secret-stdin" }
            throw UsageError(
                takesInput
                    ? "give one of --client-secret-file, --client-secret-env and --client-secret-stdin"
                    : "give one of --client-secret-file and --client-secret-env", command: parsed.spec.name)
        }
        secret = places.first
        privateKey = try Self.place(of: "private-key", parsed)
        assertion = try Self.place(of: "client-assertion", parsed)
        environment = parsed.last("environment")
    }

    /// Where a file or a variable has it.
    private static func place(of name: String, _ parsed: ParsedArguments) throws(UsageError) -> SecretPlace? {
        let file = parsed.last("\(name)-file").map(SecretPlace.file)
        guard let variable = try parsed.variable("\(name)-env") else { return file }
        guard file == nil else {
            throw UsageError("give one of --\(name)-file and --\(name)-env", command: parsed.spec.name)
        }
        return .environment(variable)
    }
}

extension LiveOptions {
    init(_ parsed: ParsedArguments) throws(UsageError) {
        let places = parsed.all("url-to").flatMap { $0.split(separator: ",").map(String.init) }
        if !places.isEmpty { addressPlaces = try AddressPlaces(words: places, giver: parsed.giver("url-to")) }
        if parsed.has("no-browser") { addressPlaces.opensBrowser = false }
        headless = parsed.last("headless").flatMap(HeadlessChoice.init) ?? .automatic
        browser = try parsed.name("browser")
        port = try parsed.port("port")
        wait = try parsed.duration("wait")
        timeout = try parsed.duration("timeout")
        httpTimeout = try parsed.duration("http-timeout")
        mayAsk = !parsed.has("no-input")
        savesSessions = !parsed.has("no-save")
        store = parsed.last("store").flatMap(StoreChoice.init) ?? .automatic
        caFile = parsed.last("cacert")
        refreshesMetadata = parsed.has("refresh-metadata")
        asksHooks = !parsed.has("no-hooks")
        trustsPrograms = parsed.has("trust")
    }
}

extension SandboxRequest {
    init(_ parsed: ParsedArguments) throws(UsageError) {
        port = try parsed.port("port", mayBeAny: true)
        faults = parsed.all("fault")
        isAutomatic = parsed.has("automatic")
        algorithm = parsed.last("algorithm")
        requiresPushedRequests = parsed.has("require-pushed-requests")
        demandsNonce = parsed.has("demand-dpop-nonce")
        acceptsOtherScopes = parsed.has("any-scope")
        accessTokenLifetime = try parsed.duration("access-lifetime")
        if let file = parsed.last("initial-access-token-file") { initialAccessToken = .file(file) }
        if let name = parsed.last("initial-access-token-env") {
            guard initialAccessToken == nil else {
                throw UsageError(
                    "give one of --initial-access-token-file and --initial-access-token-env",
                    command: parsed.spec.name)
            }
            initialAccessToken = .environment(name)
        }
        provider = parsed.last("provider")
        client = try ClientOptions(parsed)
        descriptorFile = parsed.last("write")
        let isSpecific = descriptorFile != nil || client != ClientOptions()
        guard provider != nil || !isSpecific else {
            throw UsageError(
                "--set, --environment, --redirect-uri and --write are about the provider that --provider names",
                command: parsed.spec.name)
        }
        guard provider == nil || !demandsNonce else {
            throw UsageError(
                "a stand-in looks at no proof of possession: leave --demand-dpop-nonce out",
                command: parsed.spec.name)
        }
        form = parsed.form
    }
}
