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
    /// What every trace of the plan says; `nil` before anything is told.
    private(set) var facts: PlanTrace?
    /// Per-run key of the fingerprints; `nil` leaves lengths and fingerprints out, as a dry run must.
    private let key: [UInt8]?
    private var secrets = TraceSecrets()
    /// What the last request was for; an answer follows its request.
    private var purpose = ""
    private var hooked: HookedValueScreen
    /// By path, what guards read last that is no text.
    private var guarded: [String: (value: Value, traced: TracedParameter)] = [:]

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
        case .stepStart, .passed, .stepEnd: preconditionFailure("steps are told by the plan's facts")
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
        case .warning(let text, let hook): return .warning(clean(text), hook: hook)
        case .hook(let hook, let values): return .hook(traced(hook, values))
        case .retry(let outcome, let attempt, let delay, let reason):
            return .retry(outcome: outcome, attempt: attempt, delay: delay, reason: reason)
        case .saved(let slots): return .saved(variables: slots.map { plan.program.slots[$0].path })
        }
    }

    /// What the guards read that were looked at to find a way.
    ///
    /// To be asked for before the texts of the result: these may bear a secret that one of the values is.
    mutating func values(of route: RouteTaken) -> [[TracedParameter]] {
        route.looks.map { look in look.read.map { guarded($0) } }
    }

    /// What a guard read; what is no text is screened once for each value.
    private mutating func guarded(_ value: HookedValue) -> TracedParameter {
        switch value.value {
        case .null, .bool, .int, .number, .time, .duration:
            if let known = guarded[value.path], known.value == value.value { return known.traced }
            let traced = traced(value, source: "guard")
            guarded[value.path] = (value.value, traced)
            return traced
        case .string, .secret, .list, .map, .json: return traced(value, source: "guard")
        }
    }

    /// Adds why a step ended as it did.
    func explain(_ end: inout StepEnd, _ result: StepResult) {
        if !result.isExplained { return }
        end.explain(
            StepEnd.Explanation(
                error: clean(result.error), description: clean(result.description), status: result.status,
                rule: result.rule, retryAfter: result.retryAfter))
    }

    func cleaned(_ event: SecurityEvent) -> SecurityEvent {
        SecurityEvent(
            event.severity, event.decision, event.check, host: clean(event.host), clean(event.summary),
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
        return TracedCheck(result.check, verdict)
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
        result.endpoint = clean(fragment.map { "\(request.endpoint)#\($0)" } ?? request.endpoint)
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
        return names[parameter.name]?.secret.map { .secret(Secret(text, kind: $0)) } ?? parameter.value
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
    mutating func rememberHost() {
        let facts = plan.trace
        self.facts = facts
        secrets = facts.secrets
    }

    /// The secrets of records that nobody wants to see.
    mutating func remember(_ records: [TraceRecord]) {
        for record in records {
            switch record {
            case .secrets(let secrets): for secret in secrets { remember(secret) }
            // Requests and answers hold some that nothing else names.
            case .request: _ = body(record)
            case .response(let response, let timing): _ = bodies(response, timing)
            case .hook: _ = body(record)
            case .passed(_, let route), .stepEnd(_, _, let route): _ = values(of: route)
            case .stepStart, .transportFailure, .checks, .security, .note, .warning, .retry, .saved: break
            }
        }
    }

    /// A text without any secret seen so far: see `TraceSecrets`.
    func clean(_ text: String) -> String { secrets.clean(text) }

    func clean(_ text: String?) -> String? {
        // A function that is handed on would take a copy of all secrets along.
        guard let text else { return nil }
        return secrets.clean(text)
    }

    /// The event of an answer and of the tokens in it.
    mutating func bodies(
        _ response: HTTPResponse, _ timing: ExchangeTiming?
    ) -> [TraceEvent.Body] {
        let object = Self.object(in: response)
        let event = TraceEvent.Body.response(traced(response, timing, object))
        return [event] + tokens(in: object)
    }

    /// What an answer in JSON consists of.
    private static func object(in response: HTTPResponse) -> JSONObject? {
        // not JSON: nothing to show
        response.json?.objectValue
    }

    private mutating func traced(
        _ response: HTTPResponse, _ timing: ExchangeTiming?, _ object: JSONObject?
    ) -> TracedResponse {
        let contentType = clean(response.field("Content-Type"))
        let members = members(object)
        var fields: [TracedParameter] = []
        fields.reserveCapacity(response.fields.count)
        for field in response.fields {
            if let field = shown(field) { fields.append(field) }
        }
        return TracedResponse(
            status: response.status, contentType: contentType, bytes: response.body.count, members: members,
            duration: timing?.total, fields: fields, phases: timing?.phases)
    }

    /// A header field of an answer, if its name says that it holds nothing secret.
    private func shown(_ field: HTTPField) -> TracedParameter? {
        let name = field.name.lowercased()
        guard Self.harmlessNames[name] != nil || Self.hasHarmlessEnding(name) else { return nil }
        return TracedParameter(
            name: field.name, value: .text(secrets.clean(field.value, limit: 200)), source: "answer",
            reference: nil)
    }

    private static func hasHarmlessEnding(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { name in
            harmlessEndings.contains { name.count >= $0.count && name.suffix($0.count).elementsEqual($0) }
        }
    }

    private static let harmlessNames = NameTable(
        Dictionary(uniqueKeysWithValues: harmlessFields.map { ($0, true) }))
    private static let harmlessFields: Set<String> = [
        "date", "content-type", "content-length", "cache-control", "pragma", "server", "retry-after", "vary",
        "www-authenticate", "age", "via",
    ]
    /// How a server names a request to its own people, and how it counts them.
    private static let harmlessEndings = [
        "request-id", "correlation-id", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset",
    ].map { Array($0.utf8) }

    // MARK: Tokens

    /// The tokens of an answer that are JWTs.
    private mutating func tokens(in object: JSONObject?) -> [TraceEvent.Body] {
        guard let object else { return [] }
        var tokens: [TraceEvent.Body] = []
        for (name, value) in object {
            guard let kind = Self.names[name]?.secret, Self.decoded.contains(kind),
                let text = value.stringValue, let token = token(text, kind)
            else { continue }
            tokens.append(.token(token))
        }
        return tokens
    }

    private static let decoded: [Secret.Kind] = [.idToken, .accessToken]

    private mutating func token(_ text: String, _ kind: Secret.Kind) -> TracedToken? {
        let bytes = Array(text.utf8)
        let dot = UInt8(ascii: ".")
        guard let first = bytes.firstIndex(of: dot), let second = bytes[(first + 1)...].firstIndex(of: dot),
            !bytes[(second + 1)...].contains(dot),
            let header = Self.members(bytes[..<first]), header["alg"] != nil,
            let claims = Self.members(bytes[(first + 1)..<second])
        else { return nil }
        var shownHeader: [TracedParameter] = []
        shownHeader.reserveCapacity(header.count)
        for (name, value) in header {
            let isShown = Self.names[name]?.uses.contains(.header) == true
            shownHeader.append(parameter(name, .text(isShown ? plain(value) : "(not shown)"), kind))
        }
        var shownClaims: [TracedParameter] = []
        shownClaims.reserveCapacity(claims.count)
        for (name, value) in claims {
            let value = claim(name, value)
            shownClaims.append(parameter(name, value, kind))
        }
        return TracedToken(kind: kind.rawValue, header: shownHeader, claims: shownClaims)
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
        if Self.names[name]?.uses.contains(.claim) == true { return .text(plain(value)) }
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
        case .string(let text): secrets.clean(text, limit: 300)
        case .array(let items): items.map { plain($0) }.joined(separator: " ")
        case .null, .bool, .int, .bigInteger, .number, .object: secrets.clean(value.serialize(), limit: 300)
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
        let hidden = Self.hidden[purpose]
        var members: [TracedParameter] = []
        members.reserveCapacity(object.count)
        for (name, value) in object {
            let shownName = clean(name)
            let value = member(name, value, hidden)
            members.append(TracedParameter(name: shownName, value: value, source: "answer", reference: nil))
        }
        return members
    }

    /// - Parameter hidden: What stands for the values of members that are not known to be harmless; `nil` shows them.
    private mutating func member(_ name: String, _ value: JSONValue, _ hidden: String?) -> TracedValue {
        let known = Self.names[name] ?? KnownName()
        if let kind = known.secret {
            guard let text = value.stringValue else { return .text("(not a string)") }
            // An error may have this name as well: its words are not looked for elsewhere.
            guard kind != .code else {
                return .secret(
                    kind: kind.rawValue, length: key == nil ? nil : text.utf8.count,
                    fingerprint: fingerprint(text))
            }
            return traced(.secret(Secret(text, kind: kind)))
        }
        if let hidden, !known.uses.contains(.harmless) {
            switch value {
            case .null, .bool: return .text(value.serialize())
            case .int, .bigInteger, .number, .string, .array, .object: return .text(hidden)
            }
        }
        if known.uses.contains(.personal) { return .text(value == .null ? "null" : "(personal)") }
        switch value {
        case .null, .bool: return .text(value.serialize())
        case .int, .bigInteger, .number: return .text(secrets.clean(value.serialize()))
        case .string(let text): return .text(secrets.clean(text, limit: 120))
        case .array(let items): return .text("[\(items.count)]")
        case .object(let object): return .text("{\(object.count)}")
        }
    }

    /// What is known of a name of a member, a parameter or a claim.
    private struct KnownName {
        var secret: Secret.Kind?
        var uses: Uses = []

        struct Uses: OptionSet {
            let rawValue: UInt8
            static let harmless = Uses(rawValue: 1)
            static let personal = Uses(rawValue: 2)
            static let claim = Uses(rawValue: 4)
            static let header = Uses(rawValue: 8)
        }
    }

    private static let names = {
        var names: [String: KnownName] = [:]
        for (name, kind) in secretMembers { names[name, default: KnownName()].secret = kind }
        let uses: [(Set<String>, KnownName.Uses)] = [
            (harmlessMembers, .harmless), (personalMembers, .personal), (harmlessClaims, .claim),
            (headerParameters, .header),
        ]
        for (set, use) in uses {
            for name in set { names[name, default: KnownName()].uses.insert(use) }
        }
        return NameTable(names)
    }()

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

    // MARK: Hooks and guards

    private mutating func traced(_ hook: TracedHook, _ values: HookedValues) -> TracedHook {
        // The values first: a message may bear a secret that one of them is.
        let read = values.read.map { traced($0, source: "hook") }
        let written = values.written.map { traced($0, source: "hook") }
        let emitted = values.emitted.map { hooked.text($0) }
        let message = hook.message.map { ([$0] + emitted).joined(separator: " ") }
        var cleaned = hook.with(message: clean(message))
        cleaned.url = clean(hook.url)
        (cleaned.readValues, cleaned.writtenValues) = (read, written)
        return cleaned
    }

    private mutating func traced(_ value: HookedValue, source: String) -> TracedParameter {
        let shown: TracedValue
        switch hooked.screened(value) {
        case .secret(let secret): shown = traced(.secret(secret))
        case .value(.string(let text)): shown = .text(secrets.clean(text, limit: Self.longest))
        case let payload:
            for secret in payload.secrets { remember(secret) }
            shown = .text(secrets.clean(payload.redacted.serialize(), limit: Self.longest))
        }
        return TracedParameter(name: value.path, value: shown, source: source, reference: nil)
    }

    /// Of a value of a hook or a guard, in Unicode scalars.
    private static let longest = 300
}
