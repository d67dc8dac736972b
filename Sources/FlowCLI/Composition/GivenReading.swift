internal import FlowEngine
internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Reads what a rehearsal takes for granted beyond outcomes: `--given restore.refreshed_at=-25h` (flow/1 §11).
enum GivenReading {
    /// - Parameter given: Each a field of a step or a member of a token set, and the text of its value.
    static func values(
        _ given: [NamedText], _ program: FlowProgram
    ) throws(Problem) -> [(path: String, value: Value)] {
        var values: [(path: String, value: Value)] = []
        for pair in given {
            guard let type = program.type(given: pair.name) else {
                let known = ArgumentReader.suggestion(pair.name, names(program))
                throw Problem(
                    .usage,
                    "--given: no step of flow \"\(program.name)\" leaves \"\(pair.name)\" behind\(known)",
                    hints: ["write STEP.FIELD or tokens.SET.MEMBER"])
            }
            guard let value = value(pair.text, type.required),
                GivenValue(path: pair.name, value, in: program) != nil
            else {
                let form = form(of: type.required).map { ", \($0)" } ?? ""
                throw Problem(.usage, "--given \(pair.name) is no \(type.required)\(form)")
            }
            values.append((pair.name, value))
        }
        return values
    }

    /// The engine reads the texts of everything but JSON.
    private static func value(_ text: String, _ type: FlowType) -> Value? {
        switch type {
        case .json, .map: InputReading.parse(text, as: type)
        case .string, .int, .number, .bool, .time, .duration, .bytes, .url, .secret, .sensitive, .tokenset,
            .list, .optional, .null:
            .string(text)
        }
    }

    private static func form(of type: FlowType) -> String? {
        switch type {
        case .time: "write it as 2026-01-31T12:00:00Z, or as -25h from the time of the step"
        case .list: "separate texts by spaces"
        case .secret, .tokenset, .bytes: "and cannot be given on the command line"
        case .string, .int, .number, .bool, .duration, .url, .json, .map, .sensitive, .optional, .null:
            InputReading.form(of: type)
        }
    }

    private static func names(_ program: FlowProgram) -> [String] {
        program.slots.map(\.path).compactMap { path in
            if path.hasPrefix("tokens.") { return path }
            return path.hasPrefix("steps.") ? String(path.dropFirst("steps.".count)) : nil
        }
    }
}
