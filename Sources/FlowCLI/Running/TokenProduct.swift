internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import Glibc
internal import JOSE
internal import OAuthProtocol

/// What a command delivers that is for a token alone.
struct TokenProduct {
    private let product: RunRequest.Product
    private let kind: CredentialRequest.Token
    private let secret: Secret
    private let tokens: TokenSet
    /// Of the ID token, where that is what is delivered.
    private let expiresAt: Int64?

    /// - Returns: `nil` for other commands, and for a run that ended without such a token, or with an ID token that has to be
    ///   renewed first.
    /// - Throws: Where the run has brought several, none of which is `main`.
    init?(_ request: RunRequest, _ outcome: RunOutcome) throws(Problem) {
        guard let kind = request.product.token, outcome.isSuccess else { return nil }
        let names = outcome.plan.program.tokenSets.map(\.name)
        guard let tokens = try Self.meant(names, outcome.tokens) else { return nil }
        product = request.product
        self.kind = kind
        self.tokens = tokens
        switch kind {
        case .access: (secret, expiresAt) = (tokens.accessToken, tokens.expiresAt)
        case .id:
            // Nothing renews it any further: then whatever is left has to do.
            let least = request.forcesRefresh ? 0 : request.minimumLife ?? HelperToken.leastLife
            guard let provider = outcome.plan.providers.first,
                let token = HelperToken.idToken(of: tokens, provider, leastLife: least)
            else { return nil }
            (secret, expiresAt) = (token.secret, token.expiresAt)
        }
    }

    /// The tokens of `main`, else those of the only set that was filled; a sub-flow's own count where there are no others.
    private static func meant(_ names: [String], _ tokens: [TokenSet?]) throws(Problem) -> TokenSet? {
        let filled = zip(names, tokens).compactMap { name, set in set.map { (name: name, tokens: $0) } }
        let own = filled.filter { !$0.name.contains("/") }
        if let main = own.first(where: { $0.name == "main" }) { return main.tokens }
        guard own.count < 2 else {
            let names = own.map { $0.name }.joined(separator: ", ")
            throw Problem(
                .usage, "the run has brought the tokens \(names), and one alone is to be written",
                hints: ["the step whose token is meant has into: main; else the flow gives them as outputs"])
        }
        return (own.first ?? filled.first)?.tokens
    }

    /// What to say of an ID token that was renewed and ends sooner than was asked for all the same; the run tells of access
    /// tokens.
    func shortLife(least: Int64?) -> String? {
        guard kind == .id, let least, let expiresAt else { return nil }
        let life = expiresAt - WallClock.now()
        guard life < least else { return nil }
        return "the provider gives ID tokens of \(max(0, life) / 1_000) s, less than --min-ttl demands: "
            + "every call asks for another"
    }

    /// - Returns: The process status; never returns where a program takes the process over.
    ///
    /// - Parameter secretVariables: Names of variables that hold secrets of registrations, which no program is to have.
    func deliver(_ context: CommandContext, _ form: Command.Form, hiding secretVariables: Set<String>) -> Int
    {
        switch product {
        case .outputs: break
        case .token(_, let asField):
            context.write(asField ? "Authorization: \(credentials)\n" : text(form))
        case .program(let words, let variable, _):
            return replaceProcess(words, variable, context, hiding: secretVariables)
        }
        return ExitStatus.ok.rawValue
    }

    /// As a request bears it (RFC 6750 §2.1).
    private var credentials: String {
        let isBearer = kind == .id || tokens.tokenType.lowercased() == "bearer"
        return "\(isBearer ? "Bearer" : tokens.tokenType) \(secret.reveal())"
    }

    private func text(_ form: Command.Form) -> String {
        guard form == .json else { return secret.reveal() + "\n" }
        var object: JSONObject = ["\(kind.rawValue)_token": .string(secret.reveal())]
        if kind == .access { object["token_type"] = .string(tokens.tokenType) }
        object["expires_at"] = expiresAt.map { .string(TimeText.format($0)) }
        if kind == .access { object["scopes"] = .array(tokens.scopes.map { .string($0) }) }
        return object.serialize() + "\n"
    }

    // MARK: Program

    /// The program inherits terminal, signals and status; the token is in its environment, never in its arguments.
    private func replaceProcess(
        _ words: [String], _ variable: String, _ context: CommandContext, hiding secretVariables: Set<String>
    ) -> Int {
        let surroundings = context.surroundings
        let path: String
        do throws(Problem) {
            path = try Self.path(of: words, surroundings)
        } catch {
            surroundings.complain(error.oneLine)
            return error.status.rawValue
        }
        var environment = surroundings.withoutSecrets(secretVariables)
        environment[variable] = secret.reveal()
        let variables = environment.map { "\($0.key)=\($0.value)" }
        Interruption.releaseSignals()
        CStrings.with(words) { arguments in
            CStrings.with(variables) { variables in _ = execve(path, arguments, variables) }
        }
        let code = errno
        let reason = code == ENOENT ? "its interpreter is missing" : String(cString: strerror(code))
        surroundings.complain("\(path) cannot be run: \(reason)")
        return (code == ENOENT ? ExitStatus.noProgram : .notExecutable).rawValue
    }

    /// The program that is to have the token, which is looked for before anybody is asked for one.
    ///
    /// - Throws: With the statuses of a shell (POSIX.1-2017, Shell Command Language §2.8.2).
    static func path(of words: [String], _ surroundings: Surroundings) throws(Problem) -> String {
        let program = words.first ?? ""
        let (directory, folders) = (surroundings.directory, surroundings.variable("PATH"))
        if let path = ProgramSearch.locate(program, from: directory, path: folders) { return path }
        if let file = ProgramSearch.file(program, from: directory, path: folders) {
            let name = program.contains("/") ? program : file
            throw Problem(.notExecutable, "\(name) is not executable", hints: ["chmod +x makes it so"])
        }
        let place = program.contains("/") ? "" : " in a folder of PATH"
        throw Problem(
            .noProgram, "there is no program \"\(program)\"\(place)",
            hints: words.count > 1 && !program.contains("/")
                ? ["a provider is named before the dashes: flowrun exec -p PROVIDER -- PROGRAM"] : [])
    }
}

/// Null-terminated arrays of C texts.
private enum CStrings {
    static func with(_ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Void) {
        let pointers = texts.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        body(pointers + [nil])
    }
}
