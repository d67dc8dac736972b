package import FlowEngine
internal import OAuthProtocol

/// A trace for strangers: no lengths, no fingerprints, nothing about a person, and nothing that a server wrote freely.
///
/// Takes the events of one run in order: what an answer may say depends on its request.
package struct StrictRedaction: Sendable {
    private var purpose = ""

    package init() {}

    package mutating func redacted(_ event: TraceEvent) -> TraceEvent {
        if case .request(let request) = event.body { purpose = request.purpose }
        return TraceEvent(
            sequence: event.sequence, time: event.time, step: event.step,
            body: Self.body(event.body, isPublished: Self.published.contains(purpose)))
    }

    /// What anybody can fetch.
    private static let published: Set<String> = ["discovery", "jwks"]

    private static func body(_ body: TraceEvent.Body, isPublished: Bool) -> TraceEvent.Body {
        switch body {
        // People name profiles after themselves.
        case .runStart(let start):
            .runStart(
                RunStart(
                    run: start.run, flow: start.flow, version: start.version, digest: start.digest,
                    provider: start.provider, furtherProviders: start.furtherProviders,
                    isDryRun: start.isDryRun, inputs: start.inputs.map(hidden),
                    registration: start.registration.map(hidden)))
        case .request(let request):
            .request(
                TracedRequest(
                    purpose: request.purpose, method: request.method, endpoint: request.endpoint,
                    query: request.query.map(parameter), fields: request.fields.map(parameter),
                    body: request.body.map(parameter), bodyFormat: request.bodyFormat,
                    endpointSource: request.endpointSource))
        case .response(let response):
            .response(
                TracedResponse(
                    status: response.status, contentType: response.contentType, bytes: response.bytes,
                    members: isPublished ? response.members : response.members.map(answered),
                    duration: response.duration,
                    fields: response.fields.map(parameter), phases: response.phases))
        case .transportFailure(let cause, let delivered, _):
            .transportFailure(cause: cause, delivered: delivered, message: omitted)
        case .token(let token):
            .token(
                TracedToken(
                    kind: token.kind,
                    header: token.header.filter { ["alg", "typ", "kid"].contains($0.name) },
                    claims: token.claims.filter { ["iss", "aud", "exp", "iat"].contains($0.name) }))
        case .check(let check):
            .check(
                TracedCheck(
                    number: check.number, name: check.name, reference: check.reference,
                    verdict: verdict(check.verdict)))
        case .security(let event):
            .security(
                SecurityEvent(
                    event.severity, event.decision,
                    Check(
                        recalled: event.check.number, name: event.check.name, reference: event.check.reference
                    ),
                    host: event.host, event.summary,
                    evidence: event.evidence.map { SecurityEvent.Evidence($0.name, omitted) }))
        case .actionRequired(let action):
            .actionRequired(
                TracedAction(
                    url: String(action.url.prefix { $0 != "?" && $0 != "#" }), opened: action.opened,
                    expiresAt: action.expiresAt, errand: errand(action.errand),
                    ways: AnswerWays(obstacle: action.ways.obstacle, takesPaste: action.ways.takesPaste)))
        case .hook(let hook): .hook(redacted(hook))
        case .note: .note(omitted)
        case .warning(_, let hook): .warning(omitted, hook: hook)
        case .callbackIgnored: .callbackIgnored(reason: omitted)
        case .stepEnd(let end): .stepEnd(redacted(end))
        case .runEnd(let end):
            .runEnd(
                RunEnd(
                    end: end.end, result: end.result, message: end.message.map { _ in omitted },
                    errorCode: end.errorCode, failureClass: end.failureClass, exit: end.exit,
                    transitions: end.transitions, retries: end.retries, duration: end.duration,
                    outputs: end.outputs.map(hidden), secrets: end.secrets))
        case .flow, .stepStart, .waiting, .retry, .saved: body
        }
    }

    private static func redacted(_ end: StepEnd) -> StepEnd {
        var redacted = StepEnd(
            outcome: end.outcome, outcomeClass: end.outcomeClass, visit: end.visit, error: end.error,
            description: end.description.map { _ in omitted }, status: end.status, target: end.target,
            targetIsEnd: end.targetIsEnd, reason: end.reason, edge: end.edge, otherRoutes: end.otherRoutes)
        redacted.rule = end.rule
        redacted.retryAfter = end.retryAfter
        redacted.resolution = end.resolution.map(Self.redacted)
        return redacted
    }

    private static func redacted(_ resolution: TracedResolution) -> TracedResolution {
        TracedResolution(
            lines: resolution.lines,
            alternatives: resolution.alternatives.map { alternative in
                TracedResolution.Alternative(
                    target: alternative.target, place: alternative.place, condition: alternative.condition,
                    values: alternative.values.map(hidden), maximum: alternative.maximum,
                    used: alternative.used, verdict: alternative.verdict)
            }, retry: resolution.retry)
    }

    private static func redacted(_ hook: TracedHook) -> TracedHook {
        var redacted = hook.with(message: hook.message.map { _ in omitted })
        redacted.readValues = hook.readValues.map(hidden)
        redacted.writtenValues = hook.writtenValues.map(hidden)
        return redacted
    }

    /// Stands for a text.
    static let omitted = "(left out)"

    private static func errand(_ errand: TracedAction.Errand) -> TracedAction.Errand {
        if case .enterCode = errand { .enterCode("") } else { errand }
    }

    private static func verdict(_ verdict: TracedCheck.Verdict) -> TracedCheck.Verdict {
        if case .failed = verdict { .failed(expected: omitted, actual: omitted) } else { verdict }
    }

    /// Parameters that this program chose stay; what a person or a server chose goes.
    private static func parameter(_ parameter: TracedParameter) -> TracedParameter {
        let isPersonal = [
            "login_hint", "id_token_hint", "username", "logout_hint", "user_code", "binding_message",
        ]
        .contains(parameter.name)
        return isPersonal ? hidden(parameter) : replaced(parameter, value(parameter.value))
    }

    private static func answered(_ parameter: TracedParameter) -> TracedParameter {
        let isHarmless = ["token_type", "expires_in", "scope", "error", "ok"].contains(parameter.name)
        return isHarmless ? replaced(parameter, value(parameter.value)) : hidden(parameter)
    }

    private static func value(_ value: TracedValue) -> TracedValue {
        switch value {
        case .text: value
        case .secret(let kind, _, _): .secret(kind: kind, length: nil, fingerprint: nil)
        case .prefixed(let prefix, let kind, _, _):
            .prefixed(prefix, kind: kind, length: nil, fingerprint: nil)
        }
    }

    private static func hidden(_ parameter: TracedParameter) -> TracedParameter {
        if case .text("null") = parameter.value { return parameter }
        if case .text = parameter.value { return replaced(parameter, .text(omitted)) }
        return replaced(parameter, value(parameter.value))
    }

    private static func replaced(_ parameter: TracedParameter, _ value: TracedValue) -> TracedParameter {
        TracedParameter(
            name: parameter.name, value: value, source: parameter.source, reference: parameter.reference)
    }
}
