internal import YAMLText

/// Reads arguments by the tables of `CommandTable`.
///
/// Knows no command by name but `run`, which is meant when none is typed. Precedence: option, then its
/// `FLOWRUN_` variable, then the command's own default.
struct ArgumentReader {
    private let spec: CommandSpec
    private let options: [OptionSpec]
    private let isImplied: Bool
    private var arguments: [String] = []
    private var values: [String: [String]] = [:]
    private var filled: Set<String> = []

    private init(spec: CommandSpec, isImplied: Bool) {
        self.spec = spec
        options = spec.options
        self.isImplied = isImplied
    }

    /// - Parameter arguments: Without the program's name.
    static func read(_ arguments: [String], environment: [String: String]) throws(UsageError)
        -> ParsedArguments
    {
        // What it stands for is lost, so that no program could be handed it either. It may be a secret.
        if let broken = arguments.firstIndex(where: { $0.unicodeScalars.contains("\u{FFFD}") }) {
            throw UsageError("argument \(broken + 1) is not UTF-8")
        }
        let (spec, isImplied, rest) = try command(arguments)
        var reader = ArgumentReader(spec: spec, isImplied: isImplied)
        try reader.read(rest)
        if reader.values["help"] == nil {
            try reader.checkCount()
        } else if isImplied {
            try reader.checkWord()
        }
        try reader.fill(from: environment)
        return ParsedArguments(
            spec: spec, isImplied: isImplied, arguments: reader.arguments, values: reader.values,
            filled: reader.filled)
    }

    /// The form of the result that arguments ask for which cannot be read to their end.
    static func form(wantedBy arguments: [String]) -> Command.Form {
        let own = arguments.prefix { $0 != "--" }
        let isJSON = zip(own, own.dropFirst() + [""]).contains { word, next in
            switch word {
            case "--json", "--output=json", "-ojson": true
            case "--output", "-o": next == "json"
            default: false
            }
        }
        return isJSON ? .json : .text
    }

    /// The command whose help is worth a look; `nil` where none was typed and none is meant.
    private var named: String? { isImplied && spec == CommandTable.help ? nil : spec.name }

    // MARK: The command

    private static func command(
        _ arguments: [String]
    ) throws(UsageError) -> (spec: CommandSpec, isImplied: Bool, rest: [String]) {
        guard let place = firstWord(arguments) else {
            let isVersion = arguments.contains("--version")
            let rest = arguments.filter { $0 != "--version" }
            return (isVersion ? CommandTable.version : CommandTable.help, true, rest)
        }
        let word = arguments[place]
        var rest = arguments
        rest.remove(at: place)
        if let spec = CommandTable.spec(word) { return (spec, false, rest) }
        let subcommands = CommandTable.subcommands(of: word)
        guard !subcommands.isEmpty else { return (CommandTable.run, true, arguments) }
        guard place < rest.count, !rest[place].hasPrefix("-") else {
            if rest.contains("--help") || rest.contains("-h") { return (CommandTable.help, false, [word]) }
            throw UsageError("\(word) needs one of: \(subcommands.joined(separator: ", "))", command: word)
        }
        let second = rest.remove(at: place)
        if let spec = CommandTable.spec("\(word) \(second)") { return (spec, false, rest) }
        let near = suggestion(second, subcommands)
        // What is no misspelt word may be a token, which is not repeated.
        throw UsageError(
            near.isEmpty
                ? "\(word) needs one of: \(subcommands.joined(separator: ", "))"
                : "unknown command \"\(word) \(second)\"\(near)", command: word)
    }

    /// The first argument that is neither an option nor the value of a common one.
    private static func firstWord(_ arguments: [String]) -> Int? {
        var index = 0
        while index < arguments.count {
            let argument = arguments[index]
            if argument == "--" { return nil }
            guard argument.hasPrefix("-"), argument != "-" else { return index }
            let name = argument.drop { $0 == "-" }
            let takesValue = CommandTable.common.contains { $0.name == name && $0.value != nil }
            index += takesValue ? 2 : 1
        }
        return nil
    }

    static func suggestion(_ name: String, _ known: some Sequence<String>) -> String {
        SpellingSuggestion.nearest(to: name, in: known).map { "; did you mean \"\($0)\"?" } ?? ""
    }

    // MARK: Options

    private mutating func read(_ rest: [String]) throws(UsageError) {
        var rest = rest[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                arguments += rest
                return
            }
            if argument.hasPrefix("--") {
                try readLong(argument.dropFirst(2), &rest)
            } else if argument.hasPrefix("-"), argument.count > 1 {
                try readShort(argument.dropFirst(), &rest)
            } else {
                arguments.append(argument)
            }
        }
    }

    private mutating func readLong(_ text: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = options.first(where: { $0.name == name }) else {
            throw UsageError("unknown option --\(name)\(meant(name))", command: named)
        }
        let attached = parts.count == 2 ? String(parts[1]) : nil
        guard option.value != nil else {
            guard attached == nil else { throw UsageError("--\(name) takes no value", command: named) }
            return try add("", to: option)
        }
        if let value = attached ?? option.impliedValue ?? rest.popFirst() {
            return try add(value, to: option)
        }
        throw UsageError("--\(name) needs a value", command: named)
    }

    /// The options that are spelt nearly like that, else those whose names go on after it.
    private func meant(_ name: String) -> String {
        if name == "json", options.contains(where: { $0.name == "format" }) {
            return "; here it is --format json"
        }
        if let nearest = SpellingSuggestion.nearest(to: name, in: options.map(\.name)) {
            return "; did you mean --\(nearest)?"
        }
        let longer = options.map(\.name).filter { $0.hasPrefix(name + "-") }.sorted().map { "--\($0)" }
        return longer.isEmpty ? "" : "; did you mean \(longer.joined(separator: " or "))?"
    }

    private mutating func readShort(_ text: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) {
        var letters = text
        while let letter = letters.popFirst() {
            guard let option = options.first(where: { $0.short == letter }) else {
                // What a program is given is none of ours, behind the two dashes.
                let dashes = spec.name == "exec" && !arguments.isEmpty ? "; put -- before the program" : ""
                throw UsageError("unknown option -\(letter)\(dashes)", command: named)
            }
            guard option.value != nil else {
                try add("", to: option)
                continue
            }
            guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else {
                throw UsageError("-\(letter) needs a value", command: named)
            }
            return try add(value, to: option)
        }
    }

    private mutating func add(_ value: String, to option: OptionSpec, from place: String? = nil)
        throws(UsageError)
    {
        if let choices = option.choices, !choices.contains(value) {
            let writes = option.name == "output" && spec.options.contains { $0.name == "write" }
            let known = Self.suggestion(value, choices) + (writes ? "; --write FILE writes a file" : "")
            throw UsageError(
                "\(place ?? "--" + option.name) needs one of \(choices.joined(separator: ", "))\(known)",
                command: named)
        }
        values[option.name, default: []].append(value)
    }

    private func checkCount() throws(UsageError) {
        if arguments.count < spec.count.lowerBound {
            throw UsageError("\(spec.name) needs \(spec.arguments)", command: named)
        }
        if arguments.count > spec.count.upperBound {
            if isImplied { try checkWord() }
            let extra = arguments[spec.count.upperBound]
            let takesProvider = options.contains { $0.name == "provider" }
            throw UsageError(
                "unexpected argument \"\(extra)\""
                    + (takesProvider ? "; a provider is named with --provider" : ""),
                command: named)
        }
    }

    /// No command was typed: the first word may be a misspelt one rather than a flow.
    private func checkWord() throws(UsageError) {
        guard let word = arguments.first else { return }
        let near = Self.suggestion(word, CommandTable.words)
        if !near.isEmpty { throw UsageError("unknown command \"\(word)\"\(near)") }
    }

    // MARK: Environment

    private mutating func fill(from environment: [String: String]) throws(UsageError) {
        for option in options where option.readsEnvironment && values[option.name] == nil {
            guard let text = environment[option.variable], !text.isEmpty else { continue }
            if option.value != nil && option.impliedValue == nil {
                try add(text, to: option, from: option.variable)
                filled.insert(option.name)
            } else if try isOn(text, option) {
                try add(option.impliedValue ?? "", to: option)
            }
        }
    }

    private func isOn(_ text: String, _ option: OptionSpec) throws(UsageError) -> Bool {
        switch text.lowercased() {
        case "1", "true", "yes", "on": return true
        case "0", "false", "no", "off": return false
        default:
            throw UsageError(
                "\(option.variable) needs 1 or 0 (or true, yes, on, false, no, off), not \"\(text)\"",
                command: named)
        }
    }
}
