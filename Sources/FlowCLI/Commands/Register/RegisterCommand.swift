internal import FlowEngine
internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// `register`: makes a client known to a provider and keeps what the provider says of it (RFC 7591).
struct RegisterCommand: Sendable {
    let context: CommandContext
    let request: RegisterRequest

    private var surroundings: Surroundings { context.surroundings }

    func run() async throws(Problem) -> Int {
        switch request.action {
        case .register: try await register()
        case .show, .update, .delete:
            try await RegistrationManagement(context: context, request: request).run()
        }
    }

    private func register() async throws(Problem) -> Int {
        let files = try context.registrations()
        let resolver = RegistrationResolver(
            files: files, surroundings: surroundings, isRehearsal: request.isRehearsal,
            gate: TrustGate(context: context, mayAsk: request.live.mayAsk))
        let hasKey = request.client.privateKey != nil
        let binding = try ProviderBinding(
            RegistrationFlow.load(method: request.method, sendsKeys: hasKey).program,
            choices: [ProviderChoice(name: request.provider)], client: request.client, context.library,
            resolver)
        // A key is there to prove the client, unless the provider file has another use for it.
        let client = binding.providers[0].descriptor.client
        let isForProof = hasKey && !(client.authenticationMethod != nil && client.usesPrivateKey)
        let method = request.method ?? (isForProof ? .privateKeyJWT : nil)
        if let address = request.document {
            let entry = files.registration(of: binding.providers[0].descriptor.id)
            if !request.isRehearsal { try refuseSecondClient(entry, binding.providers[0].descriptor) }
            return try DocumentedClient(context: context, request: request, address: address)
                .run(binding, entry, usual: method)
        }
        let flow = RegistrationFlow.load(method: method, sendsKeys: hasKey)
        context.show(binding.loaded.flatMap(\.diagnostics), binding.loaded.map(\.source))
        let plan = try plan(flow, binding, resolver)
        if request.isRehearsal {
            return try await RehearsalCommand(
                context: context, request: runRequest, rehearsal: RunRequest.Rehearsal(), flow: flow,
                binding: binding
            ).run(plan)
        }
        let descriptor = binding.providers[0].descriptor
        let entry = files.registration(of: descriptor.id)
        try refuseSecondClient(entry, descriptor)
        let file = try RegistrationFile(entry, isForUser: request.isForUser, context)
        let keeper = try RegistrationKeeper(
            descriptor, file, request, word: binding.loaded[0].word,
            issuer: binding.providers[0].known.fields.issuer)
        let management = RegistrationManagement(context: context, request: request)
        // A client of another file is used on.
        let former = entry?.file == file.path ? try management.former() : nil
        let status = try await register(plan, flow, keeper, resolver)
        if status == ExitStatus.ok.rawValue, let former { try await management.end(former, file) }
        return status
    }

    /// Whoever registers again ends the first registration.
    private func refuseSecondClient(
        _ entry: Registration?, _ descriptor: ProviderDescriptor
    ) throws(Problem) {
        guard let entry, let clientID = entry.clientID?.value, !request.replaces else { return }
        let word = context.library.word(request.provider, for: descriptor.id)
        let change = "flowrun register \(word) --show, --update or --delete"
        throw Problem(
            .usage,
            "\(entry.file) has a client of \(RemoteText.sanitize(descriptor.displayName)) already: \(clientID)",
            hints: (entry.managementURI == nil ? [] : ["to change it: \(change)"]) + [
                "to register another one in its place, and end this one: --replace"
            ])
    }

    private func register(
        _ plan: RunPlan, _ flow: LoadedFlow, _ keeper: RegistrationKeeper, _ resolver: RegistrationResolver
    ) async throws(Problem) -> Int {
        let reserved = try SecretFiles.reserve(plan.providers[0].descriptor.id, surroundings)
        let result: LiveRun.Result
        do throws(Problem) {
            result = try await LiveRun(
                context: context, request: runRequest, plan: plan, sources: [flow.source] + flow.others,
                secretVariables: resolver.secretVariables(request.client)
            ).run()
        } catch {
            reserved.release()
            throw error
        }
        guard result.outcome.isSuccess else {
            reserved.release()
            return result.status
        }
        let client = NewRegistration(result.outcome.end.outputs)
        try keeper.keep(client, reserved)
        RegistrationReport(context: context, form: request.form).registered(
            client, keeper, reserved, connection: SignInHint.connection(request.live))
        return ExitStatus.ok.rawValue
    }

    private var runRequest: RunRequest {
        var run = RunRequest(flow: "register")
        run.client = request.client
        run.live = request.live
        // Nobody signs in.
        run.live.savesSessions = false
        run.form = request.form
        run.command = request.command
        return run
    }

    // MARK: Inputs

    private func plan(
        _ flow: LoadedFlow, _ binding: ProviderBinding, _ resolver: RegistrationResolver
    ) throws(Problem) -> RunPlan {
        let further = try request.furtherMembers(surroundings)
        let wish = request.wish(
            for: binding.providers[0], redirectURI: binding.redirectURI, further ?? [:])
        var inputs: [String: Value] = [:]
        inputs["redirect_uris"] = wish.redirectURIs.flatMap(list)
        inputs["grant_types"] = list(wish.grantTypes)
        inputs["client_name"] = wish.name.map(Value.string)
        inputs["scopes"] = list(wish.scopes)
        inputs["metadata"] = further.map { .json(.object($0)) }
        inputs["initial_access_token"] = try initialAccessToken(resolver).map(Value.secret)
        do throws(FlowInputError) {
            return RunPlan(
                program: flow.program, providers: binding.providers,
                inputs: try flow.program.inputValues(inputs), isRehearsal: request.isRehearsal,
                redirectURI: binding.redirectURI)
        } catch {
            preconditionFailure("the flow of register takes these inputs")
        }
    }

    private func list(_ texts: [String]) -> Value? {
        texts.isEmpty ? nil : .list(texts.map(Value.string))
    }

    private func initialAccessToken(_ resolver: RegistrationResolver) throws(Problem) -> Secret? {
        guard let place = request.initialAccessToken else { return nil }
        if request.isRehearsal {
            return Secret("rehearsed initial access token", kind: .registrationAccessToken)
        }
        let reader = SecretReader(
            surroundings: surroundings, hiddenVariables: resolver.secretVariables(request.client))
        return try reader.read(SecretLocation(place), "initial access token", kind: .registrationAccessToken)
    }
}

extension RegisterRequest {
    /// The members of the file that `--metadata` names.
    func furtherMembers(_ surroundings: Surroundings) throws(Problem) -> JSONObject? {
        guard let metadataFile else { return nil }
        let bytes: [UInt8]
        do throws(FileProblem) {
            bytes = try FileAccess.read(FilePath.join(surroundings.directory, metadataFile))
        } catch {
            throw Problem(error)
        }
        let file = JSONFile(
            path: metadataFile, bytes: bytes, hiding: ["client_secret", "registration_access_token"])
        let members = try file.object()
        let given = ClientManagementRequest.serverMembers.filter { members[$0] != nil }
        guard given.isEmpty else {
            throw file.problem(
                "\(metadataFile) names what the provider gives: \(given.joined(separator: ", "))",
                members: given,
                "is not for the client to choose", hint: "leave it out: the provider answers with it")
        }
        // No line of it is shown.
        if let name = ClientMetadata.privateMember(of: members) {
            throw Problem(
                .config, "jwks of \(metadataFile) holds a private key: its member \"\(name)\"",
                hints: ["leave it out, or let --private-key-file add the public half of a key"])
        }
        return members
    }
}
