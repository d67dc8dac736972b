internal import FlowEngine
internal import FlowLive
internal import JOSE
internal import OAuthProtocol
internal import Synchronization

/// Real HTTP, random bytes and kept documents; a browser and a store in memory. For one run after another.
final class BenchmarkEffects: EffectHandler {
    private struct State {
        var challenge = ""
        var session: StoredSession?
    }

    private let live: LiveEffects
    private let setting: BenchmarkSetting
    private let state = Mutex(State())

    init(live: LiveEffects, setting: BenchmarkSetting) {
        self.live = live
        self.setting = setting
    }

    func now() -> Int64 { live.now() }

    func begin() -> RunIdentity { RunIdentity(runID: "bench", seed: 1, traceKey: nil) }

    func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent {
        switch request.effect {
        case .http, .newKey, .recallMetadata, .keepMetadata, .recallKeys, .keepKeys, .sleep, .awaitDecision:
            return await live.perform(request, events: events)
        case .randomness(let count):
            // State and verifier are fresh; the nonce is the one that the provider's tokens were signed with.
            guard var bytes = try? SecureRandom.bytes(count), count == 96 else { return .randomness([]) }
            bytes.replaceSubrange(32..<64, with: setting.nonceBytes)
            return .randomness(bytes)
        case .openRedirect:
            return .redirectOpened(uri: setting.redirectURI)
        case .present(let presentation):
            let challenge = presentation.plan.query.first { $0.name == "code_challenge" }?.value
            guard case .text(let text)? = challenge else { return .headless(reason: "no challenge") }
            state.withLock { $0.challenge = text }
            return .presented(how: "")
        case .awaitCallback(let wait):
            let challenge = state.withLock { $0.challenge }
            return .callback(
                [(name: "code", value: "c." + challenge), (name: "state", value: wait.state.reveal())],
                channel: "memory")
        case .loadSession:
            return state.withLock { $0.session }.map(InputEvent.session) ?? .noSession
        case .saveSession(_, let bytes, _):
            return state.withLock { state in
                let generation = (state.session?.generation ?? 0) + 1
                state.session = StoredSession(bytes: bytes, generation: generation)
                return .saved(generation: generation)
            }
        case .deleteSession:
            state.withLock { $0.session = nil }
            return .done
        case .lock: return .locked
        case .unlock, .conclude: return .done
        case .hook: return .hook(HookReply())
        case .presentCode: return .presented(how: "")
        case .awaitEvent: return .eventTimedOut
        case .call: return .port(PortReply())
        }
    }
}
