internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Reads the values of a flow's inputs from texts, by the inputs' types.
enum InputReading {
    /// The values in the order of the program's inputs: given, else from the input's variable or file, else its default.
    ///
    /// - Parameters:
    ///   - isRehearsal: Whether a secret that is not there has a stand-in.
    ///   - isResuming: Whether the run began long ago, and nothing can be given any more.
    static func values(
        _ inputs: [InputRow], given: [NamedText], flow: String, _ surroundings: Surroundings,
        isRehearsal: Bool = false, isResuming: Bool = false
    ) throws(Problem) -> [Value] {
        var problems = given.filter { pair in !inputs.contains { $0.name == pair.name } }.map { pair in
            let known = ArgumentReader.suggestion(pair.name, inputs.map(\.name))
            let names = inputs.map(\.name).joined(separator: ", ")
            return Problem(
                .usage, "flow \"\(flow)\" has no input \"\(pair.name)\"\(known)",
                hints: inputs.isEmpty ? [] : ["inputs: \(names)"])
        }
        var values: [Value] = []
        for input in inputs {
            do throws(Problem) {
                guard
                    let value = try value(input, text(of: input, given), surroundings)
                        ?? (isRehearsal ? rehearsed(input) : nil)
                else { throw missing(input, flow, isResuming: isResuming) }
                values.append(value)
            } catch {
                problems.append(error)
            }
        }
        if let problem = whole(problems, flow) { throw problem }
        return values
    }

    /// One problem as it is, several as a list; those of usage come first and decide the status.
    private static func whole(_ problems: [Problem], _ flow: String) -> Problem? {
        guard problems.count > 1, let first = problems.first else { return problems.first }
        var told: [String] = []
        for problem in problems {
            told.append(problem.message)
            for hint in problem.hints where !told.contains("  " + hint) { told.append("  " + hint) }
        }
        return Problem(
            first.status, "\(problems.count) mistakes in what flow \"\(flow)\" is given", hints: told)
    }

    private static func missing(_ input: InputRow, _ flow: String, isResuming: Bool) -> Problem {
        let way = isResuming ? "give it a default in the flow" : "give --input \(input.name)=…"
        let places = [
            input.environment.map { "set \($0)" }, input.file.map { "write it into \($0)" },
        ].compactMap(\.self)
        let isSecret = input.type.holdsSecret
        let ways = isSecret && !places.isEmpty ? places : [way] + places
        let caution =
            isSecret && places.isEmpty && !isResuming
            ? "others on this machine can read it there; env or file of the input keeps it from them" : nil
        return Problem(
            .config, "flow \"\(flow)\" needs the input \"\(input.name)\" (\(input.type))",
            hints: [ways.joined(separator: " or "), caution].compactMap(\.self))
    }

    /// - Returns: `nil` for one that is not there and must be.
    private static func value(
        _ input: InputRow, _ given: String?, _ surroundings: Surroundings
    ) throws(Problem) -> Value? {
        if let given { return try parse(given, input, "--input \(input.name)", .usage) }
        if let name = input.environment, let text = surroundings.variable(name) {
            return try parse(text, input, "variable \(name)", .config)
        }
        if let path = input.file {
            let absolute = FilePath.join(surroundings.directory, path)
            if FileAccess.isFile(absolute) {
                return try parse(
                    try text(of: absolute, isSecret: input.type.holdsSecret), input, path, .config)
            }
        }
        if let standard = input.standard { return standard }
        return input.type.isOptional ? .null : nil
    }

    /// What is given for the input: of a list everything, of all else the last.
    private static func text(of input: InputRow, _ given: [NamedText]) -> String? {
        let texts = given.filter { $0.name == input.name }.map(\.text)
        if case .list = input.type.required, !texts.isEmpty { return texts.joined(separator: ",") }
        return texts.last
    }

    private static func rehearsed(_ input: InputRow) -> Value? {
        guard case .secret = input.type else { return nil }
        return .secret(Secret("rehearsed \(input.name), which opens nothing", kind: .other))
    }

    private static func text(of path: String, isSecret: Bool) throws(Problem) -> String {
        do throws(FileProblem) {
            let bytes = isSecret ? try FileAccess.readSecret(path) : try FileAccess.read(path)
            return SecretText.line(bytes)
        } catch {
            throw Problem(error)
        }
    }

    /// The text itself is not in the message: it may be a secret.
    private static func parse(
        _ text: String, _ input: InputRow, _ source: String, _ status: ExitStatus
    ) throws(Problem) -> Value {
        if let value = parse(text, as: input.type.required) {
            guard let problem = input.constraints?.problem(with: value) else { return value }
            throw Problem(status, "\(source) \(problem)")
        }
        let form = form(of: input.type.required).map { ", \($0)" } ?? ""
        throw Problem(status, "\(source) is no \(input.type.required)\(form)")
    }

    /// A text as a value of a type; `nil` when it is none.
    static func parse(_ text: String, as type: FlowType) -> Value? {
        switch type {
        case .string, .sensitive: return .string(text)
        case .secret: return text.isEmpty ? nil : .secret(Secret(text, kind: .other))
        case .int: return Int64(text).map(Value.int)
        case .number: return NumberText.parse(text).map(Value.number)
        case .bool: return ["true": true, "false": false][text].map(Value.bool)
        case .time: return TimeText.parse(text).map(Value.time)
        case .duration: return DurationText.parse(text).map(Value.duration)
        case .url: return EndpointURL.check(text, allowLoopbackHTTP: true) == nil ? .string(text) : nil
        case .json:
            // What is wrong with it is not told: it may be a secret.
            return (try? JSON.parse(text.utf8)).map(Value.json)
        case .map:
            guard case .object(let object)? = try? JSON.parse(text.utf8) else { return nil }  // as above
            return .map(Dictionary(object.map { ($0.key, plain($0.value)) }) { first, _ in first })
        case .list(let element):
            let parts = text.split { $0 == "," || $0.isWhitespace }.map { parse(String($0), as: element) }
            let values = parts.compactMap(\.self)
            return values.count == parts.count ? .list(values) : nil
        case .optional(let base): return parse(text, as: base)
        case .bytes, .tokenset, .null: return nil
        }
    }

    /// The member of a map: scalars are values of their own.
    private static func plain(_ value: JSONValue) -> Value {
        switch value {
        case .bool(let flag): .bool(flag)
        case .int(let number): .int(number)
        case .number(let number): .number(number)
        case .string(let text): .string(text)
        case .null, .bigInteger, .array, .object: .json(value)
        }
    }

    /// How a value is written, where that is not plain.
    static func form(of type: FlowType) -> String? {
        switch type {
        case .bool: "write true or false"
        case .time: "write it as 2026-01-31T12:00:00Z"
        case .duration: "write it as 250ms, 20s, 5m, 24h or 30d"
        case .url: "write https, or http to this machine"
        case .json, .map: "write JSON"
        case .list: "separate values by commas or spaces"
        case .bytes, .tokenset, .null: "and cannot be given on the command line"
        case .string, .sensitive, .secret, .int, .number, .optional: nil
        }
    }
}

/// Secrets as files and streams hold them.
enum SecretText {
    /// The text without the line breaks at its end, which editors and `echo` add.
    static func line(_ bytes: [UInt8]) -> String {
        var bytes = bytes[...]
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
            bytes.removeLast()
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
