internal import FlowLanguage
internal import OAuthProtocol
internal import YAMLText

/// `provider add`: a registration in `flowrun.yaml`, asked for where the command line does not say it.
struct ProviderAddCommand: Sendable {
    let context: CommandContext
    let request: ProviderAddRequest

    private var surroundings: Surroundings { context.surroundings }

    func run() throws(Problem) -> Int {
        let files = try context.registrations()
        let descriptor = try context.library.provider(request.provider).descriptor
        let file = try RegistrationFile(
            files.registration(of: descriptor.id), isForUser: request.isForUser, context)
        let path = file.path
        let entry = files.registrations.first { $0.provider == descriptor.id && $0.file == path }
        let known = Known(entry)
        var draft = try given(descriptor, path)
        let mayAsk = request.mayAsk && Prompter.canAsk(surroundings)
        if mayAsk {
            try ask(descriptor, known, path, &draft)
        } else {
            try require(descriptor, known, draft)
        }
        try entry?.checkManagement(by: draft.clientID)
        try checkReplacement(of: entry, by: draft, mayAsk: mayAsk)
        // Of whom the client was that goes.
        if let new = draft.clientID, new != entry?.clientID?.value { draft.drops.insert("issuer") }
        // A provider file may be about clients without one.
        if draft.secret != nil, descriptor.client.authenticationMethod == .some(.none) {
            draft.authenticationMethod = .clientSecretBasic
        }
        try file.write(draft)
        conclude(descriptor, draft.redirectURI ?? entry?.redirectURI?.value, path, wasAsked: mayAsk)
        return ExitStatus.ok.rawValue
    }

    /// What the file says already.
    private struct Known {
        let clientID: String?
        let hasSecret: Bool
        let hasCertificate: Bool
        /// Of the certificate, which may be the one that signs.
        let hasKey: Bool
        let variables: Set<String>

        init(_ entry: Registration?) {
            clientID = entry?.clientID?.value
            hasSecret = entry?.secret != nil || entry?.privateKey != nil || entry?.assertion != nil
            hasCertificate = entry?.certificate != nil
            hasKey = entry?.privateKey != nil || entry?.certificateKey != nil
            variables = Set(entry?.variables.map(\.name) ?? [])
        }
    }

    /// Another client has other secrets and sessions: it takes the place of one only where somebody says so.
    private func checkReplacement(
        of entry: Registration?, by draft: RegistrationDraft, mayAsk: Bool
    ) throws(Problem) {
        guard let entry, let known = entry.clientID?.value, let new = draft.clientID, new != known,
            !request.replaces
        else { return }
        let message = "\(entry.file) has the client \(known) for \(entry.provider)"
        if mayAsk {
            let answer = try Prompter(surroundings: surroundings).ask(
                "\(message). Put \(new) in its place? yes or no", standard: "no")
            if ["y", "yes"].contains(answer.lowercased()) { return }
        }
        throw Problem(
            .usage, message,
            hints: [
                "to put \(new) in its place: --replace",
                "for both: another provider file that extends this one, or --user",
            ])
    }

    // MARK: What the command line says

    private func given(_ descriptor: ProviderDescriptor, _ path: String) throws(Problem) -> RegistrationDraft
    {
        let options = request.client
        var draft = RegistrationDraft(provider: descriptor.id)
        draft.clientID = options.clientID
        draft.secret = try secretSource(path)
        if request.isPublic { draft.drops = ["client_secret", "token_endpoint_auth_method"] }
        draft.privateKey = source(options.privateKey, path)
        draft.assertion = source(options.assertion, path)
        draft.certificate = request.certificateFile.map { .file(stored($0, path)) }
        draft.certificateKey = request.certificateKeyFile.map { .file(stored($0, path)) }
        if let problem = options.environment.flatMap(descriptor.mistake(inEnvironment:)) {
            throw Problem(.usage, problem.message, hints: [problem.hint])
        }
        draft.environment = options.environment
        draft.scopes = options.scopes
        draft.redirectURI = options.redirectURI
        var problems: [String] = []
        for pair in options.variables {
            if let variable = descriptor.variables.first(where: { $0.name == pair.name }), variable.isSecret {
                if let source = SecretPlaceText.read(pair.text, stored: { stored($0, path) }) {
                    draft.variables.append((pair.name, .secret(source)))
                } else {
                    problems.append(SecretPlaceText.problem(with: pair.name))
                }
            } else if let problem = Self.problem(pair, descriptor) {
                problems.append(problem)
            } else {
                draft.variables.append((pair.name, .text(pair.text)))
            }
        }
        guard problems.isEmpty else {
            throw Problem(.usage, problems[0], hints: Array(problems.dropFirst()))
        }
        return draft
    }

    /// What keeps a value from being written for a variable.
    private static func problem(_ pair: NamedText, _ descriptor: ProviderDescriptor) -> String? {
        guard let variable = descriptor.variables.first(where: { $0.name == pair.name }) else {
            let near = ArgumentReader.suggestion(pair.name, descriptor.variables.map(\.name))
            return "provider \"\(descriptor.id)\" has no variable \"\(pair.name)\"\(near)"
        }
        return variable.problem(with: variable.completed(pair.text)).map {
            "variable \"\(pair.name)\" \($0)"
        }
    }

    private func secretSource(_ path: String) throws(Problem) -> SecretSource? {
        if let text = request.secretCommand {
            guard let words = WordSplitting.words(text) else {
                throw Problem(.usage, "--client-secret-command needs a program; a quote may not be closed")
            }
            if let problem = WordSplitting.problem(with: words) {
                throw Problem(.usage, "--client-secret-command: \(problem)")
            }
            return .command(words)
        }
        if let name = request.secretKeyring { return .keyring(name) }
        return source(request.client.secret, path)
    }

    private func source(_ place: ClientOptions.SecretPlace?, _ path: String) -> SecretSource? {
        place.flatMap { SecretSource($0, stored: { stored($0, path) }) }
    }

    private func stored(_ file: String, _ path: String) -> String {
        UserPath.stored(file, in: FilePath.parent(of: path), surroundings)
    }

    // MARK: What is missing

    private func needed(
        _ descriptor: ProviderDescriptor, _ known: Known, _ draft: RegistrationDraft
    ) -> [VariableSpec] {
        descriptor.variables.filter { variable in
            !known.variables.contains(variable.name) && !draft.variables.contains { $0.name == variable.name }
        }
    }

    /// What a client proves with who it is.
    private enum Proof {
        case secret, privateKey, certificate, certificateKey
    }

    /// What is still open.
    private func openProofs(
        _ descriptor: ProviderDescriptor, _ known: Known, _ draft: RegistrationDraft
    ) -> [Proof] {
        let method = descriptor.client.authenticationMethod
        if method == .some(.none) || descriptor.client.madeSecret != nil || request.isPublic { return [] }
        let hasCertificate = known.hasCertificate || draft.certificate != nil
        let hasKey = known.hasKey || draft.privateKey != nil || draft.certificateKey != nil
        let hasSecret =
            known.hasSecret || draft.secret != nil || draft.privateKey != nil || draft.assertion != nil
        var open: [Proof] = []
        if method?.isMutualTLS == true {
            if !hasCertificate { open.append(.certificate) }
        } else if !hasSecret {
            open.append(method == .privateKeyJWT ? .privateKey : .secret)
        }
        // A key that signs is the certificate's too where nothing else is said.
        let showsCertificate = method?.isMutualTLS == true || hasCertificate
        if showsCertificate, !hasKey, !open.contains(.privateKey) { open.append(.certificateKey) }
        return open
    }

    /// - Throws: Everything that nobody can be asked for.
    private func require(
        _ descriptor: ProviderDescriptor, _ known: Known, _ draft: RegistrationDraft
    ) throws(Problem) {
        var missing: [String] = []
        if draft.clientID == nil && known.clientID == nil { missing.append("--client-id ID") }
        for proof in openProofs(descriptor, known, draft) {
            switch proof {
            case .privateKey: missing.append("--private-key-file FILE or --private-key-env NAME")
            case .certificate: missing.append("--certificate-file FILE")
            case .certificateKey: missing.append("--certificate-key-file FILE")
            case .secret where descriptor.client.needsSecret:
                missing.append(
                    "--client-secret-env NAME, -file FILE, -command COMMAND or -keyring NAME; "
                        + "--public for a client without one")
            case .secret: break
            }
        }
        for variable in needed(descriptor, known, draft) where variable.isRequired && variable.standard == nil
        {
            missing.append(
                variable.isSecret
                    ? SecretPlaceText.options(for: variable.name) : "--set \(variable.name)=VALUE")
        }
        guard !missing.isEmpty else { return }
        var places: [String?] = []
        if draft.clientID == nil && known.clientID == nil {
            places = [
                descriptor.console.map { "register a client at \($0)" }, descriptor.registrationHint,
            ]
        }
        throw Problem(
            .authRequired,
            "a registration with \(RemoteText.sanitize(descriptor.displayName)) needs more, and nobody can be asked",
            hints: places.compactMap(\.self) + missing.map { "give \($0)" })
    }

    private func ask(
        _ descriptor: ProviderDescriptor, _ known: Known, _ path: String, _ draft: inout RegistrationDraft
    ) throws(Problem) {
        let prompter = Prompter(surroundings: surroundings)
        introduce(descriptor, draft)
        if draft.clientID == nil {
            draft.clientID = try prompter.ask("Client identifier", standard: known.clientID) {
                Registration.problem(withClientID: $0)
            }
        }
        let questions = SecretQuestions(
            prompter: prompter, surroundings: surroundings, name: descriptor.id,
            path: { [surroundings] in UserPath.stored($0, in: FilePath.parent(of: path), surroundings) })
        let prefix = RegistrationResolver.variablePrefix(descriptor.id)
        for proof in openProofs(descriptor, known, draft) {
            switch proof {
            case .privateKey:
                draft.privateKey = try questions.source(
                    of: "private key", variable: prefix + "_PRIVATE_KEY", none: nil)
            case .certificate:
                draft.certificate = try questions.source(
                    of: "client certificate", variable: prefix + "_CERTIFICATE", none: nil)
            case .certificateKey:
                draft.certificateKey = try questions.source(
                    of: "key of the certificate", variable: prefix + "_CERTIFICATE_KEY", none: nil)
            case .secret:
                draft.secret = try questions.source(
                    of: "client secret", variable: prefix + "_CLIENT_SECRET",
                    none: "nowhere: it is a public client")
            }
        }
        for variable in needed(descriptor, known, draft) where variable.isRequired || variable.standard != nil
        {
            let about = variable.description.map { "\(variable.name) (\($0))" } ?? variable.name
            if variable.isSecret {
                let name = "\(prefix)_\(RegistrationResolver.variablePrefix(variable.name))"
                guard let source = try questions.source(of: about, variable: name, none: nil) else {
                    continue
                }
                draft.variables.append((variable.name, .secret(source)))
                continue
            }
            let value = try prompter.ask(about, standard: variable.standard) {
                variable.problem(with: variable.completed($0))
            }
            if value != variable.standard { draft.variables.append((variable.name, .text(value))) }
        }
    }

    private func introduce(_ descriptor: ProviderDescriptor, _ draft: RegistrationDraft) {
        var page = Page(RenderOptions(context.common, surroundings.error, surroundings))
        page.line(Styled(RemoteText.sanitize(descriptor.displayName), .strong))
        if let console = descriptor.console {
            page.unwrapped(Styled("register a client at \(console)"), indent: 2)
        }
        if let hint = descriptor.registrationHint { page.line(Styled(hint), indent: 2) }
        page.unwrapped(
            Styled("redirect URI: \(RedirectWords.text(descriptor.redirect, fixed: draft.redirectURI))"),
            indent: 2)
        page.blank()
        surroundings.error.write(page.take())
    }

    private func conclude(
        _ descriptor: ProviderDescriptor, _ redirectURI: String?, _ path: String, wasAsked: Bool
    ) {
        var rows = [("wrote", path)]
        rows.append(("redirect URI", RedirectWords.text(descriptor.redirect, fixed: redirectURI)))
        if let console = descriptor.console { rows.append(("register at", console)) }
        let word = context.library.word(request.provider, for: descriptor.id)
        rows.append(("next", "flowrun provider test \(word)"))
        var page = Page(RenderOptions(context.common, surroundings.output, surroundings))
        let width = rows.map(\.0.count).max() ?? 0
        for (name, value) in rows { page.unwrapped(Styled("\(name.padded(to: width))  \(value)")) }
        // At a terminal it has been said before the questions.
        if let hint = descriptor.registrationHint, !wasAsked { page.line(Styled(hint), indent: width + 2) }
        context.write(page.take())
    }
}
