/// The options that variables of the environment have given, for messages about their values.
struct FilledOptions: Sendable {
    private struct Filled: Sendable {
        let option: String
        let variable: String
        /// `nil` where the value is one of a few words, which messages have for other reasons too.
        let text: String?
    }

    private var options: [Filled] = []

    /// Where none is known.
    init() {}

    init(_ parsed: ParsedArguments) {
        options = parsed.spec.options.filter { parsed.giver($0.name) == $0.variable }.map {
            Filled(
                option: $0.name, variable: $0.variable, text: $0.choices == nil ? parsed.last($0.name) : nil)
        }
    }

    /// The problem with the variable in place of an option that nobody has typed, and beside a value of it.
    func naming(_ problem: Problem) -> Problem {
        let message = named(problem.message)
        let givers = options.filter { filled in
            guard let text = filled.text, !message.contains(filled.variable) else { return false }
            return Self.holds(message, text)
        }
        var named = Problem(
            problem.status, message,
            hints: problem.hints + givers.map { "that is from the variable \($0.variable)" },
            diagnostics: problem.diagnostics, sources: problem.sources)
        named.code = problem.code
        return named
    }

    private func named(_ message: String) -> String {
        options.reduce(message) { Self.replaced("--\($1.option)", by: $1.variable, in: $0) }
    }

    /// Other options may go on after the name of this one.
    private static func replaced(_ name: String, by variable: String, in message: String) -> String {
        var result = ""
        var rest = Substring(message)
        while let range = rest.firstRange(of: name) {
            let goesOn =
                rest[range.upperBound...].first.map { $0.isLetter || $0.isNumber || $0 == "-" } ?? false
            result += rest[..<range.lowerBound] + (goesOn ? name : variable)
            rest = rest[range.upperBound...]
        }
        return result + rest
    }

    /// Whether the text is there as it is, and no part of a longer word.
    private static func holds(_ message: String, _ text: String) -> Bool {
        message.ranges(of: text).contains { range in
            let before = message[..<range.lowerBound].last
            let after = message[range.upperBound...].first
            return ![before, after].contains { $0.map { $0.isLetter || $0.isNumber } ?? false }
        }
    }
}
