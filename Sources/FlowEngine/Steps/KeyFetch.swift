internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Makes the provider's public keys known before a step verifies a signature: a kept copy, or the network.
struct KeyFetch: Sendable {
    enum Progress {
        /// What must be done before they are known.
        case action(StepAction)
        /// The keys; those that were kept may be asked for once more when the one that is needed is not among them.
        case ready(JWKSet, mayRefetch: Bool)
        case failed(StepResult)
    }

    private enum State: Sendable {
        case metadata
        case recalling(String)
        case fetching(String)
        case keeping(JWKSet)
        case ready(String)
    }

    /// How old kept keys may be, in milliseconds; an unknown key is asked for before that.
    private static let keyAge: Int64 = 24 * 3_600_000

    /// How long nobody asks again after having asked for an unknown key, in milliseconds: tokens with keys that nobody
    /// has are free to make, and each would send a request to the provider.
    private static let pause: Int64 = 30_000

    /// What it is called that there are no keys; `nil` for a step that tells the reasons apart.
    private let absence: Outcome?
    private var metadata = MetadataFetch()
    private var state = State.metadata
    /// Keys that were kept, to ask whether they still hold.
    private var kept: (keys: JWKSet, origin: DocumentOrigin)?
    private var isForced = false

    init(absence: Outcome? = .keysUnavailable) { self.absence = absence }

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> Progress {
        continued(metadata.start(&registers, scope, needs: { $0.jwksURI == nil }))
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> Progress {
        switch state {
        case .metadata:
            return continued(metadata.resume(event, &registers, scope))
        case .recalling(let url):
            if case .keys(let keys, let origin) = event {
                kept = (keys, origin)
                let age = registers.now - origin.fetchedAt
                if age < Self.keyAge, registers.now < origin.freshUntil {
                    registers.notes.add(.note("keys from the cache, fetched \(DocumentAge.text(age)) ago"))
                    state = .ready(url)
                    return .ready(keys, mayRefetch: !origin.isForced || age >= Self.pause)
                }
            }

            return fetch(url, &registers, scope)
        case .fetching(let url):
            return read(event, url, &registers)
        case .keeping(let keys):
            return .ready(keys, mayRefetch: false)
        case .ready:
            preconditionFailure("nothing was asked for")
        }
    }

    /// Asks the provider once more; only after `ready` with `mayRefetch`.
    mutating func refetch(_ registers: inout Registers, _ scope: StepScope) -> Progress {
        guard case .ready(let url) = state else {
            preconditionFailure("the keys come from the network already")
        }
        isForced = true
        return fetch(url, &registers, scope)
    }

    private mutating func continued(_ progress: MetadataFetch.Progress) -> Progress {
        switch progress {
        case .perform(let effect):
            return .action(.perform(effect))
        case .failedAction(let action):
            return .action(action)
        case .failed(let result):
            var failed = result.asImplicitDiscovery(whenMissing: absence ?? .unsupported)
            switch failed.outcome {
            case .network, .serverError, .rateLimited, .unsupported:
                failed.outcome = absence ?? failed.outcome
            default: break
            }
            return .failed(failed)
        case .ready(let known, _):
            guard let url = known.fields.jwksURI else {
                return .failed(.failed(.malformed, "jwks_uri", "the provider names no jwks_uri"))
            }
            state = .recalling(url)
            return .action(.perform(.recallKeys(url: url)))
        }
    }

    private mutating func fetch(
        _ url: String, _ registers: inout Registers, _ scope: StepScope
    ) -> Progress {
        state = .fetching(url)
        var plan = JWKSRequest.plan(url)
        if let kept, kept.origin.url == url { plan.fields += kept.origin.conditions }
        switch HTTPStep.send(plan, .jwks, &registers, scope) {
        case .finish(let result): return .failed(unavailable(result))
        case let action: return .action(action)
        }
    }

    private mutating func read(
        _ event: InputEvent, _ url: String, _ registers: inout Registers
    ) -> Progress {
        let response: HTTPResponse
        switch HTTPStep.reply(event, &registers, burning: false) {
        // An answer that cannot be read: asking again brings the same.
        case .trouble(let result) where result.outcome == .malformed: return .failed(result)
        case .trouble(let result): return .failed(unavailable(result))
        case .answer(let answer): response = answer
        }
        if response.status == 304, let kept, kept.origin.url == url, !kept.origin.conditions.isEmpty {
            registers.notes.add(.note("the cached keys still hold"))
            state = .keeping(kept.keys)
            var origin = kept.origin.renewed(by: response, now: registers.now)
            origin.isForced = isForced
            return .action(.perform(.keepKeys(kept.keys, origin, body: nil)))
        }
        var log = CheckLog()
        defer { registers.note(log) }
        do throws(ProtocolError) {
            let keys = try JWKSResponse.read(response, log: &log)
            state = .keeping(keys)
            var origin = DocumentOrigin(of: response, url: url, now: registers.now)
            origin.isForced = isForced
            return .action(.perform(.keepKeys(keys, origin, body: response.body)))
        } catch {
            var result = HTTPStep.result(of: error, .document, registers.now, response, burning: false)
            // It answers, and asking again brings the same.
            guard case .malformed = error, result.outcome == .malformed else {
                return .failed(unavailable(result))
            }
            result.error = "key_set"
            return .failed(result)
        }
    }

    private func unavailable(_ result: StepResult) -> StepResult {
        var result = result
        switch (result.outcome, absence) {
        case (.insecure, _): result.outcome = .metadataUntrusted
        case (.network, let absence?), (.serverError, let absence?), (.rateLimited, let absence?):
            result.outcome = absence
        case (_, let absence?):
            // It answers, and asking again brings the same.
            result.isLasting = true
            result.outcome = absence
        case (.network, nil), (.serverError, nil), (.rateLimited, nil): break
        case (_, nil): result.outcome = .unsupported
        }
        return result
    }
}
