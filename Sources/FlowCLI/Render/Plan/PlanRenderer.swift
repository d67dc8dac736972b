internal import FlowReport
package import FlowEngine

/// What a run would do: every step with its requests, where each parameter comes from and why, its checks, its routes.
///
/// The same events give the same bytes. At `normal` answers show their members' names only; from `verbose` on also
/// their values and the checks that did not apply in full.
package struct PlanRenderer: TraceRenderer {
    private var page: Page
    private var summary = PlanSummary()
    private var step: PlanStep?
    /// Sub-flows that are under way, the innermost last.
    private var outer: [PlanStep] = []
    private var steps = 0
    private let runsHooks: Bool

    /// - Parameter runsHooks: Whether hooks are run, which do what they do.
    package init(_ options: RenderOptions, runsHooks: Bool = false) {
        page = Page(options)
        self.runsHooks = runsHooks
    }

    package mutating func render(_ event: TraceEvent) -> String {
        summary.count(event)
        switch event.body {
        case .runStart(let start): PlanHeader.write(start, runsHooks: runsHooks, &page)
        case .stepStart(let start):
            if let step {
                step.open(&page)
                outer.append(step)
            }
            steps += 1
            step = PlanStep(number: steps, name: event.step ?? "", start: start)
        case .stepEnd(let end):
            if let step { step.write(end, &page) } else { outer.popLast()?.close(end, &page) }
            step = nil
        case .runEnd(let end):
            // A step that the run did not finish: the limits or a hook ended it.
            step?.write(nil, &page)
            step = nil
            summary.write(end, &page)
        // What a rehearsed token says is made up.
        case .flow, .token: break
        case .request, .response, .transportFailure, .check, .note, .warning, .actionRequired,
            .callbackIgnored,
            .waiting, .hook, .retry, .saved, .security:
            if step == nil { PlanStep.write(event.body, &page) } else { step?.add(event.body) }
        }
        return page.take()
    }
}

/// What is run, and with what.
enum PlanHeader {
    /// Hexadecimal digits of the program's digest: enough to tell two versions of one file apart.
    private static let digestLength = 12

    static func write(_ start: RunStart, runsHooks: Bool, _ page: inout Page) {
        let digest = start.digest.split(separator: ":").last ?? ""
        page.line(
            Styled("PLAN  ", .strong) + Styled("\(start.flow) v\(start.version)", .strong)
                + "   provider \(TracedWords.providers(start))   program \(String(digest.prefix(digestLength)))   "
                + Styled("DRY RUN", .warning),
            hanging: 6)
        let exception = runsHooks ? ", but by hooks" : ""
        page.line(Styled("nothing is sent, opened or written\(exception)", .dim), indent: 6)
        if start.inputs.isEmpty { return }
        page.blank()
        page.line(Styled("inputs", .dim), indent: 4)
        page.table(start.inputs.map { [Styled($0.name), TracedForm.of($0.value)] }, indent: 6)
    }
}
