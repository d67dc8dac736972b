internal import FlowEngine
internal import FlowLanguage
internal import JOSE
internal import YAMLText

/// `hooks list`: every hook of a flow in the order in which it fires, with all that it is given and may do.
struct HooksCommand: Sendable {
    let context: CommandContext
    let request: HooksRequest

    private var surroundings: Surroundings { context.surroundings }

    func run() throws(Problem) -> Int {
        let flow = try context.library.flow(request.flow)
        var program = flow.program
        if let provider = request.provider {
            let descriptor = try context.library.provider(provider).descriptor
            program = program.withHooks(of: program.providers.map { _ in descriptor })
        }
        let standing = try TrustGate(context: context).standing(of: try TrustSubject(flow, surroundings))
        let rows = HookListing(program).rows
        switch request.form {
        case .json:
            let hooks = rows.map { json($0, flow, standing) }
            let value: JSONValue = ["flow": .string(program.name), "hooks": .array(hooks)]
            context.write(value.serialize(pretty: true) + "\n")
        case .text: context.write(text(rows, flow, standing))
        }
        return ExitStatus.ok.rawValue
    }

    /// What a hook needs beyond the flow; `nil` for one that the engine runs.
    private func trust(_ hook: HookRow, _ standing: TrustGate.Standing) -> String? {
        switch hook.action {
        case .set, .assert, .map, .emit: return nil
        case .native: return "the host program"
        case .exec, .http: break
        }
        return switch standing {
        case .trusted: "trusted"
        case .needless: "needs none: it came with flowrun"
        case .unknown: "not trusted"
        case .changed: "changed since it was trusted"
        }
    }

    private func place(_ hook: HookRow, _ flow: LoadedFlow) -> String {
        "\(hook.file ?? flow.source.path):\(hook.span.start.line)"
    }

    // MARK: Forms

    private func json(
        _ row: HookListing.Row, _ flow: LoadedFlow, _ standing: TrustGate.Standing
    ) -> JSONValue {
        let hook = row.hook
        func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
        return [
            "id": .string(hook.id), "at": .string(hook.point.rawValue), "steps": list(row.steps),
            "outcomes": row.outcomes.map(list) ?? .null,
            "action": .string(hook.actionName), "does": .string(hook.actionText),
            "env": list(hook.action.variables),
            "reads": list(hook.reads.map(\.path)), "grants": list(hook.grants.map(\.path)),
            "writes": list(hook.writes.map(\.path)), "may": list(hook.mayTexts),
            "timeout": .int(hook.timeout), "attempts": .int(Int64(hook.attempts)),
            "on_failure": .string(row.failure), "simulate": row.simulation.map { .string($0) } ?? .null,
            "place": .string(place(hook, flow)),
            "trust": trust(hook, standing).map { .string($0) } ?? .null,
        ]
    }

    private func text(
        _ rows: [HookListing.Row], _ flow: LoadedFlow, _ standing: TrustGate.Standing
    ) -> String {
        var page = Page(RenderOptions(context.common, surroundings.output, surroundings))
        if rows.isEmpty { page.line(Styled("\(flow.source.path) has no hooks")) }
        for (index, row) in rows.enumerated() {
            if index > 0 { page.blank() }
            let hook = row.hook
            let title =
                Styled("\(index + 1)  ", .dim) + Styled(hook.id, .strong)
                + Styled("  at \(hook.point.rawValue)")
            let steps = row.steps.isEmpty ? "" : " of \(row.steps.joined(separator: ", "))"
            page.line(title + Styled(steps), hanging: 3)
            var facts = [("does", hook.actionText)]
            for (name, texts) in [
                ("on", row.outcomes ?? []), ("env", hook.action.variables), ("reads", hook.reads.map(\.path)),
                ("grants", hook.grants.map(\.path)),
                ("writes", hook.writes.map(\.path)), ("may", hook.mayTexts),
            ] where !texts.isEmpty {
                facts.append((name, texts.joined(separator: ", ")))
            }
            if hook.isCall {
                let tries = hook.attempts > 1 ? ", \(hook.attempts) tries" : ""
                facts.append(("timeout", "\(hook.timeout) ms\(tries), then \(row.failure)"))
            }
            if let simulation = row.simulation { facts.append(("simulate", simulation)) }
            facts.append(("place", place(hook, flow)))
            if let trust = trust(hook, standing) { facts.append(("trust", trust)) }
            page.table(facts.map { [Styled($0.0, .dim), Styled($0.1)] }, indent: 3)
        }
        return page.take()
    }
}

struct HooksRequest: Sendable, Hashable {
    var flow: String
    var provider: String?
    var form = Command.Form.text
}

/// The hooks of a program in the order in which a run comes to their points, where it takes the steps as they are written.
///
/// A hook of several steps stands at the first of them.
struct HookListing {
    struct Row {
        let hook: HookRow
        /// Names of the steps at which it may fire; empty at the points of the flow.
        let steps: [String]
        /// Names of the outcomes that it fires on; `nil` for any.
        let outcomes: [String]?
        /// What its failure does.
        let failure: String
        /// What a dry run takes for its answer, in the words of the wire form; `nil` for nothing.
        let simulation: String?
    }

    let rows: [Row]

    init(_ program: FlowProgram) {
        func steps(_ index: Int) -> [String] {
            program.steps.filter { $0.firingHooks.contains(index) }.map(\.name)
        }
        func failure(_ hook: HookRow) -> String {
            switch hook.onFailure {
            case .abort: "the run ends"
            case .continue: "the run goes on"
            case .goto(let step): "goto \(program.steps[step].name)"
            }
        }
        func outcomes(_ index: Int) -> [String]? {
            program.hooks[index].outcomes.map { outcomes in
                let names = program.steps.indices.flatMap { step -> [String] in
                    guard program.steps[step].firingHooks.contains(index) else { return [] }
                    let routes = program.steps[step].routes
                    let here = outcomes.filter {
                        Int($0.rawValue) < routes.count && routes[Int($0.rawValue)] != RouteRow.none
                    }
                    return here.map { program.name(of: $0, at: step) }
                }
                return Set(names).sorted()
            }
        }
        func simulation(_ hook: HookRow) -> String? {
            guard let simulation = hook.simulation else { return nil }
            let paths = simulation.saves.map { program.slots[$0.slot].path }
            let sets = paths.isEmpty ? nil : "set \(paths.joined(separator: ", "))"
            let answer = simulation.answer.isEmpty ? nil : JSONValue.object(simulation.answer).serialize()
            return [sets, answer].compactMap(\.self).joined(separator: ", ")
        }
        // At one point of a step the order of its list counts: layers nest.
        let order = program.steps.flatMap(\.firingHooks)
        func place(_ index: Int) -> [Int] {
            let first = program.steps.firstIndex { $0.firingHooks.contains(index) }
            let (stage, within) = Self.stage(program.hooks[index].point)
            return [stage, first ?? 0, within, order.firstIndex(of: index) ?? 0, index]
        }
        let sorted = program.hooks.indices.sorted { place($0).lexicographicallyPrecedes(place($1)) }
        rows = sorted.map {
            Row(
                hook: program.hooks[$0], steps: steps($0), outcomes: outcomes($0),
                failure: failure(program.hooks[$0]), simulation: simulation(program.hooks[$0]))
        }
    }

    /// Where a point comes: at the start of the run, in its steps, at its end; and within a step.
    private static func stage(_ point: HookPoint) -> (stage: Int, within: Int) {
        switch point {
        case .flowStart: (0, 0)
        case .stepBefore: (1, 0)
        case .stepRequest: (1, 1)
        case .stepPrompt: (1, 2)
        case .stepResponse: (1, 3)
        case .stepRetry: (1, 4)
        case .tokensReceived: (1, 5)
        case .sessionStore: (1, 6)
        case .stepAfter: (1, 7)
        case .flowError: (2, 0)
        case .flowEnd: (3, 0)
        }
    }
}

extension HookRow {
    var isCall: Bool {
        switch action {
        case .exec, .http, .native: true
        case .set, .assert, .map, .emit: false
        }
    }

    var actionName: String { action.name }

    /// What it does, in the words of the file.
    var actionText: String {
        switch action {
        case .set(let saves): "set \(saves.count == 1 ? "a variable" : "\(saves.count) variables")"
        case .assert: "assert"
        case .map(let fields): "map \(fields.map(\.name).joined(separator: ", "))"
        case .emit(let event, _): "emit \(event)"
        case .exec(let argv, _): "exec \(ShellWords.quoted(argv))"
        case .http(let endpoint): "http POST \(endpoint.url)"
        case .native(let name): "native \(name)"
        }
    }

    var mayTexts: [String] {
        let targets = powers.targets.map(\.name).joined(separator: ", ")
        return HookPower.allCases.filter(powers.allowed.contains).map { power in
            power == .goto ? "goto \(targets)" : power.rawValue
        }
    }
}
