internal import FlowEngine
internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Asks ports: the program that the flow names, or the closure that the host registered (flow/1 §6, `call`).
struct PortPerformer: Sendable {
    private let configuration: LiveConfiguration

    init(_ configuration: LiveConfiguration) {
        self.configuration = configuration
    }

    func perform(_ call: PortCall) async -> PortReply {
        if let program = call.row.program {
            return await execute(program.argv, program.environment, call)
        }
        guard let closure = configuration.ports.closure(named: call.port) else {
            return .failed("no closure is registered for port \"\(call.port)\"")
        }
        switch await BoundedCall.run(milliseconds: call.timeout, { try await closure(call) }) {
        case .success(let reply): return reply
        case .failure(let failure): return .failed(failure.reason)
        }
    }

    private func execute(_ argv: [String], _ names: [String], _ call: PortCall) async -> PortReply {
        guard let program = argv.first else { return .failed("it names no program") }
        guard let path = configuration.locate(program, from: call.directory) else {
            return .failed("\(program) is not an executable file")
        }
        let request = ProcessRequest(
            arguments: [path] + argv.dropFirst(), environment: configuration.environment(for: names),
            directory: call.directory, input: Array(PortWire.encode(call).utf8),
            timeoutMilliseconds: Int(call.timeout))
        do throws(SpawnFailure) {
            return PortWire.read(try await ProcessRunner.run(request), call)
        } catch {
            return .failed("\(error.program) cannot be started: \(error.reason)")
        }
    }
}

/// A port's call and reply as JSON: one object on standard input, one on standard output.
enum PortWire {
    static func encode(_ call: PortCall) -> String {
        let arguments = call.arguments.sorted { $0.key < $1.key }.map {
            (key: $0.key, value: PortValue.revealed($0.value))
        }
        let object: JSONObject = [
            "port": "1", "id": .string(call.port), "run": ["id": .string(call.runID)],
            "flow": ["id": .string(call.flow)], "step": ["id": .string(call.step)],
            "args": .object(JSONObject(arguments)),
        ]
        return JSONValue.object(object).serialize() + "\n"
    }

    static func read(_ result: ProcessResult, _ call: PortCall) -> PortReply {
        switch result.interruption {
        case .timeout: return .failed("it took longer than \(call.timeout) ms")
        case .cancelled: return .failed("the run was cancelled")
        case .output: return .failed("it wrote more than 1 MiB")
        case nil: break
        }
        let secrets = call.arguments.values.flatMap(PortValue.secrets)
        let words = ProgramRemarks(result.errors, hiding: secrets).lastWords.map { ": \($0)" } ?? ""
        switch result.end {
        case .exited(let status) where status != 0:
            return .failed("it exited with status \(status)\(words)")
        case .signalled(let number): return .failed("signal \(number) ended it\(words)")
        case .unknown: return .failed(ProcessEnd.unknownWords + words)
        case .exited: break
        }
        if result.output.isTruncated { return .failed("it wrote more than 1 MiB") }
        let form = "its standard output is not one JSON object"
        do throws(JSONError) {
            guard let answer = try JSON.parse(result.output.bytes).objectValue else { return .failed(form) }
            return reply(answer)
        } catch {
            return .failed("\(form): \(error.summary)")
        }
    }

    private static func reply(_ answer: JSONObject) -> PortReply {
        for name in answer.map(\.key) where !["outcome", "out"].contains(name) {
            let known = "; it has \"outcome\" and \"out\""
            return .failed(
                "its answer has an unknown member \"\(RemoteText.sanitize(name, limit: 40))\"\(known)")
        }
        if let outcome = answer["outcome"], outcome.stringValue == nil {
            return .failed("\"outcome\" in its answer is not a text")
        }
        var fields: [String: Value] = [:]
        if let members = answer["out"] {
            guard let object = members.objectValue else {
                return .failed("\"out\" in its answer is not an object")
            }
            for (name, value) in object { fields[name] = .json(value) }
        }
        return PortReply(answer["outcome"]?.stringValue, fields: fields)
    }
}
