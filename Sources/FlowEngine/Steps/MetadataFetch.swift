internal import FlowLanguage
internal import OAuthProtocol

/// Makes the provider's metadata known before a step needs an endpoint: from the descriptor, a kept copy, or the network.
///
/// Part of the steps that need it and the whole of `discover`.
struct MetadataFetch: Sendable {
    enum Progress {
        case perform(Effect)
        case ready(KnownMetadata, source: String)
        case failed(StepResult)
        case failedAction(StepAction)
    }

    private enum State: Sendable {
        case idle
        case recalling
        case fetching(Int)
        case keeping(KnownMetadata, source: String)
    }

    /// How old a kept copy may be, in milliseconds.
    var maximumAge: Int64 = 24 * 3_600_000
    /// Whether an older copy serves when the provider cannot be reached; never when its answer fails a check.
    var allowsStale = true
    private var state = State.idle
    /// A copy that is too old to be used unasked.
    private var old: (metadata: DiscoveredMetadata, origin: DocumentOrigin)?

    mutating func start(
        _ registers: inout Registers, _ scope: StepScope, needs: (ServerMetadataFields) -> Bool
    ) -> Progress {
        let provider = scope.provider
        // What the descriptor says may be enough for one step and not for the next.
        if let known = registers.metadata[scope.providerIndex], known !== provider.known {
            return .ready(known, source: "run")
        }
        guard provider.mayDiscover, needs(provider.declared) || provider.mustDiscover,
            let issuer = provider.declared.issuer
        else {
            registers.metadata[scope.providerIndex] = provider.known
            return .ready(provider.known, source: "descriptor")
        }
        state = .recalling
        return .perform(.recallMetadata(issuer: issuer))
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> Progress {
        switch state {
        case .idle:
            preconditionFailure("no metadata was asked for")
        case .recalling:
            if case .metadata(let kept, let origin) = event {
                let age = registers.now - origin.fetchedAt
                if age < maximumAge, registers.now < origin.freshUntil {
                    registers.notes.add(
                        .note("metadata from the cache, fetched \(DocumentAge.text(age)) ago"))
                    return ready(kept.fields, "cache", &registers, scope)
                }
                old = (kept, origin)
            }
            return fetch(0, &registers, scope)
        case .fetching(let index):
            return read(event, index, &registers, scope)
        case .keeping(let known, let source):
            return .ready(known, source: source)
        }
    }

    private mutating func fetch(_ index: Int, _ registers: inout Registers, _ scope: StepScope) -> Progress {
        state = .fetching(index)
        var plan = scope.provider.discoveryPlans[index]
        if let old, old.origin.url == plan.endpoint { plan.fields += old.origin.conditions }
        switch HTTPStep.send(plan, .discovery, &registers, scope) {
        case .perform(let effect): return .perform(effect)
        case .finish(let result): return .failed(result)
        case let action: return .failedAction(action)
        }
    }

    private mutating func read(
        _ event: InputEvent, _ index: Int, _ registers: inout Registers, _ scope: StepScope
    ) -> Progress {
        let response: HTTPResponse
        switch HTTPStep.reply(event, &registers, burning: false) {
        case .answer(let answer): response = answer
        case .trouble(let result): return failed(result, &registers, scope)
        }
        if Discovery.isMissing(response.status), index + 1 < scope.provider.discoveryPlans.count {
            return fetch(index + 1, &registers, scope)
        }
        let url = scope.provider.discoveryPlans[index].endpoint
        // Only an answer to a condition that was sent: the copy was checked when it was made and when it was read.
        if response.status == 304, let old, old.origin.url == url, !old.origin.conditions.isEmpty {
            registers.notes.add(.note("the cached metadata still holds"))
            let origin = old.origin.renewed(by: response, now: registers.now)
            return keep(old.metadata, origin, body: nil, "revalidated", &registers, scope)
        }
        var log = CheckLog()
        defer { registers.note(log) }
        do throws(ProtocolError) {
            let checked = try DiscoveredMetadata.validate(
                response, issuer: scope.provider.declared.issuer ?? "",
                acceptedIssuers: scope.provider.acceptedMetadataIssuers,
                amended: scope.provider.amendedMetadata, log: &log)
            let origin = DocumentOrigin(of: response, url: url, now: registers.now)
            return keep(checked, origin, body: response.body, "network", &registers, scope)
        } catch {
            var result = result(of: error, response, registers.now)
            if case .status(404) = error {
                let places = scope.provider.discoveryPlans.map(\.endpoint).joined(separator: ", nor at ")
                result.description = "there is nothing at \(places)"
            }
            return failed(result, &registers, scope)
        }
    }

    private mutating func keep(
        _ metadata: DiscoveredMetadata, _ origin: DocumentOrigin, body: [UInt8]?, _ source: String,
        _ registers: inout Registers, _ scope: StepScope
    ) -> Progress {
        let known = scope.provider.known(metadata.fields)
        registers.metadata[scope.providerIndex] = known
        state = .keeping(known, source: source)
        let issuer = scope.provider.declared.issuer ?? ""
        return .perform(.keepMetadata(metadata, issuer: issuer, origin, body: body))
    }

    private func failed(_ result: StepResult, _ registers: inout Registers, _ scope: StepScope) -> Progress {
        let isAway = [.network, .serverError, .rateLimited].contains(result.outcome)
        guard isAway, allowsStale, let old else { return .failed(result) }
        registers.notes.add(.warning("the provider's metadata cannot be fetched: an older copy is used"))
        return ready(old.metadata.fields, "stale", &registers, scope)
    }

    private func ready(
        _ fields: ServerMetadataFields, _ source: String, _ registers: inout Registers, _ scope: StepScope
    ) -> Progress {
        let known = scope.provider.known(fields)
        registers.metadata[scope.providerIndex] = known
        return .ready(known, source: source)
    }

    private func result(of error: ProtocolError, _ response: HTTPResponse, _ now: Int64) -> StepResult {
        var result = HTTPStep.result(of: error, .document, now, response, burning: false)
        if case .failed(let check, _, _) = error {
            switch check {
            case Checks.metadataIssuer: result.outcome = .issuerMismatch
            case Checks.metadataEndpointSecure, Checks.metadataEndpointURL: result.outcome = .insecure
            default: break
            }
        }
        return result
    }
}

/// How old a document is, in words that do not pretend to precision.
enum DocumentAge {
    /// - Parameter milliseconds: As `12s`, `34m` or `5h`.
    static func text(_ milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds / 1_000)
        switch seconds {
        case ..<60: return "\(seconds)s"
        case ..<3_600: return "\(seconds / 60)m"
        default: return "\(seconds / 3_600)h"
        }
    }
}

extension StepResult {
    /// The result of an implicit discovery in the outcomes of the step that needed it: a failed check stays a security
    /// outcome, a missing document is an unsupported provider.
    func asImplicitDiscovery(whenMissing missing: Outcome = .unsupported) -> StepResult {
        var result = self
        if outcome == .issuerMismatch || outcome == .insecure { result.outcome = .metadataUntrusted }
        if outcome == .notFound {
            result.outcome = missing
            result.error = "metadata_missing"
        }
        if outcome == .malformed, error != Checks.metadataMember.name { result.error = "metadata_unreadable" }
        return result
    }
}
