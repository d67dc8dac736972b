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
        case .needless, .unknown: "not trusted"
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
            "action": .string(hook.actionName), "does": .string(hook.actionText),
            "reads": list(hook.reads.map(\.path)), "grants": list(hook.grants.map(\.path)),
            "writes": list(hook.writes.map(\.path)), "may": list(hook.mayTexts),
            "timeout": .int(hook.timeout), "on_failure": .string(row.failure),
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
                ("reads", hook.reads.map(\.path)), ("grants", hook.grants.map(\.path)),
                ("writes", hook.writes.map(\.path)), ("may", hook.mayTexts),
            ] where !texts.isEmpty {
                facts.append((name, texts.joined(separator: ", ")))
            }
            if hook.isCall { facts.append(("timeout", "\(hook.timeout) ms, then \(row.failure)")) }
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

/// The hooks of a program in the order in which a run comes to their points.
struct HookListing {
    struct Row {
        let hook: HookRow
        /// Names of the steps at which it may fire; empty at the points of the flow.
        let steps: [String]
        /// What its failure does.
        let failure: String
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
        // At one point the order of the step's list counts: layers nest.
        let order = program.steps.flatMap(\.firingHooks)
        let points = HookPoint.allCases
        let sorted = program.hooks.indices.sorted { first, second in
            let places = [first, second].map { index in
                (points.firstIndex(of: program.hooks[index].point) ?? 0, order.firstIndex(of: index) ?? index)
            }
            return places[0] == places[1] ? first < second : places[0] < places[1]
        }
        rows = sorted.map {
            Row(hook: program.hooks[$0], steps: steps($0), failure: failure(program.hooks[$0]))
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
        case .exec(let argv, _): "exec \(argv.joined(separator: " "))"
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
