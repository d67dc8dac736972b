/// What the answer of a hook may do beside letting the run go on (flow/1 §9, `may`).
package enum HookPower: String, Sendable, Hashable, CaseIterable {
    /// Set what `writes` lists.
    case set
    /// Change arguments of the step that its kind leaves to hooks.
    case args
    /// Add header fields to a request.
    case headers
    /// Add query parameters to a request.
    case query
    /// Pass the step over: it ends as `skipped`.
    case skip
    /// Give an answer another outcome.
    case outcome
    /// Go on with one of the listed steps or ends.
    case goto
    /// End the run.
    case abort
    /// Keep a step from another attempt.
    case veto
    /// Show a person where to sign in.
    case present
    /// Add what is kept beside a session.
    case meta
}

/// What each point lets its hooks do: the table of flow/1 §9.
extension HookPoint {
    package var powers: [HookPower] {
        switch self {
        case .flowStart: [.set, .abort]
        case .stepBefore: [.set, .args, .skip, .goto, .abort]
        case .stepRequest: [.headers, .query]
        case .stepResponse: [.set, .outcome]
        case .stepAfter: [.set, .goto, .abort]
        case .stepRetry: [.veto]
        case .stepPrompt: [.present]
        case .tokensReceived: [.abort]
        case .sessionStore: [.meta, .abort]
        case .flowError: [.set]
        case .flowEnd: []
        }
    }

    /// The yes or no that the point asks for: a hook without `may` may give it.
    var verdicts: [HookPower] { powers.filter { $0 == .abort || $0 == .veto || $0 == .present } }

    /// The keys of the actions that may stand here.
    package var actions: [String] {
        let calls = ["exec", "http", "native"]
        return switch self {
        case .flowStart, .stepBefore: ["set", "assert", "emit"] + calls
        case .stepAfter: ["set", "assert", "map", "emit"] + calls
        case .stepResponse, .flowError: ["set", "emit"] + calls
        case .tokensReceived, .sessionStore: ["assert", "emit"] + calls
        case .stepRequest, .stepRetry, .flowEnd: ["emit"] + calls
        // The address is for the person in front of this machine.
        case .stepPrompt: ["exec", "native"]
        }
    }

    /// Whether a hook that fails here may lead to another step: between steps, never in the midst of one.
    var mayDetour: Bool {
        switch self {
        case .stepBefore, .stepAfter, .tokensReceived: true
        case .flowStart, .stepRequest, .stepResponse, .stepRetry, .stepPrompt, .sessionStore, .flowError,
            .flowEnd:
            false
        }
    }

    /// Whether the step has an outcome when the hook fires.
    var followsOutcome: Bool {
        switch self {
        case .stepAfter, .stepRetry, .tokensReceived: true
        case .flowStart, .stepBefore, .stepRequest, .stepResponse, .stepPrompt, .sessionStore, .flowError,
            .flowEnd:
            false
        }
    }

    /// Whether it belongs to a step.
    package var isOfStep: Bool {
        switch self {
        case .stepBefore, .stepRequest, .stepResponse, .stepAfter, .stepRetry, .stepPrompt, .tokensReceived,
            .sessionStore:
            true
        case .flowStart, .flowError, .flowEnd: false
        }
    }

    /// Whether a step of the kind ever comes to this point.
    func isReached(by kind: StepKind) -> Bool {
        switch self {
        case .stepBefore, .stepAfter: true
        case .stepRequest, .stepResponse:
            switch kind {
            case .restore, .store, .clear, .wait, .choose, .set, .subflow, .call: false
            case .discover, .authorize, .callback, .exchange, .verifyIDToken, .userinfo, .refresh, .revoke,
                .introspect, .deviceAuthorize, .devicePoll, .clientCredentials, .tokenExchange, .jwtBearer,
                .register, .http, .logout:
                true
            }
        case .stepRetry: KindTable.spec(of: kind).replay != .local
        case .stepPrompt: kind == .authorize || kind == .deviceAuthorize || kind == .logout
        case .tokensReceived:
            switch KindTable.spec(of: kind).tokens {
            case .signsIn, .obtains, .renews: kind != .subflow
            case .none, .loads, .uses, .forgets: false
            }
        case .sessionStore: kind == .store
        case .flowStart, .flowError, .flowEnd: false
        }
    }
}

/// Hooks that may fire in the midst of a step, in order of execution.
package struct AttemptHooks: Sendable {
    package var request: [Int] = []
    package var response: [Int] = []
    package var retry: [Int] = []
    package var prompt: [Int] = []
    package var store: [Int] = []

    /// The lists in a fixed order.
    var all: [[Int]] { [request, response, retry, prompt, store] }

    func moved(by distance: Int) -> AttemptHooks {
        AttemptHooks(
            request: request.map { $0 + distance }, response: response.map { $0 + distance },
            retry: retry.map { $0 + distance }, prompt: prompt.map { $0 + distance },
            store: store.map { $0 + distance })
    }
}

extension KindSpec {
    /// Whether a hook at `step.response` may give a step of this kind the outcome.
    ///
    /// Never a security outcome, never one that leaves fields behind, and none that would have a used credential
    /// sent again. What was verified is not a hook's to say at all.
    package func isOpenToHooks(_ outcome: Outcome, _ outcomeClass: OutcomeClass) -> Bool {
        guard kind != .verifyIDToken, kind != .callback, !definesFields(after: outcome) else { return false }
        switch outcome {
        case .skipped, .assertionFailed, .exhausted, .unanswered: return false
        default: break
        }
        return switch outcomeClass {
        case .success, .security, .internal: false
        case .choice: kind == .http
        case .transient:
            replay != .burning && transaction != .redeems && transaction != .polls
        case .denied, .grant, .config, .data, .limit: true
        }
    }
}
