internal import FlowLive

extension LogoutAllRequest {
    /// - Returns: `nil` for another command, and for one session.
    init?(_ parsed: ParsedArguments) throws(UsageError) {
        guard parsed.spec.name == "logout", parsed.has("all") else { return nil }
        let foreign = ["dry-run", "trace", "report", "no-save"]
        if let option = foreign.first(where: parsed.has) {
            throw UsageError("--\(option) is about one session, and --all about many", command: "logout")
        }
        guard let request = try RunRequest(everyday: parsed) else { return nil }
        run = request
        // Each ends with this process.
        run.arguments = nil
        provider = run.providers.first?.name
        profile = try parsed.name("profile")
        revokes = parsed.has("revoke")
        isTold = !run.streamsEvents
    }
}

extension RunRequest {
    /// A command of every day: a shipped flow under a name of its own.
    ///
    /// - Returns: `nil` for another command.
    init?(everyday parsed: ParsedArguments) throws(UsageError) {
        switch parsed.spec.name {
        case let name where Self.everydayFlows.contains(name):
            try self.init(parsed, flow: parsed.spec.name)
        case "token", "exec": try self.init(parsed, flow: Self.tokenFlow(parsed))
        default: return nil
        }
        needsSession =
            parsed.spec.name != "login" && parsed.spec.name != "logout"
            && !parsed.has("client-credentials")
        forgetsSession = parsed.spec.name == "logout" || parsed.spec.name == "revoke"
        if parsed.spec.name != "exec" {
            if let name = parsed.arguments.first { providers.insert(ProviderChoice(name: name), at: 0) }
        }
        switch parsed.spec.name {
        case "refresh": inputs.append(.forcedRefresh)
        case "logout":
            for name in ["revoke", "everywhere"] {
                inputs.append(NamedText(name: name, text: String(parsed.has(name))))
            }
        case "introspect":
            inputs.append(NamedText(name: "refresh_token", text: String(parsed.has("refresh-token"))))
        case "token":
            product = .token(try Self.token(parsed), asField: parsed.has("header"))
            if parsed.has("force-refresh") { inputs.append(.forcedRefresh) }
        case "exec":
            let token = try Self.token(parsed)
            let variable = parsed.last("variable") ?? "FLOWRUN_\(token.rawValue.uppercased())_TOKEN"
            try parsed.checkVariable("variable", variable)
            product = .program(parsed.arguments, variable: variable, token: token)
        default: break
        }
        if let text = parsed.last("min-ttl") {
            minimumLife = try parsed.duration("min-ttl")
            inputs.append(NamedText(name: "min_ttl", text: text))
        }
        try takeNarrowing(parsed)
    }

    private static func token(_ parsed: ParsedArguments) throws(UsageError) -> CredentialRequest.Token {
        guard let kind = try parsed.tokenKind, kind == .id else { return .access }
        if let option = CommandTable.narrowing.first(where: { parsed.has($0.name) }) {
            throw UsageError(
                "--\(option.name) narrows an access token down; an ID token is for the client that signed in",
                command: parsed.spec.name)
        }
        return kind
    }

    /// Those that a command of the same name runs.
    static let everydayFlows: Set = ["login", "logout", "refresh", "userinfo", "revoke", "introspect"]

    /// The flow that ends with a good token: a person's, renewed, or the client's own.
    static func tokenFlow(_ parsed: ParsedArguments) -> String {
        parsed.has("client-credentials") ? clientsOwn : "refresh"
    }

    private static let clientsOwn = "client-credentials"

    /// Whether it is about a token of the client itself.
    var isClientsOwn: Bool { flow == Self.clientsOwn }

    /// Gives the flow the scopes and resources that the token is wanted for.
    mutating func takeNarrowing(_ parsed: ParsedArguments) throws(UsageError) {
        guard
            CommandTable.narrowing.allSatisfy(parsed.spec.options.contains)
                || parsed.has("client-credentials")
        else { return }
        // They are no further scopes of a sign-in.
        client.scopes = []
        let scopes = parsed.all("scope")
        guard scopes.allSatisfy({ $0.contains { $0 != " " } }) else {
            throw UsageError("--scope needs a scope", command: parsed.spec.name)
        }
        if !scopes.isEmpty { inputs.append(NamedText(name: "scopes", text: scopes.joined(separator: " "))) }
        let resources = parsed.all("resource")
        if let other = resources.first(where: { !Self.isResource($0) }) {
            throw UsageError(
                "--resource needs an absolute URI without a fragment (RFC 8707 §2), not \"\(other)\"",
                command: parsed.spec.name)
        }
        if !resources.isEmpty {
            inputs.append(NamedText(name: "resource", text: resources.joined(separator: " ")))
        }
    }

    /// A scheme, a colon and something behind it, in printable ASCII (RFC 3986 §4.3).
    private static func isResource(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), let first = text.utf8.first else {
            return false
        }
        let scheme = text.utf8[..<colon]
        return UInt8(ascii: "a")...UInt8(ascii: "z") ~= first | 0x20
            && scheme.allSatisfy { isSchemeByte($0) } && text.utf8.index(after: colon) != text.utf8.endIndex
            && text.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: ",")
            }
    }

    /// Of the names of schemes: letters, digits, plus, minus and dot.
    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

extension StatusRequest {
    init(_ parsed: ParsedArguments) throws(UsageError) {
        guard parsed.arguments.isEmpty || !parsed.has("provider") else {
            throw UsageError("give one of PROVIDER and --provider", command: parsed.spec.name)
        }
        provider = parsed.arguments.first ?? parsed.last("provider")
        profile = try parsed.name("profile")
        checks = parsed.has("check")
        store = parsed.last("store").flatMap(StoreChoice.init) ?? .automatic
        form = parsed.form
    }
}

extension StoreRequest {
    init(_ parsed: ParsedArguments) throws(UsageError) {
        store = parsed.last("store").flatMap(StoreChoice.init) ?? .automatic
        switch parsed.spec.name {
        case "store status": work = .status(parsed.form)
        case "store check": work = .check
        case "store seal":
            let word = parsed.arguments[0]
            guard let method = SealingMethod(rawValue: word) else {
                let words = SealingMethod.allCases.map(\.rawValue)
                throw UsageError(
                    "no method \"\(word)\"; there are \(words.joined(separator: ", "))"
                        + ArgumentReader.suggestion(word, words), command: parsed.spec.name)
            }
            work = .seal(method)
        case "store export":
            work = .exporting(file: parsed.arguments[0], passphraseFile: parsed.last("passphrase-file"))
        case "store import":
            work = .importing(
                file: parsed.arguments[0], passphraseFile: parsed.last("passphrase-file"),
                replaces: parsed.has("replace"))
        case "store reset":
            guard parsed.has("yes") else {
                throw UsageError(
                    "store reset deletes every session; say so with --yes", command: parsed.spec.name)
            }
            work = .reset
        default: preconditionFailure("CommandTable has a store command that nothing reads")
        }
    }
}
