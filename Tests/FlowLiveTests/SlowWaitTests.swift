import FlowEngine
import FlowLanguage
import FlowTesting
import Glibc
import OAuthProtocol
import Synchronization
import Testing
import YAMLText

@testable import FlowLive

@Suite("Waits that a run tells of")
struct SlowWaitTests {
    private let folder = TemporaryDirectory()

    /// Keeps what is waited for, and lets a thread wait until something is.
    private final class Waits: TraceSink {
        private let told = Mutex<[String]>([])
        let stream: AsyncStream<String>
        private let continuation: AsyncStream<String>.Continuation
        private let ends: (reading: Int32, writing: Int32)

        init() {
            var pair: [Int32] = [0, 0]
            precondition(pipe(&pair) == 0)
            ends = (pair[0], pair[1])
            (stream, continuation) = AsyncStream.makeStream()
        }

        deinit {
            close(ends.reading)
            close(ends.writing)
        }

        var all: [String] { told.withLock { $0 } }

        func receive(_ event: TraceEvent) {
            guard case .waiting(let what, _) = event.body else { return }
            told.withLock { $0.append(what) }
            continuation.yield(what)
            var byte: UInt8 = 1
            _ = write(ends.writing, &byte, 1)
        }

        func untilOne() {
            var byte: UInt8 = 0
            _ = read(ends.reading, &byte, 1)
        }
    }

    private func run(
        _ flow: String, _ origin: String, _ waits: Waits, patience: Int64 = 1
    ) async throws -> FlowResult {
        var configuration = LiveConfiguration(
            storeDirectory: folder.path + "/store", stateDirectory: folder.path + "/state")
        configuration.tellsWaitsAfter = patience
        let provider = """
            provider: p
            protocol: oauth2
            issuer: \(origin)
            discovery: off
            token_endpoint: \(origin)token
            """
        return try await FlowRunner(
            flow: SourceFile(path: "a.flow.yaml", text: flow),
            provider: SourceFile(path: "p.yaml", text: provider),
            client: ClientRegistration(clientID: "c", secret: Secret("s-value", kind: .clientSecret)),
            configuration: configuration
        ).run(sinks: [waits])
    }

    private static func flow(_ step: String) -> String {
        """
        language: flow/1
        flow: slow
        version: 1
        defaults: { timeout: 20s, next: { any: failed } }
        start: begin
        steps:
          begin: \(step)
        ends:
          done: { result: success }
          failed: { result: failure, exit: 1 }
        """
    }

    private static let token = """
        HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\nContent-Length: 45\r\n\r\n\
        {"access_token":"a-1","token_type":"Bearer"} 
        """

    @Test("a server that does not answer at once is named, with what it was asked")
    func slowServer() async throws {
        let waits = Waits()
        let answer: @Sendable () -> String = {
            waits.untilOne()
            return Self.token
        }
        let server = try ScriptedServer([[.read, .sendLater(answer)]])
        let result = try await run(
            Self.flow("{ do: client_credentials, next: { ok: done } }"), server.url, waits)
        #expect(result.isSuccess)
        #expect(waits.all == ["127.0.0.1 to answer the client credentials request"])
    }

    @Test("what has no time left when it would be told of is not told of")
    func shortWait() async throws {
        let waits = Waits()
        let server = try ScriptedServer([[.read, .hold]])
        let step = "{ do: client_credentials, timeout: 200ms, next: { ok: done } }"
        let result = try await run(Self.flow(step), server.url, waits, patience: 200)
        #expect(!result.isSuccess)
        #expect(waits.all == [])
    }

    @Test("a step that pauses says so")
    func pause() async throws {
        let waits = Waits()
        let flow = Self.flow("{ do: wait, with: { for: 1h }, next: { ok: done } }")
        let task = Task { try await run(flow, "http://127.0.0.1:9/", waits) }
        #expect(await waits.stream.first { _ in true } == "the pause of step begin to end")
        task.cancel()
        _ = try? await task.value
    }

    @Test("the pause before another attempt is a wait for that")
    func retry() async throws {
        let waits = Waits()
        let server = try ScriptedServer([[.read, .reset], [.read, .send(Self.token)]])
        let step =
            "{ do: client_credentials, retry: { outcomes: [network], attempts: 2 }, next: { ok: done } }"
        let result = try await run(Self.flow(step), server.url, waits)
        #expect(result.isSuccess, "\(String(describing: result.failure))")
        #expect(waits.all.contains("the next attempt of step begin"))
    }
}
