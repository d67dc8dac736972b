internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// `register --show`, `--update` and `--delete`: a client looks after its own registration (RFC 7592).
struct RegistrationManagement: Sendable {
    let context: CommandContext
    let request: RegisterRequest

    private var surroundings: Surroundings { context.surroundings }

    /// The client of the file, with what lets it change its registration.
    struct Known {
        let entry: Registration
        let client: RegisteredClient
        let management: RegisteredClient.Management
    }

    func run() async throws(Problem) -> Int {
        let survey = try ProviderSurvey(
            request.provider, request.client, context, isRehearsal: request.isRehearsal)
        let known: Known
        do throws(Problem) {
            known = try self.known(survey)
        } catch {
            guard request.forgets, let entry = survey.found.registration, let id = entry.clientID?.value
            else { throw error }
            return try forget(id, entry, because: error)
        }
        if request.isRehearsal {
            context.write(try plan(known, metadata: try wanted([:])).outline)
            return ExitStatus.ok.rawValue
        }
        let provider = try survey.bound(
            certificate: try survey.certificate(survey.resolver.reader(request.client)))
        let variables = survey.resolver.secretVariables(request.client)
        do throws(Problem) {
            try await asking(provider, variables) { probe async throws(Problem) in
                try await checkPlace(known, provider, probe)
                try await act(known, probe)
            }
        } catch {
            guard request.forgets else { throw error }
            return try forget(known.client.clientID, known.entry, because: error)
        }
        return ExitStatus.ok.rawValue
    }

    private func asking<Answer>(
        _ provider: BoundProvider, _ secretVariables: Set<String>,
        _ body: (ProviderProbe) async throws(Problem) -> Answer
    ) async throws(Problem) -> Answer {
        let setup = LiveSetup(surroundings: surroundings, secretVariables: secretVariables)
        let sandbox = try setup.sandbox(for: [provider], request.client)
        defer { sandbox?.stop() }
        let probe = try setup.probe(request.live, context.common)
        defer { probe.shutDown() }
        return try await body(probe.asking(provider))
    }

    /// Forgets a client here that the provider did not end.
    private func forget(
        _ clientID: String, _ entry: Registration, because problem: Problem
    ) throws(Problem) -> Int {
        let file = try RegistrationFile(entry, isForUser: false, context)
        try forget(entry, file)
        surroundings.complain("\(problem.message); \(clientID) is forgotten here all the same")
        RegistrationReport(context: context, form: request.form).forgotten(clientID, file.path)
        return ExitStatus.ok.rawValue
    }

    private func forget(_ entry: Registration, _ file: RegistrationFile) throws(Problem) {
        try file.remove(ManagedSecrets.keys, of: entry.provider)
        ManagedSecrets(entry: entry, file: file, surroundings: surroundings).forget()
    }

    // MARK: What is known

    private func known(_ survey: ProviderSurvey) throws(Problem) -> Known {
        guard let entry = survey.found.registration, let clientID = entry.clientID?.value else {
            throw Problem(
                .config, "no client of \(RemoteText.sanitize(survey.descriptor.displayName)) is registered",
                hints: ["register one: flowrun register \(survey.loaded.word)"])
        }
        guard let uri = entry.managementURI?.value, let source = entry.managementToken?.value else {
            throw Problem(
                .config, "the registration of \(clientID) cannot be changed from here",
                hints: [
                    "the provider gave no registration_client_uri, or the client was not registered by flowrun"
                ] + (request.action == .delete ? ["to forget it here all the same: --forget"] : []))
        }
        let token =
            request.isRehearsal
            ? Secret("rehearsed registration access token", kind: .registrationAccessToken)
            : try survey.resolver.reader(request.client).read(
                Self.found(source, entry), "registration access token", kind: .registrationAccessToken)
        let management = RegisteredClient.Management(uri: uri, token: token)
        return Known(
            entry: entry,
            client: .stored(
                clientID: clientID, secret: secret(entry, survey),
                method: entry.authenticationMethod?.value ?? survey.descriptor.client.authenticationMethod
                    ?? .clientSecretBasic, management: management),
            management: management)
    }

    private static func found(_ source: SecretSource, _ entry: Registration) -> Found<SecretLocation> {
        Found(
            SecretLocation(source, directory: FilePath.parent(of: entry.file)),
            .file(entry.file, line: entry.span.start.line))
    }

    /// `nil` also for one that cannot be read: the provider may tell it anew.
    private func secret(_ entry: Registration, _ survey: ProviderSurvey) -> Secret? {
        guard !request.isRehearsal, let source = entry.secret?.value else { return nil }
        return try? survey.resolver.reader(request.client).read(
            Self.found(source, entry), "client secret", kind: .clientSecret)
    }

    /// A file that names another place would send the token there.
    private func checkPlace(
        _ known: Known, _ provider: BoundProvider, _ probe: ProviderProbe
    ) async throws(Problem) {
        var endpoint = provider.known.fields.registrationEndpoint
        if endpoint == nil, provider.descriptor.discovery != .off, !provider.discoveryPlans.isEmpty {
            do throws(ProbeFailure) {
                let published = try await probe.metadata(
                    issuer: provider.declared.issuer ?? "", plans: provider.discoveryPlans,
                    acceptedIssuers: provider.acceptedMetadataIssuers, amended: provider.amendedMetadata
                ).metadata.fields
                endpoint = provider.known(published).fields.registrationEndpoint
            } catch {
                throw Problem(error.status, error.words, hints: error.fix.map { [$0] } ?? [])
            }
        }
        let expected = (endpoint ?? provider.declared.issuer).flatMap(Self.origin)
        guard expected != nil, Self.origin(known.management.uri) == expected else {
            throw Problem(
                .security,
                "registration_client_uri in \(known.entry.file) is not where \(RemoteText.sanitize(provider.descriptor.displayName)) registers clients",
                hints: [
                    "expected \(expected ?? "an https URL"), got \(Self.origin(known.management.uri) ?? "no URL")",
                    "nothing was sent: the registration access token is the provider's alone",
                ])
        }
    }

    private static func origin(_ url: String) -> String? {
        // What is no URL has no origin.
        (try? EndpointURL(url, allowLoopbackHTTP: true))?.origin
    }

    // MARK: Asking

    private func act(_ known: Known, _ probe: ProviderProbe) async throws(Problem) {
        let file = try RegistrationFile(known.entry, isForUser: false, context)
        let report = RegistrationReport(context: context, form: request.form)
        if request.action == .delete {
            let end = try await end(known, probe)
            try forget(known.entry, file)
            switch end {
            case .ended: return report.deleted(known.client.clientID, file.path)
            case .unknown:
                surroundings.complain("the provider knows \(known.client.clientID) no more")
                return report.forgotten(known.client.clientID, file.path)
            }
        }
        var log = CheckLog()
        let plan = ClientManagementRequest.read(known.management, step: "register")
        let found = try read(try await answer(plan, probe), known.client, nil, known, &log)
        let keeper = ManagedSecrets(entry: known.entry, file: file, surroundings: surroundings)
        try keeper.keep(found, after: known.client)
        guard request.action == .update else { return report.shown(NewRegistration(found)) }
        let wanted = try wanted(found.metadata, found.authenticationMethod)
        let management = found.management ?? known.management
        let change = ClientManagementRequest.update(found, management, metadata: wanted, step: "register")
        let changed = try read(try await answer(change, probe), found, wanted, known, &log)
        try keeper.keep(changed, after: found, redirectURI: request.client.redirectURI, request.client.scopes)
        report.changed(NewRegistration(changed), file.path)
    }

    private func plan(_ known: Known, metadata: ClientMetadata) throws(Problem) -> RequestPlan {
        switch request.action {
        case .register, .show: ClientManagementRequest.read(known.management, step: "register")
        case .update:
            ClientManagementRequest.update(
                known.client, known.management, metadata: metadata, step: "register")
        case .delete: ClientManagementRequest.delete(known.management, step: "register")
        }
    }

    private func answer(_ plan: RequestPlan, _ probe: ProviderProbe) async throws(Problem) -> HTTPResponse {
        do throws(ProbeFailure) {
            return try await probe.answer(plan, .registration)
        } catch {
            throw Problem(error.status, error.words, hints: error.fix.map { [$0] } ?? [])
        }
    }

    private func read(
        _ response: HTTPResponse, _ client: RegisteredClient, _ asked: ClientMetadata?, _ known: Known,
        _ log: inout CheckLog
    ) throws(Problem) -> RegisteredClient {
        do throws(ProtocolError) {
            let client = try RegisteredClient.managed(
                response, known: client, asked: asked, now: WallClock.now(), log: &log)
            for reservation in client.reservations {
                surroundings.complain("the client is registered, but \(reservation)")
            }
            return client
        } catch {
            throw problem(error, known)
        }
    }

    private func problem(_ error: ProtocolError, _ known: Known) -> Problem {
        let failure = ProbeFailure.answer(error, url: known.management.uri)
        let word = context.library.word(request.provider, for: known.entry.provider)
        var hints: [String] = []
        if case .rejected(let answer, _) = error, let words = answer.description {
            let secrets = [known.management.token, known.client.secret].compactMap(\.self)
            hints.append("server said: \(SecretIndex(secrets).replaced(in: words))")
        }
        if case .status(405) = error {
            hints.append("the provider does not let clients do that")
            switch request.action {
            case .update: hints.append("register anew: flowrun register \(word) --replace")
            case .delete: hints.append("forget it here: flowrun register \(word) --delete --forget")
            case .register, .show: break
            }
        }
        if case .rejected(let answer, let status) = error, status == 401 || answer.code == "invalid_token" {
            hints.append("the provider knows this registration no more, or its token was replaced")
            hints.append("register anew: flowrun register \(word) --replace")
            hints.append("forget it here: flowrun register \(word) --delete --forget")
        }
        return Problem(failure.status, failure.words, hints: hints)
    }

    /// What became of a client that was to end.
    private enum End {
        case ended
        /// The provider has no such client.
        case unknown
    }

    private func end(_ known: Known, _ probe: ProviderProbe) async throws(Problem) -> End {
        let plan = ClientManagementRequest.delete(known.management, step: "register")
        let response = try await answer(plan, probe)
        // A 401 may as well be meant for a token that was replaced: the client may be there (RFC 7592 §2.3).
        if response.status == 404 || response.status == 410 { return .unknown }
        var log = CheckLog()
        do throws(ProtocolError) {
            try RegisteredClient.checkDeleted(response, log: &log)
        } catch {
            throw problem(error, known)
        }
        return .ended
    }

    // MARK: Replacing

    /// A client whose place another takes, as it was known before.
    struct Former {
        fileprivate let entry: Registration
        fileprivate let clientID: String
        fileprivate let way:
            Result<(known: Known, provider: BoundProvider, secretVariables: Set<String>), Problem>
    }

    /// - Returns: `nil` where the file has no client.
    func former() throws(Problem) -> Former? {
        let survey = try ProviderSurvey(request.provider, request.client, context, isRehearsal: false)
        guard let entry = survey.found.registration, let clientID = entry.clientID?.value else { return nil }
        do throws(Problem) {
            let known = try known(survey)
            let provider = try survey.bound(
                certificate: try survey.certificate(survey.resolver.reader(request.client)))
            let variables = survey.resolver.secretVariables(request.client)
            return Former(entry: entry, clientID: clientID, way: .success((known, provider, variables)))
        } catch {
            return Former(entry: entry, clientID: clientID, way: .failure(error))
        }
    }

    /// Ends a client once another is registered and written down, and takes its secrets away.
    ///
    /// - Throws: When the client is still there; then its secrets are too.
    func end(_ former: Former, _ file: RegistrationFile) async throws(Problem) {
        do throws(Problem) {
            let (known, provider, variables) = try former.way.get()
            let end = try await asking(provider, variables) { probe async throws(Problem) in
                try await checkPlace(known, provider, probe)
                return try await self.end(known, probe)
            }
            ManagedSecrets(entry: known.entry, file: file, surroundings: surroundings).forget()
            context.note(
                end == .ended
                    ? "ended \(former.clientID), whose place it takes"
                    : "the provider knows \(former.clientID) no more, whose place it takes")
        } catch {
            var hints = error.hints.filter { !$0.contains("flowrun register") }
            if case .file(let path)? = former.entry.managementToken?.value {
                hints.append("what ends it is kept in \(path)")
            }
            throw Problem(
                error.status,
                "the new client is registered, and \(former.clientID) is still registered too: \(error.message)",
                hints: hints)
        }
    }

    // MARK: Changing

    /// What there is, with what the command line says in its place: an update replaces everything (RFC 7592 §2.2).
    ///
    /// - Parameter method: For a server that does not tell it as one text.
    private func wanted(
        _ current: JSONObject, _ method: ClientAuthenticationMethod? = nil
    ) throws(Problem) -> ClientMetadata {
        func texts(_ name: String) -> [String] {
            current[name]?.arrayValue?.compactMap(\.stringValue) ?? []
        }
        var metadata = ClientMetadata(
            redirectURIs: request.client.redirectURI.map { [$0] } ?? texts("redirect_uris"),
            grantTypes: request.grants.isEmpty ? texts("grant_types") : request.grants,
            responseTypes: texts("response_types"),
            authenticationMethod: request.method
                ?? current["token_endpoint_auth_method"]?.stringValue.flatMap(
                    ClientAuthenticationMethod.init) ?? method,
            name: request.name ?? current["client_name"]?.stringValue, scopes: request.client.scopes)
        var further = try request.furtherMembers(surroundings) ?? [:]
        for (name, value) in current.members where further[name] == nil { further[name] = value }
        if !request.client.scopes.isEmpty { further["scope"] = nil }
        metadata.further = further
        return metadata
    }
}

extension RequestPlan {
    /// The request in lines, secrets hidden.
    fileprivate var outline: String {
        var text = "\(method.rawValue) \(endpoint)\n"
        for field in fields { text += "\(field.name): \(Self.shown(field.value))\n" }
        for parameter in body { text += "  \(parameter.name) = \(Self.shown(parameter.value))\n" }
        return text
    }

    private static func shown(_ value: ParameterValue) -> String {
        switch value {
        case .text(let text): text
        case .secret(let secret): secret.description
        case .basic(let user, let password): "Basic \(user):\(password)"
        case .scheme(let scheme, let secret): "\(scheme) \(secret)"
        case .json(let payload): payload.redacted.serialize()
        }
    }
}
