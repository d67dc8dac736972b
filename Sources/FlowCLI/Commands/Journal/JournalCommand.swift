internal import FlowEngine
internal import FlowLive
internal import JOSE

/// `journal`: the runs that are kept, and what their records say.
struct JournalCommand: Sendable {
    let context: CommandContext
    let request: JournalRequest

    func run() async throws(Problem) -> Int {
        guard let sessions = try StoredSessions.open(context.surroundings, request.store) else {
            return try empty()
        }
        do throws(StoreError) {
            guard let run = request.run else {
                list(try await sessions.store.runs(), isInterrupted: sessions.isInterrupted)
                return ExitStatus.ok.rawValue
            }
            let entries = try await sessions.store.records(of: run)
            if !entries.isEmpty {
                show(entries)
                return ExitStatus.ok.rawValue
            }
        } catch {
            throw Problem(.local, error.words)
        }
        return try empty()
    }

    private func empty() throws(Problem) -> Int {
        if let run = request.run { throw ResumeCommand.problem(run, .unknown) }
        list([]) { _ in false }
        return ExitStatus.ok.rawValue
    }

    // MARK: Runs

    private func list(_ runs: [StoredRun], isInterrupted: (StoredRun) -> Bool) {
        switch request.form {
        case .json:
            let list = runs.map { run in JSONValue.object(Self.json(run, isInterrupted(run))) }
            context.write(JSONValue.array(list).serialize() + "\n")
        case .text:
            guard !runs.isEmpty else { return context.write("no run is kept\n") }
            var page = Page(RenderOptions(context.common, context.surroundings.output, context.surroundings))
            for run in runs { write(run, isInterrupted(run), &page) }
            context.write(page.take())
        }
    }

    /// On one line; on a terminal that is too narrow for it on two, of which nothing is lost that somebody copies.
    private func write(_ run: StoredRun, _ isInterrupted: Bool, _ page: inout Page) {
        let head = Styled("\(run.id)  \(CalendarText.utc(run.startedAt))")
        let rest = Styled(Self.words(run, isInterrupted))
        if page.fits([[head, rest]], indent: 0) || !context.surroundings.output.isTerminal {
            page.unwrapped([head, rest].joined("  "))
        } else {
            page.unwrapped(head)
            page.line(rest, indent: 4)
        }
    }

    private static func json(_ run: StoredRun, _ isInterrupted: Bool) -> JSONObject {
        var json = shown(run.facts)
        json["run"] = .string(run.id)
        json["started_at"] = .string(CalendarText.utc(run.startedAt))
        json["standing"] = .string(run.standing)
        if isInterrupted { json["interrupted"] = true }
        json["waits_until"] = run.waitsUntil.map { .string(CalendarText.utc($0)) }
        json["ended_at"] = run.endedAt.map { .string(CalendarText.utc($0)) }
        return json
    }

    private static func words(_ run: StoredRun, _ isInterrupted: Bool) -> String {
        let flow = run.facts["flow"]?.stringValue ?? "?"
        let provider = run.facts["provider"]?.stringValue ?? "?"
        let profile = run.facts["profile"]?.stringValue ?? "default"
        let whose = profile == "default" ? "" : " profile \(profile)"
        let until = run.waitsUntil.map { " until \(CalendarText.utc($0))" } ?? ""
        let next = isInterrupted ? ", interrupted: flowrun resume \(run.id)" : ""
        return "\(flow) at \(provider)\(whose)  \(run.standing)\(until)\(next)"
    }

    /// The facts of a record, its time as all times are shown.
    private static func shown(_ facts: JSONObject) -> JSONObject {
        var facts = facts
        if let deadline = facts["deadline"]?.intValue {
            facts["deadline"] = .string(CalendarText.utc(deadline))
        }
        return facts
    }

    // MARK: Records

    private func show(_ entries: [JournalEntry]) {
        for (number, entry) in entries.enumerated() {
            switch request.form {
            case .json:
                var json: JSONObject = [
                    "seq": .int(Int64(number + 1)), "t": .string(CalendarText.utc(entry.time)),
                    "type": .string(entry.kind.rawValue),
                ]
                for (name, value) in Self.shown(entry.facts).members { json[name] = value }
                context.write(JSONValue.object(json).serialize() + "\n")
            case .text: context.write(Self.line(number + 1, entry) + "\n")
            }
        }
    }

    private static func line(_ number: Int, _ entry: JournalEntry) -> String {
        let facts = shown(entry.facts).members.map { name, value in
            "\(name)=\(value.stringValue ?? value.serialize())"
        }
        let head = "\(number)  \(CalendarText.utc(entry.time))  \(entry.kind.rawValue)"
        return facts.isEmpty ? head : head + "  " + facts.joined(separator: " ")
    }
}
