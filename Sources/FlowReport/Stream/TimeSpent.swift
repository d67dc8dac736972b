package import FlowEngine

/// Whose time a run took: a person's at the provider's pages, or the network's.
package struct TimeSpent: Sendable, Equatable {
    /// Milliseconds during which a person was awaited and nothing was sent.
    package private(set) var human: Int64 = 0
    /// Milliseconds of all HTTP exchanges.
    package private(set) var network: Int64 = 0
    private var waitingSince: Int64?
    private var networkBefore: Int64 = 0

    /// Kinds of steps that wait for a person.
    package static func isHuman(_ kind: String) -> Bool { kind == "callback" || kind == "device_poll" }

    package init() {}

    package mutating func count(_ event: TraceEvent) {
        switch event.body {
        case .stepStart(let start) where Self.isHuman(start.kind):
            waitingSince = event.time
            networkBefore = network
        case .stepEnd, .runEnd:
            if let since = waitingSince { human += max(0, event.time - since - (network - networkBefore)) }
            waitingSince = nil
        case .response(let response):
            network += response.duration ?? 0
        case .runStart, .stepStart, .request, .transportFailure, .check, .note, .warning, .actionRequired,
            .callbackIgnored, .waiting, .hook, .retry, .saved, .security, .flow, .token:
            break
        }
    }
}
