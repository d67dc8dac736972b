internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// Turns the machine's records into events that hold no secret.
///
/// Redaction is typed (secrets are `Secret`s), by name (members of answers), and by taint: every secret value that was
/// seen is replaced wherever it turns up in a text, raw or encoded. What a token or UserInfo endpoint answers is shown
/// only where the name says that it is harmless.
struct TraceRedactor: Sendable {
    private let plan: RunPlan
    /// Per-run key of the fingerprints; `nil` leaves lengths and fingerprints out, as a dry run must.
    private let key: [UInt8]?
    private var secrets = TraceSecrets()
    /// What the last request was for; an answer follows its request.
    private var purpose = ""
    private var hooked: HookedValueScreen

    /// How many different secrets were kept out of the events.
    var secretCount: Int { secrets.count }

    init(plan: RunPlan, key: [UInt8]?) {
        self.plan = plan
        self.key = key
        hooked = HookedValueScreen(showsPeople: plan.isRehearsal)
    }

    /// The event body for a record.
    mutating func body(_ record: TraceRecord) -> TraceEvent.Body {
        switch record {
        case .stepStart(let step, let visit):
            return .stepStart(plan.trace.start(of: step, visit: visit))
        case .request(let request, let purpose):
            self.purpose = purpose
            return .request(traced(request, purpose))
        case .transportFailure(let trouble):
            return .transportFailure(
                cause: trouble.cause, delivered: trouble.delivery == .perhapsDelivered,
                message: clean(trouble.message))
        case .security(let event): return .security(cleaned(event))
        case .response: preconditionFailure("an answer has several bodies")
        case .checks: preconditionFailure("checks are emitted one by one")
        case .secrets: preconditionFailure("secrets are remembered, never emitted")
        case .note(let text): return .note(clean(text))
        case .warning(let text): return .warning(clean(text))
        case .hook(let hook, let values): return .hook(traced(hook, values))
        case .retry(let outcome, let attempt, let delay, let reason):
            return .retry(outcome: outcome, attempt: attempt, delay: delay, reason: reason)
        case .saved(let slots): return .saved(variables: slots.map { plan.program.slots[$0].path })
        case .stepEnd(let step, let result, let route):
            return .stepEnd(
                plan.trace.end(
                    of: step, result, route, error: result.error.map(clean),
                    description: result.description.map(clean)))
        }
    }

    func cleaned(_ event: SecurityEvent) -> SecurityEvent {
        SecurityEvent(
            event.severity, event.decision, event.check, host: event.host.map(clean), clean(event.summary),
            evidence: event.evidence.map { .init($0.name, clean($0.value)) })
    }

    func check(_ result: CheckResult) -> TracedCheck {
        let verdict: TracedCheck.Verdict =
            switch result.verdict {
            case .passed: .passed
            case .failed(let expected, let actual): .failed(expected: clean(expected), actual: clean(actual))
            case .notApplicable(let reason): .notApplicable(reason: clean(reason))
            case .relaxed(let reason): .relaxed(reason: clean(reason))
            }
        return TracedCheck(
            number: result.check.number, name: result.check.name, reference: result.check.reference,
            verdict: verdict)
    }

    // MARK: Requests and answers

    private mutating func traced(_ request: RequestPlan, _ purpose: String) -> TracedRequest {
        // The parameters first: an endpoint may bear a secret that one of them holds too.
        var result = TracedRequest(
            purpose: purpose, method: request.method.rawValue, endpoint: "",
            query: request.query.map { traced($0) }, fields: request.fields.map { traced($0) },
            body: request.document.map { [traced($0)] } ?? request.body.map { traced($0) },
            bodyFormat: request.bodyFormat.rawValue)
        let fragment = request.fragment ?? request.trailingFragment
        result.endpoint = clean(request.endpoint + (fragment.map { "#" + $0 } ?? ""))
        result.endpointSource = request.endpointSource.map(Self.source)
        return result
    }

    private mutating func traced(_ document: JSONPayload) -> TracedParameter {
        TracedParameter(name: "(body)", value: traced(.json(document)), source: "flow", reference: nil)
    }

    private mutating func traced(_ parameter: RequestParameter) -> TracedParameter {
        TracedParameter(
            name: parameter.name, value: traced(Self.typed(parameter)),
            source: Self.source(parameter.source), reference: parameter.reference)
    }

    /// A secret that came as a text, as those in a file of client metadata do, is one by its name.
    private static func typed(_ parameter: RequestParameter) -> ParameterValue {
        guard case .text(let text) = parameter.value, !text.isEmpty else { return parameter.value }
        if let kind = secretMembers[parameter.name] { return .secret(Secret(text, kind: kind)) }
        // What a hook adds nobody has declared.
        guard case .hook = parameter.source, AnswerScreen.isSecret(parameter.name) else {
            return parameter.value
        }
        return .secret(Secret(text, kind: .other))
    }

    private static func source(_ source: ParameterSource) -> String {
        switch source {
        case .specification: "protocol"
        case .step(let name): "step \(name)"
        case .registration: "registration"
        case .commandLine: "flag"
        case .environment(let name): "variable \(name)"
        case .descriptor(let place): place
        case .metadata: "metadata"
        case .flow(let place): "flow \(place)"
        case .hook(let id): "hook \(id)"
        case .several(let parts): parts.map { Self.source($0) }.joined(separator: ", ")
        }
    }

    private mutating func traced(_ value: ParameterValue) -> TracedValue {
        switch value {
        case .text(let text): return .text(clean(text))
        case .secret(let secret):
            return .secret(kind: secret.kind.rawValue, length: length(secret), fingerprint: taint(secret))
        case .basic(let user, let password):
            secrets.remember(form: Base64.encode("\(user):\(password.reveal())".utf8), of: password)
            return .prefixed(
                "Basic \(clean(user)):", kind: password.kind.rawValue, length: length(password),
                fingerprint: taint(password))
        case .scheme(let scheme, let secret):
            return .prefixed(
                "\(scheme) ", kind: secret.kind.rawValue, length: length(secret), fingerprint: taint(secret))
        case .json(let payload):
            for secret in payload.secrets { remember(secret) }
            return .text(clean(payload.redacted.serialize()))
        }
    }

    private func length(_ secret: Secret) -> Int? { key == nil ? nil : secret.length }

    /// Remembers the value so that it is replaced in later texts, and gives its fingerprint.
    private mutating func taint(_ secret: Secret) -> String? {
        remember(secret)
        return fingerprint(secret.reveal())
    }

    func fingerprint(_ value: String) -> String? {
        guard let key else { return nil }
        return Hexadecimal.encode(HMAC.sha256(key: key, message: Array(value.utf8)).prefix(2))
    }

    mutating func remember(_ secret: Secret) { secrets.remember(secret) }

    /// What the host brought along; to be called before anything else is remembered.
    mutating func rememberHost() { secrets = plan.trace.secrets }

    /// The secrets of records that nobody wants to see.
    mutating func remember(_ records: [TraceRecord]) {
        for record in records {
            switch record {
            case .secrets(let secrets): for secret in secrets { remember(secret) }
            // Requests and answers hold some that nothing else names.
            case .request: _ = body(record)
            case .response(let response, let timing): _ = bodies(response, timing)
            case .hook: _ = body(record)
            case .stepStart, .transportFailure, .checks, .security, .note, .warning, .retry, .saved, .stepEnd:
                break
            }
        }
    }

    /// A text without any secret seen so far: see `TraceSecrets`.
    func clean(_ text: String) -> String { secrets.clean(text) }

    /// The event of an answer and of the tokens in it.
    mutating func bodies(
        _ response: HTTPResponse, _ timing: ExchangeTiming?
    ) -> [TraceEvent.Body] {
        let object = Self.object(in: response)
        let event = TraceEvent.Body.response(traced(response, timing, object))
        return [event] + tokens(in: object).map { .token($0) }
    }

    /// What an answer in JSON consists of.
    private static func object(in response: HTTPResponse) -> JSONObject? {
        // not JSON: nothing to show
        (try? JSON.parse(response.body))?.objectValue
    }

    private mutating func traced(
        _ response: HTTPResponse, _ timing: ExchangeTiming?, _ object: JSONObject?
    ) -> TracedResponse {
        TracedResponse(
            status: response.status, contentType: response.field("Content-Type").map(clean),
            bytes: response.body.count, members: members(object), duration: timing?.total,
            fields: response.fields.compactMap(shown), phases: timing?.phases)
    }

    /// A header field of an answer, if its name says that it holds nothing secret.
    private func shown(_ field: HTTPField) -> TracedParameter? {
        let name = field.name.lowercased()
        guard Self.harmlessFields.contains(name) || Self.harmlessEndings.contains(where: name.hasSuffix)
        else { return nil }
        return TracedParameter(
            name: field.name, value: .text(RemoteText.sanitize(clean(field.value), limit: 200)),
            source: "answer", reference: nil)
    }

    private static let harmlessFields: Set<String> = [
        "date", "content-type", "content-length", "cache-control", "pragma", "server", "retry-after", "vary",
        "www-authenticate", "age", "via",
    ]
    /// How a server names a request to its own people, and how it counts them.
    private static let harmlessEndings = [
        "request-id", "correlation-id", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset",
    ]

    // MARK: Tokens

    /// The tokens of an answer that are JWTs.
    private mutating func tokens(in object: JSONObject?) -> [TracedToken] {
        guard let object else { return [] }
        return object.compactMap { name, value in
            guard let kind = Self.secretMembers[name], Self.decoded.contains(kind),
                let text = value.stringValue
            else { return nil }
            return token(text, kind)
        }
    }

    private static let decoded: Set<Secret.Kind> = [.idToken, .accessToken]

    private mutating func token(_ text: String, _ kind: Secret.Kind) -> TracedToken? {
        let parts = Array(text.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Self.members(parts[0]), header["alg"] != nil,
            let claims = Self.members(parts[1])
        else { return nil }
        return TracedToken(
            kind: kind.rawValue,
            header: header.map { name, value in
                let isShown = Self.headerParameters.contains(name)
                return parameter(name, isShown ? .text(plain(value)) : .text("(not shown)"), kind)
            },
            claims: claims.map { name, value in parameter(name, claim(name, value), kind) })
    }

    /// A part of a JWT; what is none is no mistake here, the checks of the step say so.
    private static func members(_ part: ArraySlice<UInt8>) -> JSONObject? {
        guard let bytes = Base64URL.decode(part) else { return nil }
        return (try? JSON.parse(bytes))?.objectValue
    }

    private func parameter(_ name: String, _ value: TracedValue, _ kind: Secret.Kind) -> TracedParameter {
        TracedParameter(name: clean(name), value: value, source: kind.rawValue, reference: nil)
    }

    private mutating func claim(_ name: String, _ value: JSONValue) -> TracedValue {
        if name == "nonce", let text = value.stringValue {
            return traced(.secret(Secret(text, kind: .nonce)))
        }
        if Self.harmlessClaims.contains(name) { return .text(plain(value)) }
        switch value {
        case .null, .bool: return .text(value.serialize())
        case .string(let text) where name == "sub" || name == "sid" || name == "jti":
            return .secret(
                kind: name, length: key == nil ? nil : text.utf8.count, fingerprint: fingerprint(text))
        case .string(let text) where name == "email": return .text(clean(Self.masked(text)))
        case .int, .bigInteger, .number, .string, .array, .object: return .text("(personal)")
        }
    }

    /// `a…@example.com`
    private static func masked(_ address: String) -> String {
        guard let sign = address.lastIndex(of: "@"), let first = address.first else { return "(personal)" }
        return "\(first)…\(address[sign...])"
    }

    private func plain(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): RemoteText.sanitize(clean(text), limit: 300)
        case .array(let items): items.map(plain).joined(separator: " ")
        case .null, .bool, .int, .bigInteger, .number, .object:
            RemoteText.sanitize(clean(value.serialize()), limit: 300)
        }
    }

    private static let headerParameters: Set<String> = ["alg", "typ", "kid", "cty", "crit", "enc"]

    /// Claims that say nothing about a person (RFC 7519 §4.1, OIDC Core §2, RFC 9068 §2.2).
    private static let harmlessClaims: Set<String> = [
        "iss", "aud", "azp", "exp", "iat", "nbf", "auth_time", "acr", "amr", "at_hash", "c_hash", "s_hash",
        "scope", "scp", "client_id", "appid", "token_type", "typ", "ver", "email_verified",
        "phone_number_verified", "token_use",
    ]

    /// Top-level members of a JSON object; of any other body nothing is shown.
    private mutating func members(_ object: JSONObject?) -> [TracedParameter] {
        guard let object else { return [] }
        return object.map { name, value in
            TracedParameter(name: clean(name), value: member(name, value), source: "answer", reference: nil)
        }
    }

    private mutating func member(_ name: String, _ value: JSONValue) -> TracedValue {
        if let kind = Self.secretMembers[name] {
            guard let text = value.stringValue else { return .text("(not a string)") }
            return traced(.secret(Secret(text, kind: kind)))
        }
        if let hidden = Self.hidden[purpose], !Self.harmlessMembers.contains(name) {
            switch value {
            case .null, .bool: return .text(value.serialize())
            case .int, .bigInteger, .number, .string, .array, .object: return .text(hidden)
            }
        }
        if Self.personalMembers.contains(name) { return .text(value == .null ? "null" : "(personal)") }
        switch value {
        case .null, .bool, .int, .bigInteger, .number: return .text(value.serialize())
        case .string(let text): return .text(RemoteText.sanitize(clean(text), limit: 120))
        case .array(let items): return .text("[\(items.count)]")
        case .object(let object): return .text("{\(object.count)}")
        }
    }

    /// Of requests and of answers.
    private static let secretMembers: [String: Secret.Kind] = [
        "access_token": .accessToken, "refresh_token": .refreshToken, "id_token": .idToken, "code": .code,
        "device_code": .deviceCode, "client_secret": .clientSecret, "password": .other,
        "registration_access_token": .registrationAccessToken,
        "state": .state, "nonce": .nonce, "secret": .other, "client_assertion": .clientAssertion,
        "software_statement": .other,
    ]

    /// What stands for the values of these answers: a provider may give a token or a person's data any name.
    private static let hidden = [
        "token": "(not shown)", "refresh": "(not shown)", "userinfo": "(personal)",
        "revocation": "(not shown)", "introspection": "(personal)", "device_authorization": "(not shown)",
        "device_token": "(not shown)", "client_credentials": "(not shown)", "token_exchange": "(not shown)",
        "jwt_bearer": "(not shown)",
        "http": "(not shown)",
    ]

    /// Members of those answers that say nothing secret and nothing about a person.
    private static let harmlessMembers: Set<String> = [
        "token_type", "expires_in", "expires_at", "refresh_token_expires_in", "scope", "issued_token_type",
        "ok", "error",
        "error_description", "error_uri", "message", "interval", "verification_uri",
    ]

    static let personalMembers: Set<String> = [
        "sub", "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username",
        "profile",
        "picture", "website", "email", "gender", "birthdate", "phone_number", "address", "login", "id",
        "node_id",
        "avatar_url", "url", "html_url", "location", "company", "bio", "blog", "oid", "upn", "unique_name",
    ]

    // MARK: Hooks

    private mutating func traced(_ hook: TracedHook, _ values: HookedValues) -> TracedHook {
        // The values first: a message may bear a secret that one of them is.
        let read = values.read.map { traced($0) }
        let written = values.written.map { traced($0) }
        var cleaned = hook.with(message: hook.message.map(clean))
        cleaned.url = hook.url.map(clean)
        (cleaned.readValues, cleaned.writtenValues) = (read, written)
        return cleaned
    }

    private mutating func traced(_ value: HookedValue) -> TracedParameter {
        let shown: TracedValue
        switch hooked.screened(value) {
        case .secret(let secret): shown = traced(.secret(secret))
        case .value(.string(let text)): shown = .text(RemoteText.sanitize(clean(text), limit: Self.longest))
        case let payload:
            for secret in payload.secrets { remember(secret) }
            shown = .text(RemoteText.sanitize(clean(payload.redacted.serialize()), limit: Self.longest))
        }
        return TracedParameter(name: value.path, value: shown, source: "hook", reference: nil)
    }

    /// Of a value of a hook, in Unicode scalars.
    private static let longest = 300
}
