internal import FlowEngine
internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Asks the programs, servers and closures of hooks (flow/1 §9, wire contract 1).
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
        case .set, .assert, .map, .emit: .failed("the engine performs this action itself")
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
        let input = Array(HookWire.encode(call).utf8)
        guard input.count <= HookWire.limit else { return .failed(HookWire.tooMuch) }
        var request = ProcessRequest(
            arguments: [path] + argv.dropFirst(), environment: configuration.environment(for: names),
            directory: call.directory, input: input, timeoutMilliseconds: Int(call.timeout))
        request.endsAtOutputLimit = true
        do throws(SpawnFailure) {
            return HookWire.read(try await ProcessRunner.run(request), call)
        } catch {
            return .failed("\(error.program) cannot be started: \(error.reason)")
        }
    }
}

extension HookWire {
    /// Why a call is not made.
    static let tooMuch = "what it would be told is more than 1 MiB"

    static func read(_ result: ProcessResult, _ call: HookCall) -> HookReply {
        let remarks = ProgramRemarks(result.errors, hiding: Array(call.secrets.values))
        var reply = verdict(result, call, remarks.lastWords)
        reply.remarks = remarks.text
        return reply
    }

    /// - Parameter lastWords: The last line of the program's standard error.
    private static func verdict(_ result: ProcessResult, _ call: HookCall, _ lastWords: String?) -> HookReply
    {
        switch result.interruption {
        case .timeout: return .failed("it took longer than \(call.timeout) ms")
        case .cancelled: return .failed("the run was cancelled")
        case .output: return .failed("it wrote more than 1 MiB")
        case nil: break
        }
        let words = lastWords.map { ": \($0)" } ?? ""
        switch result.end {
        case .exited(let status) where status != 0: return .failed("it exited with status \(status)\(words)")
        case .signalled(let number): return .failed("signal \(number) ended it\(words)")
        case .unknown: return .failed(ProcessEnd.unknownWords + words)
        case .exited: break
        }
        if result.output.isTruncated { return .failed("it wrote more than 1 MiB") }
        return read(result.output.bytes)
    }
}
