internal import FlowEngine
internal import FlowLanguage
internal import FlowReport
internal import JOSE
internal import YAMLText

/// `trace replay`: the same machine with the answers of a trace, and where it goes another way than it did.
struct ReplayCommand: Sendable {
    let context: CommandContext
    let form: Command.Form
    let client: ClientOptions

    func run(_ found: TraceFiles.Found, flow: String?, provider: String?) async throws(Problem) -> Int {
        guard case .runStart(let start)? = found.events.first?.body else {
            throw Problem(.config, "\(found.name) does not begin with run.start")
        }
        let loaded = try loadFlow(found, flow)
        if flow == nil, loaded.program.digest != start.digest {
            context.note(
                "the program is not the recorded one: sub-flows or imports have changed, or it held a secret")
        }
        let plan = try plan(loaded, start, found.events, provider)
        let recorder = EventLog()
        let effects = PlannedEffects(
            plan, now: found.events.first?.time ?? 1_767_225_600_000)
        let handler = RecordedHooks(effects, found.events)
        _ = await FlowRun(plan: plan, handler: handler, sinks: [recorder]).run()
        let replay = ReplayedPath(recorded: found.events, replayed: recorder.events)
        if replay.parting != nil { explain(start, found.events) }
        switch form {
        case .json: context.write(replay.json.serialize() + "\n")
        case .text: write(replay)
        }
        return replay.parting == nil ? ExitStatus.ok.rawValue : ExitStatus.assertion.rawValue
    }

    private func loadFlow(_ found: TraceFiles.Found, _ word: String?) throws(Problem) -> LoadedFlow {
        if let word { return try context.library.flow(word) }
        let recorded = found.events.lazy.compactMap { event -> TracedFlow? in
            if case .flow(let flow) = event.body { flow } else { nil }
        }.first
        guard let recorded, !recorded.lines.isEmpty else {
            throw Problem(
                .config, "\(found.name) does not hold the text of its flow", hints: ["name it: --flow FLOW"])
        }
        let source = SourceFile(path: recorded.file, text: recorded.lines.joined(separator: "\n"))
        let compilation = FlowCompiler.compile(source, sources: context.library.sources)
        guard let program = compilation.program else {
            throw Problem(
                .config, "the flow of \(found.name) cannot be run", hints: ["run today's: --flow FLOW"],
                diagnostics: compilation.diagnostics, sources: [source])
        }
        return LoadedFlow(program: program, source: source, diagnostics: compilation.diagnostics)
    }

    private func plan(
        _ flow: LoadedFlow, _ start: RunStart, _ events: [TraceEvent], _ provider: String?
    ) throws(Problem) -> RunPlan {
        let resolver = RegistrationResolver(
            files: try context.registrations(), surroundings: context.surroundings, isRehearsal: true,
            gate: TrustGate(context: context))
        let aliases = Set(flow.program.providers.map(\.alias))
        let further = start.furtherProviders.filter { aliases.contains($0.alias) }
        let binding = try ProviderBinding(
            flow.program,
            choices: [ProviderChoice(name: provider ?? start.provider)]
                + further.map { ProviderChoice(alias: $0.alias, name: $0.provider) },
            standard: start.provider,
            client: client, context.library, resolver)
        return RunPlan(
            program: flow.program, providers: binding.providers,
            inputs: Self.inputs(flow.program, binding.providers, start),
            assumptions: Self.assumptions(of: events), isRehearsal: true,
            asksHooks: !events.contains { Self.hook($0)?.decision == "left out" })
    }

    /// What may have led another way that no trace shows.
    private func explain(_ start: RunStart, _ events: [TraceEvent]) {
        if events.contains(where: { Self.hook($0)?.wrote.contains { $0.hasPrefix("vars.") } == true }) {
            context.note("hooks wrote values in that run, which are not set again")
        }
        let hidden = start.inputs.filter { input in
            if case .text(let text) = input.value { Self.isHidden(text) } else { true }
        }
        if !hidden.isEmpty {
            let names = hidden.map(\.name).joined(separator: ", ")
            context.note("the trace does not show the inputs of that run: \(names); others stand for them")
        }
    }

    /// Whether a trace shows a placeholder in the place of a value.
    private static func isHidden(_ text: String) -> Bool { text == "(given)" || text.contains("‹") }

    private static func hook(_ event: TraceEvent) -> TracedHook? {
        if case .hook(let hook) = event.body { hook } else { nil }
    }

    /// The recorded values where the trace shows them, synthetic ones where it does not.
    private static func inputs(
        _ program: FlowProgram, _ providers: [BoundProvider], _ start: RunStart
    ) -> [Value] {
        let synthetic = SyntheticInputs.values(of: program, providers)
        return zip(program.inputs, synthetic).map { input, value in
            guard case .text(let text)? = start.inputs.first(where: { $0.name == input.name })?.value else {
                return value
            }
            if text == "null", input.type.isOptional { return .null }
            switch input.type.required {
            case .string where !Self.isHidden(text): return .string(text)
            case .bool, .int, .number, .time, .url:
                return InputReading.parse(text, as: input.type.required) ?? value
            default: return value
            }
        }
    }

    /// What the trace says of each step: the answer's status where there was one, so that the machine itself finds the
    /// outcome, else the outcome.
    private static func assumptions(of events: [TraceEvent]) -> [Assumption] {
        TracePassage.all(of: events).compactMap { passage in
            guard let end = passage.end, end.outcome != "skipped" else { return nil }
            if let status = end.status, status >= 400 {
                let error = end.error.flatMap { $0.hasPrefix("http_") ? nil : $0 }
                return Assumption(
                    step: passage.name, visit: passage.visit, answer: .status(status, error: error))
            }
            return Assumption(step: passage.name, visit: passage.visit, answer: .outcome(end.outcome))
        }
    }

    private func write(_ replay: ReplayedPath) {
        var page = Page(RenderOptions(context.common, context.surroundings.output, context.surroundings))
        page.table(
            replay.rows.map { row in
                let isSame = row.recorded == row.replayed
                return [
                    Styled(isSame ? Symbol.passed : Symbol.failed, isSame ? .good : .bad),
                    Styled(row.recorded ?? "(not entered)"),
                    isSame ? "" : Styled("replayed: \(row.replayed ?? "(not entered)")", .bad),
                ]
            }, indent: 0)
        page.blank()
        if let parting = replay.parting {
            page.line(
                Styled("another path", .bad)
                    + " from \(parting.recorded ?? parting.replayed ?? "the start") on")
        } else {
            let rest = replay.isWhole ? "steps and ends" : "steps, as far as the trace goes"
            page.line(Styled("the same path", .good) + ", \(replay.rows.count) \(rest)")
        }
        context.write(page.take())
    }
}

/// The paths of a run and of its replay, side by side.
private struct ReplayedPath {
    struct Row: Sendable, Hashable {
        /// `exchange: invalid_grant → failed`.
        let recorded: String?
        let replayed: String?
    }

    private(set) var rows: [Row] = []
    /// Whether the trace tells how the run ended.
    let isWhole: Bool

    /// Where they part for the first time.
    var parting: Row? { rows.first { $0.recorded != $0.replayed } }

    init(recorded: [TraceEvent], replayed: [TraceEvent]) {
        let (one, other) = (Self.path(recorded), Self.path(replayed))
        if case .runEnd? = recorded.last?.body { isWhole = true } else { isWhole = false }
        // Where the trace breaks off, nobody knows which way the run went.
        for index in 0..<(isWhole ? max(one.count, other.count) : one.count) {
            rows.append(
                Row(
                    recorded: index < one.count ? one[index] : nil,
                    replayed: index < other.count ? other[index] : nil))
            // What follows another path says nothing.
            if parting != nil { break }
        }
    }

    private static func path(_ events: [TraceEvent]) -> [String] {
        var path = TracePassage.all(of: events).compactMap { passage in
            passage.end.map { "\(passage.name): \($0.outcome) \(Symbol.arrow) \($0.target)" }
        }
        if case .runEnd(let end)? = events.last?.body { path.append("end \(end.end)") }
        return path
    }

    var json: JSONValue {
        [
            "same": .bool(parting == nil),
            "path": .array(
                rows.map { row in
                    [
                        "recorded": row.recorded.map { .string($0) } ?? .null,
                        "replayed": row.replayed.map { .string($0) } ?? .null,
                    ]
                }),
        ]
    }
}
