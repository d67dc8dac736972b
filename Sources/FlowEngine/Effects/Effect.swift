package import FlowLanguage
package import JOSE
package import OAuthProtocol

/// What the machine asks of the world, as data. Times are milliseconds since 1970.
///
/// Large payloads are indirect, so that decisions stay small to move.
package enum Effect: Sendable {
    case randomness(count: Int)
    /// Make a key pair that nobody else has.
    case newKey(KeyType)
    indirect case http(HTTPExchange)
    /// Open the place where the provider will send the browser; answered with the redirect URI.
    indirect case openRedirect(RedirectPlan)
    /// Show the authorization URL to a person.
    indirect case present(Presentation)
    indirect case awaitCallback(CallbackWait)
    /// Tell the person in the browser how the run ended, and close the redirect.
    case conclude(succeeded: Bool, code: String?)
    case recallMetadata(issuer: String)
    /// Without a body the server said that the kept document holds for another while.
    indirect case keepMetadata(DiscoveredMetadata, issuer: String, DocumentOrigin, body: [UInt8]?)
    case recallKeys(url: String)
    indirect case keepKeys(JWKSet, DocumentOrigin, body: [UInt8]?)
    /// - Parameter for: The access token that is wanted of it; what is loaded is the whole session.
    case loadSession(SessionKey, for: AccessTarget)
    case saveSession(SessionKey, [UInt8], SaveCondition)
    case deleteSession(SessionKey)
    /// Wait until no other process renews this session.
    case lock(SessionKey, until: Int64)
    case unlock(SessionKey)
    case sleep(until: Int64)
    /// Wait while a person decides on another device, until it is time to ask the provider again.
    case awaitDecision(until: Int64, expiresAt: Int64)
    indirect case hook(HookCall)
    /// Show a person the code to enter on another device.
    indirect case presentCode(DevicePrompt)
    /// Wait for an event of the host.
    indirect case awaitEvent(EventWait)
    /// Ask the host through a port.
    indirect case call(PortCall)

    /// Whether this effect decides how the step ends, rather than preparing for it.
    package var isDeciding: Bool {
        switch self {
        case .http, .present, .awaitCallback, .saveSession, .deleteSession, .awaitEvent: true
        // A port that is taken to answer something still gives its simulated fields with it.
        case .call: false
        case .randomness, .newKey, .openRedirect, .conclude, .recallMetadata, .keepMetadata, .recallKeys,
            .keepKeys,
            .loadSession, .lock, .unlock, .sleep, .awaitDecision, .hook, .presentCode:
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
        case .randomness, .newKey, .http, .openRedirect, .present, .awaitCallback, .recallMetadata,
            .keepMetadata,
            .recallKeys,
            .keepKeys, .loadSession, .deleteSession, .lock, .sleep, .awaitDecision, .presentCode, .awaitEvent,
            .call:
            false
        }
    }
}

/// One HTTP request with the bounds of its answer.
package struct HTTPExchange: Sendable {
    /// What the request is for; a dry run answers by it, a trace names it.
    package enum Purpose: String, Sendable, Hashable {
        case discovery, jwks, token, refresh, userinfo, revocation, introspection, http
        case deviceAuthorization = "device_authorization"
        case deviceToken = "device_token"
        case clientCredentials = "client_credentials"
        case tokenExchange = "token_exchange"
        case jwtBearer = "jwt_bearer"
        case registration
        case pushedAuthorization = "pushed_authorization"

        /// Whether the client proves itself in such a request.
        package var provesClient: Bool {
            switch self {
            case .token, .refresh, .revocation, .introspection, .deviceAuthorization, .deviceToken,
                .clientCredentials, .tokenExchange, .jwtBearer, .pushedAuthorization:
                true
            case .discovery, .jwks, .userinfo, .http, .registration: false
            }
        }
    }

    package let purpose: Purpose
    package let plan: RequestPlan
    package let request: HTTPRequest
    /// Milliseconds for the whole exchange; a third of it for connecting.
    package let timeout: Int64
    package let maximumBytes: Int
    /// What a good answer to an `http` step holds; only a rehearsal looks at it.
    package var sample: AnswerSample?
}

/// What an answer must be for an `http` step to succeed.
package struct AnswerSample: Sendable, Hashable {
    package var status: Int
    package let members: [ExtractionRow]
    /// How an operation's answer is written, and members of one; `nil` for a request of the flow's own.
    package var dialect: ResponseDialect?
    package var example: JSONObject?
}

/// Why a browser is sent to the provider.
package enum BrowserErrand: Sendable, Hashable {
    case signIn, logout
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
    package var errand = BrowserErrand.signIn
    /// How the browser may bring the answer: by GET in the address, by POST as a form.
    package var methods = [HTTPMethod.get]
    /// Whether another process opened it before, and a browser may be on its way there.
    package var isAgain = false
}

/// An authorization or logout URL to be shown.
package struct Presentation: Sendable {
    package enum Means: String, Sendable, Hashable {
        case browser, emit, none
    }

    package let url: String
    package let means: Means
    /// What the redirect must find in `state` before it listens to anything else; `nil` when nobody listens.
    package let state: Secret?
    package let expiresAt: Int64
    package let plan: RequestPlan
    package var errand = BrowserErrand.signIn
    /// How the provider names what it sends back, and when `state` must be there.
    package var dialect = CallbackDialect()
    /// What opens the answer before `state` can be looked for; `nil` for one that is not encrypted.
    package var seal: SealedResponses?
    package var demand = StateDemand.always
    /// Tells one sign-in from another: provider, client and profile; `nil` for what may be opened any number of times.
    package var attempt: String?
    /// Whether a hook has shown it.
    package var isPresented = false
    /// Whether hooks were told of it, which may show it without saying so.
    package var isTold = false
}

/// Waiting for the one authorization response of a transaction, or for the browser after a logout.
package struct CallbackWait: Sendable {
    package let state: Secret
    package let until: Int64
    package let redirectURI: String
    package var errand = BrowserErrand.signIn
    /// The ways by which the flow expects the answer; empty for any.
    package var channels: [String] = []
}

/// A code that a person enters on another device (RFC 8628 §3.3).
package struct DevicePrompt: Sendable {
    package enum Means: String, Sendable, Hashable {
        case terminal, browser, emit
    }

    package let userCode: String
    package let verificationURI: String
    /// With the code in it; never opened without showing the code (RFC 8628 §5.4).
    package let verificationURIComplete: String?
    package let means: Means
    package let expiresAt: Int64
    /// Whether a hook has shown it.
    package var isPresented = false
    /// Whether hooks were told of it, which may show it without saying so.
    package var isTold = false
}

/// Waiting for an event that the host reports under a name.
package struct EventWait: Sendable, Hashable {
    package let name: String
    package let until: Int64
}

/// What must be true of the stored row for a save to happen.
package enum SaveCondition: Sendable, Hashable {
    case absent
    case generation(Int64)
    case always
}

/// An effect with the step it serves.
package struct EffectRequest: Sendable {
    package var effect: Effect
    /// Name of the step; empty outside of steps.
    package let step: String
    package let kind: StepKind?
    package let visit: Int
    package let attempt: Int
    package let provider: BoundProvider?
    /// No answer is awaited past this instant.
    package let deadline: Int64
    /// What it uses up; `nil` for what can be done again.
    package var singleUse: SingleUse?

    /// Whether it waits for what a person does with an address or a code that was shown before.
    var awaitsPerson: Bool {
        if case .awaitCallback = effect { true } else { kind == .devicePoll }
    }
}
