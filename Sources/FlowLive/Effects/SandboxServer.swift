package import FlowSandbox
package import FlowEngine
internal import Glibc
internal import JOSE
internal import OAuthProtocol
internal import Synchronization

/// The built-in provider on a real loopback server, as itself or in the place of another provider.
///
/// With a state file, its keys and refresh tokens outlive the process, so that a later run can restore and refresh.
package final class SandboxServer: Sendable {
    /// Where it is, as `http://127.0.0.1:9400`: its issuer, unless it stands in for another provider.
    package let issuer: String
    private let provider: SandboxProvider
    private let standIn: StandIn?
    private let server: HTTPServer
    private let stateFile: String?

    /// Where the addresses of the provider are that it stands in for.
    package var places: [(name: String, path: String)] { standIn?.places ?? [] }

    /// - Parameters:
    ///   - port: `nil` lets the system choose.
    ///   - part: The provider that it stands in for, and the redirect URI for requests that name none.
    ///   - change: Whatever else is to differ; the issuer stays.
    ///   - log: Told of each request in one line without secrets, such as `POST /token refresh_token 200`; of one that was
    ///     refused with the reason.
    package init(
        port: UInt16?, stateFile: String? = nil,
        as part: (provider: BoundProvider, redirectURI: String?)? = nil,
        faults: [Fault] = [], mode: SandboxConfiguration.Mode = .page,
        lifetimes: SandboxLifetimes = SandboxLifetimes(), algorithm: SigningAlgorithm = .rs256,
        change: (inout SandboxConfiguration) -> Void = { _ in }, log: (@Sendable (String) -> Void)? = nil
    ) throws(LiveSetupError) {
        let box = ProviderBox(log)
        do throws(ServerError) {
            server = try HTTPServer(port: port ?? 0, limits: .manyClients) { request, reply in
                box.answer(request, reply)
            }
        } catch {
            throw LiveSetupError("the sandbox cannot listen: \(error.description)")
        }
        issuer = "http://\(server.host):\(server.port)"
        self.stateFile = stateFile
        var configuration = SandboxConfiguration(
            issuer: issuer, lifetimes: lifetimes, algorithm: algorithm, mode: mode, faults: faults)
        change(&configuration)
        guard let part else {
            let provider = try Self.provider(configuration, stateFile)
            (self.provider, standIn) = (provider, nil)
            box.serve { provider.respond(to: $0, now: $1) }
            return
        }
        do throws(SandboxError) {
            let standIn = StandIn(
                part.provider, at: issuer, redirectURI: part.redirectURI, configuration,
                keys: try SandboxKeys.generate(), random: Self.random)
            (provider, self.standIn) = (standIn.sandbox, standIn)
            box.serve { standIn.respond(to: $0, now: $1) }
        } catch {
            throw LiveSetupError("the sandbox cannot make its keys")
        }
    }

    private static let random: @Sendable (Int) -> [UInt8] = { count in
        guard let bytes = try? SecureRandom.bytes(count) else { preconditionFailure("no random bytes") }
        return bytes
    }

    private static func provider(
        _ configuration: SandboxConfiguration, _ stateFile: String?
    ) throws(LiveSetupError) -> SandboxProvider {
        // A state file that is missing, unreadable or of another issuer only means a fresh sandbox.
        if let stateFile, let bytes = try? PrivateFile.read(stateFile, limit: 64 << 20),
            let snapshot = try? SandboxSnapshot(decoding: bytes), snapshot.issuer == configuration.issuer
        {
            return SandboxProvider(configuration: configuration, restoring: snapshot, random: random)
        }
        do throws(SandboxError) {
            return SandboxProvider(
                configuration: configuration, keys: try SandboxKeys.generate(), random: random)
        } catch {
            throw LiveSetupError("the sandbox cannot make its keys")
        }
    }

    /// Stops listening and writes the state file.
    package func stop() {
        server.stop()
        guard let stateFile, let bytes = try? provider.snapshot().encoded() else { return }
        // The sandbox's memory is a convenience: without it the next run starts a fresh one.
        try? PrivateFile.replace(stateFile, with: bytes)
    }
}

/// Lets the server start before the provider that needs to know its port.
private final class ProviderBox: Sendable {
    typealias Responder = @Sendable (ServerRequest, Int64) -> SandboxReply

    private enum Content: Sendable {
        /// Making keys takes a moment; whoever asks meanwhile waits for it.
        case waiting([(ServerRequest, ServerReply)])
        case responder(Responder)
    }

    private let content = Mutex(Content.waiting([]))
    private let log: (@Sendable (String) -> Void)?

    init(_ log: (@Sendable (String) -> Void)?) {
        self.log = log
    }

    func serve(_ responder: @escaping Responder) {
        let waiting = content.withLock { content -> [(ServerRequest, ServerReply)] in
            defer { content = .responder(responder) }
            if case .waiting(let requests) = content { return requests }
            return []
        }
        for (request, reply) in waiting { answer(request, reply, by: responder) }
    }

    func answer(_ request: ServerRequest, _ reply: ServerReply) {
        let responder = content.withLock { content -> Responder? in
            switch content {
            case .responder(let responder): return responder
            case .waiting(let requests):
                content = .waiting(requests + [(request, reply)])
                return nil
            }
        }
        if let responder { answer(request, reply, by: responder) }
    }

    private func answer(_ request: ServerRequest, _ reply: ServerReply, by responder: Responder) {
        let answer = responder(request, WallClock.now())
        log?(Self.line(request, answer.response))
        switch answer {
        case .send(let response):
            reply.send(response)
        case .delay(let milliseconds, let response):
            Task {
                // A cancelled sleep only answers early.
                try? await Task.sleep(for: .milliseconds(milliseconds))
                reply.send(response)
            }
        case .closeWithoutAnswer:
            reply.abort()
        case .truncate(let response, let bytes):
            reply.send(response, cutAfter: bytes)
        }
    }

    private static func line(_ request: ServerRequest, _ response: HTTPResponse?) -> String {
        // Some interfaces take a token in the path.
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false)
        let path = parts.map { $0.utf8.count < 40 ? String($0) : "…" }.joined(separator: "/")
        var line = "\(request.method) \(path)"
        let body = QueryItems.parse(String(decoding: request.body, as: UTF8.self)) ?? []
        // Only words of the protocol; whatever else a client sends there stays out.
        let grant = body.first { $0.name == "grant_type" }?.value ?? ""
        if !grant.isEmpty, grant.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), grant.utf8.count < 80 {
            line += " \(grant)"
        }
        guard let response else { return line + " no answer" }
        line += " \(response.status)"
        return flaw(told: response).map { "\(line) \(RemoteText.sanitize($0))" } ?? line
    }

    /// What the client is told that it does wrong, in the answer, behind its redirect URI, or on a page; the sandbox's words
    /// hold none of its secrets.
    private static func flaw(told response: HTTPResponse) -> String? {
        if let location = response.field("Location") {
            let query = QueryItems.received(location.drop { $0 != "?" }.dropFirst())
            return words { name in query.first { $0.name == name }?.value }
        }
        if let object = response.json?.objectValue { return words { object[$0]?.stringValue } }
        return ErrorPage.reason(of: response)
    }

    private static func words(_ member: (String) -> String?) -> String? {
        guard let code = member("error") else { return nil }
        return member("error_description").map { "\(code): \($0)" } ?? code
    }
}
