internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import FlowReport
internal import FlowSandbox
internal import JOSE
internal import YAMLText

/// `run --dry-run`: the plan on standard output, or compared with a file, or why one step of it leads where it does.
struct RehearsalCommand: Sendable {
    let context: CommandContext
    let request: RunRequest
    let rehearsal: RunRequest.Rehearsal
    let flow: LoadedFlow
    let binding: ProviderBinding

    private var surroundings: Surroundings { context.surroundings }

    func run(_ plan: RunPlan) async throws(Problem) -> Int {
        // Where events are read by a program there is nothing else between them.
        for provider in binding.invented where !request.streamsEvents {
            context.note(
                "no client is registered with \(provider); the plan shows \(RegistrationResolver.inventedClientID)"
            )
        }
        for provider in binding.inventedSecrets where !request.streamsEvents {
            context.note(
                "no client secret is registered with \(provider); the plan shows where it would be sent, a run sends none"
            )
        }
        let counterpart = try counterpart(plan)
        let text = TextStream()
        let files = try output()
        let published =
            rehearsal.depth == .discover
            ? try await RehearsalDiscovery(context, request, binding).published() : [:]
        let effects = PlannedEffects(
            plan, seed: rehearsal.seed, now: rehearsal.now ?? PlannedEffects.usualTime, published: published,
            counterpart: counterpart)
        let hooks = try hooks()
        let handler: any EffectHandler = hooks.map { RehearsedHooks(planned: effects, live: $0) } ?? effects
        let log = EventLog()
        let failure = FailureRecorder()
        let sinks = [sink(plan, text), failure] + (rehearsal.why == nil ? [] : [log]) + files.sinks
        let outcome = await FlowRun(plan: plan, handler: handler, sinks: sinks).run()
        await hooks?.shutDown()
        guard await files.complete() else {
            throw Problem(.local, "the trace or a report could not be written completely")
        }
        if let question = rehearsal.why {
            return try WhyAnswer(context: context, form: request.form).answer(question, log.events)
        }
        // At the sandbox a run ends as it would live.
        let status =
            counterpart == nil ? ExitStatus.ofRehearsal(outcome) : ExitStatus.of(outcome, stop: nil)
        let shown = request.form == .json ? Self.json(outcome, status, events: text.text) : text.text
        if let golden = rehearsal.golden {
            return try GoldenComparison(context: context, subject: ("plan", "is")).run(shown, with: golden)
        }
        context.write(shown)
        if counterpart != nil, !request.streamsEvents, let told = failure.report {
            explain(request.explained(told, of: plan, status))
        }
        return status
    }

    /// The sandbox in the providers' place, where that is asked for.
    private func counterpart(_ plan: RunPlan) throws(Problem) -> SandboxCounterpart? {
        guard rehearsal.depth == .sandbox else { return nil }
        let faults = try FaultReading.faults(rehearsal.faults)
        do throws(SandboxError) {
            return try SandboxCounterpart(
                plan.providers, redirectURI: plan.redirectURI, faults: faults, seed: rehearsal.seed)
        } catch {
            throw Problem(.internal, "the sandbox cannot make its keys")
        }
    }

    /// What runs hooks, where that is asked for.
    private func hooks() throws(Problem) -> LiveEffects? {
        guard rehearsal.runsHooks else { return nil }
        var options = request.live
        options.savesSessions = false
        return try LiveSetup(
            surroundings: surroundings, secretVariables: flow.program.secretVariables
        ).effects(options)
    }

    /// What a run would tell of such an end.
    private func explain(_ failure: FailureReport) {
        let form = FailureForm(RenderOptions(context.common, surroundings.error, surroundings))
        surroundings.error.write(form.render(failure, sources: [flow.source] + flow.others))
    }

    /// The plan as one JSON object: what a run says of its end, and the events.
    ///
    /// - Parameter events: A line each.
    private static func json(_ outcome: RunOutcome, _ status: Int, events: String) -> String {
        let output = OutputText(hiding: outcome.secrets, revealsSecrets: false)
        var result = output.object(outcome, status: status)
        let lines = events.split(separator: "\n").map { line -> JSONValue in
            guard let event = try? JSON.parse(Array(line.utf8)) else {
                preconditionFailure("a line of a trace is JSON")
            }
            return event
        }
        result["events"] = .array(lines)
        return result.serialize() + "\n"
    }

    private func sink(_ plan: RunPlan, _ text: TextStream) -> any TraceSink {
        let write: @Sendable (String) -> Void = { text.write($0) }
        switch request.form {
        case .json:
            let error = surroundings.error
            return RenderSink(JSONLinesTrace(revealsActionURL: false)) { [request] line in
                write(line)
                if request.streamsEvents { error.write(line) }
            }
        case .text:
            // A plan that is compared must not depend on the terminal.
            let options =
                rehearsal.golden == nil
                ? RenderOptions(context.common, surroundings.output, surroundings) : RenderOptions()
            return RenderSink(PlanRenderer(options, runsHooks: rehearsal.runsHooks), output: write)
        }
    }

    /// What a rehearsal did is in its files: it leaves no trace among those of real runs.
    private func output() throws(Problem) -> TraceOutput {
        do throws(FileProblem) {
            return try TraceOutput(request.trace, request.reporting, surroundings, isKept: false)
        } catch {
            throw Problem(error, .local)
        }
    }
}
