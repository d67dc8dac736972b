internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Fetches and validates provider metadata (RFC 8414, OpenID Connect Discovery 1.0).
struct DiscoverStep: StepWork {
    private var fetch = MetadataFetch()

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        if let age = scope.duration("max_age", &registers) { fetch.maximumAge = age }
        if case .bool(false) = scope.value("allow_stale", &registers) { fetch.allowsStale = false }
        return finish(fetch.start(&registers, scope, needs: { _ in true }))
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        finish(fetch.resume(event, &registers, scope))
    }

    private func finish(_ progress: MetadataFetch.Progress) -> StepAction {
        switch progress {
        case .perform(let effect): .perform(effect)
        case .ready(let fields, let source):
            .finish(
                StepResult(.ok, fields: [.string(source), .json(.object(Self.endpoints(fields.fields)))]))
        case .failed(let result): .finish(result)
        case .failedAction(let action): action
        }
    }

    private static func endpoints(_ fields: ServerMetadataFields) -> JSONObject {
        var object: JSONObject = [:]
        object["issuer"] = fields.issuer.map { .string($0) }
        object["authorization_endpoint"] = fields.authorizationEndpoint.map { .string($0) }
        object["token_endpoint"] = fields.tokenEndpoint.map { .string($0) }
        object["userinfo_endpoint"] = fields.userinfoEndpoint.map { .string($0) }
        object["jwks_uri"] = fields.jwksURI.map { .string($0) }
        return object
    }
}
