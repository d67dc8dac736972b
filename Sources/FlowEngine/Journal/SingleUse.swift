internal import FlowLanguage
internal import OAuthProtocol

/// What a request uses up: such a request is not sent again while nobody knows whether it arrived (flow/1 §7).
package enum SingleUse: Sendable, Hashable {
    /// An authorization code, or an operation that does something anew each time.
    case once
    /// The refresh token of a stored session, which the provider may replace (RFC 9700 §4.14).
    case session(TokenSet.StoredPlace)
}

extension FlowMachine {
    /// - Returns: `nil` for what can be sent again after a crash.
    func singleUse(of effect: Effect) -> SingleUse? {
        guard case .http(let exchange) = effect else { return nil }
        switch exchange.purpose {
        case .token, .tokenExchange, .registration: return .once
        case .refresh:
            guard scope.provider.descriptor.refresh.rotation != .reusable else { return nil }
            return registers.tokenSets[scope.tokenSet("use")]?.stored.map { .session($0) } ?? .once
        case .http where !HTTPCallAnswer.isIdempotent(scope): return .once
        // Where the request for tokens leaves the code out, one of these may send it.
        case .http, .userinfo: return registers.hasSpentCode(in: scope.step) ? .once : nil
        // A stray code or request URI expires, a revoked token stays revoked, a poll is meant to be repeated.
        case .discovery, .jwks, .revocation, .introspection, .deviceAuthorization, .deviceToken,
            .clientCredentials, .jwtBearer, .pushedAuthorization:
            return nil
        }
    }
}

extension Effect {
    /// As records name it.
    package var word: String {
        switch self {
        case .randomness: "randomness"
        case .newKey: "new key"
        case .http(let exchange): "http \(exchange.purpose.rawValue)"
        case .openRedirect: "open redirect"
        case .present: "present"
        case .awaitCallback: "await callback"
        case .conclude: "conclude"
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
        case .awaitDecision: "await decision"
        case .hook: "hook"
        case .presentCode: "present code"
        case .awaitEvent: "await event"
        case .call: "call"
        }
    }
}

extension EffectRequest {
    /// Whether the event leaves open if a request that must not be sent twice was looked at by the server.
    package func isLeftOpen(by event: InputEvent) -> Bool {
        switch event {
        case .unanswered(let trouble): return trouble.delivery == .perhapsDelivered
        // Nobody waited for the answer.
        case .cancelled(let delivery): return delivery == .perhapsDelivered
        case .answered(let response, _):
            // A gateway's 502 or 504 says nothing about what the server did.
            if response.status == 502 || response.status == 504 { return true }
            guard case .http(let exchange) = effect, exchange.purpose == .refresh, let provider else {
                return false
            }
            let dialect = provider.descriptor.refresh.operation.response
            return !TokenResponse.tellsFate(response, dialect: dialect)
        default: return false
        }
    }
}
