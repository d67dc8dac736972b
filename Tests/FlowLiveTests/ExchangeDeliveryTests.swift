import FlowTesting
import Glibc
import OAuthProtocol
import Synchronization
import Testing

@testable import FlowEngine
@testable import FlowLive

/// What the engine is told of requests that have no answer: a refresh token that may have arrived is never sent again.
@Suite("Requests without an answer")
struct ExchangeDeliveryTests {
    private let directory = TemporaryDirectory()

    private final class Notices: EffectEvents {
        private let kept = Mutex<[String]>([])
        var waits: [String] { kept.withLock { $0 } }
        func report(_ notice: EffectNotice) {
            if case .waiting(let what, _) = notice { kept.withLock { $0.append(what) } }
        }
    }

    private func effects() throws -> LiveEffects {
        try LiveEffects(
            LiveConfiguration(
                storeDirectory: directory.path + "/store", stateDirectory: directory.path + "/state"))
    }

    private func exchange(_ url: String) -> HTTPExchange {
        HTTPExchange(
            purpose: .refresh, plan: RequestPlan(method: .post, endpoint: url),
            request: HTTPRequest(method: .post, url: url, fields: [], body: [97]), timeout: 600_000,
            maximumBytes: 1_000)
    }

    @Test("one that reached nobody was not delivered, one that was broken off perhaps was")
    func unanswered() async throws {
        let effects = try effects()
        let closed = try ListeningSocket.open(port: 0)
        close(closed.descriptor)
        let server = try ScriptedServer([[.read, .reset]])
        for (url, cause, delivery) in [
            ("http://127.0.0.1:\(closed.port)/", "connect", TransportTrouble.Delivery.notDelivered),
            (server.url, "reset", .perhapsDelivered),
        ] {
            guard case .unanswered(let trouble) = await effects.send(exchange(url), nil, Notices()) else {
                Issue.record("\(url) was answered")
                continue
            }
            #expect(trouble.cause == cause)
            #expect(trouble.delivery == delivery)
            #expect(!trouble.isRefusal)
        }
        await effects.shutDown()
    }

    @Test("one whose run was cancelled says so, and how far it came")
    func cancelled() async throws {
        let effects = try effects()
        let server = try ScriptedServer([[.read, .hold]])
        let task = Task { await effects.send(exchange(server.url), nil, Notices()) }
        while server.received.isEmpty { await Task.yield() }
        task.cancel()
        guard case .cancelled(.perhapsDelivered) = await task.value else {
            Issue.record("it is not cancelled after it was sent")
            return
        }
        await effects.shutDown()
    }

    @Test("the answer to a refresh token that is on its way is waited for although the run is to end")
    func patient() async throws {
        let effects = try effects()
        let notices = Notices()
        let answer: @Sendable () -> String = {
            while notices.waits.isEmpty { usleep(1_000) }
            return "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
        }
        let server = try ScriptedServer([[.read, .sendLater(answer)]])
        let task = Task { await effects.sendPatiently(exchange(server.url), nil, notices) }
        while server.received.isEmpty { await Task.yield() }
        task.cancel()
        guard case .answered(let response, _) = await task.value else {
            Issue.record("the answer was not waited for")
            return
        }
        #expect(response.status == 200)
        #expect(notices.waits == ["the provider's answer: the refresh token has been sent"])
        await effects.shutDown()
    }
}
