internal import FlowLanguage
internal import OAuthProtocol

/// What every step that speaks HTTP shares: sending a plan, and reading failures as outcomes.
enum HTTPStep {
    /// The effect that sends `plan`, noted for the trace.
    ///
    /// - Parameters:
    ///   - timeout: Milliseconds; `nil` for what is left of the attempt.
    ///   - proof: What the request is proven with; the machine makes the proof.
    static func send(
        _ plan: RequestPlan, _ purpose: HTTPExchange.Purpose, _ registers: inout Registers,
        _ scope: StepScope,
        timeout: Int64? = nil, sample: AnswerSample? = nil, proof: KeyProof? = nil
    ) -> StepAction {
        if let proof {
            return .prove(
                ProvenRequest(
                    plan: plan, purpose: purpose, timeout: timeout, sample: sample, proof: proof))
        }
        var plan = plan
        if plan.endpointSource == nil, purpose != .http {
            plan.endpointSource = scope.provider.source(ofEndpoint: plan.endpoint)
        }
        // Where hooks may add to it, it is noted once they have.
        if scope.plan.program.steps[scope.step].attemptHooks.request.isEmpty {
            registers.notes.add(.request(plan, purpose: purpose.rawValue))
        }

        do throws(ProtocolError) {
            let request = try plan.encoded()
            registers.sentAt = registers.now
            return .perform(
                .http(
                    HTTPExchange(
                        purpose: purpose, plan: plan, request: request,
                        timeout: timeout ?? max(1, min(scope.timeout, scope.deadline - registers.now)),
                        maximumBytes: scope.plan.program.limits.responseBytes, sample: sample)))
        } catch {
            return .finish(result(of: error, .token, registers.now, nil, burning: false))
        }
    }

    /// Which rows of flow/1 §6 "HTTP status to outcome" hold.
    enum Endpoint {
        case token, resource, document
    }

    /// What became of an exchange: an answer to read, or the step's end.
    enum Reply {
        case answer(HTTPResponse)
        case trouble(StepResult)
    }

    /// Notes the reply and sorts out what never became an HTTP answer.
    static func reply(_ event: InputEvent, _ registers: inout Registers, burning: Bool) -> Reply {
        switch event {
        case .answered(let response, let timing):
            registers.notes.add(.response(response, timing: timing))
            registers.noteRedirect(of: response)
            registers.answer = response
            return .answer(response)
        case .unanswered(let trouble):
            registers.notes.add(.transportFailure(trouble))
            if trouble.isRefusal { registers.refusal = RunFailure(.transportRefused, trouble.message) }
            return .trouble(result(of: trouble, burning: burning))
        case .start, .done, .randomness, .key, .redirectOpened, .redirectFailed, .presented, .headless,
            .callback,
            .callbackTimedOut, .callbackCancelled, .metadata, .keys, .nothingKept, .session, .noSession,
            .saved,
            .conflict, .sessionCorrupt, .storeFailed, .locked, .lockTimedOut, .woke, .hook, .event,
            .eventTimedOut, .port, .journalFailed, .suspended, .cancelled:
            preconditionFailure("an exchange was asked for, something else was reported")
        }
    }

    /// A request that certainly never arrived is `network`; one that may have is `unanswered` where that matters.
    static func result(of trouble: TransportTrouble, burning: Bool) -> StepResult {
        // An answer came, and nobody can use it.
        if ["too_large", "headers_too_large", "compressed"].contains(trouble.cause) {
            return .failed(.malformed, trouble.cause, trouble.message)
        }
        let isLost = trouble.delivery == .perhapsDelivered && burning
        var result = StepResult.failed(isLost ? .unanswered : .network, trouble.cause, trouble.message)
        result.isLasting = trouble.isLasting
        return result
    }

    static func result(
        of error: ProtocolError, _ endpoint: Endpoint, _ now: Int64, _ response: HTTPResponse?, burning: Bool
    ) -> StepResult {
        var result: StepResult
        switch error {
        case .rejected(let answer, let status):
            result = .failed(
                outcome(of: answer.code, status, endpoint, burning), answer.code, answer.description)
            result.status = status
        case .failed(let check, let expected, let actual):
            let outcome = check.isProtective ? Outcome.insecure : .malformed
            result = .failed(outcome, check.name, "expected \(expected), got \(actual)")
        case .malformed(let what, let detail):
            result = .failed(.malformed, "malformed", "\(what): \(detail)")
        case .status(let status):
            let words = status >= 400 ? response.flatMap(ForeignAnswer.words) : nil
            result = .failed(outcome(ofStatus: status, endpoint, burning), "http_\(status)", words)
            result.status = status
        }
        // Whatever else such an answer says: nobody follows it.
        if response?.isRedirect == true {
            result.outcome = .insecure
            result.error = Checks.redirect.name
        }
        result.retryAfter = response?.field("Retry-After").flatMap { RetryAfter.parse($0, now: now) }
        return result
    }

    private static func outcome(of code: String, _ status: Int, _ endpoint: Endpoint, _ burning: Bool)
        -> Outcome
    {
        switch endpoint {
        case .token:
            switch code {
            case "invalid_grant": return .invalidGrant
            case "invalid_client": return .invalidClient
            // A gateway's 502 or 504 says nothing about what the server did, whatever the body says.
            case "temporarily_unavailable", "server_error":
                return status >= 429 ? outcome(ofStatus: status, endpoint, burning) : .serverError
            default: return status >= 429 ? outcome(ofStatus: status, endpoint, burning) : .rejected
            }
        case .resource:
            switch code {
            case "insufficient_scope": return .insufficientScope
            case "insufficient_user_authentication": return .insufficientAuth
            case "invalid_token": return .unauthorized
            default: return outcome(ofStatus: status, endpoint, burning)
            }
        case .document:
            return outcome(ofStatus: status, endpoint, burning)
        }
    }

    static func outcome(ofStatus status: Int, _ endpoint: Endpoint, _ burning: Bool) -> Outcome {
        switch (status, endpoint) {
        case (429, _): .rateLimited
        case (502, _), (504, _): burning ? .unanswered : .serverError
        case (500..., _): .serverError
        case (401, .token): .invalidClient
        case (401, .resource): .unauthorized
        case (403, .resource): .insufficientScope
        case (404, .document): .notFound
        case (..<400, .token): .malformed
        case (_, .token): .rejected
        case (_, .resource), (_, .document): .malformed
        }
    }
}
