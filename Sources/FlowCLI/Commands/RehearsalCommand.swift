internal import FlowEngine
internal import FlowLanguage
internal import YAMLText

/// `run --dry-run`: the plan on standard output, or compared with a file.
struct RehearsalCommand: Sendable {
    let context: CommandContext
    let request: RunRequest
    let rehearsal: RunRequest.Rehearsal
    let flow: LoadedFlow
    let binding: ProviderBinding

    private var surroundings: Surroundings { context.surroundings }

    func run(_ plan: RunPlan) async throws(Problem) -> Int {
        for provider in binding.invented {
            context.note(
                "no client is registered with \(provider); the plan shows \(RegistrationResolver.inventedClientID)"
            )
        }
        let text = TextStream()
        let trace = try traceSink()
        let effects =
            rehearsal.now.map {
                PlannedEffects(assumptions: rehearsal.assumptions, seed: rehearsal.seed, now: $0)
            } ?? PlannedEffects(assumptions: rehearsal.assumptions, seed: rehearsal.seed)
        let sinks = [sink(plan, text)] + (trace.map { [$0] } ?? [])
        let outcome = await FlowRun(plan: plan, handler: effects, sinks: sinks).run()
        if let golden = rehearsal.golden { return try compare(text.text, golden) }
        context.write(text.text)
        return ExitStatus.ofRehearsal(outcome)
    }

    private func sink(_ plan: RunPlan, _ text: TextStream) -> any TraceSink {
        let write: @Sendable (String) -> Void = { text.write($0) }
        switch request.form {
        case .json: return RenderSink(JSONLinesTrace(revealsActionURL: false), output: write)
        case .text:
            // A plan that is compared must not depend on the terminal.
            let options =
                rehearsal.golden == nil
                ? RenderOptions(context.common, surroundings.output, surroundings) : RenderOptions()
            return RenderSink(PlanRenderer(options), output: write)
        }
    }

    private func traceSink() throws(Problem) -> (any TraceSink)? {
        do throws(FileProblem) {
            guard let target = request.trace, let stream = try RunReport.traceStream(target, surroundings)
            else {
                return nil
            }
            return RunReport.sink(target, stream)
        } catch {
            throw Problem(error, .local)
        }
    }

    private func compare(_ text: String, _ golden: String) throws(Problem) -> Int {
        let expected: String
        do throws(FileProblem) {
            expected = String(
                decoding: try FileAccess.read(FilePath.join(surroundings.directory, golden)), as: UTF8.self)
        } catch {
            throw Problem(error)
        }
        let difference = LineDifference.text(from: expected, to: text)
        if difference.isEmpty {
            context.note("the plan is that of \(golden)")
            return ExitStatus.ok.rawValue
        }
        context.write(difference)
        context.note("the plan differs from \(golden)")
        return ExitStatus.assertion.rawValue
    }
}
