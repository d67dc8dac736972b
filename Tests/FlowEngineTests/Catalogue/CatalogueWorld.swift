import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Synchronization

/// A provider that answers what a test tells it to, and keeps what it was sent.
final class CatalogueWorld: EffectHandler {
    struct Sent {
        let purpose: HTTPExchange.Purpose
        let wire: Wire
    }

    /// The answers of a provider; each is given as often as it is asked for.
    struct Answers: Sendable {
        var metadata: JSONObject = [:]
        /// The token response; the request gives the nonce that an ID token has to bear.
        var token: @Sendable (_ nonce: String?) throws -> HTTPResponse = { _ in CatalogueWorld.json([:]) }
        var refresh = CatalogueWorld.json([:])
        var userinfo = CatalogueWorld.json([:])
        /// The code for another device, and what is said each time that a device asks.
        var device = CatalogueWorld.json([:])
        var polls: [HTTPResponse] = []
        /// Answers for URLs that begin so, before `userinfo` is asked.
        var others: [(start: String, answer: HTTPResponse)] = []
        /// What the browser brings back beside the state.
        var callback: [(name: String, value: String)] = [("code", "CODE-1")]
        /// Makes the callback whole, such as by signing it.
        var seal: @Sendable ([(name: String, value: String)]) -> [(name: String, value: String)] = { $0 }
        var redirectURI = "https://client.example/callback"
        var session: StoredSession?
    }

    private struct State {
        var sent: [Sent] = []
        var shown: String?
        var nonce: String?
        var saved: [UInt8]?
        var polls: ArraySlice<HTTPResponse>
    }

    private let answers: Answers
    private let state: Mutex<State>

    init(_ answers: Answers) {
        self.answers = answers
        state = Mutex(State(polls: answers.polls[...]))
    }

    /// The requests in their order, without those for metadata and keys.
    var sent: [Sent] { state.withLock { $0.sent } }
    /// The URL that the browser was sent to.
    var shown: String? { state.withLock { $0.shown } }
    /// The session as it was stored last.
    var saved: JSONObject? {
        // What the engine stores is JSON; the tests of the store say so.
        state.withLock { $0.saved }.flatMap { try? JSON.parse($0).objectValue }
    }

    func now() -> Int64 { ManualClock.start }

    func begin() -> RunIdentity { RunIdentity(runID: "run-1", seed: 1, traceKey: nil) }

    static func json(_ object: JSONObject, status: Int = 200) -> HTTPResponse {
        text(JSONValue.object(object).serialize(), "application/json", status: status)
    }

    static func text(_ text: String, _ type: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, fields: [HTTPField("Content-Type", type)], body: Array(text.utf8))
    }

    func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent {
        switch request.effect {
        case .randomness(let count): .randomness((0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) })
        case .http(let exchange): answer(exchange)
        case .openRedirect: .redirectOpened(uri: answers.redirectURI)
        case .present(let presentation): present(presentation)
        case .awaitCallback(let wait):
            .callback(
                answers.seal(answers.callback + [("state", wait.state.reveal())]), channel: "loopback")
        case .loadSession: answers.session.map(InputEvent.session) ?? .noSession
        case .saveSession(_, let bytes, _): save(bytes)
        case .lock: .locked
        case .recallMetadata, .recallKeys: .nothingKept
        case .sleep, .awaitDecision: .woke
        case .conclude, .keepMetadata, .keepKeys, .deleteSession, .unlock: .done
        case .presentCode: .presented(how: "a screen")
        case .newKey, .hook, .awaitEvent, .call: .cancelled()
        }
    }

    private func present(_ presentation: Presentation) -> InputEvent {
        state.withLock {
            $0.shown = presentation.url
            $0.nonce = Wire(url: presentation.url)[query: "nonce"]
        }
        return .presented(how: "a browser")
    }

    private func save(_ bytes: [UInt8]) -> InputEvent {
        state.withLock { $0.saved = bytes }
        // A world without a store.
        return .saved(generation: 0)
    }

    private func answer(_ exchange: HTTPExchange) -> InputEvent {
        switch exchange.purpose {
        case .discovery: return .answered(Self.json(answers.metadata), nil)
        case .jwks:
            // A key that cannot be made fails the step that asked for it.
            let keys = (try? TestKey.set())?.objectValue ?? [:]
            return .answered(Self.json(keys), nil)
        default: break
        }
        let nonce = state.withLock { state in
            state.sent.append(Sent(purpose: exchange.purpose, wire: Wire(exchange.request)))
            return state.nonce
        }
        let url = exchange.request.url
        if let other = answers.others.first(where: { url.hasPrefix($0.start) }) {
            return .answered(other.answer, nil)
        }
        switch exchange.purpose {
        case .token:
            do {
                return .answered(try answers.token(nonce), nil)
            } catch {
                return .answered(Self.json(["error": "the test's own answer failed"], status: 500), nil)
            }
        case .refresh: return .answered(answers.refresh, nil)
        case .deviceAuthorization: return .answered(answers.device, nil)
        case .deviceToken:
            let next = state.withLock { $0.polls.popFirst() }
            return .answered(next ?? Self.json(["error": "the test has no more answers"], status: 500), nil)
        default: return .answered(answers.userinfo, nil)
        }
    }
}
