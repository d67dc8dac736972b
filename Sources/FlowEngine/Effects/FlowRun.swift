package import FlowLanguage
internal import OAuthProtocol

/// Runs a flow: the only loop. It takes the machine's decisions to the effect handler and the reports back.
package struct FlowRun: Sendable {
    private let plan: RunPlan
    private let handler: any EffectHandler
    private let sinks: [any TraceSink]

    package init(plan: RunPlan, handler: any EffectHandler, sinks: [any TraceSink]) {
        self.plan = plan
        self.handler = handler
        self.sinks = sinks
    }

    /// Runs to the end; a cancelled task ends the flow through its end `cancelled`.
    package func run() async -> RunOutcome {
        let identity = handler.begin()
        var machine = FlowMachine(plan: plan, seed: identity.seed, runID: identity.runID)
        let emitter = TraceEmitter(plan: plan, traceKey: identity.traceKey, sinks: sinks, now: handler.now)
        emitter.start(identity)
        var event = InputEvent.start
        while true {
            let decision = machine.advance(on: Input(event, now: handler.now()))
            emitter.emit(machine.drainNotes())
            switch decision {
            case .perform(let request):
                event = await perform(request, emitter)
            case .finish(let end):
                let outcome = RunOutcome(
                    runID: identity.runID, end: end, problem: machine.problem, plan: plan,
                    tokens: machine.registers.tokenSets)
                emitter.finish(outcome)
                return outcome
            }
        }
    }

    /// Performs an effect unless the run is cancelled; what closes the run is done all the same, out of the
    /// cancellation's reach.
    private func perform(_ request: EffectRequest, _ emitter: TraceEmitter) async -> InputEvent {
        guard Task.isCancelled else {
            let event = await handler.perform(request, events: emitter)
            // A hook that was stopped has not failed by itself.
            if Task.isCancelled, case .hook = event, !request.effect.isEssential { return .cancelled }
            return event
        }
        guard request.effect.isEssential else { return .cancelled }
        return await Task { await handler.perform(request, events: emitter) }.value
    }
}

/// How a run ended, with what a caller needs to explain it.
package struct RunOutcome: Sendable {
    package let runID: String
    package let end: FlowEnd
    package let problem: FlowMachine.Problem?
    package let plan: RunPlan
    package let tokens: [TokenSet?]

    package var isSuccess: Bool { end.result == .success }

    /// Name and span of the step that the failure belongs to.
    package var failedStep: StepRow? {
        problem.map { plan.program.steps[$0.step] }
    }
}
