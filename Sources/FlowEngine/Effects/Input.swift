package import JOSE
package import OAuthProtocol

/// What the world reports back, with the time it did.
package struct Input: Sendable {
    package let event: InputEvent
    /// Milliseconds since 1970: the only clock that the machine knows.
    package let now: Int64

    package init(_ event: InputEvent, now: Int64) {
        self.event = event
        self.now = now
    }
}

package enum InputEvent: Sendable {
    case start
    case done
    case randomness([UInt8])
    /// A private key as PEM.
    case key(Secret)
    case answered(HTTPResponse, ExchangeTiming?)
    indirect case unanswered(TransportTrouble)
    case redirectOpened(uri: String)
    case redirectFailed(reason: String)
    case presented(how: String)
    /// Nobody can be shown a URL, and why.
    case headless(reason: String)
    case callback([(name: String, value: String)], channel: String)
    /// Nobody answered in time; `refused` counts answers that bore another state.
    case callbackTimedOut(refused: Int)
    case callbackCancelled
    /// A kept copy, checked again if it was kept outside of this process.
    indirect case metadata(DiscoveredMetadata, DocumentOrigin)
    indirect case keys(JWKSet, DocumentOrigin)
    case nothingKept
    case session(StoredSession)
    case noSession
    case saved(generation: Int64)
    case conflict
    case sessionCorrupt(reason: String)
    case storeFailed(reason: String)
    case locked
    case lockTimedOut(holder: String)
    case woke
    indirect case hook(HookReply)
    /// An event of the host with what it brought.
    indirect case event(JSONValue?)
    case eventTimedOut
    indirect case port(PortReply)
    /// What must survive a crash could not be kept, so what was asked for was not done.
    case journalFailed(reason: String)
    /// Nobody can answer now; never told to the machine, which waits in another process.
    case suspended
    /// The host or the person at the terminal stops the run.
    case cancelled(delivery: TransportTrouble.Delivery = .notDelivered)
}

/// A row of the store.
package struct StoredSession: Sendable, Hashable {
    package let bytes: [UInt8]
    package let generation: Int64
    /// Whether its refresh token was sent by a run that was interrupted, so that nobody knows whether it is still good.
    package let isInDoubt: Bool

    package init(bytes: [UInt8], generation: Int64, isInDoubt: Bool = false) {
        self.bytes = bytes
        self.generation = generation
        self.isInDoubt = isInDoubt
    }
}

/// How an exchange failed below HTTP, and what is known about the delivery of the request.
package struct TransportTrouble: Sendable, Hashable {
    package enum Delivery: Sendable, Hashable {
        /// The request certainly never reached the server.
        case notDelivered
        /// It may have.
        case perhapsDelivered
    }

    package let delivery: Delivery
    /// Short word for what failed: `resolve`, `connect`, `tls`, `timeout`, `reset`, `truncated`, `too_large`,
    /// `headers_too_large`.
    package let cause: String
    package let message: String
    /// Whether it was refused for safety, which ends the run: nothing falls back to less.
    package let isRefusal: Bool

    package init(delivery: Delivery, cause: String, message: String, isRefusal: Bool = false) {
        self.delivery = delivery
        self.cause = cause
        self.message = message
        self.isRefusal = isRefusal
    }

    /// Whether asking again brings the same: what a certificate, a setting or the request itself is does not pass.
    /// A password that a proxy refuses again and again may be locked by it.
    var isLasting: Bool {
        switch cause {
        case "tls_untrusted", "tls_expired", "tls_not_yet_valid", "tls_wrong_host", "tls_local_setup",
            "tls_version", "tls_plaintext", "tls_client_certificate", "invalid_request", "proxy_credentials",
            "unprepared":
            true
        default: false
        }
    }
}

/// Milliseconds that an exchange took.
package struct ExchangeTiming: Sendable, Hashable {
    package let total: Int64
    /// Where it went; `nil` where that is not known.
    package let phases: ExchangePhases?

    package init(total: Int64, phases: ExchangePhases? = nil) {
        self.total = total
        self.phases = phases
    }
}
