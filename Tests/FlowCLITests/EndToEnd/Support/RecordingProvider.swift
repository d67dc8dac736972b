import FlowSandbox
import JOSE
import OAuthProtocol
import Synchronization

@testable import FlowLive

/// The sandbox on a loopback port, with a book of every request it got and every answer it gave.
final class RecordingProvider: Sendable {
    struct Hit: Sendable {
        let path: String
        let form: [(name: String, value: String)]
        let authorization: String?
        /// `nil` where the connection was closed without one.
        let answer: HTTPResponse?

        func value(_ name: String) -> String? { form.first { $0.name == name }?.value }
    }

    let issuer: String
    private let server: HTTPServer
    private let desk: Desk

    /// - Parameter faults: As they are written behind `--fault`.
    /// - Parameter port: 0 for any that is free.
    init(
        _ faults: [String] = [], clients: [SandboxClient] = SandboxClient.standard, port: UInt16 = 0
    ) throws {
        let desk = Desk()
        self.desk = desk
        server = try HTTPServer(port: port) { request, reply in desk.receive(request, reply) }
        issuer = "http://\(server.host):\(server.port)"
        let configuration = SandboxConfiguration(
            issuer: issuer, clients: clients, mode: .automatic, faults: try faults.map { try Fault.parse($0) }
        )
        desk.serve(
            SandboxProvider(configuration: configuration, keys: try SandboxKeys.generate()) { count in
                guard let bytes = try? SecureRandom.bytes(count) else {
                    preconditionFailure("no random bytes")
                }
                return bytes
            })
    }

    func stop() { server.stop() }

    var hits: [Hit] { desk.hits.withLock { $0 } }

    func hits(_ path: String) -> [Hit] { hits.filter { $0.path == path } }

    func grants(_ type: String) -> [Hit] { hits("/token").filter { $0.value("grant_type") == type } }

    /// Every code, verifier, token and credential that went over the wire.
    var secrets: Set<String> {
        var found: Set<String> = []
        for hit in hits("/token") {
            for name in ["code", "code_verifier", "refresh_token", "client_secret"] {
                if let value = hit.value(name) { found.insert(value) }
            }
            if let basic = hit.authorization?.split(separator: " ").last { found.insert(String(basic)) }
            let answer = hit.answer.flatMap { (try? JSON.parse($0.body))?.objectValue }
            for name in ["access_token", "refresh_token", "id_token"] {
                if let value = answer?[name]?.stringValue { found.insert(value) }
            }
        }
        return found
    }
}

private final class Desk: Sendable {
    private let provider = Mutex<SandboxProvider?>(nil)
    let hits = Mutex<[RecordingProvider.Hit]>([])

    func serve(_ new: SandboxProvider) { provider.withLock { $0 = new } }

    func receive(_ request: ServerRequest, _ reply: ServerReply) {
        guard let provider = provider.withLock({ $0 }) else {
            reply.send(HTTPResponse(status: 503))
            return
        }
        let answer = provider.respond(to: request, now: WallClock.now())
        let form =
            request.method == "POST" ? FormBody.parse(request.body) : QueryItems.parse(request.query ?? "")
        hits.withLock {
            $0.append(
                RecordingProvider.Hit(
                    path: request.path, form: form ?? [], authorization: request.field("Authorization"),
                    answer: answer.response))
        }
        switch answer {
        case .send(let response): reply.send(response)
        case .delay(let milliseconds, let response):
            Task {
                // A cancelled sleep only answers early.
                try? await Task.sleep(for: .milliseconds(milliseconds))
                reply.send(response)
            }
        case .closeWithoutAnswer: reply.abort()
        case .truncate(let response, let bytes): reply.send(response, cutAfter: bytes)
        }
    }
}
