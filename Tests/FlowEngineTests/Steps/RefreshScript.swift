import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// What a refresh asks for, and what it is answered.
enum RefreshScript {
    static let lock = ScriptedEffect("lock", .locked)
    static let unlock = ScriptedEffect("unlock")

    static func send(_ answer: InputEvent, after: Int64 = 0) -> ScriptedEffect {
        ScriptedEffect("http refresh", after: after, answer)
    }

    static let untilSent = [Scripts.load(.expired), lock, Scripts.load(.expired)]

    static func body(_ request: EffectRequest?) -> Set<String> {
        guard case .http(let exchange)? = request?.effect else { return [] }
        return Set(
            String(decoding: exchange.request.body ?? [], as: UTF8.self).split(separator: "&").map(
                String.init))
    }
}
