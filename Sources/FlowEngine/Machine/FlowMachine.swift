package import FlowLanguage
internal import OAuthProtocol

/// Decides what a run does next: a value that turns one report of the world into one request to it.
///
/// Pure and synchronous: no I/O, no clock, no randomness but the seed it is given. The same machine serves live runs,
/// dry runs and tests; only the effect handlers differ.
package struct FlowMachine: Sendable {
    let plan: RunPlan
    var registers: Registers
    var phase = Phase.ready
    var work: any StepWork = PureStep()
    /// Index of the current step.
    var step = 0
    var attempt = 1
    var runDeadline: Int64 = .max
    /// By frame, the deadline that holds again once its flow has ended.
    var outerDeadlines: [Int: Int64] = [:]
    var stepDeadline: Int64 = .max
    var attemptDeadline: Int64 = .max
    var visits: ContiguousArray<Int>
    var used: ContiguousArray<Int>
    /// What was looked at to find the edge that was taken last; empty where nobody listens.
    var looks: [EdgeLook] = []
    /// Why the outcome of the current step stands.
    var retryVerdict = TracedResolution.Retry.Reason.notTried
    var transitions = 0
    var retries = 0
    var random: SplitMix64
    var hasRedirect = false
    /// The request that is under way with a proof.
    var proving: ProvenRequest?
    /// The lock that the current step asked for.
    var wantedLock: SessionKey?
    /// What `tokens.received` hooks see and nobody else may, until they have agreed.
    var withheld: WithheldTokens?
    /// The answer that hooks are looking at before the step reads it.
    var unread: InputEvent?
    /// Calls of hooks so far, repetitions aside.
    var hookCalls = 0
    /// Hooks of which it was said that they are left out.
    var leftOut: Set<Int> = []
    /// How long hooks were waited for, in milliseconds, and since when the one that is asked.
    var hookTime: Int64 = 0
    var hookAskedAt: Int64 = 0
    /// The last step outcome that was not a success, for the error of a failure end.
    var problem: Problem?
    /// Where the engine itself ended the run; `nil` where the flow came to its end.
    var stop: Stop?
    /// By frame, the problem from before its flow.
    var outerProblems: [Int: Problem] = [:]
    /// The end of the sub-flow that has just ended without success, and what went wrong inside of it.
    var left: (end: Int, problem: Problem?)?

    package struct Problem: Sendable, Hashable {
        package let step: Int
        package let outcome: Outcome
        package let outcomeClass: OutcomeClass
        package let error: String?
        package let description: String?
        package let status: Int?
        /// Milliseconds that the server asks to wait.
        package let retryAfter: Int64?
        /// Code and process status that the end of a sub-flow declares for it.
        package var code: String?
        package var exit: Int?
        /// Name of the hook that gave the answer this outcome; `nil` where the other side did.
        package var hook: String?
        /// The rule of the provider file by which the answer is an error.
        package var rule: String?
        /// The last request of the step; `nil` where it sent none.
        package var request: SentRequest?
        /// That of the sign-in which the step was about; `nil` where it was about none.
        package var redirectURI: String?
    }

    /// What the engine was at when it ended the run.
    package struct Stop: Sendable, Hashable {
        /// `nil` outside of all steps.
        package let step: Int?
        /// Name of the hook that failed or refused; `nil` where it was none.
        package let hook: String?
    }

    /// The token set that comes back when a hook refuses its successor.
    struct WithheldTokens: Sendable {
        let set: Int
        let previous: TokenSet?
    }

    enum Phase: Sendable {
        case ready
        case working
        /// A key for the proof of this request is made.
        case makingKey(ProvenRequest)
        case waitingToRetry
        /// Letting a peer have the session before the step of this index.
        case releasing(Int)
        case hooks(HookRound)
        /// Keeping what a step was not let read.
        case rescuing(AfterRescue)
        case concluding(FlowEnd)
        case done
    }

    /// What to do next inside one call of `advance`.
    enum Progress {
        case decide(Decision)
        case enter(Int)
        /// The same for a step that is not, or not only, a matter of edges.
        case enterSlowly(Int)
        case begin
        case act(StepAction)
        case settle(StepResult)
        case route(StepResult)
        case hooks(HookRound)
        case arrive(Int, RunFailure?)
    }

    /// - Parameter takesNotes: Whether anybody reads what it does; it does the same in either case.
    package init(plan: RunPlan, seed: UInt64, runID: String, takesNotes: Bool) {
        self.plan = plan
        registers = Registers(plan, seed: seed, takesNotes: takesNotes)
        visits = ContiguousArray(repeating: 0, count: plan.program.steps.count)
        used = ContiguousArray(repeating: 0, count: plan.program.edges.count)
        random = SplitMix64(seed: seed)
        registers[.runID] = .string(runID)
        registers[.runDryRun] = .bool(plan.isRehearsal)
        if let provider = plan.providers.first {
            registers[.clientID] = .string(provider.registration.clientID)
        }
        for (slot, description) in zip(plan.program.providers, plan.descriptions) {
            registers.describe(description, from: slot.slotBase)
        }
        for view in plan.program.frames.flatMap(\.providers) {
            registers.describe(plan.descriptions[view.provider], from: view.slotBase)
        }
        for (row, value) in zip(plan.program.inputs, plan.inputs) { registers.slots[row.slot] = value }
        for row in plan.program.variables { registers.slots[row.slot] = row.initial ?? .null }
    }

    /// Takes one report and decides. Never throws; a report that does not fit the phase is our own mistake.
    package mutating func advance(on input: Input) -> Decision {
        registers.now = input.now
        var progress = receive(input.event)
        while true {
            switch progress {
            case .decide(let decision): return decision
            case .enter(let index):
                progress = plan.walk.steps[index].isPure && mayWalk ? walk(from: index) : .enterSlowly(index)
            case .enterSlowly(let index): progress = enter(index)
            case .begin: progress = beginAttempt()
            case .act(let action): progress = act(action)
            case .settle(let result): progress = settle(result)
            case .route(let result): progress = route(result)
            case .hooks(let round): progress = runHooks(round)
            case .arrive(let end, let failure): progress = arrive(at: end, failure)
            }
        }
    }

    /// The notes since the last call; the caller redacts and emits them.
    package mutating func drainNotes() -> [TraceRecord] {
        if registers.notes.records.isEmpty { return [] }
        let records = registers.notes.records
        registers.notes.records = []
        return records
    }

    private mutating func receive(_ event: InputEvent) -> Progress {
        if case .concluding(let end) = phase { return farewell(end) }
        if case .locked = event {
            registers.heldLock = wantedLock
            // Waiting for others is no part of the attempt: what is sent now has all of its time.
            attemptDeadline = min(stepDeadline, registers.now + plan.program.steps[step].timeout)
        }
        if case .cancelled = event { return cancel() }
        if case .journalFailed(let reason) = event {
            return fail(RunFailure(.journal, "the run cannot be kept safe against a crash: \(reason)"))
        }
        switch phase {
        case .ready:
            // What hooks read before there is a step.
            registers[.runNow] = .time(registers.now)
            runDeadline = registers.now + plan.program.limits.deadline
            step = plan.program.start
            let hooks = hooks(at: .flowStart)
            if hooks.isEmpty { return .enter(step) }
            return .hooks(HookRound(hooks: hooks, then: .enter(step)))
        case .working:
            return answered(event) ?? read(event)
        case .makingKey(let request):
            return keyMade(event, for: request)
        case .waitingToRetry:
            attempt += 1
            return .begin
        case .releasing(let index):
            return .enter(index)
        case .hooks(let round):
            return resumeHooks(round, event)
        case .rescuing(let next):
            return .arrive(next.end, next.failure)
        case .concluding, .done:
            preconditionFailure("the run is over")
        }
    }

    /// Lets the step go on, after hooks have seen an answer of the other side.
    private mutating func read(_ event: InputEvent) -> Progress {
        if case .answered = event, !plan.program.steps[step].attemptHooks.response.isEmpty {
            let hooks = plan.program.steps[step].attemptHooks.response
            if case .answered(let response, _) = event, registers.asked != .discovery {
                registers.meet(AnswerScreen.secrets(in: response))
            }
            unread = event
            return .hooks(HookRound(hooks: hooks, then: .resume(event)))
        }
        return .act(work.resume(event, &registers, scope))
    }

    /// What the current step may look at besides the registers.
    var scope: StepScope {
        StepScope(
            plan: plan, step: step, visit: visits[step], deadline: attemptDeadline, stepDeadline: stepDeadline
        )
    }

    /// Past its deadline a run starts nothing new; what an effect has brought is still taken in and kept.
    var isOverdue: Bool { registers.now >= runDeadline }

    static let overdue = RunFailure(.deadline, "the run took longer than limits.deadline allows")

    private mutating func cancel() -> Progress {
        // The run has its end already; what is left of it are the hooks that always run.
        if case .hooks(let round) = phase, round.isEnding { return .hooks(round) }
        let isBegun = if case .ready = phase { false } else { true }
        stop = Stop(step: isBegun ? step : nil, hook: nil)
        return .arrive(plan.program.cancelledEnd, RunFailure(.cancelled, "the run was cancelled"))
    }

    /// Ends the run through the implicit or declared end `failed`.
    ///
    /// - Parameter hook: The one that failed or refused.
    mutating func fail(_ failure: RunFailure, of hook: HookRow? = nil) -> Progress {
        stop = Stop(step: hook?.point.isOfStep == false ? nil : step, hook: hook?.id)
        registers.meetAnswer()
        var failure = failure
        failure.message = shown(failure.message)
        return .arrive(plan.program.failedEnd, failure)
    }
}
