package import FlowLanguage
package import JOSE
package import OAuthProtocol

/// What the machine asks of the world, as data. Times are milliseconds since 1970.
///
/// Large payloads are indirect, so that decisions stay small to move.
package enum Effect: Sendable {
    case randomness(count: Int)
    indirect case http(HTTPExchange)
    /// Open the place where the provider will send the browser; answered with the redirect URI.
    indirect case openRedirect(RedirectPlan)
    /// Show the authorization URL to a person.
    indirect case present(Presentation)
    indirect case awaitCallback(CallbackWait)
    /// Tell the person in the browser how the run ended, and close the redirect.
    case conclude(succeeded: Bool, code: String?)
    case recallMetadata(issuer: String)
    indirect case keepMetadata(DiscoveredMetadata, issuer: String)
    case recallKeys(url: String)
    case keepKeys(JWKSet, url: String)
    case loadSession(SessionKey)
    case saveSession(SessionKey, [UInt8], SaveCondition)
    case deleteSession(SessionKey)
    /// Wait until no other process renews this session.
    case lock(SessionKey, until: Int64)
    case unlock(SessionKey)
    case sleep(until: Int64)
    indirect case hook(HookCall)

    /// Whether this effect decides how the step ends, rather than preparing for it.
    package var isDeciding: Bool {
        switch self {
        case .http, .present, .awaitCallback, .saveSession, .deleteSession: true
        case .randomness, .openRedirect, .conclude, .recallMetadata, .keepMetadata, .recallKeys, .keepKeys,
            .loadSession, .lock, .unlock, .sleep, .hook:
            false
        }
    }
}

extension Effect {
    /// Whether it keeps or closes what the run already has: it happens past a deadline and in a cancelled run too, so
    /// that no token is lost and no lock stays.
    package var isEssential: Bool {
        switch self {
        case .conclude, .unlock, .saveSession: true
        // Hooks at the end are told of every end.
        case .hook(let call): call.point == .flowEnd || call.point == .flowError
        case .randomness, .http, .openRedirect, .present, .awaitCallback, .recallMetadata, .keepMetadata,
            .recallKeys,
            .keepKeys, .loadSession, .deleteSession, .lock, .sleep:
            false
        }
    }
}

/// One HTTP request with the bounds of its answer.
package struct HTTPExchange: Sendable {
    /// What the request is for; a dry run answers by it, a trace names it.
    package enum Purpose: String, Sendable, Hashable {
        case discovery, jwks, token, refresh, userinfo
    }

    package let purpose: Purpose
    package let plan: RequestPlan
    package let request: HTTPRequest
    /// Milliseconds for the whole exchange; a third of it for connecting.
    package let timeout: Int64
    package let maximumBytes: Int
}

/// Where an answer to an authorization request may come back.
package struct RedirectPlan: Sendable, Hashable {
    package let host: String
    /// `nil` for any free port (RFC 8252 §7.3).
    package let ports: [UInt16]?
    package let path: String
    /// A redirect URI that the user fixed; it wins over the rest.
    package let fixed: String?
    /// What the browser page calls the provider.
    package let providerName: String
}

/// An authorization URL to be shown.
package struct Presentation: Sendable {
    package enum Means: String, Sendable, Hashable {
        case browser, emit, none
    }

    package let url: String
    package let means: Means
    /// What the redirect must find in `state` before it listens to anything else.
    package let state: Secret
    package let expiresAt: Int64
    package let plan: RequestPlan
}

/// Waiting for the one authorization response of a transaction.
package struct CallbackWait: Sendable {
    package let state: Secret
    package let until: Int64
    package let redirectURI: String
}

/// What must be true of the stored row for a save to happen.
package enum SaveCondition: Sendable, Hashable {
    case absent
    case generation(Int64)
    case always
}

/// An effect with the step it serves.
package struct EffectRequest: Sendable {
    package let effect: Effect
    /// Name of the step; empty outside of steps.
    package let step: String
    package let kind: StepKind?
    package let visit: Int
    package let attempt: Int
    package let provider: BoundProvider?
    /// No answer is awaited past this instant.
    package let deadline: Int64
}
