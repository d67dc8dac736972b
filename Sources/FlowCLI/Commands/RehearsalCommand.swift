internal import FlowReport
internal import FlowEngine
internal import FlowLanguage
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
        let text = TextStream()
        let files = try output()
        let published =
            rehearsal.discovers ? try await RehearsalDiscovery(context, request, binding).published() : [:]
        let effects =
            rehearsal.now.map {
                PlannedEffects(plan, seed: rehearsal.seed, now: $0, published: published)
            } ?? PlannedEffects(plan, seed: rehearsal.seed, published: published)
        let log = EventLog()
        let sinks = [sink(plan, text)] + (rehearsal.why == nil ? [] : [log]) + files.sinks
        let outcome = await FlowRun(plan: plan, handler: effects, sinks: sinks).run()
        guard await files.complete() else {
            throw Problem(.local, "the trace or a report could not be written completely")
        }
        if let question = rehearsal.why {
            return try WhyAnswer(context: context, form: request.form).answer(question, log.events)
        }
        let status = ExitStatus.ofRehearsal(outcome)
        let shown = request.form == .json ? Self.json(outcome, status, events: text.text) : text.text
        if let golden = rehearsal.golden {
            return try GoldenComparison(context: context, subject: ("plan", "is")).run(shown, with: golden)
        }
        context.write(shown)
        return status
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
            return RenderSink(PlanRenderer(options), output: write)
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
