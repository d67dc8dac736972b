internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import FlowReport
internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// A run that touches the world, with everything that is shown of it but its outputs.
struct LiveRun: Sendable {
    let context: CommandContext
    let request: RunRequest
    let plan: RunPlan
    /// The flow and those that it runs as steps, for the lines that a failure shows.
    let sources: [SourceFile]
    let secretVariables: Set<String>
    /// The run to go on with; `nil` for a new one.
    var resumable: ResumableRun?
    /// Where the browser ended.
    var answer: Secret?
    /// Whether a failure is shown.
    var explains = true

    struct Result: Sendable {
        let outcome: RunOutcome
        let status: Int
        let report: RunReport
        /// What explains a failure; `nil` for a success.
        let failure: FailureReport?
        /// What helps where the run found no session of its own and others are stored.
        let hints: [String]
        /// What somebody who has forgotten a session may take for forgotten too.
        let staying: String?

        /// What the run waits for that was put aside; `nil` for one that has ended.
        var awaited: AwaitedAnswer? {
            guard outcome.end.error?.code == .suspended else { return nil }
            return AwaitedAnswer(
                run: outcome.runID, action: report.action,
                isAddress: failure?.kind != StepKind.devicePoll.rawValue)
        }
    }

    private var surroundings: Surroundings { context.surroundings }

    func run() async throws(Problem) -> Result {
        let report: RunReport
        do throws(FileProblem) {
            report = try RunReport(request, context.common, surroundings)
        } catch {
            throw Problem(error, .local)
        }
        let origin = request.arguments.map {
            RunOrigin($0, directory: surroundings.directory, context.library.snapshot).json
        }
        let setup = LiveSetup(
            surroundings: surroundings, secretVariables: secretVariables, suspendsRuns: origin != nil,
            isResuming: resumable != nil, answer: answer,
            recovery: BegunRun.recovery(surroundings, context.common))
        let sandbox = try setup.sandbox(for: plan.providers, request.client)
        defer { sandbox?.stop() }
        if let sandbox { context.note("sandbox at \(sandbox.issuer) for this run") }
        let needs = HostNeeds(plan.program, includesHooks: request.live.asksHooks)
        if let warning = needs.warning { context.note("warning: \(warning)") }
        let effects = try setup.effects(request.live)
        do throws(Problem) {
            try await checkStore(effects)
        } catch {
            await effects.shutDown()
            throw error
        }
        let (outcome, stop) = await stoppable(effects, report, origin ?? .null).run()
        let status = ExitStatus.of(outcome, stop: stop)
        let hints = await hints(status, effects)
        let staying = outcome.isSuccess ? await stayingToken(effects) : nil
        await effects.shutDown()
        var failure = failure(outcome, status, report, hints)
        // Nobody can sign in where nothing listens any more; another sandbox knows what this one has issued.
        if let sandbox, outcome.end.error?.code == .suspended {
            failure?.providerFixes.insert("first: \(SandboxCommand.line(issuer: sandbox.issuer))", at: 0)
        }
        if sandbox == nil { blameOtherProgram(&failure) }
        failure?.doubtRefresh(outcome.plan.providers)
        if effects.isPassphraseWrong, failure?.failureClass == .storage {
            failure?.error = FailureCode.wrongPassphrase
        }
        if failure?.outcome == "store_failed", failure?.error == nil {
            failure?.error = effects.causeOfStoreFailure
        }
        if let failure, explains, !request.streamsEvents {
            let form = FailureForm(RenderOptions(context.common, surroundings.error, surroundings))
            surroundings.error.write(form.render(failure, sources: sources))
        }
        warnOfShortLife(outcome)
        return Result(
            outcome: outcome, status: status, report: report, failure: failure, hints: hints,
            staying: staying)
    }

    /// Something listens where the sandbox would, and is none.
    private func blameOtherProgram(_ failure: inout FailureReport?) {
        guard let provider = plan.providers.first(where: \.descriptor.isSandbox),
            !request.client.variables.contains(where: { $0.name == "issuer" }),
            failure?.error?.hasPrefix("metadata_") == true || failure?.outcome == "network",
            let issuer = provider.declared.issuer,
            let url = try? EndpointURL(issuer, allowLoopbackHTTP: true),
            let port = UInt16(exactly: url.port), LoopbackProbe.answers(port: port)
        else { return }
        let elsewhere = "http://127.0.0.1:9500"
        failure?.providerCauses.insert(
            "another program listens at \(issuer), where the sandbox would be", at: 0)
        failure?.providerFixes.insert(
            "end that program, or: \(SandboxCommand.line(issuer: elsewhere)), and --set issuer=\(elsewhere)",
            at: 0)
    }

    /// Whether the store can do what the flow asks of it, before anybody is asked for anything.
    private func checkStore(_ effects: LiveEffects) async throws(Problem) {
        let kinds = plan.program.steps.map(\.kind)
        // A flow that begins with the stored session says so itself.
        if kinds.contains(.store), !kinds.contains(.restore), let problem = await effects.problemOfStore() {
            if effects.isPassphraseWrong { throw Problem.wrongPassphrase(problem) }
            throw Problem(.local, problem, hints: ["--no-save signs in without keeping the session"])
        }
        // A run that goes on may have deleted the session already.
        guard request.forgetsSession, resumable == nil else { return }
        // Before the provider revokes what would still be stored.
        if let problem = await effects.problemOfSaving() { throw Problem(.local, problem) }
        guard let namesakes = Namesakes(plan) else { return }
        let hints: [String]
        do throws(StoreError) {
            hints = try await namesakes.hints(effects, otherProfiles: false)
        } catch {
            throw Problem(error)
        }
        guard !hints.isEmpty else { return }
        throw Problem(
            .config, "there is no such session to sign out of",
            hints: hints + ["or sign out of every session: --all"])
    }

    private func stoppable(_ effects: LiveEffects, _ report: RunReport, _ origin: JSONValue) -> StoppableRun {
        var tick: (@Sendable () -> Void)?
        if let refresh = report.tick { tick = { refresh(effects.now()) } }
        let reason = StopReason()
        return StoppableRun(
            run: FlowRun(
                plan: plan, handler: effects, sinks: report.sinks,
                journal: resumable?.journal ?? effects.journal(), resuming: resumable?.recorded,
                origin: origin, stopsAt: request.live.timeout.map { effects.now() + $0 },
                reasonToStop: { reason.failure }),
            reason: reason, interruption: surroundings.interruption, timeout: request.live.timeout, tick: tick
        )
    }

    /// Whether the flow takes a session that is stored and has no way of its own to one.
    private var needsSession: Bool {
        let kinds = plan.program.steps.map(\.kind)
        return request.needsSession
            || kinds.contains(.restore) && !kinds.contains { $0.signsIn || $0 == .subflow }
    }

    private func hints(_ status: Int, _ effects: LiveEffects) async -> [String] {
        guard needsSession, status == ExitStatus.authRequired.rawValue else { return [] }
        guard let namesakes = Namesakes(plan) else { return [] }
        // Where the store cannot be read, the run has said so.
        let hasOwn = request.offersOwnToken ? try? await namesakes.hasClientToken(effects) : nil
        let own = "give --client-credentials   (a token of the client itself is stored)"
        return (hasOwn == true ? [own] : [])
            + ((try? await namesakes.hints(effects, otherProfiles: true)) ?? [])
    }

    /// Says that the client has a token of its own, where a run forgets the session.
    private func stayingToken(_ effects: LiveEffects) async -> String? {
        // Where the store cannot be read, the run has said so.
        guard request.forgetsSession, let namesakes = Namesakes(plan),
            (try? await namesakes.hasClientToken(effects)) == true
        else { return nil }
        let words =
            plan.providers.prefix(1).map { request.word(for: $0) } + ["--all", "--profile", plan.profile]
        return "a token of the client itself stays; flowrun logout \(ShellWords.quoted(words)) forgets it too"
    }

    /// What explains the failure, in the words of the command that was given.
    private func failure(
        _ outcome: RunOutcome, _ status: Int, _ report: RunReport, _ hints: [String]
    ) -> FailureReport? {
        guard let told = report.failureReport else { return nil }
        var failure = request.explained(told, of: plan, status)
        if needsSession, status == ExitStatus.authRequired.rawValue {
            failure.again = SignInHint.command(failure.typedProvider, request.arguments)
        }
        failure.otherFixes = hints
        if outcome.end.error?.code == .suspended {
            let answer =
                failure.kind == StepKind.devicePoll.rawValue
                ? "" : " --callback-url 'WHERE THE BROWSER LANDED'"
            failure.providerFixes = ["flowrun resume \(outcome.runID)\(answer)"]
        }
        return failure
    }

    /// A token that is fresh and all the same ends sooner than was asked for is refreshed by every call.
    private func warnOfShortLife(_ outcome: RunOutcome) {
        let sets = zip(outcome.plan.program.tokenSets, outcome.tokens)
        guard outcome.isSuccess, request.product.token != .id, let least = request.minimumLife,
            let tokens = sets.first(where: { $0.0.name == "main" })?.1, let end = tokens.expiresAt
        else { return }
        let life = end - WallClock.now()
        guard life < least else { return }
        let seconds = "\(max(0, life) / 1_000) s"
        surroundings.complain(
            tokens.refreshToken == nil
                ? "the token is good for \(seconds), less than --min-ttl demands, and cannot be renewed"
                : "the provider gives tokens of \(seconds), less than --min-ttl demands: every call asks for another"
        )
    }
}

extension StepKind {
    /// Whether it begins a session anew.
    fileprivate var signsIn: Bool {
        switch self {
        case .authorize, .callback, .exchange, .deviceAuthorize, .devicePoll, .clientCredentials,
            .tokenExchange, .jwtBearer, .http, .call:
            true
        case .restore, .discover, .verifyIDToken, .userinfo, .refresh, .revoke, .introspect, .register,
            .store, .clear, .logout, .wait, .choose, .set, .subflow:
            false
        }
    }
}
