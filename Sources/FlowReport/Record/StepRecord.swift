internal import FlowEngine
internal import OAuthProtocol

/// One visit of a step.
struct StepRecord: Sendable {
    let name: String
    let start: StepStart
    /// The `subflow` step that it lies inside of, as a place in the run's steps.
    let enclosing: Int?
    /// Milliseconds since 1970.
    let startedAt: Int64
    /// The time of its last event while it has not ended.
    var endedAt: Int64
    /// `nil` when the run ended in the middle of it.
    var end: StepEnd?
    /// What happened in it, its start and end left out.
    private(set) var events: [TraceEvent] = []
    private(set) var exchanges: [Exchange] = []

    init(name: String, start: StepStart, enclosing: Int?, startedAt: Int64) {
        self.name = name
        self.start = start
        self.enclosing = enclosing
        self.startedAt = startedAt
        endedAt = startedAt
    }

    mutating func add(_ event: TraceEvent) {
        events.append(event)
        endedAt = max(endedAt, event.time)
        switch event.body {
        case .request(let request):
            exchanges.append(
                Exchange(request: request, sequence: event.sequence, sentAt: event.time, attempt: attempt))
        case .response(let response):
            change { $0.answer = .response(response, at: event.time) }
        case .transportFailure(let cause, let delivered, let message):
            change {
                $0.answer = .failure(cause: cause, delivered: delivered, message: message, at: event.time)
            }
        case .token(let token): change { $0.tokens.append(token) }
        case .check(let check): change { $0.checks.append(check) }
        case .runStart, .flow, .stepStart, .security, .note, .warning, .actionRequired, .callbackIgnored,
            .waiting, .hook, .retry, .saved, .stepEnd, .runEnd:
            break
        }
    }

    /// Checks and tokens belong to the request before them.
    private mutating func change(_ body: (inout Exchange) -> Void) {
        guard let last = exchanges.indices.last else { return }
        body(&exchanges[last])
    }

    /// From 1.
    private var attempt: Int { retries.last?.attempt ?? 1 }

    var duration: Int64 { endedAt - startedAt }

    /// `exchange`, and `exchange (2)` for a second visit.
    var title: String { start.visit > 1 ? "\(name) (\(start.visit))" : name }

    /// Milliseconds spent on the network.
    var networkTime: Int64 { exchanges.reduce(0) { $0 + $1.networkTime } }

    /// Milliseconds for which its hooks were waited for.
    var hookTime: Int64 { hooks.reduce(0) { $0 + ($1.duration ?? 0) } }

    /// Whether the step is one in which a person is waited for.
    var waitsForPerson: Bool { TimeSpent.isHuman(start.kind) }
}

// MARK: What happened, by kind

extension StepRecord {
    var checks: [TracedCheck] {
        events.compactMap { if case .check(let check) = $0.body { check } else { nil } }
    }

    var tokens: [TracedToken] {
        events.compactMap { if case .token(let token) = $0.body { token } else { nil } }
    }

    var security: [SecurityEvent] {
        events.compactMap { if case .security(let event) = $0.body { event } else { nil } }
    }

    var hooks: [TracedHook] {
        events.compactMap(\.hook)
    }

    var notes: [String] {
        events.compactMap { if case .note(let text) = $0.body { text } else { nil } }
    }

    var warnings: [String] {
        let hooks = hooks
        return events.compactMap { event in
            // What a failed hook said is told with it.
            guard case .warning(let text, let hook) = event.body,
                !hooks.contains(where: { $0.isTold(byWarningAbout: hook) })
            else { return nil }
            return text
        }
    }

    var saved: [String] {
        events.flatMap { if case .saved(let names) = $0.body { names } else { [String]() } }
    }

    struct Retry: Sendable {
        let outcome: String
        /// The attempt that follows, from 2.
        let attempt: Int
        /// Milliseconds.
        let delay: Int64
        let reason: String
    }

    var retries: [Retry] {
        events.compactMap { event in
            guard case .retry(let outcome, let attempt, let delay, let reason) = event.body else {
                return nil
            }
            return Retry(outcome: outcome, attempt: attempt, delay: delay, reason: reason)
        }
    }

    /// Whether the answer of a browser came and was looked at.
    var hasCallback: Bool { start.kind == "callback" && !checks.isEmpty }
}

extension TraceEvent {
    var hook: TracedHook? { if case .hook(let hook) = body { hook } else { nil } }
}

extension TracedHook {
    /// Whether it did not do its work.
    var isFailed: Bool { decision == "failed" }

    /// Whether it failed, or kept the run from going on.
    var isBad: Bool { isFailed || decision == "abort" }

    /// `/hooks/audit answered 503`, of one that asked a server.
    var callText: String? {
        guard let url, duration != nil else { return nil }
        return "\(url), \(status.map { "answered \($0)" } ?? "no answer")"
    }
}

extension TracedCheck {
    var isFailed: Bool { if case .failed = verdict { true } else { false } }
    var isPassed: Bool { verdict == .passed }
    var isNotApplicable: Bool { if case .notApplicable = verdict { true } else { false } }
}
