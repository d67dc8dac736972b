internal import FlowEngine
internal import FlowLanguage
internal import FlowLive

/// What a word of a command line may become.
struct Candidate: Sendable, Hashable {
    let word: String
    /// One line; empty for none.
    let note: String

    init(_ word: String, _ note: String = "") {
        (self.word, self.note) = (word, note)
    }
}

/// What may come next in a command line, from `CommandTable` and from what is there.
struct Completer: Sendable {
    let context: CommandContext

    struct Answer: Sendable, Hashable {
        var candidates: [Candidate] = []
        /// Whether a path may stand there as well.
        var takesFiles = false
    }

    /// - Parameter words: Those before the cursor, without the program; the last one is unfinished, perhaps empty.
    func answer(_ words: [String]) async -> Answer {
        let current = words.last ?? ""
        var answer = await open(words.dropLast().map { $0 }, current)
        answer.candidates = answer.candidates.filter { $0.word.hasPrefix(current) }
        return answer
    }

    // MARK: Command

    private func open(_ before: [String], _ current: String) async -> Answer {
        guard let place = Self.firstWord(before, CommandTable.common) else {
            return current.hasPrefix("-") ? Answer(candidates: Self.flags(CommandTable.common)) : commands
        }
        var rest = before
        let word = rest.remove(at: place)
        let subcommands = CommandTable.subcommands(of: word)
        guard CommandTable.spec(word) == nil, !subcommands.isEmpty else {
            guard let spec = CommandTable.spec(word) else {
                // A flow: run is meant.
                return await inside(CommandTable.run, [word] + rest, current)
            }
            return await inside(spec, rest, current)
        }
        guard place < rest.count, !rest[place].hasPrefix("-") else {
            return Answer(candidates: subcommands.map { Candidate($0, Self.summary("\(word) \($0)")) })
        }
        let second = rest.remove(at: place)
        guard let spec = CommandTable.spec("\(word) \(second)") else { return Answer() }
        return await inside(spec, rest, current)
    }

    private static func summary(_ name: String) -> String { CommandTable.spec(name)?.summary ?? "" }

    private var commands: Answer {
        let words = CommandTable.words.map { Candidate($0, Self.summary($0)) }
        // Commands come before flows of their name.
        let others = flows.filter { flow in !words.contains { $0.word == flow.word } }
        return Answer(candidates: words + others)
    }

    /// The first word that is neither an option nor the value of one.
    private static func firstWord(_ words: [String], _ options: [OptionSpec]) -> Int? {
        var index = 0
        while index < words.count {
            guard words[index].hasPrefix("-"), words[index] != "-" else { return index }
            index += takesNext(words[index], options) ? 2 : 1
        }
        return nil
    }

    /// Whether the word after an option is its value.
    private static func takesNext(_ word: String, _ options: [OptionSpec]) -> Bool {
        guard let option = option(word, options) else { return false }
        return option.value != nil && option.impliedValue == nil && !word.contains("=")
    }

    private static func option(_ word: String, _ options: [OptionSpec]) -> OptionSpec? {
        if word.hasPrefix("--") {
            let name = word.dropFirst(2).prefix { $0 != "=" }
            return options.first { $0.name == name }
        }
        guard word.hasPrefix("-"), word.count == 2, let letter = word.last else { return nil }
        return options.first { $0.short == letter }
    }

    private static func flags(_ options: [OptionSpec]) -> [Candidate] {
        options.map { Candidate("--\($0.name)", $0.help) }
    }

    // MARK: Arguments

    private func inside(_ spec: CommandSpec, _ words: [String], _ current: String) async -> Answer {
        if words.contains("--") { return Answer(takesFiles: true) }
        if let last = words.last, Self.takesNext(last, spec.options),
            let option = Self.option(last, spec.options)
        {
            return await values(of: option, spec, words)
        }
        if current.hasPrefix("--"), let equals = current.firstIndex(of: "=") {
            guard let option = Self.option(current, spec.options) else { return Answer() }
            var answer = await values(of: option, spec, words)
            let start = current[...equals]
            answer.candidates = answer.candidates.map { Candidate(start + $0.word, $0.note) }
            return answer
        }
        if current.hasPrefix("-"), current != "-" { return Answer(candidates: Self.flags(spec.options)) }
        var count = 0
        var index = 0
        while index < words.count {
            if words[index].hasPrefix("-"), words[index] != "-" {
                index += Self.takesNext(words[index], spec.options) ? 2 : 1
            } else {
                (count, index) = (count + 1, index + 1)
            }
        }
        return await positional(spec, count)
    }

    /// The argument at a place, by the word that the help writes for it.
    private func positional(_ spec: CommandSpec, _ place: Int) async -> Answer {
        let names = spec.arguments.split(separator: " ")
        guard
            let name = place < names.count
                ? names[place] : names.last.flatMap({ $0.hasSuffix("...") ? $0 : nil })
        else { return Answer() }
        let plain = name.filter { !"[].".contains($0) }
        switch (spec.name, plain) {
        case (_, "PROVIDER"): return Answer(candidates: providers)
        case (let command, "NAME") where command.hasPrefix("provider "): return Answer(candidates: providers)
        case (_, "FLOW"): return Answer(candidates: flows, takesFiles: true)
        case ("store seal", _):
            return Answer(candidates: SealingMethod.allCases.map { Candidate($0.rawValue) })
        case ("http", "METHOD"):
            return Answer(
                candidates: HTTPCallRequest.methods.split(separator: ",").map {
                    Candidate($0.filter { $0 != " " })
                })
        case (_, "KIND"): return Answer(candidates: StepKind.allCases.map { Candidate($0.rawValue) })
        case (_, "CODE"):
            return Answer(candidates: FlowRule.all.map { Candidate($0.code, $0.title) })
        case ("help", _):
            return Answer(candidates: commands.candidates + HelpText.topics.map { Candidate($0) })
        case (_, "PATH"), (_, "FILE"), (_, "PROGRAM"), (_, "ARGUMENT"): return Answer(takesFiles: true)
        default:
            guard plain.contains("|") else { return Answer() }
            return Answer(candidates: plain.split(separator: "|").map { Candidate(String($0)) })
        }
    }

    private func values(of option: OptionSpec, _ spec: CommandSpec, _ words: [String]) async -> Answer {
        if let choices = option.choices { return Answer(candidates: choices.map { Candidate($0) }) }
        switch (option.name, option.value) {
        case ("provider", _): return Answer(candidates: providers)
        case ("profile", _): return Answer(candidates: await profiles)
        case ("why", _): return Answer(candidates: steps(spec, words))
        case (_, "FLOW"): return Answer(candidates: flows, takesFiles: true)
        case (_, let value?):
            return Answer(takesFiles: ["FILE", "DIR", "COMMAND"].contains { value.contains($0) })
        case (_, nil): return Answer()
        }
    }

    // MARK: Names

    private var providers: [Candidate] { names(of: .provider) }
    private var flows: [Candidate] { names(of: .flow) }

    /// Of the flow, or of the trace, that stands among the words.
    private func steps(_ spec: CommandSpec, _ words: [String]) -> [Candidate] {
        let word = Self.firstWord(words, spec.options).map { words[$0] }
        if spec.name == "trace show" {
            // Standard input is the line's own.
            guard word != "-", let found = try? TraceFiles(surroundings: context.surroundings).read(word)
            else {
                return []
            }
            return StepAccount.steps(of: found.events).map { Candidate($0) }
        }
        let flow = word.flatMap { try? context.library.flow($0) }
        return flow?.program.steps.map { Candidate($0.name, $0.kind.rawValue) } ?? []
    }

    private func names(of kind: LibraryKind) -> [Candidate] {
        context.library.entries(of: kind).filter { $0.shadowedBy == nil }.map { Candidate($0.name) }
    }

    /// Of the stored sessions, as far as nobody has to be asked for their key.
    private var profiles: [Candidate] {
        get async {
            // Whatever keeps the store shut, a line is completed without it.
            let sessions = try? StoredSessions.open(context.surroundings, .method(.file), mayAsk: false)
            let rows = try? await sessions?.rows()
            var names: [String] = []
            for row in rows ?? [] {
                guard case .success(let session) = row.content, !names.contains(session.label.profile) else {
                    continue
                }
                names.append(session.label.profile)
            }
            return names.map { Candidate($0) }
        }
    }
}

/// `complete`: a candidate a line, its note after a tab; `:files` where a path may stand.
struct CompleteCommand: Sendable {
    let context: CommandContext
    let words: [String]

    func run() async -> Int {
        let answer = await Completer(context: context).answer(words)
        var lines = answer.candidates.map { $0.note.isEmpty ? $0.word : "\($0.word)\t\($0.note)" }
        if answer.takesFiles { lines.append(":files") }
        context.write(lines.map { $0 + "\n" }.joined())
        return ExitStatus.ok.rawValue
    }
}
