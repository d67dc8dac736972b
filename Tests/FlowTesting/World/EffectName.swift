package import FlowEngine

extension EffectRequest {
    /// The effect in two words, as scripts and failures name it: `http token`, `save session`.
    package var name: String {
        switch effect {
        case .randomness: "randomness"
        case .newKey: "new key"
        case .http(let exchange): "http \(exchange.purpose.rawValue)"
        case .openRedirect: "open redirect"
        case .present: "present"
        case .awaitCallback: "await callback"
        case .conclude(let succeeded, _): succeeded ? "conclude well" : "conclude badly"
        case .recallMetadata: "recall metadata"
        case .keepMetadata: "keep metadata"
        case .recallKeys: "recall keys"
        case .keepKeys: "keep keys"
        case .loadSession: "load session"
        case .saveSession: "save session"
        case .deleteSession: "delete session"
        case .lock: "lock"
        case .unlock: "unlock"
        case .sleep: "sleep"
        case .hook(let call): "hook \(call.hook)"
        case .presentCode: "present code"
        case .awaitEvent(let wait): "await event \(wait.name)"
        case .call(let call): "call \(call.port)"
        }
    }
}
