internal import OAuthProtocol

extension HTTPCallRequest {
    init(_ parsed: ParsedArguments) throws(UsageError) {
        let word = parsed.arguments[0]
        guard let method = HTTPMethod(rawValue: word.uppercased()) else {
            throw UsageError("no method \"\(word)\"; there are \(Self.methods)", command: "http")
        }
        url = parsed.arguments[1]
        if let problem = EndpointURL.check(url, allowLoopbackHTTP: true) {
            throw UsageError("the URL \(problem.rawValue)", command: "http")
        }
        self.method = method
        fields = try Self.fields(parsed.all("header"))
        session = try RunRequest(session: parsed)
        allowedHosts = parsed.all("allow-host")
        resources = parsed.all("resource")
        showsFields = parsed.has("include")
        target = parsed.last("output")
        isJSON = parsed.has("json-body")
        guard !isJSON || !parsed.has("data") else {
            throw UsageError("give one of --data and --json-body", command: "http")
        }
        body = (parsed.last("json-body") ?? parsed.last("data")).map(BodyPlace.init)
        guard body == nil || (method != .get && method != .head) else {
            throw UsageError("\(method.rawValue) has no body", command: "http")
        }
    }

    /// Those that flowrun writes itself, in lower case.
    private static let own: Set = ["authorization", "dpop"]

    private static func fields(_ texts: [String]) throws(UsageError) -> [HTTPField] {
        var fields: [HTTPField] = []
        for text in texts {
            guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else {
                throw UsageError("--header needs 'NAME: VALUE'", command: "http")
            }
            let name = String(text[..<colon])
            guard !own.contains(name.lowercased()), !FieldName.belongsToTransport(name) else {
                throw UsageError("the header field \(name) is written by flowrun itself", command: "http")
            }
            let value = text[text.index(after: colon)...]
            guard FieldName.isWellFormed(name),
                value.utf8.allSatisfy({ $0 == 0x09 || (0x20...0x7E).contains($0) || $0 >= 0x80 })
            else {
                throw UsageError(
                    "--header needs a field name and a value in one line (RFC 9110 §5.1 and §5.5)",
                    command: "http")
            }
            fields.append(HTTPField(name, String(value.drop { $0 == " " || $0 == "\t" })))
        }
        return fields
    }
}

extension HTTPCallRequest.BodyPlace {
    init(_ text: String) {
        if text == "-" || text == "@-" {
            self = .standardInput
        } else if text.hasPrefix("@") {
            self = .file(String(text.dropFirst()))
        } else {
            self = .text(text)
        }
    }
}

extension CredentialRequest {
    init(_ parsed: ParsedArguments) throws(UsageError) {
        let words = parsed.spec.name.split(separator: " ")
        guard let name = words.last, let helper = Helper(rawValue: String(name)) else {
            preconditionFailure("CommandTable has a helper that nobody knows")
        }
        self.helper = helper
        let word = parsed.arguments.first ?? Action.get.rawValue
        guard let action = helper.actions.first(where: { $0.rawValue == word }) else {
            let known = helper.actions.map(\.rawValue)
            throw UsageError(
                "\(parsed.spec.name) knows \(known.joined(separator: ", ")), not \"\(word)\"",
                command: parsed.spec.name)
        }
        self.action = action
        let standard = parsed.has("client-credentials") ? .access : helper.standardToken
        token = try parsed.tokenKind ?? standard
        hosts = parsed.all("host")
        user = try parsed.user
        file = parsed.last("file")
        if let name = try parsed.variable("name") { self.name = name }
        if let word = parsed.last("to"), let reach = Reach(rawValue: word) { self.reach = reach }
        mayAsk = parsed.has("sign-in")
        session = try RunRequest(session: parsed)
        // Nobody sits before a helper.
        session.live.mayAsk = false
    }
}

extension SetupRequest {
    init(_ parsed: ParsedArguments) throws(UsageError) {
        guard let name = parsed.spec.name.split(separator: " ").last,
            let program = Program(rawValue: String(name))
        else { preconditionFailure("CommandTable has a setup that nobody knows") }
        self.program = program
        provider = parsed.arguments[0]
        client = try ClientOptions(parsed)
        hosts = parsed.all("host")
        user = try parsed.user
        token = try parsed.tokenKind
        mayAsk = parsed.has("sign-in")
        file = parsed.last("file")
        execVersion = parsed.last("exec-version") ?? "v1"
        binDirectory = parsed.last("bin-dir")
        replaces = parsed.has("replace")
        prints = parsed.has("print")
        session =
            parsed.words(of: ["profile", "client-id", "environment", "set", "cacert", "scope", "resource"])
            + (parsed.has("client-credentials") ? ["--client-credentials"] : [])
    }
}

extension ParsedArguments {
    /// What was asked for; `nil` for what the command usually gives.
    var tokenKind: CredentialRequest.Token? {
        get throws(UsageError) {
            let kind = last("kind").flatMap(CredentialRequest.Token.init)
            guard has("client-credentials") else { return kind }
            if kind == .id {
                throw UsageError(
                    "--client-credentials is for nobody who signs in, so there is no ID token",
                    command: spec.name)
            }
            if has("sign-in") {
                throw UsageError(
                    "give one of --client-credentials, for which nobody signs in, and --sign-in",
                    command: spec.name)
            }
            return kind
        }
    }

    /// A name that breaks out of no protocol.
    fileprivate var user: String? {
        get throws(UsageError) {
            guard let name = last("user") else { return nil }
            guard !name.isEmpty, name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw UsageError("--user needs a name without spaces", command: spec.name)
            }
            return name
        }
    }
}

extension RunRequest {
    /// The run that makes the token of a session good, of which nothing is shown.
    init(session parsed: ParsedArguments) throws(UsageError) {
        try self.init(parsed, flow: Self.tokenFlow(parsed))
        let isOwn = parsed.has("client-credentials")
        // Another process that goes on with it wants the session, not what this command makes of it. What nobody signed in
        // for needs none: it is asked for again.
        arguments = isOwn ? nil : parsed.rewritten(for: CommandTable.refresh)
        form = .text
        streamsEvents = false
        trace = nil
        needsSession = !isOwn
        if let text = parsed.last("min-ttl") {
            minimumLife = try parsed.duration("min-ttl")
            inputs.append(NamedText(name: "min_ttl", text: text))
        }
        try takeNarrowing(parsed)
    }
}
