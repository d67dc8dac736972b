package import FlowEngine

/// Whose time a run took: a person's at the provider's pages, the network's, or that of hooks.
package struct TimeSpent: Sendable, Equatable {
    /// Milliseconds during which a person was awaited, nothing was sent and no hook was asked.
    package private(set) var human: Int64 = 0
    /// Milliseconds of all HTTP exchanges, those without an answer among them.
    package private(set) var network: Int64 = 0
    /// Milliseconds for which hooks were waited for.
    package private(set) var hooks: Int64 = 0
    private var waitingSince: Int64?
    /// When the request was sent whose answer is waited for.
    private var askedAt: Int64?
    /// What others had taken when the wait began.
    private var othersBefore: Int64 = 0

    /// Kinds of steps that wait for a person.
    package static func isHuman(_ kind: String) -> Bool { kind == "callback" || kind == "device_poll" }

    package init() {}

    package mutating func count(_ event: TraceEvent) {
        switch event.body {
        case .stepStart(let start) where Self.isHuman(start.kind):
            waitingSince = event.time
            othersBefore = network + hooks
        case .stepEnd, .runEnd:
            if let since = waitingSince {
                human += max(0, event.time - since - (network + hooks - othersBefore))
            }
            waitingSince = nil
        case .request: askedAt = event.time
        case .response(let response):
            network += response.duration ?? 0
            askedAt = nil
        case .transportFailure:
            network += max(0, event.time - (askedAt ?? event.time))
            askedAt = nil
        case .hook(let hook): hooks += hook.duration ?? 0
        case .runStart, .stepStart, .check, .note, .warning, .actionRequired,
            .callbackIgnored, .waiting, .retry, .saved, .security, .flow, .token:
            break
        }
    }
}
