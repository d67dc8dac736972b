package import FlowEngine

/// Whose time a run took: a person's at the provider's pages, or the network's.
package struct TimeSpent: Sendable {
    /// Milliseconds during which an answer from the browser was awaited.
    package private(set) var human: Int64 = 0
    /// Milliseconds of all HTTP exchanges.
    package private(set) var network: Int64 = 0
    private var waitingSince: Int64?

    package init() {}

    package mutating func count(_ event: TraceEvent) {
        switch event.body {
        case .stepStart(let start) where start.kind == "callback":
            waitingSince = event.time
        case .stepEnd, .runEnd:
            if let since = waitingSince { human += event.time - since }
            waitingSince = nil
        case .response(let response):
            network += response.duration ?? 0
        case .runStart, .stepStart, .request, .transportFailure, .check, .note, .warning, .actionRequired,
            .callbackIgnored, .waiting, .hook, .retry, .saved, .security, .flow, .token:
            break
        }
    }
}
