import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLive

@Suite("Hooks that ask a server")
struct HookCallerTests {
    private static let key = "marker-signing-key-5c1d"

    private func run(
        _ server: ScriptedServer, url: String? = nil, environment: [String: String],
        condition: String = "true",
        auth: String = "hmac_sha256: HOOK_KEY", headers: String = "X-Team: sign-in",
        sinks: [any TraceSink] = []
    ) async throws -> FlowResult {
        let flow = """
            language: flow/1
            flow: example
            vars: { tenant: { type: string, init: none } }
            outputs: { tenant: string }
            hooks:
              - id: tenant
                at: step.after
                if: "\(condition)"
                http: { url: "\(url ?? server.url)hook", auth: { \(auth) }, headers: { \(headers) } }
                writes: [vars.tenant]
            start: set
            steps:
              set: { next: done }
            ends:
              done: { result: success, outputs: { tenant: "${vars.tenant}" } }
            """
        let directory = TemporaryDirectory()
        var configuration = LiveConfiguration(
            storeDirectory: directory.path + "/store", stateDirectory: directory.path + "/state")
        configuration.environment = environment
        let runner = try FlowRunner(
            flow: .init(path: "example.flow.yaml", text: flow),
            provider: .init(path: "p.yaml", text: ProviderText.standard),
            client: ClientRegistration(clientID: "client", authenticationMethod: .none),
            configuration: configuration)
        return try await runner.run(sinks: sinks)
    }

    private static func answer(_ status: String, _ body: String) -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test("the call is signed over time and body, and its answer may set what the hook declares")
    func signed() async throws {
        let body = "{\"set\":{\"vars.tenant\":\"acme\"}}"
        let server = try ScriptedServer([[.read, .send(Self.answer("200 OK", body))]])
        let result = try await run(server, environment: ["HOOK_KEY": Self.key])
        #expect(result.outputs["tenant"] == .string("acme"))
        let request = try #require(server.received.first)
        #expect(request.hasPrefix("POST /hook HTTP/1.1\r\n"))
        #expect(request.contains("\r\nFlow-Trigger: step.after\r\n"))
        #expect(request.contains("\r\nX-Team: sign-in\r\n"))
        #expect(!request.contains(Self.key))
        let parts = request.split(separator: "\r\n\r\n", maxSplits: 1)
        let signature = try #require(
            parts[0].split(separator: "\r\n").first { $0.hasPrefix("Flow-Signature: t=") })
        let pieces = signature.dropFirst("Flow-Signature: t=".count).split(separator: ",v1=")
        let code = HMAC.sha256(key: Array(Self.key.utf8), message: Array("\(pieces[0]).\(parts[1])".utf8))
        let hex = code.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }.joined()
        #expect(String(pieces[1]) == hex)
    }

    @Test("a token goes along where one is named, and what the call says of itself is not written over")
    func token() async throws {
        let token = "marker-hook-token-77ab"
        let answer = Self.answer("200 OK", "{\"decision\":\"abort\",\"message\":\"no \(token) here\"}")
        let server = try ScriptedServer([[.read, .send(answer)]])
        let result = try await run(
            server, environment: ["HOOK_KEY": Self.key, "HOOK_TOKEN": token],
            auth: "hmac_sha256: HOOK_KEY, bearer: HOOK_TOKEN",
            headers: "flow-signature: forged, X-B: b, X-A: a")
        #expect(result.message == "hook \"tenant\": no ‹secret› here")
        let head = try #require(server.received.first?.split(separator: "\r\n\r\n").first)
        let fields = head.split(separator: "\r\n").dropFirst()
        let authorizations = fields.filter { $0.lowercased().hasPrefix("authorization:") }
        #expect(authorizations == ["Authorization: Bearer \(token)"])
        #expect(fields.count { $0.lowercased().hasPrefix("flow-signature:") } == 1)
        #expect(!head.contains("forged"))
        #expect(fields.filter { $0.hasPrefix("X-") } == ["X-A: a", "X-B: b"])
    }

    @Test(
        "an empty key or token is none, and nothing is sent",
        arguments: [
            (["HOOK_KEY": "", "HOOK_TOKEN": "t"], "HOOK_KEY with its key"),
            (["HOOK_KEY": Self.key, "HOOK_TOKEN": ""], "HOOK_TOKEN with its token"),
        ])
    func emptyVariables(environment: [String: String], words: String) async throws {
        let server = try ScriptedServer([[.read]])
        let result = try await run(
            server, environment: environment, condition: "vars.tenant == 'none'",
            auth: "hmac_sha256: HOOK_KEY, bearer: HOOK_TOKEN")
        #expect(result.message?.contains("the environment variable \(words) is not set") == true)
        #expect(server.received == [])
    }

    @Test("the trace has where it was sent, what was answered and how long that took")
    func traced() async throws {
        let server = try ScriptedServer([[.read, .send(Self.answer("200 OK", "{\"set\":{}}"))]])
        let recorder = EventRecorder()
        _ = try await run(server, environment: ["HOOK_KEY": Self.key], sinks: [recorder])
        let hooks = recorder.events.hooks
        #expect(hooks.map(\.url) == ["\(server.url)hook"])
        #expect(hooks.map(\.status) == [200])
        #expect(hooks.allSatisfy { $0.duration != nil })
    }

    @Test(
        "a server that answers with an error, elsewhere or without JSON fails the hook, and the run with it",
        arguments: [
            ("500 Oops", "{}", "it answered with status 500"),
            ("301 Moved", "", "it answered with status 301, and redirects are not followed"),
            ("200 OK", "<html>", "its answer is not one JSON object: syntax error at byte 0"),
            (
                "200 OK", #"{"decision":"abort","decision":"continue"}"#,
                "its answer is not one JSON object: member decision is there twice at byte 20"
            ),
        ])
    func refused(status: String, body: String, words: String) async throws {
        let server = try ScriptedServer([[.read, .send(Self.answer(status, body))]])
        let result = try await run(server, environment: ["HOOK_KEY": Self.key])
        #expect(result.failure?.code == "hook_failed")
        #expect(result.message == "hook \"tenant\" failed: \(words)")
    }

    @Test("a server without TLS, where the hook wants it, is told as that")
    func plaintext() async throws {
        let server = try ScriptedServer([[.send(Self.answer("400 Bad Request", ""))]])
        let url = server.url.replacing("http:", with: "https:")
        let result = try await run(server, url: url, environment: ["HOOK_KEY": Self.key])
        #expect(
            result.message?.hasPrefix("hook \"tenant\" failed: what answers there speaks no TLS: ") == true,
            "\(result.message ?? "")")
    }

    @Test("an answer that is not UTF-8 is none")
    func otherEncoding() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 22\r\n\r\n"
        let body = Array(#"{"set":{"vars.x":""#.utf8) + [0xE9] + Array(#""}}"#.utf8)
        let server = try ScriptedServer([[.read, .send(head), .sendBytes(body)]])
        let result = try await run(server, environment: ["HOOK_KEY": Self.key])
        #expect(
            result.message
                == "hook \"tenant\" failed: its answer is not one JSON object: not UTF-8 at byte 18")
    }

    @Test("a server that repeats what its calls are signed with has it in no message [rule 175]")
    func repeated() async throws {
        let body = "{\"decision\":\"abort\",\"message\":\"no \(Self.key) here\"}"
        let server = try ScriptedServer([[.read, .send(Self.answer("200 OK", body))]])
        let recorder = EventRecorder()
        let result = try await run(server, environment: ["HOOK_KEY": Self.key], sinks: [recorder])
        #expect(result.message == "hook \"tenant\": no ‹secret› here")
        #expect(!recorder.events.contains { "\($0)".contains(Self.key) })
    }

    @Test("without its key nothing is sent by a hook that may not be asked, which a runner does not miss")
    func unsigned() async throws {
        let server = try ScriptedServer([[.read]])
        let result = try await run(server, environment: [:], condition: "vars.tenant == 'none'")
        #expect(result.failure?.code == "hook_failed")
        #expect(result.message?.contains("HOOK_KEY") == true)
        #expect(server.received == [])
    }
}
