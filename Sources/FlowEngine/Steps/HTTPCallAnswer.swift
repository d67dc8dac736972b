internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Reads the answer of an `http` step: the flow's own rules first, then the table of flow/1 §6 for resources.
struct HTTPCallAnswer {
    private let scope: StepScope
    private let rows: [ExtractionRow]
    private let statuses: [Int: Outcome]
    private let isIdempotent: Bool
    /// How an operation's answer is written; `nil` for a request of the flow's own.
    private let operation: OperationFacts?

    private var dialect: ResponseDialect? { operation?.response }

    /// Names of members that hold credentials, in the answers of whatever API.
    private static let secretNames: Set<String> = [
        "access_token", "refresh_token", "id_token", "client_secret", "device_code", "password",
    ]

    init(_ scope: StepScope, readBy operation: OperationFacts? = nil) {
        self.scope = scope
        self.operation = operation
        if case .extraction(let rows)? = scope.argument("out") { self.rows = rows } else { rows = [] }
        if case .statuses(let statuses)? = scope.argument("expect") {
            self.statuses = statuses
        } else {
            statuses = [:]
        }
        isIdempotent = Self.isIdempotent(scope)
    }

    /// Whether the step may send its request a second time while nobody knows what became of the first.
    static func isIdempotent(_ scope: StepScope) -> Bool {
        switch (scope.argument("idempotent"), scope.argument("method")) {
        case (.constant(let value)?, _): value.isTrue
        case (_, .constant(let method)?): ["GET", "HEAD"].contains(method.text ?? "")
        case (_, _): true
        }
    }

    /// What a good answer holds.
    var sample: AnswerSample {
        let status =
            statuses[200].map { $0 == .ok } ?? true
            ? 200 : statuses.filter { $0.value == .ok }.keys.min() ?? 204
        return AnswerSample(status: status, members: rows, dialect: dialect)
    }

    func read(_ event: InputEvent, _ registers: inout Registers) -> StepResult {
        switch HTTPStep.reply(event, &registers, burning: !isIdempotent) {
        case .trouble(let result): return result
        case .answer(let response): return read(response, &registers)
        }
    }

    private func read(_ response: HTTPResponse, _ registers: inout Registers) -> StepResult {
        var log = CheckLog()
        defer { registers.note(log) }
        let parsed: JSONValue?
        do throws(ProtocolError) {
            parsed = try body(response, &log)
        } catch {
            var result = HTTPStep.result(of: error, .resource, registers.now, response, burning: false)
            // The provider understood, and said no with a status of success.
            if case .rejected = error { result.outcome = .rejected }
            if result.outcome == .insecure { result.outcome = .malformed }
            return operation.map { scope.placed(result, response, readBy: $0, log) } ?? result
        }
        let members = rows.map { row in ExtractedValue.read(parsed ?? .null, row) }
        registers.conceal(members.compactMap(\.self).flatMap(PortValue.secrets))
        let fields = head(response, parsed) + members.map { $0 ?? .null }
        var result: StepResult
        if let outcome = classified(fields, &registers) ?? statuses[response.status] {
            result = outcome == .ok ? StepResult(.ok) : told(outcome, response)
        } else {
            result = standard(response, parsed, &registers, &log)
        }
        if isSuccess(result.outcome) {
            log.pass(Checks.resourceStatus)
            if let missing = zip(rows, members).first(where: { $1 == nil && !$0.type.isOptional })?.0 {
                return malformed(missing, response, &log)
            }
            if result.outcome == .ok, !takeTokens(members, &result, registers, &log) { return result }
        }
        result.fields = fields
        return result
    }

    /// Status, header fields by lower-case name, and the body without its secrets.
    private func head(_ response: HTTPResponse, _ body: JSONValue?) -> [Value] {
        var headers: [String: Value] = [:]
        for field in response.fields where !field.name.equalsIgnoringASCIICase("Set-Cookie") {
            headers[field.name.lowercased()] = .string(RemoteText.sanitize(field.value, limit: 2_000))
        }
        let pointers = rows.filter(\.type.holdsSecret).map(\.pointer)
        let shown = (body ?? .null).masking(pointers: pointers, names: Self.secretNames)
        return [.int(Int64(response.status)), .map(headers), .json(shown)]
    }

    /// `nil` for a body that is not JSON; null for none.
    ///
    /// - Throws: An error that an operation's answer tells with a status of success.
    private func body(_ response: HTTPResponse, _ log: inout CheckLog) throws(ProtocolError) -> JSONValue? {
        if response.body.isEmpty { return .null }
        if let dialect, dialect.successStatus.contains(response.status) {
            return try dialect.mapped(response, log: &log)
        }
        // Any reason means the same: nothing can be taken out of it.
        return response.json
    }

    /// The first rule of `classify` that holds; the rules read the step's own fields.
    private func classified(_ fields: [Value], _ registers: inout Registers) -> Outcome? {
        guard case .classification(let rules)? = scope.argument("classify") else { return nil }
        let base = scope.plan.program.steps[scope.step].fieldBase
        for (offset, value) in fields.enumerated() { registers.slots[base + offset] = value }
        return rules.first { registers.evaluate($0.condition, scope.plan).isTrue }?.outcome
    }

    private func isSuccess(_ outcome: Outcome) -> Bool {
        let step = scope.plan.program.steps[scope.step]
        let route = step.routes[Int(outcome.rawValue)]
        return route != RouteRow.none && scope.plan.program.routes[Int(route)].outcomeClass == .success
    }

    // MARK: Outcomes

    private func standard(
        _ response: HTTPResponse, _ body: JSONValue?, _ registers: inout Registers, _ log: inout CheckLog
    ) -> StepResult {
        guard (200...299).contains(response.status) else {
            let result = refused(response, registers.now)
            _ = log.status(Checks.resourceStatus, expected: "2xx", response.status)
            return result
        }
        guard body != nil else {
            let error = log.malformed(Checks.resourceBody, "answer", detail: "the body is not JSON")
            return HTTPStep.result(of: error, .resource, registers.now, response, burning: false)
        }
        return StepResult(.ok)
    }

    /// The rows of flow/1 §6 for a resource; RFC 6750 §3.1 and RFC 9470 §3 name the words.
    private func refused(_ response: HTTPResponse, _ now: Int64) -> StepResult {
        let outcome: Outcome =
            switch (response.status, ResourceRefusal.error(in: response)?.code) {
            case (401, "insufficient_user_authentication"): .insufficientAuth
            case (403, "insufficient_user_authentication"): .insufficientAuth
            case (401, _): .unauthorized
            case (400, "invalid_token"): .unauthorized
            case (403, _): .insufficientScope
            case (429, _), (500..., _): HTTPStep.outcome(ofStatus: response.status, .resource, !isIdempotent)
            case (_, _): .rejected
            }
        var result = told(outcome, response)
        if outcome == .insufficientAuth { result.challenge = AuthenticationChallenge(response) }
        result.retryAfter = response.field("Retry-After").flatMap { RetryAfter.parse($0, now: now) }
        return result
    }

    private func told(_ outcome: Outcome, _ response: HTTPResponse) -> StepResult {
        let error = ResourceRefusal.error(in: response)
        var result = StepResult.failed(
            outcome, error?.code ?? "http_\(response.status)",
            error?.description ?? (error == nil ? ResourceRefusal.words(in: response) : nil))
        result.status = response.status
        return result
    }

    private func malformed(
        _ row: ExtractionRow, _ response: HTTPResponse, _ log: inout CheckLog
    ) -> StepResult {
        let place = row.pointer.isEmpty ? "the body" : row.pointer
        _ = log.failure(
            Checks.resourceMember, expected: "\(row.type) at \(place)", actual: "none or another type")
        var result = StepResult.failed(
            .malformed, Checks.resourceMember.name, "the answer has no \(row.type) at \(place)")
        result.status = response.status
        return result
    }

    // MARK: Tokens

    /// Forms the token set of `into` from the extracted members of these names.
    ///
    /// - Returns: `false` when there is no token among them; `result` says so then.
    private func takeTokens(
        _ members: [Value?], _ result: inout StepResult, _ registers: Registers, _ log: inout CheckLog
    ) -> Bool {
        guard case .tokenSet(let index)? = scope.argument("into") else { return true }
        let found = Dictionary(
            zip(rows, members).compactMap { row, value in value.map { (row.name, $0) } },
            uniquingKeysWith: { first, _ in first })
        let idToken = Self.token(found["id_token"], .idToken)
        // Some APIs take the ID token itself as the access token.
        guard let access = Self.token(found["access_token"], .accessToken) ?? idToken else {
            _ = log.failure(Checks.resourceMember, expected: "an access_token or id_token", actual: "none")
            result = .failed(.malformed, Checks.resourceMember.name, "the answer brings no token")
            return false
        }
        let lifetime = Self.milliseconds(found["expires_in"])
        var set = TokenSet(
            TokenSet.Parts(
                origin: .http, issuer: scope.provider.sessionIssuer,
                clientID: scope.provider.registration.clientID,
                accessToken: Secret(access.reveal(), kind: .accessToken), tokenType: "Bearer",
                expiresAt: lifetime.map { registers.sentAt + $0 }, lifetime: lifetime,
                refreshToken: Self.token(found["refresh_token"], .refreshToken), idToken: idToken, scopes: [],
                subject: found["subject"]?.text, obtainedAt: registers.now))
        set.isSubjectAsserted = set.subject != nil
        result.tokens = PendingTokens(set, at: index)
        return true
    }

    private static func token(_ value: Value?, _ kind: Secret.Kind) -> Secret? {
        switch value {
        case .secret(let secret)?: secret.isEmpty ? nil : Secret(secret.reveal(), kind: kind)
        case .string(let text)?: text.isEmpty ? nil : Secret(text, kind: kind)
        default: nil
        }
    }

    /// A lifetime; at most 100 years, so that nothing overflows.
    private static func milliseconds(_ value: Value?) -> Int64? {
        let longest: Int64 = 100 * 366 * 86_400
        switch value {
        case .int(let seconds)?: return min(max(0, seconds), longest) * 1000
        case .duration(let milliseconds)?: return min(max(0, milliseconds), longest * 1000)
        default: return nil
        }
    }
}

extension AuthenticationChallenge {
    /// The demand of a `WWW-Authenticate` field (RFC 9470 §3); `nil` when there is none.
    init?(_ response: HTTPResponse) {
        let challenges = response.fields("WWW-Authenticate").flatMap { WWWAuthenticate.parse($0) }
        guard
            let challenge = challenges.first(where: {
                $0.parameter("error") == "insufficient_user_authentication"
            })
        else { return nil }
        let levels = challenge.parameter("acr_values")?.split(separator: " ").map(String.init)
        let age = challenge.parameter("max_age").flatMap { Int64($0) }
        self.init(
            levels: levels, maxAge: age.flatMap { (0...3_153_600_000).contains($0) ? $0 * 1000 : nil })
    }
}
