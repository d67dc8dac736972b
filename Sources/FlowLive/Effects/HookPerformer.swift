internal import FlowEngine
internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Performs `exec` and `native` hooks (flow/1 §9, wire contract 1).
struct HookPerformer: Sendable {
    private let configuration: LiveConfiguration
    private let transport: CurlTransport

    init(_ configuration: LiveConfiguration, _ transport: CurlTransport) {
        self.configuration = configuration
        self.transport = transport
    }

    func perform(_ call: HookCall, now: Int64) async -> HookReply {
        switch call.action {
        case .native(let name): await native(name, call)
        case .exec(let argv, let environment): await execute(argv, environment, call)
        case .http(let endpoint):
            await HookCaller(transport: transport, configuration: configuration).call(
                endpoint, call, now: now)
        case .set, .assert, .emit: .failed("the engine performs this action itself")
        }
    }

    private func native(_ name: String, _ call: HookCall) async -> HookReply {
        guard let closure = configuration.hooks.closure(named: name) else {
            return .failed("no closure is registered under \"\(name)\"")
        }
        let reply = await BoundedCall.run(milliseconds: call.timeout) { try await closure(call) }
        switch reply {
        case .success(let reply): return reply
        case .failure(let failure): return .failed(failure.reason)
        }
    }

    private func execute(_ argv: [String], _ names: [String], _ call: HookCall) async -> HookReply {
        guard let program = argv.first else { return .failed("it names no program") }
        guard let path = configuration.locate(program, from: call.directory) else {
            return .failed("\(program) is not an executable file")
        }
        let request = ProcessRequest(
            arguments: [path] + argv.dropFirst(), environment: configuration.environment(for: names),
            directory: call.directory,
            input: Array(HookWire.encode(call).utf8), timeoutMilliseconds: Int(call.timeout))
        do throws(SpawnFailure) {
            return HookWire.read(try await ProcessRunner.run(request), call)
        } catch {
            return .failed("\(error.program) cannot be started: \(error.reason)")
        }
    }
}

/// A hook's call and reply as JSON.
enum HookWire {
    static func encode(_ call: HookCall) -> String {
        var object: JSONObject = [
            "hook": "1", "id": .string(call.hook), "point": .string(call.point.rawValue),
            "run": ["id": .string(call.runID), "dry_run": .bool(call.isDryRun)],
            "flow": ["id": .string(call.flow)],
            "values": .object(
                JSONObject(call.values.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) })),
            "secrets": .object(
                JSONObject(
                    call.secrets.sorted { $0.key < $1.key }.map {
                        (key: $0.key, value: .string($0.value.reveal()))
                    })),
        ]
        if let step = call.step {
            object["step"] = ["id": .string(step), "outcome": call.outcome.map { .string($0) } ?? .null]
        }
        return JSONValue.object(object).serialize() + "\n"
    }

    static func read(_ result: ProcessResult, _ call: HookCall) -> HookReply {
        var remarks = RemoteText.sanitize(result.errors.bytes)
        for secret in call.secrets.values where secret.length >= 8 {
            remarks = remarks.replacing(secret.reveal(), with: secret.description)
        }
        var reply = verdict(result, call, remarks)
        reply.remarks = remarks.isEmpty ? nil : remarks
        return reply
    }

    private static func verdict(_ result: ProcessResult, _ call: HookCall, _ remarks: String) -> HookReply {
        switch result.interruption {
        case .timeout: return .failed("it took longer than \(call.timeout) ms")
        case .cancelled: return .failed("the run was cancelled")
        case nil: break
        }
        let words = remarks.isEmpty ? "" : ": \(remarks)"
        switch result.end {
        case .exited(let status) where status != 0: return .failed("it exited with status \(status)\(words)")
        case .signalled(let number): return .failed("signal \(number) ended it\(words)")
        case .exited: break
        }
        if result.output.isTruncated { return .failed("it wrote more than 1 MiB") }
        return read(result.output.bytes)
    }

    /// The answer of a program or a server; nothing at all means that the run goes on.
    static func read(_ bytes: [UInt8]) -> HookReply {
        if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0A || $0 == 0x0D }) { return HookReply() }
        // the message says enough
        guard let answer = (try? JSON.parse(bytes))?.objectValue else {
            return .failed("its answer is not one JSON object")
        }
        return reply(answer)
    }

    private static func reply(_ answer: JSONObject) -> HookReply {
        for name in answer.map(\.key) where !["decision", "set", "message"].contains(name) {
            return .failed("its answer has an unknown member \"\(RemoteText.sanitize(name, limit: 40))\"")
        }
        var assignments: [String: JSONValue] = [:]
        if let set = answer["set"] {
            guard let members = set.objectValue else {
                return .failed("\"set\" in its answer is not an object")
            }
            for (name, value) in members { assignments[name] = value }
        }
        switch answer["decision"]?.stringValue ?? "continue" {
        case "continue":
            return HookReply(.continue, set: assignments)
        case "abort":
            return HookReply(
                .abort(message: RemoteText.sanitize(answer["message"]?.stringValue ?? "refused")))
        default:
            return .failed("\"decision\" in its answer is neither continue nor abort")
        }
    }
}
