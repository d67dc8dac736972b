internal import FlowLanguage
internal import JOSE

/// A command with its arguments and options as texts; the environment has filled in what the command line left out.
struct ParsedArguments: Sendable, Hashable {
    let spec: CommandSpec
    /// True when no command was typed and `run` was meant.
    let isImplied: Bool
    let arguments: [String]
    /// In the order given, by option name.
    private let values: [String: [String]]
    /// Names of the options that the environment has filled in.
    private let filled: Set<String>

    init(
        spec: CommandSpec, isImplied: Bool, arguments: [String], values: [String: [String]],
        filled: Set<String> = []
    ) {
        self.filled = filled
        self.spec = spec
        self.isImplied = isImplied
        self.arguments = arguments
        self.values = values
    }

    /// What another command would have been told, without its arguments: the options that it has too.
    func rewritten(for spec: CommandSpec) -> ParsedArguments {
        // Of one name two commands may have different options.
        let names = Set(Set(spec.options).intersection(self.spec.options).map(\.name))
        return ParsedArguments(
            spec: spec, isImplied: false, arguments: [], values: values.filter { names.contains($0.key) })
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    func count(_ name: String) -> Int { values[name]?.count ?? 0 }

    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The last value wins, as with other commands.
    func last(_ name: String) -> String? { values[name]?.last }

    /// What a value was given by: `--timeout`, or `FLOWRUN_TIMEOUT` that nobody has typed here.
    func giver(_ option: String) -> String {
        let variable = filled.contains(option) ? spec.options.first { $0.name == option }?.variable : nil
        return variable ?? "--\(option)"
    }

    /// A name, which is more than nothing: in scripts that is a variable that nobody set.
    func name(_ option: String) throws(UsageError) -> String? {
        guard let name = last(option) else { return nil }
        guard !name.isEmpty else {
            throw UsageError("\(giver(option)) needs a name, not an empty text", command: spec.name)
        }
        // Nobody could type it again as a hint shows it.
        guard !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw wrong(option, name, "a name of one line, without control characters")
        }
        return name
    }

    /// These options as they were given, as words of another command.
    func words(of names: [String]) -> [String] {
        names.flatMap { name in all(name).flatMap { ["--\(name)", $0] } }
    }

    /// The name of a variable, and not what somebody has pasted in its place: that is not repeated, as it may be a secret.
    func variable(_ name: String) throws(UsageError) -> String? {
        guard let text = last(name) else { return nil }
        try checkVariable(name, text)
        return text
    }

    func checkVariable(_ name: String, _ text: String) throws(UsageError) {
        guard SecretSource.isVariableName(text) else {
            throw UsageError(
                "\(giver(name)) needs the name of a variable: letters, digits and underscores, no digit first",
                command: spec.name)
        }
    }

    func duration(_ name: String) throws(UsageError) -> Int64? {
        guard let text = last(name) else { return nil }
        guard let milliseconds = DurationText.parse(text), milliseconds > 0 else {
            throw wrong(name, text, "a duration such as 20s or 5m")
        }
        return milliseconds
    }

    /// - Parameter mayBeAny: Whether 0 is taken, for any free port.
    func port(_ name: String, mayBeAny: Bool = false) throws(UsageError) -> UInt16? {
        guard let text = last(name) else { return nil }
        guard let port = UInt16(text), port > 0 || mayBeAny else {
            throw wrong(name, text, "a port from \(mayBeAny ? 0 : 1) to 65535")
        }
        return port
    }

    func number(_ name: String) throws(UsageError) -> UInt64? {
        guard let text = last(name) else { return nil }
        guard let number = UInt64(text) else { throw wrong(name, text, "a number from 0") }
        return number
    }

    /// Values of the form `NAME=VALUE`, in order; the values may be secrets and are never repeated in messages.
    func pairs(_ name: String) throws(UsageError) -> [NamedText] {
        var pairs: [NamedText] = []
        for text in all(name) {
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw UsageError("--\(name) needs NAME=VALUE", command: spec.name)
            }
            pairs.append(NamedText(name: String(text[..<equals]), text: String(text[equals...].dropFirst())))
        }
        return pairs
    }

    func wrong(_ name: String, _ text: String, _ expected: String) -> UsageError {
        UsageError("\(giver(name)) needs \(expected), not \"\(text)\"", command: spec.name)
    }
}

/// Arguments as a journal keeps them.
extension ParsedArguments {
    var json: JSONValue {
        [
            "command": .string(spec.name), "implied": .bool(isImplied),
            "arguments": .array(arguments.map { .string($0) }),
            "options": .object(JSONObject(sorting: values) { .array($0.map { .string($0) }) }),
        ]
    }

    /// - Returns: `nil` for what `json` does not write, and for a command that there is not any more.
    init?(_ json: JSONValue?) {
        guard let spec = json?["command"]?.stringValue.flatMap(CommandTable.spec),
            let isImplied = json?["implied"]?.boolValue,
            let arguments = json?["arguments"]?.arrayValue,
            let options = json?["options"]?.objectValue
        else { return nil }
        var values: [String: [String]] = [:]
        for (name, texts) in options.members { values[name] = texts.arrayValue?.compactMap(\.stringValue) }
        self.init(
            spec: spec, isImplied: isImplied, arguments: arguments.compactMap(\.stringValue), values: values)
    }
}

/// A name with a text.
struct NamedText: Sendable, Hashable {
    let name: String
    let text: String

    /// What has the flow refresh the session, whatever its access token has left.
    static let forcedRefresh = NamedText(name: "force", text: "true")
}
