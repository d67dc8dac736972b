/// One option of a command: what the argument reader, the help and the environment know of it.
struct OptionSpec: Sendable, Hashable {
    let name: String
    /// One letter after a single dash.
    let short: Character?
    /// What its value is called in the help; `nil` for an option without one.
    let value: String?
    /// Used when the option is written without its value; then the value needs an equals sign.
    let impliedValue: String?
    /// Closed list of values.
    let choices: [String]?
    let readsEnvironment: Bool
    let help: String

    init(
        _ name: String, _ value: String? = nil, short: Character? = nil, implied: String? = nil,
        choices: [String]? = nil, environment: Bool = true, help: String
    ) {
        self.name = name
        self.short = short
        self.value = value
        impliedValue = implied
        self.choices = choices
        readsEnvironment = environment
        self.help = help
    }

    /// `FLOWRUN_HTTP_TIMEOUT` for `--http-timeout`.
    var variable: String {
        "FLOWRUN_" + String(name.uppercased().map { $0 == "-" ? "_" : $0 })
    }

    /// As in the help: `-o, --output FORM`.
    var usage: String {
        let flag = (short.map { "-\($0), " } ?? "    ") + "--\(name)"
        guard let value else { return flag }
        return impliedValue == nil ? "\(flag) \(value)" : "\(flag)[=\(value)]"
    }
}

/// One command or sub-command. What is asked of few of them is made when it is asked for.
struct CommandSpec: Sendable {
    /// As typed, such as `provider list`.
    let name: String
    /// Its arguments as the help writes them.
    let arguments: String
    /// How many arguments it takes.
    let count: ClosedRange<Int>
    let summary: String
    private let makeNotes: @Sendable () -> String
    private let makeOptions: @Sendable () -> [OptionSpec]

    /// Further paragraphs of its help.
    var notes: String { makeNotes() }
    /// Its own, then those that every command has.
    var options: [OptionSpec] { makeOptions() + CommandTable.common }

    init(
        _ name: String, _ arguments: String = "", count: ClosedRange<Int> = 0...0, summary: String,
        notes: @autoclosure @escaping @Sendable () -> String = "",
        options: @autoclosure @escaping @Sendable () -> [OptionSpec] = []
    ) {
        self.name = name
        self.arguments = arguments
        self.count = count
        self.summary = summary
        makeNotes = notes
        makeOptions = options
    }
}

/// No two commands have one name.
extension CommandSpec: Hashable {
    static func == (left: CommandSpec, right: CommandSpec) -> Bool { left.name == right.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
