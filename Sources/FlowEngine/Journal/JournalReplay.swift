internal import FlowLanguage
internal import OAuthProtocol

/// Brings a new machine to where an interrupted run was: it is told again what the world reported, and nothing is done.
struct JournalReplay {
    /// What the interrupted process held when its last record was written.
    struct Standing {
        var redirect: EffectRequest?
        var presentation: EffectRequest?
        var lock: EffectRequest?
    }

    private let recorded: RecordedRun
    private(set) var standing = Standing()
    /// What the machine told of the steps that are done, for traces.
    private(set) var notes: [TraceRecord] = []

    init(_ recorded: RecordedRun) {
        self.recorded = recorded
    }

    /// - Returns: What the run would have done next.
    /// - Throws: `journal` when the program is another one, or asks for something else than the records answer.
    mutating func run(_ machine: inout FlowMachine, _ plan: RunPlan) throws(RunFailure) -> Decision {
        if let difference = plan.difference(from: recorded) { throw RunFailure(.journal, difference) }
        var decision = machine.advance(on: Input(.start, now: recorded.startedAt))
        notes += machine.drainNotes()
        for report in recorded.reports {
            guard case .perform(let request) = decision, report.answers(request) else {
                throw RunFailure(
                    .journal,
                    "step \"\(report.step)\" asked for \(report.effect) when the run began, and does not any more"
                )
            }
            note(request, report.input.event)
            decision = machine.advance(on: report.input)
            notes += machine.drainNotes()
        }
        return decision
    }

    private mutating func note(_ request: EffectRequest, _ event: InputEvent) {
        switch (request.effect, event) {
        case (.openRedirect(let plan), .redirectOpened(let uri)):
            var again = request
            again.effect = .openRedirect(plan.at(uri))
            standing.redirect = again
        case (.present, .presented), (.presentCode, .presented): standing.presentation = request
        case (.conclude, _): (standing.redirect, standing.presentation) = (nil, nil)
        case (.lock, .locked): standing.lock = request
        case (.unlock, _): standing.lock = nil
        default: break
        }
    }
}

extension RedirectPlan {
    /// The same place again, where it was.
    func at(_ uri: String) -> RedirectPlan {
        RedirectPlan(
            host: host, ports: ports, path: path, fixed: uri, providerName: providerName, errand: errand,
            methods: methods, isAgain: true)
    }
}
