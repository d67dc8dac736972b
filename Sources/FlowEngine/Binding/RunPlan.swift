package import FlowLanguage
internal import Synchronization
package import YAMLText

/// Everything that one run needs and that never changes while it runs: program, providers, inputs, assumptions.
package final class RunPlan: Sendable {
    package let program: FlowProgram
    /// In the order of the program's provider slots.
    package let providers: [BoundProvider]
    /// In the order of the program's inputs.
    package let inputs: [Value]
    /// Names the person or purpose a session belongs to; part of its key in the store.
    package let profile: String
    /// What a dry run takes for granted; empty in a live run.
    package let assumptions: [Assumption]
    /// What `run.dry_run` says.
    package let isRehearsal: Bool
    /// A redirect URI that the user fixed.
    package let redirectURI: String?
    /// Folder of the flow file.
    package let directory: String
    /// The text of the flow, which reports show; `nil` where the host keeps it to itself.
    package let source: SourceFile?
    /// Whether hooks that are programs, servers or closures are asked at all.
    package let asksHooks: Bool
    /// Values that a rehearsal forces into fields of steps and token sets, by slot.
    let forced: [Int: GivenValue.Amount]
    let walk: WalkTable
    /// By provider, what expressions may read of it, in the order of `ProviderMember`.
    let descriptions: [[Value]]
    private let madeTrace: TraceOnce

    /// - Parameter given: Paths with the values that they are forced to have; what `GivenValue` cannot read is ignored.
    package init(
        program: FlowProgram, providers: [BoundProvider], inputs: [Value], profile: String = "default",
        assumptions: [Assumption] = [], isRehearsal: Bool = false,
        redirectURI: String? = nil, directory: String = ".", asksHooks: Bool = true,
        given: [(path: String, value: Value)] = [], source: SourceFile? = nil
    ) {
        let program = program.withHooks(of: providers.map(\.descriptor))
        self.program = program
        self.providers = providers
        self.inputs = inputs
        self.profile = profile
        self.assumptions = assumptions
        self.isRehearsal = isRehearsal
        self.redirectURI = redirectURI
        self.directory = directory
        self.source = source
        self.asksHooks = asksHooks
        madeTrace = TraceOnce()
        walk = WalkTable(program)
        descriptions = providers.map { provider in ProviderMember.allCases.map(provider.value(of:)) }
        forced = Dictionary(
            given.compactMap { GivenValue(path: $0.path, $0.value, in: program) }.map {
                ($0.slot, $0.amount)
            },
            uniquingKeysWith: { $1 })
    }

    /// The plan of another run that differs from one in what its caller says, and shares everything else with it.
    ///
    /// - Parameter inputs: In the order of the program's inputs.
    package init(_ plan: RunPlan, inputs: [Value], profile: String) {
        program = plan.program
        providers = plan.providers
        self.inputs = inputs
        self.profile = profile
        assumptions = plan.assumptions
        isRehearsal = plan.isRehearsal
        redirectURI = plan.redirectURI
        directory = plan.directory
        source = plan.source
        asksHooks = plan.asksHooks
        forced = plan.forced
        walk = plan.walk
        descriptions = plan.descriptions
        // What is written of the flow holds none of the secrets that its run was given.
        let givesSecrets = (plan.inputs + inputs).contains { !PortValue.secrets($0).isEmpty }
        madeTrace = givesSecrets ? TraceOnce() : plan.madeTrace
    }

    /// What the traces of its runs say alike.
    var trace: PlanTrace { madeTrace.trace(of: self) }

    /// Whether nothing is taken for granted and nothing is forced.
    var isPlain: Bool { assumptions.isEmpty && forced.isEmpty }

    /// Whether an ID token is taken to be good, so that there must be one: a refresh may bring none (OIDC Core §12.2).
    var assumesIDToken: Bool {
        assumptions.contains { assumption in
            assumption.answer == .outcome("ok")
                && program.steps.contains { $0.name == assumption.step && $0.kind == .verifyIDToken }
        }
    }

    /// The named outcome that is taken for granted for an entry of a step; statuses are the effect handler's.
    func assumedOutcome(step index: Int, visit: Int) -> Outcome? {
        if assumptions.isEmpty { return nil }
        let step = program.steps[index].name
        for assumption in assumptions where assumption.step == step {
            guard assumption.visit == nil || assumption.visit == visit,
                case .outcome(let name) = assumption.answer
            else { continue }
            return program.outcome(named: name, at: index)
        }
        return nil
    }
}

/// What the traces of a plan say alike, made when the first of them needs it.
private final class TraceOnce: Sendable {
    private let made = Mutex<PlanTrace?>(nil)

    func trace(of plan: RunPlan) -> PlanTrace {
        made.withLock { made in
            if let made { return made }
            let trace = PlanTrace(plan)
            made = trace
            return trace
        }
    }
}
