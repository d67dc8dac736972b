internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Writes the journal of one run: gathers records, and has them kept before and after what cannot be done twice.
///
/// A run that never comes to such a point leaves no journal.
struct RunBook {
    private let journal: any RunJournal
    private var pending: [JournalEntry]
    /// Whether anything is kept.
    private(set) var isBegun: Bool
    /// Whether another process may go on with it where it waits. Of other runs only what becomes of a stored session
    /// matters to others: a server would fill its disk with visitors who never came back.
    private let isResumable: Bool

    /// The book of a run that begins.
    init(
        _ journal: any RunJournal, _ plan: RunPlan, _ identity: RunIdentity, origin: JSONValue,
        isResumable: Bool, at now: Int64
    ) {
        self.journal = journal
        isBegun = false
        self.isResumable = isResumable
        let start = JournalEntry(
            .started, at: now,
            facts: [
                "run": .string(identity.runID), "flow": .string(plan.program.name),
                "program": .string(plan.program.digest), "profile": .string(plan.profile),
                "provider": .string(plan.providers.first?.descriptor.id ?? ""),
                "deadline": .int(now + plan.program.limits.deadline),
            ],
            content: [
                "journal": .int(RecordedRun.version), "run": .string(identity.runID),
                "seed": .string(String(identity.seed)), "program": .string(plan.program.digest),
                "profile": .string(plan.profile), "inputs": .array(plan.inputs.map(ValueCoding.encode)),
                "clients": .array(plan.clients.map { .string($0) }), "origin": origin,
            ])
        pending = [start]
    }

    /// The book of a run that goes on.
    init(resuming journal: any RunJournal, at now: Int64) {
        self.journal = journal
        isBegun = true
        isResumable = true
        pending = [JournalEntry(.resumed, at: now)]
    }

    /// Has it kept, before anything else happens, that the run is one of another program now.
    ///
    /// - Parameters:
    ///   - next: What the run does next: whoever brings an answer must find the run by it as before.
    ///   - isSpending: Whether that may have been done already, and must not be done again.
    /// - Returns: Why it could not be kept.
    mutating func migrate(
        to plan: RunPlan, origin: JSONValue, next: Decision, isSpending: Bool, at now: Int64
    ) async -> String? {
        pending.append(
            JournalEntry(
                .migrated, at: now, facts: ["program": .string(plan.program.digest)],
                content: [
                    "program": .string(plan.program.digest), "origin": origin,
                    "inputs": .array(plan.inputs.map(ValueCoding.encode)),
                ]))
        guard case .perform(let request) = next else { return await keep(.working) }
        if isSpending, let use = request.singleUse { return await keep(.spending(use.place)) }
        return await keep(standing(before: request))
    }

    private func standing(before request: EffectRequest) -> RunStanding {
        if case .awaitCallback(let wait) = request.effect {
            return .waiting(state: StateDigest.of(wait.state.reveal()), until: wait.until)
        }
        return standing(during: request.effect) ?? .working
    }

    /// Before an effect: what must survive is kept before the world is touched.
    ///
    /// - Returns: Why the effect must not be performed; `nil` when it may.
    mutating func before(_ request: EffectRequest, at now: Int64) async -> String? {
        if let use = request.singleUse {
            pending.append(JournalEntry(.intended, at: now, facts: facts(of: request)))
            return await keep(.spending(use.place))
        }
        guard let standing = standing(during: request.effect) else { return nil }
        // A pause before another attempt is short; a step that waits may take days.
        if case .sleep = request.effect, !isBegun, request.kind != .wait { return nil }
        return await keep(standing)
    }

    /// After an effect.
    ///
    /// - Returns: Why what came of it could not be kept; the run goes on with it all the same.
    mutating func after(_ request: EffectRequest, _ input: Input) async -> String? {
        var facts = facts(of: request)
        facts["report"] = .string(input.event.word)
        if case .answered(let response, _) = input.event { facts["status"] = .int(Int64(response.status)) }
        pending.append(
            JournalEntry(.reported, at: input.now, facts: facts, content: InputCoding.encode(input.event)))
        if request.singleUse != nil {
            return await keep(request.isLeftOpen(by: input.event) ? .working : .spent)
        }
        switch request.effect {
        case .awaitCallback, .awaitEvent: return await keep(.working)
        default: return nil
        }
    }

    /// Nobody can answer now: the run waits for another process.
    mutating func suspend(_ request: EffectRequest, at now: Int64) async -> String? {
        pending.append(JournalEntry(.suspended, at: now, facts: facts(of: request)))
        switch request.effect {
        case .awaitCallback, .awaitDecision: return await keep(standing(before: request))
        default: return await keep(.working)
        }
    }

    mutating func end(_ end: FlowEnd, exit: Int, at now: Int64) async -> String? {
        guard isBegun else { return nil }
        var facts: JSONObject = ["end": .string(end.name), "exit": .int(Int64(exit))]
        facts["error"] = (end.error?.code.rawValue).map { .string($0) }
        pending.append(JournalEntry(.ended, at: now, facts: facts))
        return await keep(.ended(end: end.name, exit: exit))
    }

    private mutating func keep(_ standing: RunStanding) async -> String? {
        guard isBegun || isResumable || standing.spendsSession else { return nil }
        do throws(JournalFailure) {
            try await journal.append(pending, standing)
            pending = []
            isBegun = true
            return nil
        } catch {
            return error.reason
        }
    }

    private func standing(during effect: Effect) -> RunStanding? {
        switch effect {
        case .present(let presentation):
            .waiting(
                state: presentation.state.map { StateDigest.of($0.reveal()) }, until: presentation.expiresAt)
        case .presentCode(let prompt): .waiting(state: nil, until: prompt.expiresAt)
        case .awaitEvent(let wait): .waiting(state: nil, until: wait.until)
        case .sleep(let until): .waiting(state: nil, until: until)
        case .awaitDecision(_, let expiresAt): .waiting(state: nil, until: expiresAt)
        // What is awaited was presented.
        case .awaitCallback, .randomness, .newKey, .http, .openRedirect, .conclude, .recallMetadata,
            .keepMetadata,
            .recallKeys, .keepKeys, .loadSession, .saveSession, .deleteSession, .lock, .unlock, .hook, .call:
            nil
        }
    }

    private func facts(of request: EffectRequest) -> JSONObject {
        var facts: JSONObject = [
            "effect": .string(request.effect.word), "visit": .int(Int64(request.visit)),
            "attempt": .int(Int64(request.attempt)),
        ]
        if !request.step.isEmpty { facts["step"] = .string(request.step) }
        return facts
    }
}

extension SingleUse {
    var place: TokenSet.StoredPlace? {
        switch self {
        case .once: nil
        case .session(let place): place
        }
    }
}

extension RunStanding {
    /// Whether the refresh token of a stored session is on its way.
    var spendsSession: Bool {
        if case .spending(.some) = self { true } else { false }
    }
}

/// What a waiting run is found by: the parameter `state` of its answer, which is a secret, as a digest.
package enum StateDigest {
    package static func of(_ state: String) -> String {
        Hexadecimal.encode(Digest.sha256(state.utf8))
    }
}
