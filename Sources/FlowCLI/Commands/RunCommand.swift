internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// `run` and `plan`.
struct RunCommand: Sendable {
    let context: CommandContext
    let request: RunRequest

    private var surroundings: Surroundings { context.surroundings }

    func run() async throws(Problem) -> Int {
        if case .program(let words, _, _) = request.product {
            _ = try TokenProduct.path(of: words, surroundings)
        }
        if let status = try await AbandonedSession(context: context, request: request).forget() {
            return status
        }
        CryptoWarmUp.begin(isRehearsal: request.rehearsal != nil)
        let prepared = try prepare()
        let plan = try plan(prepared)
        if let rehearsal = request.rehearsal {
            return try await RehearsalCommand(
                context: context, request: request, rehearsal: rehearsal, flow: prepared.flow,
                binding: prepared.binding
            ).run(plan)
        }
        return try await finish(live(prepared, plan))
    }

    /// Goes on with a run that this very request has begun.
    ///
    /// - Parameter answer: Where the browser ended, for a run that waits for that.
    func resume(_ resumable: ResumableRun, answer: Secret?) async throws(Problem) -> Int {
        let prepared = try prepare()
        let plan = try plan(prepared, inputs: resumable.recorded.inputs)
        return try await goOn(resumable, prepared, plan, answer: answer)
    }

    func goOn(
        _ resumable: ResumableRun, _ prepared: Prepared, _ plan: RunPlan, answer: Secret?
    ) async throws(Problem) -> Int {
        var live = live(prepared, plan)
        live.resumable = resumable
        live.answer = answer
        return try await finish(live)
    }

    /// Goes on with it unseen, while somebody else holds the lock of the session.
    func recover(_ resumable: ResumableRun, _ session: SessionKey) async throws(Problem) {
        let prepared = try prepare()
        let plan = try plan(prepared, inputs: resumable.recorded.inputs)
        let setup = LiveSetup(
            surroundings: surroundings, secretVariables: prepared.secretVariables, suspendsRuns: true,
            isResuming: true)
        let effects = try setup.effects(request.live, lent: [session])
        _ = await FlowRun(
            plan: plan, handler: effects, sinks: [], journal: resumable.journal, resuming: resumable.recorded
        ).run()
        await effects.shutDown()
    }

    /// Flow and providers of the request.
    struct Prepared {
        let flow: LoadedFlow
        let binding: ProviderBinding
        let secretVariables: Set<String>
    }

    /// - Parameter runs: Whether anything is to be done with them; otherwise nothing of them needs to be allowed.
    func prepare(runs: Bool = true) throws(Problem) -> Prepared {
        let flow = try loadFlow()
        let files = try context.registrations()
        let gate = TrustGate(
            context: context, isOpen: request.live.trustsPrograms, mayAsk: request.live.mayAsk)
        let resolver = RegistrationResolver(
            files: files, surroundings: surroundings,
            isRehearsal: request.rehearsal != nil, gate: gate,
            usesSession: request.needsSession || request.forgetsSession || request.isClientsOwn)
        let binding = try ProviderBinding(
            flow.program, choices: request.providers, standard: standardProvider(files),
            client: request.client,
            context.library, resolver)
        if flow.program.steps.contains(where: { $0.kind == .authorize }) { try checkPort(binding) }
        // Where events are read by a program there is nothing else between them.
        if !request.streamsEvents, runs {
            context.show(
                flow.diagnostics + binding.loaded.flatMap(\.diagnostics),
                [flow.source] + binding.loaded.map(\.source))
        }
        guard runs else {
            return Prepared(flow: flow, binding: binding, secretVariables: [])
        }
        showRegistrations(binding)
        try check(flow, binding)
        if request.rehearsal?.runsHooks ?? true {
            if request.live.asksHooks { try checkVariables(of: flow.program) }
            try gate.admit(
                try TrustSubject(flow, surroundings, includesHooks: request.live.asksHooks))
        }
        let secretVariables = resolver.secretVariables(request.client).union(
            flow.program.secretVariables)
        return Prepared(flow: flow, binding: binding, secretVariables: secretVariables)
    }

    /// A port that nobody will listen at: the redirect URI says another one, or another place.
    private func checkPort(_ binding: ProviderBinding) throws(Problem) {
        guard let port = request.live.port, let uri = binding.redirectURI else { return }
        if let url = try? EndpointURL(uri, allowLoopbackHTTP: true), url.scheme == "http", url.isLoopback,
            url.port == Int(port)
        {
            return
        }
        let giver = { (option: String) in request.arguments?.giver(option) ?? "--\(option)" }
        let isTyped = request.client.redirectURI != nil && giver("redirect-uri") == "--redirect-uri"
        // What was typed wins over the environment.
        guard giver("port") == "--port" || !isTyped else { return }
        let place = binding.registrations.first?.redirectURI.map { "\($0.place)" }
        let source = request.client.redirectURI == nil ? place ?? "the registration" : giver("redirect-uri")
        throw Problem(
            .usage, "\(giver("port")) \(port) does not count: the browser comes back to \(uri) (\(source))",
            hints: ["leave one of the two out, or give them the same port"])
    }

    /// The only provider that is registered; where there are several, somebody has to say which.
    private func standardProvider(_ files: RegistrationFiles) -> String? {
        let names = Set(files.registrations.map(\.provider))
        guard names.count == 1, let name = names.first else { return nil }
        if request.providers.isEmpty, context.common.verbosity > 1 {
            context.note("provider \(name): the only one that is registered")
        }
        return name
    }

    /// Where each value of a registration comes from, for those who ask.
    private func showRegistrations(_ binding: ProviderBinding) {
        // A live run's trace says it.
        guard context.common.verbosity > 1, request.rehearsal != nil else { return }
        for (provider, found) in zip(binding.providers, binding.registrations) {
            for row in found.rows { context.note("\(provider.descriptor.id): \(row.name) \(row.value)") }
        }
    }

    private func loadFlow() throws(Problem) -> LoadedFlow {
        do throws(Problem) {
            return try context.library.flow(request.flow)
        } catch {
            guard request.isImplied, error.status == .usage else { throw error }
            let words = CommandTable.words + context.library.entries(of: .flow).map(\.name)
            let known = ArgumentReader.suggestion(request.flow, words)
            throw Problem(
                .usage, "unknown command or flow \"\(request.flow)\"\(known)", hints: ["see: flowrun help"])
        }
    }

    /// Flow and providers together, before anything is sent (flow/1 §13, bind).
    private func check(_ flow: LoadedFlow, _ binding: ProviderBinding) throws(Problem) {
        let cached = CachedMetadata(surroundings)
        let facts = binding.providers.map {
            BindFacts(descriptor: $0.descriptor, bound: $0.bound, metadata: cached.fields(of: $0.bound))
        }
        var diagnostics = BindRules.check(flow.program, facts)
        if request.rehearsal?.runsHooks ?? true {
            diagnostics += ProgramFileRule.check(
                flow.program, of: flow.source, hooks: request.live.asksHooks, starting: true, surroundings)
        }
        let sources = [flow.source] + flow.others
        guard diagnostics.hasErrors else { return context.show(diagnostics, sources) }
        throw Problem(
            .config, "\(flow.source.path) cannot be run with this provider", diagnostics: diagnostics,
            sources: sources)
    }

    /// The keys of `http` hooks, before a person has signed in for nothing.
    private func checkVariables(of program: FlowProgram) throws(Problem) {
        let missing = program.missingParts { need in
            switch need {
            case .variable(let name): surroundings.variable(name)?.isEmpty == false
            // There are none here: such a hook fails as the flow says. Programs have been looked for.
            case .closure, .program, .port: true
            }
        }
        for part in missing where !part.endsRun && !request.streamsEvents { context.note(part.description) }
        let fatal = missing.filter(\.endsRun).map(\.description)
        guard let first = fatal.first else { return }
        throw Problem(
            .config, first, hints: fatal.dropFirst() + ["--no-hooks leaves out what hooks would do"])
    }

    /// - Parameter inputs: Those of a run that goes on; `nil` reads them.
    func plan(_ prepared: Prepared, inputs known: [Value]? = nil) throws(Problem) -> RunPlan {
        let (flow, binding) = (prepared.flow, prepared.binding)
        let assumptions = request.rehearsal?.assumptions ?? []
        try AssumptionCheck.check(assumptions, flow.program)
        let given = try GivenReading.values(request.rehearsal?.given ?? [], flow.program)
        let inputs: [Value]
        if let known {
            inputs = known
        } else {
            inputs = try InputReading.values(
                flow.program.inputs, given: request.inputs, flow: flow.program.name, surroundings,
                isRehearsal: request.rehearsal != nil)
        }
        let path = FilePath.join(surroundings.directory, flow.source.path)
        return RunPlan(
            program: flow.program, providers: binding.providers, inputs: inputs, profile: request.profile,
            assumptions: assumptions, isRehearsal: request.rehearsal != nil, redirectURI: binding.redirectURI,
            directory: FilePath.parent(of: path), asksHooks: request.live.asksHooks, given: given,
            source: flow.source)
    }

    func live(_ prepared: Prepared, _ plan: RunPlan) -> LiveRun {
        LiveRun(
            context: context, request: request, plan: plan,
            sources: [prepared.flow.source] + prepared.flow.others, secretVariables: prepared.secretVariables)
    }

    private func finish(_ live: LiveRun) async throws(Problem) -> Int {
        let result = try await live.run()
        let (outcome, status) = (result.outcome, result.status)
        let output = OutputText(hiding: outcome.secrets, revealsSecrets: request.revealsSecrets)
        let isComplete = await result.report.complete(result.failure)
        if request.forgetsSession, outcome.isSuccess, let id = outcome.plan.providers.first?.descriptor.id {
            TokenFile.delete(of: id, request.profile, context)
        }
        if let staying = result.staying, !request.streamsEvents { context.note(staying) }
        if let product = try TokenProduct(request, outcome) {
            guard isComplete else { return traceFailed(status) }
            product.shortLife(least: request.minimumLife).map(surroundings.complain)
            return product.deliver(context, request.form, hiding: live.secretVariables)
        }
        switch request.product.token {
        case .access? where outcome.isSuccess:
            surroundings.complain("the run has brought no access token")
            return ExitStatus.authRequired.rawValue
        case .id? where outcome.isSuccess: return try await renewIDToken(outcome)
        case .access, .id, nil: break
        }
        switch request.form {
        case .json:
            var object = output.object(outcome, status: status, result.failure)
            object["awaited"] = result.awaited.map {
                .object($0.json(revealsURL: !surroundings.output.isFile))
            }
            context.write(object.serialize() + "\n")
        case .text: if request.product == .outputs { context.write(output.text(outcome.end.outputs)) }
        }
        return isComplete ? status : traceFailed(status)
    }

    /// The run again with a refresh, which may bring an ID token that is good; the access token was good all the same.
    private func renewIDToken(_ outcome: RunOutcome) async throws(Problem) -> Int {
        guard let provider = outcome.plan.providers.first, provider.descriptor.wireProtocol == .oidc else {
            throw Problem(.config, "there is no ID token: the provider is no OpenID provider")
        }
        guard request.forcesRefresh else {
            var again = request
            again.inputs.append(.forcedRefresh)
            return try await RunCommand(context: context, request: again).run()
        }
        throw Problem(
            .authRequired, "the session has no ID token that is still good, and a refresh brings none",
            hints: [
                "sign in again: \(SignInHint.command(request.word(for: provider), request.arguments))",
                "ID tokens come with the scope openid",
            ])
    }

    private func traceFailed(_ status: Int) -> Int {
        surroundings.complain("the trace or a report could not be written completely")
        return status == 0 ? ExitStatus.local.rawValue : status
    }
}
