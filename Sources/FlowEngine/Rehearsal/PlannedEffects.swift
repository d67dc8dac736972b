package import FlowLanguage
internal import JOSE
package import OAuthProtocol
internal import Synchronization

/// Performs nothing: answers every effect as a provider and a person would, from the descriptor, a seed and a fixed time.
///
/// The dry run's and the embedded tests' effect handler. Requests are built and answers read by the real steps, so what
/// the trace shows is what would be sent; the answers are synthetic but bear real signatures. The same plan, seed and
/// time give the same events.
package final class PlannedEffects: EffectHandler {
    private struct State {
        var now: Int64
        var random: SplitMix64
        var provider: RehearsedProvider
        /// The row that `restore` gave out, for a refresh that reads it again.
        var stored: StoredSession?
        var requests: [RehearsedRequest] = []
        /// What the counterpart has to say, for the trace.
        var remarks: [String] = []
    }

    private let seed: UInt64
    private let assumptions: [Assumption]
    private let renewsIDTokens: Bool
    /// Whether no request reaches anybody.
    private let isNetworkDown: Bool
    /// Answers in the providers' place where the plan takes nothing for granted.
    private let counterpart: (any RehearsalCounterpart)?
    private let state: Mutex<State>

    /// What the plan takes for granted comes true.
    ///
    /// - Parameters:
    ///   - now: Milliseconds since 1970 at which the simulated time starts.
    ///   - published: What providers really publish, by issuer, in place of metadata made up.
    ///   - counterpart: Who answers in the providers' place; `nil` for answers that are made up.
    package convenience init(
        _ plan: RunPlan, seed: UInt64 = 1, now: Int64 = PlannedEffects.usualTime,
        published: [String: DiscoveredMetadata] = [:], counterpart: (any RehearsalCounterpart)? = nil
    ) {
        let isStep = plan.program.steps.contains { $0.name == "network" }
        self.init(
            assumptions: plan.assumptions, seed: seed, now: now, renewsIDTokens: plan.assumesIDToken,
            isNetworkDown: !isStep && plan.assumptions.contains(where: \.isNetworkDown), published: published,
            counterpart: counterpart)
    }

    /// - Parameters:
    ///   - now: Milliseconds since 1970 at which the simulated time starts.
    ///   - renewsIDTokens: Whether every refresh brings an ID token, and not only one of a provider that must send it.
    ///   - isNetworkDown: Whether no request reaches anybody.
    ///   - published: What providers really publish, by issuer.
    ///   - counterpart: Who answers in the providers' place; `nil` for answers that are made up.
    package init(
        assumptions: [Assumption], seed: UInt64 = 1, now: Int64 = PlannedEffects.usualTime,
        renewsIDTokens: Bool = false, isNetworkDown: Bool = false,
        published: [String: DiscoveredMetadata] = [:], counterpart: (any RehearsalCounterpart)? = nil
    ) {
        self.counterpart = counterpart
        self.isNetworkDown = isNetworkDown
        self.renewsIDTokens = renewsIDTokens
        self.seed = seed
        self.assumptions = assumptions
        state = Mutex(
            State(
                now: now, random: SplitMix64(seed: seed), provider: RehearsedProvider(published: published)))
    }

    /// The beginning of 2026, in milliseconds since 1970.
    package static let usualTime: Int64 = 1_767_225_600_000

    package func now() -> Int64 { state.withLock { $0.now } }

    package func begin() -> RunIdentity {
        RunIdentity(runID: "rehearsal", seed: seed, traceKey: nil)
    }

    /// The requests that would have been sent or shown, in order.
    package var requests: [RehearsedRequest] { state.withLock { $0.requests } }

    package func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent {
        if case .http(let exchange) = request.effect, let provider = request.provider, !isNetworkDown {
            let rules = RehearsedProvider.dialect(exchange, provider)?.rules ?? []
            if !rules.isEmpty {
                events.report(.note("how the answer is read: \(rules.joined(separator: "; "))"))
            }
        }
        let (answer, remarks) = state.withLock { state -> (InputEvent, [String]) in
            state.remarks = []
            return (self.answer(request, &state), state.remarks)
        }
        for remark in remarks { events.report(.note(remark)) }
        return answer
    }

    private func answer(_ request: EffectRequest, _ state: inout State) -> InputEvent {
        switch request.effect {
        case .randomness(let count):
            return .randomness((0..<count).map { _ in UInt8(truncatingIfNeeded: state.random.next()) })
        case .newKey: return .key(RehearsalKey.proofKey)
        case .http(let exchange):
            state.requests.append(RehearsedRequest(step: request.step, plan: exchange.plan))
            state.now += 50
            return http(request, exchange, &state)
        case .openRedirect(let plan):
            return .redirectOpened(
                uri: plan.fixed
                    ?? "http://\(plan.host):\(plan.ports?.first.map { String($0) } ?? "PORT")\(plan.path)")
        case .present(let presentation):
            state.requests.append(RehearsedRequest(step: request.step, plan: presentation.plan))
            if presentation.errand == .signIn {
                state.provider.authorize(presentation.plan, now: state.now)
            }
            if let provider = request.provider {
                counterpart?.open(presentation, provider, now: state.now)
            }
            return .presented(how: "")
        case .awaitCallback(let wait):
            state.now += 10_000
            if let event = played(
                &state,
                { now, other in
                    request.provider.map { other.callback(wait, $0, now: &now) }
                })
            {
                return event
            }
            return .callback(
                state.provider.callback(wait, request.provider, now: state.now),
                channel: wait.channels.first ?? "loopback")
        case .presentCode:
            return .presented(how: "")
        case .awaitEvent:
            state.now += 10_000
            return .event(nil)
        case .call(let call):
            state.now += 50
            return .port(answer(call, request))
        case .loadSession(_, let target):
            return load(request, target, &state)
        case .saveSession(_, let bytes, _):
            let generation = (state.stored?.generation ?? 0) + 1
            state.stored = StoredSession(bytes: bytes, generation: generation)
            return .saved(generation: generation)
        case .deleteSession:
            state.stored = nil
            return .done
        case .sleep(let until), .awaitDecision(let until, _):
            state.now = max(state.now, until)
            return .woke
        case .hook:
            return .hook(.failed(HookReply.wouldRun))
        case .lock: return .locked
        case .recallMetadata, .recallKeys: return .nothingKept
        case .keepMetadata, .keepKeys, .unlock, .conclude: return .done
        }
    }

    private func http(_ request: EffectRequest, _ exchange: HTTPExchange, _ state: inout State) -> InputEvent
    {
        if isNetworkDown {
            return .unanswered(
                TransportTrouble(delivery: .notDelivered, cause: "connect", message: "the network is down"))
        }
        var exchange = exchange
        if let assumed = assumedStatus(request), exchange.purpose == .http,
            (200...299).contains(assumed.status)
        {
            exchange.sample?.status = assumed.status
        } else if !Self.isPreparation(exchange, request.kind), let assumed = assumedStatus(request) {
            return .answered(RehearsedProvider.refusal(assumed.status, assumed.error, exchange.purpose), nil)
        }
        guard let provider = request.provider else { preconditionFailure("every step has a provider") }
        if let event = played(&state, { $1.answer(exchange, provider, now: &$0) }) { return event }
        return .answered(
            state.provider.answer(exchange, provider, now: state.now, renewsIDTokens: renewsIDTokens), nil)
    }

    /// What the counterpart does; `nil` where there is none, and where it knows nothing of it.
    private func played(
        _ state: inout State, _ ask: (inout Int64, any RehearsalCounterpart) -> CounterpartReply?
    ) -> InputEvent? {
        guard let counterpart, let reply = ask(&state.now, counterpart) else { return nil }
        if let remark = reply.remark { state.remarks.append(remark) }
        return reply.event
    }

    /// Whether a step asks for documents before it asks its own endpoint, whose answer the assumption is about.
    private static func isPreparation(_ exchange: HTTPExchange, _ kind: StepKind?) -> Bool {
        switch (exchange.purpose, kind) {
        case (.discovery, .discover), (.discovery, .authorize), (.jwks, .verifyIDToken): false
        case (.discovery, _), (.jwks, _): true
        default: false
        }
    }

    /// What the flow simulates of a port; else the outcome that is taken for granted, else its first, with values by
    /// type.
    private func answer(_ call: PortCall, _ request: EffectRequest) -> PortReply {
        var outcome: String?
        for assumption in assumptions where assumption.step == request.step {
            guard assumption.visit == nil || assumption.visit == request.visit,
                case .outcome(let name) = assumption.answer
            else { continue }
            outcome = name
            break
        }
        let name = outcome.flatMap { call.row.outcomes.contains($0) ? $0 : nil }
        let simulated = call.row.simulation?.fields ?? [:]
        let fields = call.row.fields.map { field in
            (field.name, simulated[field.name] ?? PortValue.sample(field.name, field.type))
        }
        return PortReply(
            name ?? call.row.simulation?.outcome, fields: Dictionary(fields, uniquingKeysWith: { $1 }))
    }

    private func assumedStatus(_ request: EffectRequest) -> (status: Int, error: String?)? {
        for assumption in assumptions where assumption.step == request.step {
            guard assumption.visit == nil || assumption.visit == request.visit,
                case .status(let status, let error) = assumption.answer
            else { continue }
            return (status, error)
        }
        return nil
    }

    /// A session as the assumption about this `restore` wants it; none without an assumption.
    private func load(_ request: EffectRequest, _ target: AccessTarget, _ state: inout State) -> InputEvent {
        guard request.kind == .restore else {
            return state.stored.map(InputEvent.session) ?? .noSession
        }
        let assumed = assumptions.first {
            $0.step == request.step && ($0.visit == nil || $0.visit == request.visit)
        }
        guard case .outcome(let outcome)? = assumed?.answer, let provider = request.provider else {
            return .noSession
        }
        switch outcome {
        case "absent": return .noSession
        case "corrupt": return .sessionCorrupt(reason: "assumed")
        case "store_failed": return .storeFailed(reason: "assumed")
        default: break
        }
        let set = state.provider.storedTokens(
            provider, isExpired: outcome == "expired" || outcome == "unrefreshable",
            isRefreshable: outcome != "unrefreshable", now: state.now,
            for: outcome == "insufficient" ? .whole : target)
        counterpart?.adopt(set, provider, now: state.now)
        let label = SessionLabel(provider, profile: "default", key: nil)
        let stored = StoredSession(
            bytes: SessionRecord.encode(set, label: label), generation: 7)
        state.stored = stored
        return .session(stored)
    }
}

/// A request of a rehearsal, for the assertions of embedded tests.
package struct RehearsedRequest: Sendable {
    package let step: String
    package let plan: RequestPlan
}
