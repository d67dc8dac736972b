package import FlowEngine

extension EffectRequest {
    /// The effect in two words, as scripts and failures name it: `http token`, `save session`.
    package var name: String {
        switch effect {
        case .conclude(let succeeded, _): succeeded ? "conclude well" : "conclude badly"
        case .hook(let call): "hook \(call.hook)"
        case .awaitEvent(let wait): "await event \(wait.name)"
        case .call(let call): "call \(call.port)"
        default: effect.word
        }
    }
}
