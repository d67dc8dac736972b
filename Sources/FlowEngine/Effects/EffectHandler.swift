package import OAuthProtocol

/// The one seam between what is decided and what is done: live, planned, scripted.
package protocol EffectHandler: Sendable {
    /// Performs one effect and reports what came of it; never throws, never waits past the request's deadline.
    ///
    /// `events` receives what happens meanwhile and a person should see, such as a callback that was refused.
    func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent

    /// Milliseconds since 1970; a planned handler's own clock in a dry run.
    func now() -> Int64

    /// What sets this run apart from others.
    func begin() -> RunIdentity
}

/// What sets one run apart: made by the effect handler, since the engine has no randomness.
package struct RunIdentity: Sendable {
    package let runID: String
    /// Spreads retries.
    package let seed: UInt64
    /// Key of the trace's fingerprints, so that they compare within this run only; `nil` leaves them out.
    package let traceKey: [UInt8]?

    package init(runID: String, seed: UInt64, traceKey: [UInt8]?) {
        self.runID = runID
        self.seed = seed
        self.traceKey = traceKey
    }
}

/// Where an effect reports what happens while it runs.
package protocol EffectEvents: Sendable {
    func report(_ notice: EffectNotice)
}

/// What a person should know while an effect runs.
package enum EffectNotice: Sendable, Hashable {
    /// What was refused or let through against a rule; said once in a run.
    case security(SecurityEvent)
    /// The URL to open.
    case actionRequired(AddressNotice)
    /// The URL that ends the session at the provider.
    case logoutRequired(AddressNotice)
    /// The code to enter at the URL on another device.
    case codeRequired(code: String, url: String, complete: String?, opened: String?, expiresAt: Int64)
    /// A request at the redirect that was not the answer, and why.
    case callbackIgnored(reason: String)
    case waiting(forWhat: String, until: Int64)
    case note(String)
    case warning(String)
}

/// An address that a person must open.
package struct AddressNotice: Sendable, Hashable {
    /// Only a terminal sees it raw.
    package let url: String
    /// The program that opened it; `nil` when none did.
    package let opened: String?
    package let expiresAt: Int64
    package var ways = AnswerWays()

    package init(url: String, opened: String?, expiresAt: Int64, ways: AnswerWays = AnswerWays()) {
        self.url = url
        self.opened = opened
        self.expiresAt = expiresAt
        self.ways = ways
    }
}
